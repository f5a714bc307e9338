import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// A clock whose wait is ended from outside at a certain one, counted from 0.
struct ImpatientClock: MonotonicClock, ~Copyable {
  var clock: VirtualClock
  var waits = 0
  var impatientAt: Int?

  var now: Instant { clock.now }

  mutating func sleep(until deadline: Instant) -> Bool {
    waits += 1
    return waits - 1 == impatientAt ? false : clock.sleep(until: deadline)
  }
}

/// How far each axis moves under the electrostatic force, and what is made of it.
@Suite struct SelfTestTests {
  typealias Row = (millivolts: Int32, inPlane: ClosedRange<Int32>, upright: ClosedRange<Int32>)

  /// Tables 14 and 15 of the data sheet, multiplied out by hand: X (and -Y), then Z, in LSB of 1/256 g.
  static let limits: [Row] = [
    (2_000, 32...345, 60...700), (2_500, 50...540, 75...875), (3_300, 89...955, 111...1_286),
    (3_600, 106...1_139, 127...1_478),
  ]

  @Test(arguments: limits)
  func `the limits are those of the data sheet, rounded inwards`(_ row: Row) throws {
    let supply = try #require(ADXL345.SupplyVoltage(millivolts: row.millivolts))
    let test = ADXL345.SelfTest(change: .zero, supply: supply)
    #expect(test.x.weakest == Q16(raw: row.inPlane.lowerBound * 256))
    #expect(test.x.strongest == Q16(raw: row.inPlane.upperBound * 256))
    #expect(test.y.weakest == Q16(raw: row.inPlane.lowerBound * -256))
    #expect(test.y.strongest == Q16(raw: row.inPlane.upperBound * -256))
    #expect(test.z.weakest == Q16(raw: row.upright.lowerBound * 256))
    #expect(test.z.strongest == Q16(raw: row.upright.upperBound * 256))
  }

  @Test func `between the voltages of the table the limits are interpolated`() throws {
    let corners: [(Double, Double, Double)] = [
      (2_000, 0.64, 0.8), (2_500, 1, 1), (3_300, 1.77, 1.47), (3_600, 2.11, 1.69),
    ]
    for millivolts in 2_000...3_600 as ClosedRange<Int32> {
      let supply = try #require(ADXL345.SupplyVoltage(millivolts: millivolts))
      let test = ADXL345.SelfTest(change: .zero, supply: supply)
      let upper = max(1, corners.firstIndex { $0.0 >= Double(millivolts) } ?? 3)
      let (a, b) = (corners[upper - 1], corners[upper])
      let way = (Double(millivolts) - a.0) / (b.0 - a.0)
      let (inPlane, upright) = (a.1 + way * (b.1 - a.1), a.2 + way * (b.2 - a.2))
      let found = [test.x.weakest, test.x.strongest, test.z.weakest, test.z.strongest].map { Double($0.raw) / 256 }
      // Rounded inwards, and 1e-9 for the arithmetic of the model.
      for (limit, exact) in zip(found, [50 * inPlane, 540 * inPlane, 75 * upright, 875 * upright]) {
        #expect(abs(limit - exact) < 1 + 1e-9)
      }
      #expect(found[0] >= 50 * inPlane - 1e-9 && found[1] <= 540 * inPlane + 1e-9)
      #expect(found[2] >= 75 * upright - 1e-9 && found[3] <= 875 * upright + 1e-9)
    }
  }

  @Test func `a supply is one that the part works with, or none`() {
    let numbers = [Int32.min, -1, 0, 1_999, 2_000, 2_001, 3_300, 3_600, 3_601, 5_000, Int32.max]
    #expect(numbers.filter { ADXL345.SupplyVoltage(millivolts: $0) != nil } == [2_000, 2_001, 3_300, 3_600])
    #expect(ADXL345.SupplyVoltage.volts3_3.millivolts == 3_300)
  }

  @Test func `too little and the wrong way is failed, too much is remarked`() {
    let rows: [(counts: Int32, verdict: ADXL345.SelfTest.Verdict)] = [
      (-4_096, .failed), (-500, .failed), (0, .failed), (88, .failed), (89, .passed), (500, .passed), (955, .passed),
      (956, .passedBeyondLimit), (4_095, .passedBeyondLimit),
    ]
    for row in rows {
      let test = ADXL345.SelfTest(change: Still(x: row.counts, y: -row.counts, z: 500).vector)
      #expect(test.x.verdict == row.verdict)
      #expect(test.y.verdict == row.verdict)
      #expect(test.z.verdict == .passed)
      #expect(test.hasPassed == (row.verdict != .failed))
    }
    for (counts, verdict) in [(110, .failed), (111, .passed), (1_286, .passed), (1_287, .passedBeyondLimit)]
      as [(Int32, ADXL345.SelfTest.Verdict)]
    {
      #expect(ADXL345.SelfTest(change: Still(x: 500, y: -500, z: counts).vector).z.verdict == verdict)
    }
  }

  @Test func `the part is tested at 100 Hz, 16 g and normal power, then set up as before`() throws {
    let configuration = try WireFormatTests.everything()
    let part = PlainMemory()
    let log = BusLog()
    var driver = part.driver(configuration, log: log)
    var clock = VirtualClock()
    let test = try #require(try driver.selfTest(clock: &clock))
    // A memory does not move.
    #expect(!test.hasPassed)
    #expect(test.x.change == .zero)
    let written = log.transactions.map(\.written).filter { $0.count == 2 }
    let on = try #require(written.firstIndex(of: [0x31, 0x8B]))
    #expect(
      Array(written[..<on]) == [
        [0x2D, 0x00], [0x2E, 0x00], [0x2C, 0x0A], [0x31, 0x0B], [0x38, 0x00], [0x2D, 0x08],
      ])
    #expect(written[on + 1] == [0x31, 0x0B])
    #expect(log.transactions.count { $0.written == [0x31] && $0.read.first == 0x0B } == 16)
    #expect(log.transactions.count { $0.written == [0x31] && $0.read.first == 0x8B } == 16)
    #expect(part.bytes[0x2C] == 0x18)
    #expect(part.bytes[0x31] == 0x21)
    #expect(part.bytes[0x38] == 0x90)
    #expect(part.bytes[0x2D] == 0x08)
  }

  @Test func `a wait that is ended early ends the test, with the part set up as before`() throws {
    for impatientAt in 0..<40 {
      let part = PlainMemory()
      var driver = part.driver(ADXL345.Configuration(rate: .hz400, range: .g4))
      var clock = ImpatientClock(clock: VirtualClock(), impatientAt: impatientAt)
      let test = try driver.selfTest(clock: &clock)
      #expect((test == nil) == (impatientAt < clock.waits))
      #expect(part.bytes[0x2C] == 0x0C)
      #expect(part.bytes[0x31] == 0x09)
      #expect(part.bytes[0x2D] == 0x08)
      _ = try driver.sample()
    }
  }
}
