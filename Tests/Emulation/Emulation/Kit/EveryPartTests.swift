import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

/// What holds for every part that can be emulated, whatever its registers.
struct EveryPartTests {
  /// What a test has to know of a part.
  struct Row {
    /// The register of its identity, and the identity.
    var identity: (register: UInt8, value: UInt8)
    /// Writes after which it measures forces, at about 100 Hz or more.
    var start: [[UInt8]]
    /// The address of its forces, with the bit that makes the pointer advance.
    var data: UInt8
    var isHighFirst = false
    /// The greatest number of its words.
    var fullScale = 0x7FFF
  }

  private static func row(_ part: EmulatedPart) -> Row {
    func invensense(_ identity: UInt8) -> Row {
      Row(identity: (0x75, identity), start: [[0x6B, 0x01], [0x1A, 0x01]], data: 0x3B, isHighFirst: true)
    }
    func lsm6ds(_ identity: UInt8) -> Row { Row(identity: (0x0F, identity), start: [[0x10, 0x40]], data: 0x28) }
    return switch part {
    case .adxl345: Row(identity: (0x00, 0xE5), start: [[0x2D, 0x08]], data: 0x32, fullScale: 0x01FF)
    case .mpu6050: invensense(0x68)
    case .mpu6500: invensense(0x70)
    case .mpu9250: invensense(0x71)
    case .icm20689: invensense(0x98)
    case .lis3dh: Row(identity: (0x0F, 0x33), start: [[0x20, 0x57]], data: 0xA8, fullScale: 0x7FF0)
    case .lsm6ds: lsm6ds(0x6C)
    case .lsm6ds33: lsm6ds(0x69)
    case .lsm6ds3trc: lsm6ds(0x6A)
    case .ism330dhcx: lsm6ds(0x6B)
    case .lsm9ds1: Row(identity: (0x0F, 0x68), start: [[0x20, 0x60]], data: 0x28)
    case .icm20948: Row(identity: (0x00, 0xEA), start: [[0x06, 0x01]], data: 0x2D, isHighFirst: true)
    }
  }

  private static func part(
    _ kind: EmulatedPart, isStill: Bool = false, now: @escaping () -> Instant,
    adjust: (inout Specimen) -> Void = { _ in }
  ) throws -> EmulatedSensor {
    var specimen = Specimen()
    specimen.isNoisy = !isStill
    adjust(&specimen)
    let motion: any Motion = isStill ? AttitudePath.hold(.portrait) : NamedMotion.shake.motion
    return try require(kind.target(specimen, motion: motion, seed: 7, now: now) as? EmulatedSensor)
  }

  /// A part with noise on a board that shakes, or else without noise on one that holds still.
  private struct Rig {
    let row: Row
    let part: EmulatedSensor
    let clock = VirtualClock()

    init(_ kind: EmulatedPart, isStill: Bool = false, adjust: (inout Specimen) -> Void = { _ in }) throws {
      let clock = clock
      row = EveryPartTests.row(kind)
      part = try EveryPartTests.part(kind, isStill: isStill, now: { clock.now }, adjust: adjust)
    }

    func pass(_ milliseconds: Int64) { clock.advance(by: .milliseconds(milliseconds)) }
    func write(_ bytes: [UInt8]) { part.receive(bytes.span) }
    func start() { row.start.forEach(write) }

    func read(_ register: UInt8, _ count: Int = 1) -> [UInt8] {
      write([register])
      var bytes = [UInt8](repeating: 0xAA, count: count)
      var span = bytes.mutableSpan
      part.transmit(into: &span)
      return bytes
    }

    /// The forces, as words.
    var words: [Int] {
      let bytes = read(row.data, 6)
      return [0, 2, 4].map { low in
        let (first, second) = (UInt16(bytes[low]), UInt16(bytes[low + 1]))
        return Int(Int16(bitPattern: row.isHighFirst ? first << 8 | second : second << 8 | first))
      }
    }
  }

  @Test(arguments: EmulatedPart.allCases)
  static func `samples do not depend on when the part is accessed`(_ kind: EmulatedPart) throws {
    let (often, seldom) = (try Rig(kind), try Rig(kind))
    for rig in [often, seldom] { rig.start() }
    var found: Set<[Int]> = []
    for step in 1...500 {
      for rig in [often, seldom] { rig.pass(7) }
      _ = often.read(often.row.identity.register)
      guard step % 25 == 0 else { continue }
      let words = often.words
      expect(words, equals: seldom.words)
      found.insert(words)
    }
    expect(found.count, isAbove: 9, "the board moves")
    expect(often.part.sampleCount, equals: seldom.part.sampleCount)
  }

