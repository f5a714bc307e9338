import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// That a probe does no harm, and where it cannot help doing some.
@Suite struct ProbeHarmTests {
  /// All registers of who is at `number`, each read by itself.
  private func dump(_ bus: inout EmulatedBus, at number: UInt8, _ registers: ClosedRange<UInt8>) throws -> [UInt8] {
    try registers.map { register in
      var buffer: [UInt8] = [0xAA]
      var span = buffer.mutableSpan
      try bus.writeRead([register].span, into: &span, at: try i2cAddress(number))
      return buffer[0]
    }
  }

  private func write(_ bus: inout EmulatedBus, at number: UInt8, _ bytes: [UInt8]) throws {
    try bus.write(bytes.span, to: try i2cAddress(number))
  }

  /// Four sensors at work: measuring, with FIFOs that fill and interrupts that are latched.
  private func sensorsAtWork(_ clock: VirtualClock) throws -> EmulatedBus {
    var bus = try busWith(
      [
        (0x1D, EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }),
        (0x53, EmulatedADXL345(motion: AttitudePath.tumble, seed: 2) { clock.now }),
        (0x68, EmulatedMPU6050(motion: AttitudePath.tumble) { clock.now }),
        (0x69, EmulatedMPU6050(motion: AttitudePath.tumble, configuration: .init(.mpu6500), seed: 3) { clock.now }),
      ], clock)
    for number: UInt8 in [0x1D, 0x53] {
      try write(&bus, at: number, [0x38, 0x90])  // stream, watermark 16
      try write(&bus, at: number, [0x2E, 0x83])  // data ready, watermark, overrun
      try write(&bus, at: number, [0x2D, 0x08])  // measure
    }
    for number: UInt8 in [0x68, 0x69] {
      try write(&bus, at: number, [0x6B, 0x01])  // awake
      try write(&bus, at: number, [0x19, 0x09, 0x03])  // 100 Hz
      try write(&bus, at: number, [0x37, 0x20, 0x01])  // latched, data ready
      try write(&bus, at: number, [0x23, 0x78])  // everything into the FIFO
      try write(&bus, at: number, [0x6A, 0x40])
    }
    return bus
  }

  /// Reading a register can change it, so a dump before would not do: a twin that nobody probes shows what should be there.
  @Test(arguments: [0, 1, 9_999, 100_000, 215_000, 437_000] as [Int64])
  func `no register differs from that of a twin that was not probed`(_ span: Int64) throws {
    let clock = VirtualClock()
    var probed = try sensorsAtWork(clock)
    var twin = try sensorsAtWork(clock)
    clock.advance(by: Microseconds(span))
    #expect(probed.probe().count == 4)
    clock.advance(by: Microseconds(span / 3))
    for number: UInt8 in [0x1D, 0x53] {
      let found = try dump(&probed, at: number, 0x00...0x3F)
      #expect(found == (try dump(&twin, at: number, 0x00...0x3F)))
      #expect(found[0x2D] == 0x08)
    }
    for number: UInt8 in [0x68, 0x69] {
      let found = try dump(&probed, at: number, 0x00...0x7F)
      #expect(found == (try dump(&twin, at: number, 0x00...0x7F)))
      #expect(found[0x6A] == 0x40)
    }
  }

  @Test func `a part that is asleep or has just got its supply is left so`() throws {
    let clock = VirtualClock()
    let part = EmulatedMPU6050(motion: AttitudePath.tumble) { clock.now }
    let other = EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }
    var bus = try busWith([(0x68, part), (0x53, other)], clock)
    #expect(bus.probe().count == 2)
    clock.advance(by: .seconds(1))
    #expect(try dump(&bus, at: 0x68, 0x6B...0x6B) == [0x40])
    #expect(try dump(&bus, at: 0x53, 0x2D...0x2D) == [0x00])
    #expect(part.sampleCount == 0)
    #expect(other.sampleCount == 0)
  }

  @Test func `a driver at work reads the same samples whether or not the bus is probed in between`() throws {
    func samples(probing: Bool) throws -> [Vector3] {
      let clock = VirtualClock()
      let part = EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }
      let bus = try busWith([(0x53, part), (0x68, impostor(0x68))], clock)
      var device = ADXL345.Device(
        bus: bus, configuration: ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 8))))
      clock.advance(by: try device.start())
      var found: [Vector3] = []
      for _ in 0..<50 {
        clock.advance(by: .milliseconds(70))
        if probing { #expect(device.wire.bus.probe().count == 2) }
        var batch = ADXL345.Batch()
        try device.drain(into: &batch)
        #expect(!batch.mayLackSamples)
        found += (0..<batch.count).compactMap { batch[$0] }
      }
      return found
    }
    let undisturbed = try samples(probing: false)
    #expect(undisturbed.count > 300)
    #expect(try samples(probing: true) == undisturbed)
  }

  @Test func `clocks and memories keep every byte`() throws {
    let contents = (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    let parts = [0x1D, 0x53, 0x68, 0x69].map { (address: UInt8($0), target: ForeignPart(contents)) }
    var bus = try busWith(parts.map { ($0.address, $0.target) })
    let report = bus.probe()
    #expect(parts.allSatisfy { $0.target.bytes == contents && $0.target.writes == 0 })
    // Register 0x75 of a part with 64 is its 0x35.
    #expect(report[.mpu6050] == .unknown(identity: contents[0x35]))
    #expect(report[.adxl345] == .unknown(identity: contents[0]))
  }

  @Test func `a clock whose memory holds an identity is taken for a sensor: one byte is no proof`() throws {
    var contents = [UInt8](repeating: 0, count: 64)
    contents[0x35] = 0x68
    var bus = try busWith([(0x68, ForeignPart(contents))])
    let finding = bus.probe(.mpu6050)
    #expect(finding?.answer == .usable(.mpu6050(.mpu6050), .accepted))
    #expect(finding?.mayBeClock == false)
  }

  @Test func `a clock that shows its seconds is suspicious, even as an identity of the family`() throws {
    var bus = try busWith([(0x68, ForeignPart([UInt8](repeating: 0x12, count: 19)))])
    let finding = bus.probe(.mpu6050)
    #expect(finding?.answer == .usable(.mpu6050(.icm20602), .acceptedWithNotice))
    #expect(finding?.mayBeClock == true)
  }

  @Test func `an interrupt that any read clears is cleared, as the documentation warns`() throws {
    let clock = VirtualClock()
    let part = EmulatedMPU6050(motion: AttitudePath.tumble) { clock.now }
    var bus = try busWith([(0x68, part)], clock)
    try write(&bus, at: 0x68, [0x6B, 0x01])
    try write(&bus, at: 0x68, [0x37, 0x30, 0x01])  // latched, cleared by any read; data ready
    clock.advance(by: .milliseconds(100))
    #expect(part.interruptPin == .high)
    _ = bus.probe()
    #expect(part.interruptPin == .low)
  }

  @Test func `a part without registers takes the pointer for data, unless its place is left out`() throws {
    final class Converter: EmulatedTarget {
      var configuration: UInt8 = 0x90
      func receive(_ bytes: Span<UInt8>) { for index in bytes.indices { configuration = bytes[index] } }
      func transmit(into buffer: inout MutableSpan<UInt8>) { for index in buffer.indices { buffer[index] = 0 } }
      func powerCycle() {}
    }
    let converter = Converter()
    var bus = try busWith([(0x68, converter)])
    for place in [Probe.Place.adxl345Alternate, .adxl345, .mpu6050Alternate] { #expect(bus.probe(place) == nil) }
    #expect(converter.configuration == 0x90)
    #expect(bus.probe(.mpu6050)?.answer == .noIdentity(reading: 0x00))
    #expect(converter.configuration == 0x75)
  }
}
