import FixedPoint
import Orientation
import TestSupport
import Testing

/// A vector of wide integers.
private typealias Wide = SIMD3<Int>

extension Vector3 {
  fileprivate init(_ wide: Wide) {
    self.init(x: Q16(raw: Int32(wide.x)), y: Q16(raw: Int32(wide.y)), z: Q16(raw: Int32(wide.z)))
  }
}

extension Wide {
  fileprivate var square: Int { x * x + y * y + z * z }
}

extension SplitMix64 {
  fileprivate mutating func pick(_ values: [Int]) -> Int { values[Int.random(in: 0..<values.count, using: &self)] }
}

/// The greatest number whose square is not above `value`.
private func root(_ value: Int) -> Int {
  var found = Int(Double(value).squareRoot())
  while found * found > value { found -= 1 }
  while (found + 1) * (found + 1) <= value { found += 1 }
  return found
}

/// Rest by the documentation of `RestDetector`, from lists of samples, in wide integers.
private struct RestModel {
  private(set) var isStill: Bool?
  private(set) var noise = 3 * 983 * 983
  private(set) var mean = Wide.zero
  private(set) var window: [Wide] = []
  private(set) var scatter = 0
  private(set) var rest = Wide.zero
  private var knowsNoise = false
  private var last: Int?
  private var (elapsed, age, evidence, quiet, doubts) = (0, 0, 0, 0, 0)

  /// The limit of a sample: four deviations, at least 0.02 g once a window has ended.
  var limit: Int { knowsNoise ? max(1_311 * 1_311, 16 * noise) : 16 * noise }

  mutating func interrupt() { (last, isStill, age) = (nil, nil, 0) }

  private mutating func begin(_ force: Wide) {
    (mean, window) = (force, [])
    (elapsed, evidence, quiet, doubts) = (0, 0, 0, 0)
  }

  private mutating func move(_ force: Wide) {
    begin(force)
    if isStill != nil || age >= 2_000_000 { isStill = false }
  }

  mutating func step(_ force: Wide, at now: Int) {
    guard let before = last, now >= before, now - before <= 5_000_000 else {
      interrupt()
      last = now
      return begin(force)
    }
    guard now > before else { return }
    let time = now - before
    last = now
    elapsed += time
    if isStill == nil { age += time }
    if (force &- mean).square > limit {
      evidence += min(time, 50_000)
      if evidence >= 100_000 || window.isEmpty && isStill != true { move(force) }
    } else {
      window.append(force)
      evidence = max(0, evidence - time / 2)
    }
    let count = window.count
    if count >= 8 && elapsed >= 400_000 || count >= 2 && elapsed >= 2_000_000 { close() }
  }

  private static func mixed(_ known: Int, _ value: Int, down: Int, up: Int) -> Int {
    value < known ? known - (known - value) / down : known + (value - known) / up
  }

  private mutating func close() {
    let count = window.count
    let differences = window.map { $0 &- mean }
    let sum = differences.reduce(Wide.zero, &+)
    let shift = Wide(sum.x / count, sum.y / count, sum.z / count)
    let variance = max(0, differences.map(\.square).reduce(0, +) / count - shift.square)
    let isSteady = shift.square <= 262 * 262 + 32 * variance / count
    mean = mean &+ shift
    (window, elapsed) = ([], 0)
    guard isStill == true else { return settle(variance, isSteady) }
    let off = (mean &- rest).square
    let most = max(524 * 524, 16 * scatter)
    guard variance <= 4 * noise + 655 * 655, off <= most else {
      doubts += off > 4 * most || variance > 16 * noise + 4 * 655 * 655 ? 2 : 1
      if doubts >= 2 { move(mean) }
      return
    }
    doubts = 0
    let distance = mean &- rest
    rest = rest &+ Wide(distance.x / 8, distance.y / 8, distance.z / 8)
    scatter = Self.mixed(scatter, off, down: 8, up: 8)
    noise = Self.mixed(noise, variance, down: 4, up: 32)
  }

  private mutating func settle(_ variance: Int, _ isSteady: Bool) {
    guard variance <= 2 * noise + 655 * 655 / 2 else {
      quiet = 0
      if age >= 2_000_000 { isStill = false }
      return
    }
    quiet = isSteady ? quiet + 1 : 1
    guard quiet >= 3 else { return }
    (isStill, age, quiet, doubts) = (true, 0, 0, 0)
    (rest, scatter) = (mean, variance / 4)
    noise = knowsNoise ? Self.mixed(noise, variance, down: 4, up: 32) : variance
    knowsNoise = true
  }
}

