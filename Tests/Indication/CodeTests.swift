import FixedPoint
import HAL
import Indication
import Orientation
import TestSupport
import Testing

/// Coded lines: what another controller reads.
@Suite struct CodeTests {
  /// The lines of each pose, written out: bit 0 is the valid line.
  struct Row: Sendable {
    var pose: Pose
    var oneHot: UInt32
    var binary: UInt32

    func bits(_ code: LineCode) -> UInt32 { code == .oneHot ? oneHot : binary }
  }

  static let rows = [
    Row(pose: .portrait, oneHot: 0b000_0011, binary: 0b0001),
    Row(pose: .portraitUpsideDown, oneHot: 0b000_0101, binary: 0b0011),
    Row(pose: .landscapeLeft, oneHot: 0b000_1001, binary: 0b0101),
    Row(pose: .landscapeRight, oneHot: 0b001_0001, binary: 0b0111),
    Row(pose: .faceUp, oneHot: 0b010_0001, binary: 0b1001),
    Row(pose: .faceDown, oneHot: 0b100_0001, binary: 0b1011),
  ]
  static let codes: [LineCode] = [.oneHot, .binary]
  static let reasons: [UnknownReason] = [.notYetSampled, .ambiguous, .accelerating, .freeFall, .stale, .fault]

  static func configuration(_ code: LineCode, hold: Int64 = 5) -> Indicator.Configuration {
    Indicator.Configuration(code: code, hold: .milliseconds(hold))
  }

  @Test(arguments: codes)
  func `every pose has the levels of its table, and no two have the same`(_ code: LineCode) {
    for row in Self.rows { #expect(code.levels(of: row.pose).bits == row.bits(code), "\(row.pose)") }
    #expect(Set(Self.rows.map { $0.bits(code) }).count == 6)
  }

  @Test func `a code has a name and a count of lines, one of which may tell whether the others are valid`() {
    let table: [(LineCode, String, Int, UInt32, UInt32)] = [
      (.leds, "leds", 6, 0, 0b11_1111), (.oneHot, "one-hot", 7, 1, 0b111_1110), (.binary, "binary", 4, 1, 0b1110),
    ]
    #expect(table.count == LineCode.count)
    for (code, name, count, valid, data) in table {
      #expect(code.name.description == name)
      #expect(code.lineCount == count)
      #expect(code.valid.bits == valid)
      #expect(code.data.bits == data)
    }
    for row in Self.rows { #expect(LineCode.leds.levels(of: row.pose) == .oneHot(row.pose)) }
  }

  @Test(arguments: codes)
  func `from darkness a pose takes two changes, the valid line coming last`(_ code: LineCode) {
    for row in Self.rows {
      let panel = Panel()
      let data = row.bits(code) & ~1
      #expect(panel.show(.known(row.pose), at: 100, Self.configuration(code)) == (data != 0))
      #expect(panel.levels.bits == data)
      #expect(panel.nextChange == at(105))
      #expect(!panel.show(.known(row.pose), at: 104, Self.configuration(code)))
      #expect(panel.show(.known(row.pose), at: 105, Self.configuration(code)))
      #expect(panel.levels.bits == row.bits(code))
      #expect(panel.nextChange == nil)
    }
  }

  @Test(arguments: codes)
  func `from pose to pose the valid line goes, the others change, and it comes again`(_ code: LineCode) {
    for old in Self.rows {
      for new in Self.rows where new.pose != old.pose {
        let panel = Self.panel(showing: old.pose, code)
        let steps: [(Int64, UInt32, Int64?)] = [
          (200, old.bits(code) & ~1, 205), (205, new.bits(code) & ~1, 210), (210, new.bits(code), nil),
        ]
        for (time, bits, next) in steps {
          #expect(panel.show(.known(new.pose), at: time, Self.configuration(code)) == (panel.levels.bits == bits))
          #expect(panel.levels.bits == bits, "\(old.pose) to \(new.pose)")
          #expect(panel.nextChange == next.map(at))
        }
      }
    }
  }

  @Test(arguments: codes)
  func `for every reason not to know, the valid line goes first and then all are off, for good`(_ code: LineCode) {
    for row in Self.rows {
      for reason in Self.reasons {
        for hasGivenUp in [false, true] {
          let panel = Self.panel(showing: row.pose, code)
          func show(_ time: Int64) -> Bool {
            panel.show(.unknown(reason), hasGivenUp: hasGivenUp, at: time, Self.configuration(code))
          }
          #expect(show(200))
          #expect(panel.levels.bits == row.bits(code) & ~1)
          #expect(panel.nextChange == at(205))
          #expect(show(205) == (row.bits(code) != 1))
          #expect(panel.levels == .off)
          #expect(panel.nextChange == nil)
          // Nothing blinks, ever.
          for time in Int64(206)..<4_000 {
            #expect(!show(time) && panel.levels == .off && panel.nextChange == nil)
          }
        }
      }
    }
  }

  @Test(arguments: codes)
  func `trouble differs from every pose, and a fault is not silent`(_ code: LineCode) {
    for row in Self.rows { #expect(row.bits(code) & 1 == 1) }
    let panel = Panel()
    for reason in Self.reasons {
      #expect(!panel.show(.unknown(reason), at: 0, Self.configuration(code)))
      #expect(panel.levels == .off)
    }
  }

  @Test(arguments: codes)
  func `a pose that comes back while the valid line is off waits out both pauses`(_ code: LineCode) {
    for row in Self.rows {
      let panel = Self.panel(showing: row.pose, code)
      _ = panel.show(.unknown(.ambiguous), at: 200, Self.configuration(code))
      #expect(!panel.show(.known(row.pose), at: 201, Self.configuration(code)))
      #expect(!panel.show(.known(row.pose), at: 205, Self.configuration(code)))
      #expect(panel.levels.bits == row.bits(code) & ~1)
      #expect(panel.nextChange == at(210))
      #expect(!panel.show(.known(row.pose), at: 209, Self.configuration(code)))
      #expect(panel.show(.known(row.pose), at: 210, Self.configuration(code)))
      #expect(panel.levels.bits == row.bits(code))
    }
  }

  @Test(arguments: codes, [0, -3] as [Int64])
  func `without a pause the steps follow at once, but are still steps`(_ code: LineCode, _ hold: Int64) {
    let panel = Panel()
    let configuration = Self.configuration(code, hold: hold)
    _ = panel.show(.known(.landscapeLeft), at: 100, configuration)
    #expect(panel.levels.bits & 1 == 0 && panel.nextChange == at(100))
    #expect(panel.show(.known(.landscapeLeft), at: 100, configuration))
    #expect(panel.levels == code.levels(of: .landscapeLeft))
    #expect(panel.nextChange == nil)
  }

  /// A panel on which `pose` has been shown at 100 ms.
  static func panel(showing pose: Pose, _ code: LineCode) -> Panel {
    let panel = Panel()
    for time in Int64(95)...105 { _ = panel.show(.known(pose), at: time, Self.configuration(code)) }
    return panel
  }
}
