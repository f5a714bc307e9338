import Emulation
import FixedPoint
import HAL
import Testing

/// Taps as the data sheet words them, found in the list of all spans above the threshold; no step-by-step machine.
private struct TapModel {
  /// First reading above, first one below again.
  var runs: [(begin: Int, end: Int)]
  var duration: Int
  var latency: Int
  var window: Int
  var suppresses: Bool
  var findsDoubles: Bool

  private func isAbove(_ reading: Int) -> Bool { runs.contains { $0.begin <= reading && reading < $0.end } }
  private func end(of reading: Int) -> Int { runs.first { $0.begin <= reading && reading < $0.end }?.end ?? reading }

  /// Reading numbers with "single" or "both".
  func events() -> [String] {
    var events: [String] = []
    var from = 0
    while let first = runs.first(where: { $0.begin >= from }) {
      from = first.end
      if first.end - first.begin > duration { continue }
      guard findsDoubles else {
        events.append("single \(first.end)")
        continue
      }
      let opening = first.end + latency
      let closing = opening + window
      let spike = (first.end + 1..<opening).first { suppresses && isAbove($0) }
      if let spike {
        events.append("single \(spike)")
        from = end(of: spike)
      } else if isAbove(opening) {
        events.append("single \(opening)")
        from = end(of: opening)
      } else if let second = runs.first(where: { $0.begin > opening && $0.begin <= closing }) {
        let isValid = second.end - second.begin <= duration
        events.append(isValid ? "both \(second.end)" : "single \(second.begin + duration + 1)")
        from = second.end
      } else {
        events.append("single \(closing)")
        from = closing + 1
      }
    }
    return events
  }
}

@Suite struct TapModelTests {
  @Test(arguments: 1...150)
  func `taps are those of a model that works on whole spans, whatever the knocks`(_ seed: UInt64) throws {
    var dice = Dice(seed)
    var runs: [(begin: Int, end: Int)] = []
    var reading = 1 + dice.roll(20)
    while reading < 1_500 {
      let length = 1 + dice.roll(dice.roll(4) == 0 ? 20 : 6)
      runs.append((reading, reading + length))
      reading += length + 1 + dice.roll(dice.roll(3) == 0 ? 90 : 12)
    }
    let duration = 1 + dice.roll(4)
    let latency = dice.roll(6)
    let window = dice.roll(12)
    let suppresses = dice.roll(2) == 0
    let model = TapModel(
      runs: runs, duration: 2 * duration, latency: 4 * latency, window: 4 * window, suppresses: suppresses,
      findsDoubles: latency > 0 && window > 0)
    let bench = try TapTests.bench(
      runs.map { ($0.begin, $0.end - $0.begin) }, axes: suppresses ? 0x0F : 0x07, duration: UInt8(duration),
      latency: UInt8(latency), window: UInt8(window))
    let last = (runs.last?.end ?? 0) + 200
    #expect(try TapTests.events(bench, last) == model.events())
  }
}
