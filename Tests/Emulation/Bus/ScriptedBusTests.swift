import Emulation
import HAL
import Testing

@Suite struct ScriptedBusTests {
  @Test func `a script that is followed has no leftovers and no mismatches`() throws {
    let address = EmulatedADXL345.address
    let script = BusScript([
      .writeRead([0x00], reply: [0xE5], at: address),
      .write([0x2D, 0x08], to: address),
      .writeRead([0x32], reply: [1, 2], at: address, throwing: .arbitrationLost),
    ])
    var owner = Owner(ScriptedBus(script))
    #expect(try owner.read([0x00], 1, at: address) == [0xE5])
    try owner.write([0x2D, 0x08], to: address)
    #expect(throws: I2CFault.arbitrationLost) { _ = try owner.read([0x32], 2, at: address) }
    #expect(script.leftovers == [])
    #expect(script.mismatches == [])
    #expect(script.complaints == [])
  }

  @Test func `a script reports what it expected and what it found, and what is left`() throws {
    let address = EmulatedADXL345.address
    let steps: [BusScript.Step] = [.writeRead([0x00], reply: [0xE5], at: address)]
    let script = BusScript(steps)
    var owner = Owner(ScriptedBus(script))
    #expect(throws: I2CFault.unsupported) { try owner.write([0x00], to: address) }
    #expect(throws: I2CFault.unsupported) { _ = try owner.read([0x01], 1, at: address) }
    #expect(throws: I2CFault.unsupported) { _ = try owner.read([0x00], 2, at: address) }
    #expect(throws: I2CFault.unsupported) { _ = try owner.read([0x00], 1, at: EmulatedADXL345.alternateAddress) }
    #expect(script.leftovers == steps)
    #expect(try owner.read([0x00], 1, at: address) == [0xE5])
    #expect(throws: I2CFault.unsupported) { try owner.write([0x2D, 0x08], to: address) }
    #expect(
      script.mismatches == [
        "expected write [00], then read 1 at 53, found write [00] at 53",
        "expected write [00], then read 1 at 53, found write [01], then read 1 at 53",
        "expected write [00], then read 1 at 53, found write [00], then read 2 at 53",
        "expected write [00], then read 1 at 53, found write [00], then read 1 at 1D",
        "expected no more transactions, found write [2D 08] at 53",
      ])
  }

  @Test func `all that is wrong comes in one list: mismatches, then the steps that never came`() throws {
    let script = BusScript([
      .write([0x2D, 0x08], to: EmulatedADXL345.address), .writeRead([0x32], reply: [1, 2], at: Wire.first),
    ])
    var owner = Owner(ScriptedBus(script))
    #expect(
      script.complaints == [
        "expected write [2D 08] at 53, which never came", "expected write [32], then read 2 at 50, which never came",
      ])
    #expect(throws: I2CFault.unsupported) { try owner.write([0x2D], to: EmulatedADXL345.address) }
    try owner.write([0x2D, 0x08], to: EmulatedADXL345.address)
    #expect(
      script.complaints == [
        "expected write [2D 08] at 53, found write [2D] at 53",
        "expected write [32], then read 2 at 50, which never came",
      ])
    #expect(script.steps.count == 2)
  }
}
