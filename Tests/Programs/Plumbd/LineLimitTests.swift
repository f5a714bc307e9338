import FixedPoint
import Monitor
import Plumbd
import TestSupport
import Testing

/// `milliseconds` after an arbitrary origin.
private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: 77_000_000 + milliseconds * 1_000) }

/// A mutable limit for expectations: `#expect` captures values as constants.
private final class Lines {
  private var limit = LineLimit()

  var isHolding: Bool { limit.isHolding }

  func admit(_ kind: LineLimit.Kind, at now: Instant) -> Bool { limit.admit(kind, at: now) }

  func takeOmission(at now: Instant, isLast: Bool = false) -> Omission? {
    limit.takeOmission(at: now, isLast: isLast).map { Omission(kind: $0.kind, count: $0.count, span: $0.span) }
  }
}

/// The omitted lines.
private struct Omission: Equatable {
  var kind: LineLimit.Kind
  var count: UInt64
  var span: Microseconds
}

/// The same for states.
private final class States {
  private var limit = StateLimit(sent: 0, at: at(0))

  var isHolding: Bool { limit.isHolding }

  func take(_ state: Int) { limit.take(state) }

  func due(at now: Instant) -> Int? { limit.due(at: now) }
}

struct `The limit of lines in the journal` {
  private typealias Kind = LineLimit.Kind

  /// The causes of lines, each kind once.
  private static let kinds = (0..<Kind.count).compactMap(Kind.init(rawValue:)).filter { kind in
    kind == .fault || kind == .dataReady || kind == .boardFile
      || Event.Kind.allCases.contains { $0.isLogged && Kind($0) == kind }
  }

  /// The times of the lines that are written, of those of one kind at `times` (ms).
  private func written(_ times: [Int64]) -> [Int64] {
    let limit = Lines()
    return times.filter { time in
      _ = limit.takeOmission(at: at(time))
      return limit.admit(.fault, at: at(time))
    }
  }

