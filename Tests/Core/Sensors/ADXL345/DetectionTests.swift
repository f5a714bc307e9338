import FixedPoint
import Sensors
import TestSupport
import Testing

/// From units to the steps of the detectors' registers.
struct DetectionTests {
  /// One time setting of the detectors: the length of its step, and its initialiser.
  struct Time: Sendable {
    var microseconds: Int64
    var made: @Sendable (Microseconds) -> Microseconds?
  }

  static let half = Q16(1, over: 2)
  static let times: [Time] = [
    Time(microseconds: 625) { ADXL345.Tap(threshold: half, duration: $0)?.duration },
    Time(microseconds: 1_250) { ADXL345.SecondTap(latency: $0, window: .milliseconds(100))?.latency },
    Time(microseconds: 1_250) { ADXL345.SecondTap(latency: .milliseconds(100), window: $0)?.window },
    Time(microseconds: 5_000) { ADXL345.FreeFall(threshold: half, time: $0)?.time },
  ]

  @Test(arguments: times.indices)
  static func `a time is rounded to the nearest step, or rejected beyond 255 of them`(_ index: Int) {
    let row = DetectionTests.times[index]
    let step = row.microseconds
    for count in [-300, -1, 0, 1, 2, 3, 100, 254, 255, 256, 257, 10_000] as [Int64] {
      for rest in [-(step / 2), -(step / 2) + 1, -1, 0, 1, (step - 1) / 2] {
        let made = row.made(Microseconds(count * step + rest))
        expect(made, equals: (1...255).contains(count) ? Microseconds(count * step) : nil)
      }
    }
    for extreme in [Int64.min, Int64.max, Int64.max - step] { expect(row.made(Microseconds(extreme)), equals: nil) }
  }

  @Test static func `a threshold is rounded to the nearest 62.5 mg, or rejected below 1 or beyond 255 of them`() {
    let makers: [(Q16) -> Q16?] = [
      { ADXL345.Tap(threshold: $0, duration: .milliseconds(10))?.threshold },
      { ADXL345.FreeFall(threshold: $0, time: .milliseconds(100))?.threshold },
    ]
    // 0.0625 g is 4096/65536 g.
    for make in makers {
      for raw in stride(from: -10_000 as Int32, through: 1_100_000, by: 997) {
        let steps = Int32((Double(raw) / 4_096 + 0.5).rounded(.down))
        expect(make(Q16(raw: raw)), equals: (1...255).contains(steps) ? Q16(raw: steps * 4_096) : nil)
      }
      expect(make(Q16(raw: 2_047)), equals: nil)
      expect(make(Q16(raw: 2_048)), equals: Q16(1, over: 16))
      expect(make(Q16(raw: 255 * 4_096 + 2_047)), equals: Q16(raw: 255 * 4_096))
      expect(make(Q16(raw: 255 * 4_096 + 2_048)), equals: nil)
      for extreme in [Int32.min, Int32.max] { expect(make(Q16(raw: extreme)), equals: nil) }
    }
  }

  @Test static func `a detector without an axis is rejected`() {
    let none = ADXL345.Axes()
    expect(ADXL345.Tap(threshold: .one, duration: .milliseconds(10), axes: none), equals: nil)
  }

  @Test static func `a detection enables the events that it describes`() throws {
    let second = try require(ADXL345.SecondTap(latency: .milliseconds(20), window: .milliseconds(80)))
    let kinds: [(kind: ADXL345.Tap.Kind, bits: UInt8)] = [
      (.single, 0x40), (.double(second), 0x20), (.singleAndDouble(second), 0x60),
    ]
    for row in kinds {
      let tap = ADXL345.Tap(threshold: .one, duration: .milliseconds(10), kind: row.kind)
      expect(ADXL345.Detection(tap: tap).events.rawValue, equals: row.bits)
    }
    let freeFall = ADXL345.FreeFall(threshold: .one, time: .milliseconds(100))
    expect(ADXL345.Detection(freeFall: freeFall).events.rawValue, equals: 0x04)
    expect(that: ADXL345.Detection().events.isEmpty)
  }
}
