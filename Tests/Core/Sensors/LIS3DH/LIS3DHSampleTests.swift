import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The driver's samples from a running part, and its checks of the configuration.
struct LIS3DHSampleTests {
  @Test(arguments: LIS3DHFacts.rates, LIS3DHFacts.ranges)
  static func `at each rate, range and resolution the first sample is correct`(
    _ rate: (code: UInt8, rate: LIS3DH.OutputDataRate, hertz: Int64),
    _ range: (code: UInt8, range: LIS3DH.Range, g: Int32, milliG: Double)
  ) throws {
    for resolution in [LIS3DH.Resolution.high, .normal] {
      // 1.5 g is a whole number of steps of 12 mg; in normal mode the steps are four times as large.
      let force = range.g == 16 ? Still(x: 384, y: 0, z: -384) : Still(x: 128, y: -256, z: 384)
      let rig = LIS3DHRig(
        force, LIS3DH.Configuration(rate: rate.rate, range: range.range, resolution: resolution))
      let found = try rig.startAndSample()
      let tolerance = resolution == .high ? (range.g >= 8 ? 1 : 0) : range.milliG * 2 * 65.6 + 1
      for (a, b) in [(found.x, force.vector.x), (found.y, force.vector.y), (found.z, force.vector.z)] {
        expect(abs(Double(a.raw - b.raw)), isAtMost: tolerance, "\(resolution)")
      }
      try expect(rig.registers(0x20), equals: [rate.code << 4 | 7])
      try expect(rig.registers(0x23), equals: [0x80 | range.code << 4 | (resolution == .high ? 8 : 0)])
      expect(rig.part.reservedWrites, equals: 0)
      expect(rig.driver.fullScale, isBelow: Q16(whole: range.g))
      expect(rig.driver.fullScale.raw, isAbove: range.g * 65_000)
    }
  }

  @Test(
    arguments: [
      (.portrait, 0, 1, 0), (.portraitUpsideDown, 0, -1, 0), (.landscapeLeft, 1, 0, 0), (.landscapeRight, -1, 0, 0),
      (.faceUp, 0, 0, 1), (.faceDown, 0, 0, -1),
    ] as [(BoardPose, Int32, Int32, Int32)])
  static func `in each of six attitudes every axis reads the correct force and sign`(
    _ pose: BoardPose, _ x: Int32, _ y: Int32, _ z: Int32
  ) throws {
    for range in LIS3DHFacts.ranges {
      let rig = LIS3DHRig(
        Still(x: x, y: y, z: z, unit: 65_536), LIS3DH.Configuration(range: range.range))
      let found = try rig.startAndSample()
      for (axis, whole) in [(found.x, x), (found.y, y), (found.z, z)] {
        expect(abs(Double(axis.raw) - Double(whole) * 65_536), isAtMost: range.milliG * 33, "\(pose), \(range.g) g")
      }
    }
  }

  enum BoardPose { case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown }

  @Test(arguments: LIS3DHFacts.ranges)
  static func `a force beyond the range, or an axis stuck at its maximum, reads as full scale`(
    _ row: (code: UInt8, range: LIS3DH.Range, g: Int32, milliG: Double)
  ) throws {
    let configuration = LIS3DH.Configuration(range: row.range)
    for sign in [1, -1] as [Int32] {
      let rig = LIS3DHRig(Still(x: sign * 20, y: 0, z: sign * -20, unit: 65_536), configuration)
      let (found, most) = (try rig.startAndSample(), rig.driver.fullScale)
      let (plus, minus) = sign > 0 ? (found.x, found.z) : (found.z, found.x)
      expect(plus.raw - most.raw, isAtMost: 1)
      expect(plus, isAtLeast: most)
      expect(minus.raw, isAtMost: -most.raw)
      expect(found.y, equals: .zero)
    }
    let stuck = LIS3DHRig(
      LIS3DHRig.force, configuration, plan: [.init(.fullScaleData, .always)])
    try expect(stuck.startAndSample().x, isAtLeast: stuck.driver.fullScale)
  }

  /// A force that is equal on all axes and changes with each sample.
  private struct Staircase: Motion {
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 {
      let step = Int32(time.count / 2_500 % 100) - 50
      let value = Q16(raw: step * 1_311)
      return Vector3(x: value, y: value, z: value)
    }
  }

