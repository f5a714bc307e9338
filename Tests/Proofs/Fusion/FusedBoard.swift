import FixedPoint
import Foundation
import Monitor
import Orientation
import Sensors
import TestSupport

/// A board with an emulated part, held and turned by hand, and its pipeline.
///
/// The world's Z is up. The part measures like an MPU-6050: with noise and bias, in 16 bits at ±2000 °/s and ±8 g,
/// each sample at the end of its period.
struct FusedBoard {
  var pipeline: Pipeline
  var generator: SplitMix64
  var period: Int64 = 10_000
  /// On each axis, °/s and g: PS-MPU-6000A rev. 3.4, 6.1 and 6.2, at 100 Hz.
  var rateNoise = 0.05
  var forceNoise = 0.004
  var bias = SIMD3<Double>.zero
  /// The change of the bias, °/s per second.
  var biasDrift = SIMD3<Double>.zero

  // Up and a level direction in the board's frame: the true attitude.
  private(set) var up: SIMD3<Double>
  private(set) var level: SIMD3<Double>
  /// Microseconds since the start.
  private(set) var time: Int64 = 0
  private(set) var changes: [(time: Double, to: PoseState)] = []

  init(
    up: SIMD3<Double> = SIMD3(0, 0, 1), bias: SIMD3<Double> = .zero, seed: UInt64 = 1,
    tracker: PoseTracker.Configuration? = nil
  ) {
    pipeline = Pipeline(Pipeline.Configuration(gravity: .fusion(Fusion.Configuration()), tracker: tracker))
    generator = SplitMix64(seed: seed)
    self.up = up / up.length
    let other = abs(self.up.x) < 0.9 ? SIMD3<Double>(1, 0, 0) : SIMD3(0, 1, 0)
    let left = self.up.cross(other)
    level = left / left.length
    self.bias = bias
  }

  var seconds: Double { Double(time) / 1e6 }
  var attitude: Fusion.Attitude? { pipeline.attitude }
  var isStill: Bool { pipeline.isStill }
  /// The error of up, °; 180 before any sample.
  var error: Double { attitude.map { $0.up.double.angle(to: up) } ?? 180 }
  /// The error of the bias on the worst axis, °/s.
  var biasError: Double {
    guard let known = attitude?.bias.double else { return .infinity }
    let off = known - bias
    return max(abs(off.x), abs(off.y), abs(off.z))
  }

  /// Turns at `rate`, °/s in the board's frame, with `push` on top of gravity, g in the world's frame along up and
  /// the level direction; both are functions of the seconds since this call. `each` gets the board after every
  /// sample.
  mutating func move(
    for duration: Double, rate: (Double) -> SIMD3<Double> = { _ in .zero },
    push: (Double) -> SIMD2<Double> = { _ in .zero }, each: (inout FusedBoard) -> Void = { _ in }
  ) {
    let (start, step) = (time, Double(period) / 1e6)
    for _ in 0..<Int((duration / step).rounded()) {
      let since = Double(time - start) / 1e6
      let turn = rate(since + step / 2)
      turnTruth(turn, step / 2)
      let force = push(since + step / 2)
      let felt = up * (1 + force.x) + level * force.y
      sample(felt, turn, after: period)
      turnTruth(turn, step / 2)
      each(&self)
    }
  }

  /// A sample of `force` and `rate`, with the part's errors, `elapsed` microseconds after the previous one.
  mutating func sample(_ force: SIMD3<Double>, _ rate: SIMD3<Double>, after elapsed: Int64) {
    time += elapsed
    bias += biasDrift * (Double(elapsed) / 1e6)
    let measured = (force: force + noise(forceNoise), rate: rate + bias + noise(rateNoise))
    feed(Sensors.Measurement(force: q16(quantised(force: measured.force)), rotation: q16(quantised(measured.rate))))
  }

  /// A measurement without further errors, at the present time.
  mutating func feed(_ measurement: Sensors.Measurement) {
    let now = Instant(microseconds: time)
    let reading = pipeline.step(measurement, at: now)
    if let change = reading.expired { changes.append((seconds, change.to)) }
    if let change = reading.change { changes.append((seconds, change.to)) }
  }

  /// Time without samples, while the board turns.
  mutating func lose(_ elapsed: Int64, rate: SIMD3<Double> = .zero) {
    time += elapsed
    turnTruth(rate, Double(elapsed) / 1e6)
  }

  private mutating func noise(_ deviation: Double) -> SIMD3<Double> {
    SIMD3(generator.normal(), generator.normal(), generator.normal()) * deviation
  }

  private mutating func turnTruth(_ rate: SIMD3<Double>, _ elapsed: Double) {
    let size = rate.length
    guard size > 0 else { return }
    // What is fixed in the room turns the other way in the board's frame.
    up = up.turned(about: rate / size, by: -size * elapsed)
    level = level.turned(about: rate / size, by: -size * elapsed)
    up /= up.length
    level -= up * level.dot(up)
    level /= level.length
  }
}

extension SIMD3<Double> {
  /// A direction, uniformly distributed.
  static func direction(using generator: inout SplitMix64) -> SIMD3 {
    let vector = SIMD3(generator.normal(), generator.normal(), generator.normal())
    return vector / vector.length
  }
}
