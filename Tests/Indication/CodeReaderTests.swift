import FixedPoint
import HAL
import Indication
import Orientation
import TestSupport
import Testing

/// A reader of coded lines, on a model of the wires: the lines of one request change one after another in any order, with
/// any delay between two of them, and so does the request.
@Suite struct CodeReaderTests {
  /// The levels of the wires, each from an instant (µs) on.
  struct Wires {
    private(set) var changes: [(time: Int64, bits: UInt32)] = [(Int64.min, 0)]
    /// When each pose was first decided on, and what it was instead of.
    var states: [(time: Int64, bits: UInt32)] = []

    var last: Int64 { changes[changes.count - 1].time }
    var bits: UInt32 { changes[changes.count - 1].bits }

    mutating func add(_ time: Int64, _ bits: UInt32) { changes.append((time, bits)) }

    /// What `line` is at `time`.
    func isOn(_ line: Int, at time: Int64) -> Bool {
      (changes.last { $0.time <= time }?.bits ?? 0) >> UInt32(line) & 1 == 1
    }
  }

  /// Shows poses and reasons at random for a while, as the loop does: each step at its time or later, each request done
  /// before the next step is thought of.
  static func wires(_ code: LineCode, _ seed: UInt64) -> Wires {
    var random = SplitMix64(seed: seed)
    var wires = Wires()
    var indicator = Indicator()
    let configuration = Indicator.Configuration(code: code)
    var now: Int64 = 0
    var state = PoseState.unknown(.notYetSampled)
    for _ in 0..<3_000 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        state = IndicatorTests.states.randomElement(using: &random) ?? state
      }
      let target = state.pose.map { code.levels(of: $0).bits } ?? 0
      if wires.states.last?.bits != target { wires.states.append((now, target)) }
      if indicator.show(state, at: Instant(microseconds: now), configuration) {
        // Rarely the request comes much too late, or is interrupted in the middle.
        now += delay(&random)
        for line in (0..<code.lineCount).shuffled(using: &random) {
          let mask: UInt32 = 1 << UInt32(line)
          guard (wires.bits ^ indicator.levels.bits) & mask != 0 else { continue }
          wires.add(now, wires.bits ^ mask)
          now += delay(&random)
        }
      }
      let next = indicator.nextChange.map { $0 - Instant(microseconds: 0) }?.count ?? .max
      now = max(now, min(next, now + Int64.random(in: 0...12_000, using: &random)))
    }
    return wires
  }

  private static func delay(_ random: inout SplitMix64) -> Int64 {
    Int.random(in: 0..<8, using: &random) == 0
      ? Int64.random(in: 0...30_000, using: &random) : Int64.random(in: 0...3, using: &random)
  }

  @Test(arguments: CodeTests.codes, 1...8 as ClosedRange<UInt64>)
  func `at no instant is a mixture valid`(_ code: LineCode, _ seed: UInt64) {
    let wires = Self.wires(code, seed)
    let poses = Set(CodeTests.rows.map { $0.bits(code) })
    #expect(wires.changes.count > 500)
    #expect(wires.changes.allSatisfy { $0.bits & 1 == 0 || poses.contains($0.bits) })
  }

  @Test(arguments: CodeTests.codes, 1...8 as ClosedRange<UInt64>)
  func `between two valid codes the valid line is off for 5 ms at least`(_ code: LineCode, _ seed: UInt64) {
    let changes = Self.wires(code, seed).changes
    for (index, change) in changes.enumerated() where index > 0 && change.bits & 1 == 1 {
      guard let off = changes[..<index].lastIndex(where: { $0.bits & 1 == 1 }) else { continue }
      #expect(change.time - changes[off + 1].time >= 5_000)
    }
  }

  /// The rule of docs/coded-pins.md: valid, the others, valid again within 4 ms; each line at another instant.
  @Test(arguments: CodeTests.codes, 1...8 as ClosedRange<UInt64>)
  func `who reads by the rule gets a code that was shown while reading`(_ code: LineCode, _ seed: UInt64) {
    let wires = Self.wires(code, seed)
    var random = SplitMix64(seed: seed + 100)
    var count = 0
    for _ in 0..<20_000 {
      let begin = Int64.random(in: 0...wires.last, using: &random)
      let span = Int64.random(in: 0...4_000, using: &random)
      guard wires.isOn(0, at: begin), wires.isOn(0, at: begin + span) else { continue }
      var read: UInt32 = 1
      for line in 1..<code.lineCount
      where wires.isOn(line, at: begin + Int64.random(in: 0...span, using: &random)) {
        read |= 1 << UInt32(line)
      }
      count += 1
      let shown = wires.changes.last { $0.time <= begin }?.bits
      guard read == shown else {
        Issue.record("read \(read) at \(begin) within \(span) µs, where \(String(describing: shown)) was shown")
        return
      }
    }
    #expect(count > 1_000)
  }
}
