import HAL
import Testing

@Suite struct AddressTests {
  @Test(arguments: UInt8.min...UInt8.max)
  func `an address has 7 bits and is none of the reserved ones`(_ byte: UInt8) {
    #expect(I2CAddress(byte)?.rawValue == ((0x08...0x77).contains(byte) ? byte : nil))
  }
}