  @Test(
    arguments: [
      ([], []),
      ([0, 0, 0, 0, 0], [0, 0, 0, 0, 0]),
      ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4]),
      // Ten seconds after the first line there is room for one more, and so on: never six in ten seconds.
      ([0, 1, 2, 3, 4, 9_999, 10_000, 10_000, 10_001], [0, 1, 2, 3, 4, 10_000, 10_001]),
      ([0, 9_996, 9_997, 9_998, 9_999, 10_000, 10_001], [0, 9_996, 9_997, 9_998, 9_999, 10_000]),
      ([0, 9_996, 9_997, 9_998, 9_999, 10_000, 10_001, 19_996], [0, 9_996, 9_997, 9_998, 9_999, 10_000, 19_996]),
      ([0, 2_500, 5_000, 7_500, 10_000, 12_500, 15_000], [0, 2_500, 5_000, 7_500, 10_000, 12_500, 15_000]),
      ([0, 1, 2, 3, 4, 1_000_000], [0, 1, 2, 3, 4, 1_000_000]),
    ] as [([Int64], [Int64])])
  func `lets five of a kind pass in ten seconds`(times: [Int64], expected: [Int64]) {
    expect(written(times), equals: expected)
  }

  @Test func `counts each kind separately`() {
    let limit = Lines()
    for _ in 0..<5 { for kind in Self.kinds { expect(that: limit.admit(kind, at: at(0))) } }
    for kind in Self.kinds { expect(that: !limit.admit(kind, at: at(1))) }
  }

  @Test func `counts alternating events together, and all others separately`() {
    let pairs: [(Event.Kind, Event.Kind)] = [(.busy, .quiet), (.asleep, .awake), (.still, .moving)]
    for (one, other) in pairs { expect(Kind(one), equals: Kind(other)) }
    let alone: [Event.Kind] = [.pose, .trouble, .recovery, .giveUp, .notice, .busy, .asleep]
    let kinds =
      alone.map { Kind($0).rawValue } + [Kind.fault.rawValue, Kind.dataReady.rawValue, Kind.boardFile.rawValue]
    expect(Set(kinds).count, equals: kinds.count)
    for kind in Event.Kind.allCases where kind.isLogged {
      expect(kinds, contains: Kind(kind).rawValue, "\(kind)")
    }
  }

  @Test func `reports omitted lines once, when the time is over`() {
    let limit = Lines()
    for time in 0..<5 as Range<Int64> { expect(that: limit.admit(Kind(.pose), at: at(time))) }
    expect(that: !limit.isHolding)
    for time in 5..<1_239 as Range<Int64> { expect(that: !limit.admit(Kind(.pose), at: at(time))) }
    expect(that: limit.isHolding)
    expect(limit.takeOmission(at: at(9_999)), equals: nil)
    expect(
      limit.takeOmission(at: at(10_000)), equals: Omission(kind: Kind(.pose), count: 1_234, span: .milliseconds(9_995)))
    expect(that: !limit.isHolding)
    expect(limit.takeOmission(at: at(10_000)), equals: nil)
  }

  @Test func `lets no line pass before the report of those before it`() {
    let limit = Lines()
    for _ in 0..<6 { _ = limit.admit(Kind(.notice), at: at(0)) }
    expect(that: !limit.admit(Kind(.notice), at: at(20_000)))
    expect(limit.takeOmission(at: at(20_000))?.count, equals: 2)
    expect(that: limit.admit(Kind(.notice), at: at(20_000)))
  }

  @Test func `reports everything omitted at the end`() {
    let limit = Lines()
    for _ in 0..<7 { for kind in Self.kinds { _ = limit.admit(kind, at: at(0)) } }
    expect(limit.takeOmission(at: at(100)), equals: nil)
    for kind in Self.kinds {
      let omission = limit.takeOmission(at: at(100), isLast: true)
      expect(omission, equals: Omission(kind: kind, count: 2, span: .milliseconds(100)))
    }
    expect(limit.takeOmission(at: at(100), isLast: true), equals: nil)
    expect(that: !limit.isHolding)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `loses no line, and never lets six pass in ten seconds`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let limit = Lines()
    var now: Int64 = 0
    var seen = [Int](repeating: 0, count: Kind.count)
    var reported = [UInt64](repeating: 0, count: Kind.count)
    var written = [[Int64]](repeating: [], count: Kind.count)
    for _ in 0..<20_000 {
      // Sometimes in a burst, sometimes seconds apart.
      now += Int64.random(in: 0..<(Bool.random(using: &generator) ? 20 : 4_000), using: &generator)
      while let omission = limit.takeOmission(at: at(now)) { reported[omission.kind.rawValue] += omission.count }
      guard let kind = Self.kinds.randomElement(using: &generator) else { return }
      seen[kind.rawValue] += 1
      if limit.admit(kind, at: at(now)) { written[kind.rawValue].append(now) }
    }
    while let omission = limit.takeOmission(at: at(now), isLast: true) {
      reported[omission.kind.rawValue] += omission.count
    }
    for index in Self.kinds.map(\.rawValue) {
      expect(written[index].count + Int(reported[index]), equals: seen[index])
      expect(reported[index], isAbove: 0)
      for (first, sixth) in zip(written[index], written[index].dropFirst(5)) {
        expect(sixth - first, isAtLeast: 10_000)
      }
    }
  }
}

struct `The limit of states that are sent` {
  @Test func `sends one at once, then the latest one each second`() {
    let limit = States()
    limit.take(1)
    expect(limit.due(at: at(999)), equals: nil)
    expect(that: limit.isHolding)
    expect(limit.due(at: at(1_000)), equals: 1)
    expect(that: !limit.isHolding)
    expect(limit.due(at: at(5_000)), equals: nil)
    limit.take(2)
    expect(limit.due(at: at(5_000)), equals: 2)
    for state in 3...99 {
      limit.take(state)
      expect(limit.due(at: at(5_000 + Int64(state))), equals: nil)
    }
    expect(limit.due(at: at(6_000)), equals: 99)
  }

  @Test func `sends nothing that is already known`() {
    let limit = States()
    limit.take(0)
    expect(that: !limit.isHolding)
    limit.take(1)
    limit.take(0)
    expect(that: !limit.isHolding)
    expect(limit.due(at: at(9_000)), equals: nil)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `sends no two within a second, and always the last one`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let limit = States()
    var (now, last, sent) = (0 as Int64, 0, [(time: 0 as Int64, state: 0)])
    for _ in 0..<20_000 {
      now += Int64.random(in: 0..<200, using: &generator)
      if Int.random(in: 0..<4, using: &generator) == 0 {
        last = Int.random(in: 0..<4, using: &generator)
        limit.take(last)
      }
      if let state = limit.due(at: at(now)) { sent.append((now, state)) }
    }
    if let state = limit.due(at: at(now + 1_000)) { sent.append((now + 1_000, state)) }
    expect(sent.last?.state, equals: last)
    for (first, second) in zip(sent, sent.dropFirst()) {
      expect(second.time - first.time, isAtLeast: 1_000)
      expect(first.state, isNot: second.state)
    }
  }
}
