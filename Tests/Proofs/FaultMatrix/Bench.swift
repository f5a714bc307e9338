import Emulation
import FixedPoint
import HAL
import Sensors

/// What is done with a driver, after its start.
enum Operation: Equatable {
  /// Nothing more.
  case startUp
  /// So many samples, one each period.
  case steady(Int)
  /// The self-test.
  case selfTest
  /// The mean of so many samples, as a calibration takes it.
  case average(Int)
  /// A batch is taken so many times.
  case batch(Int)
  /// A sample, falling asleep, so many looks, waking, and a sample.
  case sleep(Int)
  /// Two samples, then a self-test that the user breaks off; the bus is opened again.
  case shutDown
}

/// What an operation gave.
struct Outcome: Equatable {
  /// All samples, in order; a mean is one.
  var samples: [Vector3] = []
  /// Whether a self-test was passed.
  var hasPassed: Bool?
  /// Whether samples were said to be missing.
  var hasGap = false
  /// Whether a look found that the board had moved.
  var hasMoved = false
}

/// A driver on an emulated bus with an emulated part without noise, and one operation to do with it.
protocol Bench: AnyObject {
  var clock: VirtualClock { get }
  var log: BusLog { get }
  /// How many transactions the driver says it began.
  var transactions: UInt64 { get }
  /// Starts the part, waits, and does the operation.
  func run() throws(SensorError) -> Outcome
  /// The sample after one more period.
  func nextSample() throws(SensorError) -> Vector3
  /// Opens the bus again and starts the part from scratch.
  func restart() throws(SensorError)
}

/// A scenario of one family: how to set it up, and what may come of it under a fault.
protocol Family {
  /// For messages.
  var name: String { get }
  var operation: Operation { get }
  /// What a sample has to be.
  var right: Vector3 { get }
  /// What a sample at full scale is.
  var full: Vector3 { get }
  /// What may be given as a sample, for a short while, by a part that has lost its configuration.
  var unconfigured: [Vector3] { get }
  /// How many more samples at most until a lost configuration is noticed.
  var samplesUntilNoticed: Int { get }
  /// Values that an identity register may wrongly read.
  var identities: [UInt8] { get }
  func bench(_ plan: FaultPlan) -> any Bench
  /// What has to come of another identity at transaction `number`, if that reads it.
  func expectation(identity: UInt8, at number: Int, _ clean: Clean) -> Expectation
  /// What has to come of a byte that comes with bits turned over.
  func expectation(corrupting index: Int, _ mask: UInt8, at number: Int, _ clean: Clean) -> Expectation
  /// Whether this transaction switches the force of the self-test on.
  func switchesForceOn(_ transaction: BusLog.Transaction) -> Bool
  /// Whether a register that does not keep what was written may read this after a loss of supply.
  func isResetValue(_ byte: UInt8, of register: UInt8) -> Bool
}

/// A run in which nothing went wrong.
struct Clean {
  var transactions: [BusLog.Transaction]
  var outcome: Outcome
}

/// What has to come of a fault.
enum Expectation: Equatable {
  /// This error, at the transaction that failed.
  case error(SensorError)
  /// This error, at that transaction or later.
  case laterError(SensorError)
  /// The same as without it.
  case same
  /// One sample is this one; all else is the same.
  case altered(Vector3)
  /// Events, counts or verdicts differ as the byte says; the samples that come are right.
  case toldOtherwise
  /// As `toldOtherwise`, but some of the samples may be this.
  case miscounted(Vector3)
  /// The configuration is lost: noticed, or made good by what follows.
  case loss
  /// Taken for another part: refused, or it works.
  case otherPart
  /// Samples repeat.
  case frozen
  /// Samples are at full scale.
  case fullScale
}

extension Bench {
  /// The mean of the next `count` samples.
  func mean(_ count: Int) throws(SensorError) -> Vector3 {
    var sum: (x: Int32, y: Int32, z: Int32) = (0, 0, 0)
    for _ in 0..<count {
      let sample = try nextSample()
      sum = (sum.x + sample.x.raw, sum.y + sample.y.raw, sum.z + sample.z.raw)
    }
    let share = Int32(count)
    return Vector3(x: Q16(raw: sum.x / share), y: Q16(raw: sum.y / share), z: Q16(raw: sum.z / share))
  }
}

/// Sends a sensor to sleep, looks `count` times, a minute apart, and wakes it; returns whether a look found a movement.
func sleep<Sensor: Accelerometer & ~Copyable>(
  _ sensor: inout Sensor, looks count: Int, _ clock: VirtualClock
) throws(SensorError) -> Bool {
  while let wait = try sensor.watchForMovement() { clock.advance(by: wait) }
  var hasMoved = false
  for _ in 0..<count {
    clock.advance(by: .seconds(60))
    hasMoved = try sensor.hasMoved(from: Steady.force.vector) || hasMoved
  }
  clock.advance(by: try sensor.wake())
  while let wait = try sensor.proceed() { clock.advance(by: wait) }
  return hasMoved
}

/// What `body` threw; nil when it went through.
func error(of body: () throws(SensorError) -> Void) -> SensorError? {
  do throws(SensorError) {
    try body()
    return nil
  } catch { return error }
}

/// A specific force that never changes, in counts of 1/2048 g.
struct Steady: Motion, Equatable {
  var x: Int32
  var y: Int32
  var z: Int32
  var duration: Microseconds { .zero }
  var vector: Vector3 { Vector3(x: Q16(raw: x * 32), y: Q16(raw: y * 32), z: Q16(raw: z * 32)) }
  func specificForce(at time: Microseconds) -> Vector3 { vector }

  /// Some force inside every range that every resolution can tell, different on each axis.
  static let force = Steady(x: 128, y: -2_048, z: 2_432)
}

/// The same number on every axis, in 1/65536 g.
func evenly(_ raw: Int32) -> Vector3 { Vector3(x: Q16(raw: raw), y: Q16(raw: raw), z: Q16(raw: raw)) }

/// A clock that says after some sleeps that the user has had enough.
struct ImpatientClock: MonotonicClock {
  let clock: VirtualClock
  var sleeps: Int
  var now: Instant { clock.now }

  mutating func sleep(until deadline: Instant) -> Bool {
    sleeps -= 1
    return sleeps >= 0 && clock.sleep(until: deadline)
  }
}