/// The rest detector against the model, with windows whose noise and mean lie at the limits.
struct RestModelTests {
  @Test static func `every verdict is that of the model, with windows and samples at the limits and one unit beyond`() {
    var (stills, moves) = (0, 0)
    for seed in 1...250 as ClosedRange<UInt64> {
      var dice = SplitMix64(seed: seed)
      var (detector, model) = (RestDetector(), RestModel())
      var now = Int.random(in: 0...1, using: &dice) * 1_000_000
      let usual = dice.pick([50_000, 50_000, 50_000, 10_000, 49_999, 57_143, 250_000, 1_000_000])
      func check(_ force: Wide) -> Bool {
        let before = model.isStill
        model.step(force, at: now)
        detector.step(Vector3(force), at: Instant(microseconds: Int64(now)))
        if before != true && model.isStill == true { stills += 1 }
        if before != false && model.isStill == false { moves += 1 }
        let isEqual = detector.isStill == model.isStill
        expect(that: isEqual, "seed \(seed), at \(now)")
        return isEqual
      }
      guard check(Wide(100, -200, 65_000)) else { return }
      for _ in 0..<40 {
        let (settled, quiet, plain) = (
          2 * model.noise + 655 * 655 / 2, 4 * model.noise + 655 * 655, 16 * model.noise + 4 * 655 * 655
        )
        let noises: [Int] = [0, 100, 655, root(settled), root(quiet), root(plain)]
        let most = max(524 * 524, 16 * model.scatter)
        let shifts: [Int] = [0, 0, 0, 262, root(most), root(4 * most)]
        let isCalm = Int.random(in: 0..<10, using: &dice) < 6
        let noise = isCalm ? 90 : dice.pick(noises) + Int.random(in: 0...1, using: &dice)
        // From the middle of the last window, or of rest.
        let shift = isCalm ? 0 : dice.pick(shifts) + Int.random(in: 0...1, using: &dice)
        let middle = Bool.random(using: &dice) && model.isStill == true ? model.rest : model.mean
        if !isCalm, Int.random(in: 0..<12, using: &dice) == 0 {
          model.interrupt()
          detector.interrupt()
        }
        var number = 0
        repeat {
          var time = usual
          if number == 0 || Int.random(in: 0..<40, using: &dice) == 0 {
            let others: [Int] = [usual - 1, usual + 1, usual + 100_000, 5_000_000, 5_000_001, 0, -1]
            time = Bool.random(using: &dice) ? usual : dice.pick(others)
          }
          now += time
          let swing = number % 2 == 0 ? noise : 0 - noise
          var force = middle &+ Wide(shift, swing, 0)
          if Int.random(in: 0..<(isCalm ? 60 : 12), using: &dice) == 0 {
            force = model.mean &+ Wide(0, 0, root(model.limit) + Int.random(in: 0...1, using: &dice))
          }
          guard check(force) else { return }
          number += 1
        } while !model.window.isEmpty && number < 60
      }
    }
    expect(stills, isAbove: 300, "\(stills), \(moves)")
    expect(moves, isAbove: 300, "\(stills), \(moves)")
  }

  /// Eight samples in 400 ms, whose squared distances from their mean are 8 · limit + `rest` in all.
  private static func window(_ limit: Int, _ rest: Int) -> [Wide] {
    // Pairs of opposite vectors, and one whose sum is 1: too little for the mean to move.
    let total = (8 * limit + rest - 1) / 2
    let first = root(limit)
    let left = total - 3 * first * first
    for x in stride(from: root(left), to: 0, by: -1) {
      let more = left - x * x + x
      let y = root(max(0, more))
      for last in [y, y - 1] where more >= 0 && last >= 0 {
        let third = root(more - last * last)
        guard third * third + last * last == more else { continue }
        let (u, v) = (Wide(first, 0, 0), Wide(x, last, third))
        return [u, Wide.zero &- u, u, Wide.zero &- u, u, Wide.zero &- u, v, Wide(1, 0, 0) &- v]
      }
    }
    return []
  }

  @Test static func `the noise of a window counts to the last bit, and so does its length`() {
    // The limit of an unknown part: twice 3 · 983², and half of 655².
    let limit = 2 * (3 * 983 * 983) + 655 * 655 / 2
    for (rest, isQuiet) in [(7, true), (9, false)] {
      let window = Self.window(limit, rest)
      expect(window.map(\.square).reduce(0, +), equals: 8 * limit + rest)
      expect(window.count, equals: 8)
      let middle = Wide(50, -60, 65_536)
      for short in [0, 1] {
        var (detector, now) = (RestDetector(), Int64(0))
        detector.step(Vector3(middle), at: Instant(microseconds: now))
        var first: Int?
        for number in 0..<25 {
          // A microsecond short, the window takes one more sample.
          now += number == 0 ? Int64(50_000 - short) : 50_000
          detector.step(Vector3(middle &+ window[number % 8]), at: Instant(microseconds: now))
          if first == nil, detector.isStill == true { first = number }
        }
        if short == 0 { expect(first, equals: isQuiet ? 23 : nil) } else { expect(first, isNot: 23) }
      }
    }
  }
}
