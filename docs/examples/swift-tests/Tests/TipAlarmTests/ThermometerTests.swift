import Plumb
import PlumbEmulation
import Testing
import TipAlarm

/// An emulated LM75: four registers of two bytes behind a pointer, the temperature first.
final class EmulatedThermometer: EmulatedTarget {
  var halfDegrees: Int16 = 0
  private var pointer: UInt8 = 0

  func receive(_ bytes: Span<UInt8>) {
    if bytes.count > 0 { pointer = bytes[0] & 3 }
  }

  func transmit(into buffer: inout MutableSpan<UInt8>) {
    let word = pointer == 0 ? UInt16(bitPattern: halfDegrees << 7) : 0
    for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index == 0 ? word >> 8 : word) }
  }

  func powerCycle() { pointer = 0 }
}

@Test(arguments: [-110, -1, 0, 43, 250] as [Int16])
func `every temperature is read as it is, beside other parts on the same bus`(_ halfDegrees: Int16) throws {
  let place = try #require(I2CAddress(0x48))
  let clock = VirtualClock()
  let part = EmulatedThermometer()
  part.halfDegrees = halfDegrees
  var bus = EmulatedBus(part, at: place) { clock.now }
  bus.attach(EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }, at: address)
  var thermometer = Thermometer(bus, at: place)
  #expect(try thermometer.celsius() == Double(halfDegrees) / 2)
}
