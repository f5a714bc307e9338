import FixedPoint
import TestSupport

/// One sample of a force and a rate of rotation.
struct Sample {
  /// In g.
  var force: Vector3
  /// In °/s.
  var rotation: Vector3
  var at: Instant
}

/// A board that lies still, is turned, carried, shaken, knocked, dropped and shaken by a machine, in random order.
///
/// The samples are the same on every machine: of floating point it uses only what IEEE 754 rounds correctly, `+ - *
/// /` and the square root.
struct Moves {
  /// What the board does for a while.
  private enum Move: CaseIterable {
    case still, slow, turned, quick, carried, shaken, knocked, dropped, machine
  }

  private var generator: SplitMix64
  /// The time between samples, µs, and its random part.
  private let period: Int64
  private let jitter: Int64
  /// The largest noise of a part: g and °/s.
  private let noise: (force: Double, rate: Double)
  private let bias: SIMD3<Double>
  // The attitude as a quaternion, and the rotation rate in the board's frame, °/s.
  private var real = 1.0
  private var vector = SIMD3<Double>.zero
  private var rate = SIMD3<Double>.zero
  private var goal = SIMD3<Double>.zero
  private var move = Move.still
  private var left: Int64 = 3_000_000
  /// How much louder than usual the part is.
  private var loudness = 1.0
  private var swing = (at: 0.0, speed: 0.0, axis: SIMD3<Double>.zero)
  private var pulse: Int64 = 0
  private var now: Int64 = 0

  /// The moves of `seed`, measured by a part every `period` microseconds.
  init(seed: UInt64, period: Int64, jitter: Int64 = 0, force: Double, rate: Double) {
    generator = SplitMix64(seed: seed)
    (self.period, self.jitter, noise) = (period, jitter, (force, rate))
    bias = SIMD3(1.25, -0.75, 0.5)
    now = Int64(seed) &* 1_000_003
  }

  /// The next `count` samples.
  mutating func samples(_ count: Int) -> [Sample] { (0..<count).map { _ in next() } }

  private mutating func any() -> Double { Double(Int64(generator.next() >> 11)) / Double(1 << 52) - 1 }

  private mutating func anyVector() -> SIMD3<Double> { SIMD3(any(), any(), any()) }

  /// The noise of an axis: the mean of four uniform numbers.
  private mutating func noisy() -> SIMD3<Double> { (anyVector() + anyVector() + anyVector() + anyVector()) / 4 }

  private mutating func next() -> Sample {
    // Sometimes a clock that stands still, runs backwards or skips samples.
    var span = period + (jitter == 0 ? 0 : Int64(generator.next() % UInt64(2 * jitter)) - jitter)
    switch generator.next() % 2_000 {
    case 0: span = 0
    case 1: span = -span
    case 2: span = 150_000
    case 3: span = 600_000
    case 4: span = 1_000_000
    case 5: span = 2_500_000
    default: break
    }
    now += span
    left -= max(span, 1_000)
    if left <= 0 { change() }
    let time = Double(max(0, span)) / 1_000_000
    rate += (goal - rate) * min(1, time * 8)
    turn(time)
    var force = up + push(time)
    if move == .dropped { force *= 0.03 }
    force += noisy() * (noise.force * loudness)
    let rotation = rate + bias + noisy() * (noise.rate * loudness)
    return Sample(
      force: fixed(force, most: 15.99), rotation: fixed(rotation, most: 1_999.9), at: Instant(microseconds: now))
  }

  private mutating func change() {
    move = Move.allCases[Int(generator.next() % UInt64(Move.allCases.count))]
    left = 400_000 + Int64(generator.next() % 3_600_000)
    let speed: Double
    switch move {
    case .still, .machine, .knocked: (speed, left) = (0, left + 2_000_000)
    case .slow: speed = 12
    case .turned: speed = 90
    case .quick: speed = 700
    case .carried: speed = 45
    case .shaken: speed = 30
    case .dropped: (speed, left) = (60, left / 6)
    }
    goal = anyVector() * speed
    // Rest must be found in noise of any size.
    loudness = move == .still ? 1.5 + any() : 1
    // A turn about one axis of the board, half of the time.
    if generator.next() % 2 == 0 {
      let axis = Int(generator.next() % 3)
      for other in 0..<3 where other != axis { goal[other] = 0 }
    }
    swing = (0, move == .shaken ? 0.5 + any() * 0.3 : 0, anyVector())
  }

  /// The force on the board besides gravity, g.
  private mutating func push(_ time: Double) -> SIMD3<Double> {
    switch move {
    case .carried: return anyVector() * 0.12
    case .shaken, .machine:
      // A pendulum: 4 Hz by hand, 31 Hz by a machine.
      let pace = move == .shaken ? 25.0 : 195.0
      var rest = min(time, 0.1)
      if swing.at == 0 && swing.speed == 0 { swing.at = 0.02 + any() * 0.015 }
      while rest > 0 {
        let step = min(rest, 0.001)
        swing.speed -= swing.at * pace * step
        swing.at += swing.speed * pace * step
        rest -= step
      }
      return swing.axis * swing.at * (move == .shaken ? 5 : 1)
    case .knocked:
      pulse -= Int64(time * 1_000_000)
      if pulse < -240_000 { pulse = 9_000 + Int64(generator.next() % 4) * 3_000 }
      if pulse < -200_000 && generator.next() % 9 == 0 { pulse = 9_000 }
      return pulse > 0 ? swing.axis * 7 : .zero
    default: return .zero
    }
  }

  /// The direction of up in the board's frame: the third row of the rotation.
  private var up: SIMD3<Double> {
    SIMD3(
      2 * (vector.x * vector.z - real * vector.y), 2 * (vector.y * vector.z + real * vector.x),
      real * real - vector.x * vector.x - vector.y * vector.y + vector.z * vector.z)
  }

  private mutating func turn(_ time: Double) {
    // In steps of at most 10 ms, so that first order is accurate enough.
    var rest = min(time, 1)
    while rest > 0 {
      let step = min(rest, 0.01)
      let half = rate * (step * 0.008_726_646_259_971_648)
      let (w, v) = (real, vector)
      real = w - (v.x * half.x + v.y * half.y + v.z * half.z)
      vector = SIMD3(
        v.x + w * half.x + v.y * half.z - v.z * half.y, v.y + w * half.y + v.z * half.x - v.x * half.z,
        v.z + w * half.z + v.x * half.y - v.y * half.x)
      let square = real * real + vector.x * vector.x + vector.y * vector.y + vector.z * vector.z
      let length = square.squareRoot()
      (real, vector) = (real / length, vector / length)
      rest -= step
    }
  }

  private func fixed(_ value: SIMD3<Double>, most: Double) -> Vector3 {
    func axis(_ number: Double) -> Q16 { Q16(raw: Int32(max(-most, min(most, number)) * 65_536)) }
    return Vector3(x: axis(value.x), y: axis(value.y), z: axis(value.z))
  }
}