  @Test static func `no sample is torn, although new ones arrive within many bursts`() throws {
    var specimen = LIS3DHRig.quiet
    // 23 µs at 400 kHz.
    specimen.specimen.byteTime = 23
    let rig = LIS3DHRig(Staircase(), LIS3DH.Configuration(rate: .hz400, range: .g2), specimen: specimen)
    try rig.start()
    // Single bursts are sometimes torn; otherwise this test would prove nothing.
    var (torn, bursts) = (0, 0)
    for _ in 0..<4_000 {
      rig.clock.advance(by: Microseconds(613))
      let bytes = try rig.registers(0xA8, 6)
      if bytes[0] != bytes[4] || bytes[1] != bytes[5] { torn += 1 }
    }
    for _ in 0..<4_000 {
      rig.clock.advance(by: Microseconds(977))
      let before = rig.log.transactionCount
      let sample = try rig.sample()
      expect(sample.x, equals: sample.y)
      expect(sample.y, equals: sample.z)
      if rig.log.transactionCount - before == 3 { bursts += 1 }
    }
    expect(torn, isAbove: 50, "\(torn), \(bursts)")
    expect(bursts, isAbove: 50, "\(torn), \(bursts)")
  }

  @Test(arguments: LIS3DHFacts.ranges, [true, false])
  static func `in a coarse range new samples at rest differ by one bit, and repeated reads do not`(
    _ row: (code: UInt8, range: LIS3DH.Range, g: Int32, milliG: Double), _ waits: Bool
  ) throws {
    let fifo: LIS3DH.FIFO = waits ? .stream(watermark: .init(nearest: 8)) : .bypass
    let rig = LIS3DHRig(
      Still(x: 384, y: 0, z: -384), LIS3DH.Configuration(range: row.range, fifo: fifo))
    try rig.start()
    _ = try rig.nextSamples()
    var values: [Int32] = []
    for _ in 0..<6 { values += try rig.nextSamples().samples.map(\.x.raw) }
    expect(values.count, equals: 6)
    expect(Set(values).count, equals: row.g >= 8 ? 2 : 1)
    for (a, b) in zip(values, values.dropFirst()) { expect(abs(a - b), equals: row.g >= 8 ? 1 : 0) }
    expect(abs(values[0] - 98_304), isAtMost: 1)
    guard !waits else { return }
    let last = try rig.sample()
    try expect(rig.sample(), equals: last)
    try expect(rig.sample(), equals: last)
  }

  @Test static func `a start configures the part, whatever its registers contained`() throws {
    var random = SplitMix64(seed: 33)
    let fresh = LIS3DHRig()
    try fresh.start()
    let expected = try fresh.registers(0xA0, 6) + fresh.registers(0xBE, 2) + fresh.registers(0x2E)
    for _ in 0..<300 {
      let rig = LIS3DHRig()
      for register: UInt8 in Array(0x1F...0x26) + [0x2E, 0x30, 0x32, 0x33, 0x38, 0x3A, 0x3E, 0x3F] {
        try rig.write([register, UInt8.random(in: 0...255, using: &random)])
        rig.clock.advance(by: Microseconds(Int64.random(in: 0...30_000, using: &random)))
      }
      _ = try rig.registers(0xA8, Int.random(in: 1...40, using: &random))
      try expect(rig.startAndSample(), equals: LIS3DHRig.force.vector)
      try expect(rig.registers(0xA0, 6) + rig.registers(0xBE, 2) + rig.registers(0x2E), equals: expected)
      try expect(that: rig.adopt())
    }
  }

  @Test(arguments: [0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x2E, 0x3E, 0x3F] as [UInt8])
  static func `a start names a register that does not keep its value`(_ register: UInt8) throws {
    let memory = LIS3DHMemory(stuck: register)
    let bus = EmulatedBus(memory, at: LIS3DH.address) { Instant(microseconds: 0) }
    var driver = LIS3DH.Device(bus: bus)
    let error = sensorError { () throws(SensorError) in _ = try driver.start() }
    guard case .configurationRejected(register, _, 0xA5) = error else {
      Issue.record("0x\(register) is not named")
      return
    }
    expect(sensorError { () throws(SensorError) in _ = try driver.sample() }, equals: .configurationLost)
  }

  /// Registers of which one always reads 0xA5; the pointer advances if bit 7 of the address is set.
  private final class LIS3DHMemory: EmulatedTarget {
    private var bytes = [UInt8](repeating: 0, count: 128)
    private let stuck: UInt8
    private var (pointer, step) = (0, 0)

    init(stuck: UInt8) {
      self.stuck = stuck
      bytes[0x0F] = 0x33
    }

    func receive(_ written: Span<UInt8>) {
      for index in written.indices {
        if index == 0 {
          (pointer, step) = (Int(written[0] & 0x7F), written[0] >= 0x80 ? 1 : 0)
        } else {
          bytes[pointer] = written[index]
          pointer += step
        }
      }
    }

    func transmit(into buffer: inout MutableSpan<UInt8>) {
      for index in buffer.indices {
        buffer[index] = pointer == Int(stuck) ? 0xA5 : bytes[pointer]
        pointer += step
      }
    }

    func powerCycle() {}
  }
}