  @Test(arguments: EmulatedPart.allCases)
  static func `a part's clock runs as much faster than nominal as its specimen says`(_ kind: EmulatedPart) throws {
    func samples(_ partsPerMillion: Int32) throws -> Double {
      let rig = try Rig(kind) { $0.ratePartsPerMillion = partsPerMillion }
      rig.start()
      rig.pass(1_000)
      _ = rig.words
      let before = rig.part.sampleCount
      rig.pass(10_000)
      _ = rig.words
      return Double(rig.part.sampleCount - before)
    }
    expect(abs(try samples(50_000) / samples(0) - 1.05), isBelow: 0.003)
  }

  @Test(arguments: EmulatedPart.allCases)
  static func `a burst takes the time of a specimen's bytes, unless it shows one instant`(_ kind: EmulatedPart) throws {
    let rig = try Rig(kind) { $0.byteTime = 20_000 }
    rig.start()
    rig.pass(1_000)
    _ = rig.read(rig.row.identity.register, 0)
    let before = rig.part.sampleCount
    _ = rig.words
    let isOneInstant = [.adxl345, .mpu6050, .mpu6500, .mpu9250, .icm20689].contains(kind)
    expect(rig.part.sampleCount > before + 5, equals: !isOneInstant)
  }

  @Test(arguments: EmulatedPart.allCases)
  static func `a clock that runs backwards or leaps makes no sample twice`(_ kind: EmulatedPart) throws {
    var now = Instant(microseconds: 0)
    let (row, part) = (Self.row(kind), try Self.part(kind) { now })
    for write in row.start { part.receive(write.span) }
    var counts: [UInt64] = []
    for microseconds: Int64 in [150_000, 10, -1_000_000, .min / 2, 300_000, .max / 2, 0] {
      now = Instant(microseconds: microseconds)
      part.receive([row.data].span)
      counts.append(part.sampleCount)
    }
    expect(counts[0], isAbove: 9)
    expect(all: counts[1...3]) { $0 == counts[0] }
    expect(counts[4], isAbove: counts[0] + 9)
    expect(counts[5], isAbove: 1 << 40)
    expect(counts[6], equals: counts[5])
  }

  @Test(arguments: EmulatedPart.allCases)
  static func `a part that has lost its supply is as new, whatever was written before`(_ kind: EmulatedPart) throws {
    let (used, new) = (try Rig(kind, isStill: true), try Rig(kind, isStill: true))
    used.start()
    used.pass(100)
    for register: UInt8 in 0...0x7F { used.write([register, 0xFF]) }
    used.pass(1_000)
    used.part.powerCycle()
    for register: UInt8 in 0...0x7F {
      expect(used.read(register), equals: new.read(register), "register \(register)")
    }
    for rig in [used, new] {
      rig.start()
      rig.pass(500)
    }
    let words = used.words
    expect(words, equals: new.words)
    expect(words, isNot: [0, 0, 0])
  }

  @Test(arguments: EmulatedPart.allCases)
  static func `a fault plan changes the identity, freezes the data or sets them to full scale`(_ kind: EmulatedPart)
    throws
  {
    let rig = try Rig(kind)
    let (register, identity) = rig.row.identity
    rig.part.prepare(under: TargetConditions(identity: 0x12))
    expect(rig.read(register), equals: [0x12])
    rig.part.prepare(under: TargetConditions())
    expect(rig.read(register), equals: [identity])
    rig.start()
    rig.pass(200)
    let before = rig.words
    rig.part.prepare(under: TargetConditions(measurement: .frozen))
    for _ in 0..<3 {
      rig.pass(50)
      expect(rig.words, equals: before)
    }
    rig.part.prepare(under: TargetConditions(measurement: .fullScale))
    rig.pass(50)
    expect(rig.words, equals: Array(repeating: rig.row.fullScale, count: 3))
    rig.part.prepare(under: TargetConditions())
    rig.pass(50)
    expect(all: rig.words) { $0 < rig.row.fullScale }
  }
}
