import Emulation
import FixedPoint
import HAL
import Sensors

/// An operation of a driver, after its start.
enum Operation: Equatable {
  /// No operation.
  case startUp
  /// This many samples, one each period.
  case steady(Int)
  /// The self-test.
  case selfTest
  /// The mean of this many samples, as for a calibration.
  case average(Int)
  /// This many batches.
  case batch(Int)
  /// A sample, falling asleep, this many checks two seconds apart, waking, and a sample.
  case sleep(Int)
  /// Two samples, then a self-test that the user interrupts after this many waits; then the bus is reopened.
  case shutDown(Int)
}

/// The result of an operation.
struct BenchOutcome: Equatable {
  /// All samples, in order; a mean counts as one.
  var samples: [Vector3] = []
  /// Whether a self-test passed.
  var hasPassed: Bool?
  /// Whether samples were reported missing.
  var hasGap = false
  /// Whether a check found that the board had moved.
  var hasMoved = false
}

/// One operation with a driver of any sensor: see `DriverBench`.
protocol Bench: AnyObject {
  var clock: VirtualClock { get }
  var log: BusLog { get }
  /// The number of transactions that the driver reports.
  var transactions: UInt64 { get }
  /// Starts the part, waits, and performs the operation.
  func run() throws(SensorError) -> BenchOutcome
  /// The sample after one more period.
  func nextSample() throws(SensorError) -> Vector3
  /// Reopens the bus and starts the part from scratch.
  func restart() throws(SensorError)
}

/// A scenario of one family: how to set it up, and its possible results under a fault.
protocol Family {
  /// For messages.
  var name: String { get }
  var operation: Operation { get }
  /// The right value of a sample.
  var right: Vector3 { get }
  /// The value of a sample at full scale.
  var full: Vector3 { get }
  /// Samples that a part which lost its configuration may return for a short while.
  var unconfigured: [Vector3] { get }
  /// The most samples until a lost configuration is detected.
  var samplesUntilNoticed: Int { get }
  /// Wrong values of an identity register.
  var identities: [UInt8] { get }
  func bench(_ plan: FaultPlan) -> any Bench
  /// The result of another identity at transaction `number`, if that reads it.
  func expectation(identity: UInt8, at number: Int, _ clean: Clean) -> Expectation
  /// The result of a byte with flipped bits.
  func expectation(corrupting index: Int, _ mask: UInt8, at number: Int, _ clean: Clean) -> Expectation
  /// A write that follows a fault at some transactions; nil if nothing follows one.
  var cleanUp: [UInt8]? { get }
  /// Samples that a part may repeat once its data are frozen.
  var frozen: [Vector3] { get }
  /// Whether a fault after this transaction may let a self-test pass: usually it switches on the force.
  func decidesSelfTest(_ transaction: BusLog.Transaction) -> Bool
  /// Whether a register that does not keep its written value may read this after a loss of supply.
  func isResetValue(_ byte: UInt8, of register: UInt8) -> Bool
}

extension Family {
  var cleanUp: [UInt8]? { nil }
  var frozen: [Vector3] { [.zero] + unconfigured }
}

/// A run without faults.
struct Clean {
  var transactions: [BusLog.Transaction]
  var outcome: BenchOutcome
}

/// The required result of a fault.
enum Expectation: Equatable {
  /// This error, at the failed transaction or so many later.
  case error(SensorError, later: Int = 0)
  /// The same as without it.
  case same
  /// One sample is this one; everything else is the same.
  case altered(Vector3)
  /// Events, counts or verdicts follow the changed byte; the samples are right.
  case toldOtherwise
  /// Like `toldOtherwise`, but some of the samples may be this.
  case miscounted(Vector3)
  /// The configuration is lost: either detected, or restored by what follows.
  case loss
  /// Mistaken for another part: this register is rejected, or the part itself, or it works.
  case otherPart(UInt8)
  /// Samples repeat.
  case frozen
  /// Samples are at full scale.
  case fullScale
}

/// A driver on an emulated bus with an emulated part, for any part.
final class DriverBench<Sensor: BatchingAccelerometer & ~Copyable>: Bench {
  let clock = VirtualClock()
  let log = BusLog()
  private var driver: Sensor
  private let operation: Operation
  private let right: Measurement

  var transactions: UInt64 { driver.transactions }

  /// A part made by `makePart`, at `address`, that measures this force and rotation, in °/s.
  init(
    _ operation: Operation, _ plan: FaultPlan, at address: I2CAddress, force: Vector3 = Steady.force.vector,
    rotation: Vector3? = nil,
    part makePart: (VirtualClock) -> any EmulatedTarget, driver makeDriver: (consuming EmulatedBus) -> Sensor
  ) {
    let clock = clock
    driver = makeDriver(
      EmulatedBus(
        makePart(clock), at: address, plan: plan, log: log, pass: { clock.advance(by: $0) }, now: { clock.now }))
    self.operation = operation
    right = Measurement(force: force, rotation: rotation)
  }

  func start() throws(SensorError) {
    clock.advance(by: try driver.start())
    while let wait = try driver.proceed() { clock.advance(by: wait) }
  }

  func restart() throws(SensorError) {
    try driver.reopen()
    try start()
  }

  /// The force, or the rotation if only that is wrong.
  func nextSample() throws(SensorError) -> Vector3 {
    clock.advance(by: driver.samplePeriod)
    return sample(try driver.measure())
  }

  private func sample(_ measurement: Measurement) -> Vector3 {
    guard let found = measurement.rotation, measurement.force == right.force else { return measurement.force }
    return found == right.rotation ? measurement.force : found
  }

  func run() throws(SensorError) -> BenchOutcome {
    try start()
    var outcome = BenchOutcome()
    switch operation {
    case .startUp: break
    case .steady(let count): for _ in 0..<count { outcome.samples.append(try nextSample()) }
    case .average(let count): outcome.samples = [try mean(count)]
    case .selfTest:
      var clock = clock
      outcome.hasPassed = try testItself(&clock)
    case .batch(let count):
      for _ in 0..<count { try takeBatch(&outcome) }
    case .sleep(let count):
      outcome.samples.append(try nextSample())
      outcome.hasMoved = try sleep(looks: count)
      outcome.samples.append(try nextSample())
    case .shutDown(let waits):
      for _ in 0..<2 { outcome.samples.append(try nextSample()) }
      var clock = HastyClock(clock: clock, sleeps: waits)
      outcome.hasPassed = try testItself(&clock)
      try driver.reopen()
      // A pushed board has to settle.
      clock.clock.advance(by: .milliseconds(150))
    }
    return outcome
  }

  /// The mean of the next `count` samples.
  private func mean(_ count: Int) throws(SensorError) -> Vector3 {
    var sum: (x: Int32, y: Int32, z: Int32) = (0, 0, 0)
    for _ in 0..<count {
      let sample = try nextSample()
      sum = (sum.x + sample.x.raw, sum.y + sample.y.raw, sum.z + sample.z.raw)
    }
    let share = Int32(count)
    return Vector3(x: Q16(raw: sum.x / share), y: Q16(raw: sum.y / share), z: Q16(raw: sum.z / share))
  }

  /// Whether the self-test passes by the limits of a data sheet; nil without limits, or if it was interrupted.
  private func testItself(_ clock: inout some MonotonicClock) throws(SensorError) -> Bool? {
    guard let test = try driver.testItself(supply: 3_300, by: &clock) else { return nil }
    var outcomes: [SelfTestFindings.Outcome] = []
    for axes in [test.force, test.rotation] {
      guard let axes else { continue }
      outcomes += axes.indices.map { axes[$0].outcome }
    }
    if outcomes.contains(.failed) { return false }
    return outcomes.allSatisfy { $0 == .passed || $0 == .strong } ? true : nil
  }

  /// Falls asleep, checks `count` times, and wakes; returns whether a check found movement.
  private func sleep(looks count: Int) throws(SensorError) -> Bool {
    while let wait = try driver.watchForMovement() { clock.advance(by: wait) }
    var hasMoved = false
    for _ in 0..<count {
      clock.advance(by: .seconds(2))
      hasMoved = try driver.hasMoved(from: Steady.force.vector) || hasMoved
    }
    clock.advance(by: try driver.wake())
    while let wait = try driver.proceed() { clock.advance(by: wait) }
    return hasMoved
  }

  private func takeBatch(_ outcome: inout BenchOutcome) throws(SensorError) {
    clock.advance(by: driver.samplePeriod * 4)
    let waiting = try driver.waiting()
    outcome.hasGap = outcome.hasGap || waiting.followsGap
    var batch = SampleBatch()
    try driver.take(waiting.count, into: &batch)
    for index in 0..<batch.count { if let taken = batch[index] { outcome.samples.append(sample(taken)) } }
  }
}

/// The error of `body`; nil if it succeeds.
func error(of body: () throws(SensorError) -> Void) -> SensorError? {
  do throws(SensorError) {
    try body()
    return nil
  } catch { return error }
}

/// A constant specific force, in counts of 1/2048 g.
struct Steady: Motion, Equatable {
  var x: Int32
  var y: Int32
  var z: Int32
  var duration: Microseconds { .zero }
  var vector: Vector3 { Vector3(x: Q16(raw: x * 32), y: Q16(raw: y * 32), z: Q16(raw: z * 32)) }
  func specificForce(at time: Microseconds) -> Vector3 { vector }

  /// A force inside every range, exact at every resolution, different on each axis.
  static let force = Steady(x: 128, y: -2_048, z: 2_432)
}

/// The same number on every axis, in units of 1/65536 g.
func evenly(_ raw: Int32) -> Vector3 { Vector3(x: Q16(raw: raw), y: Q16(raw: raw), z: Q16(raw: raw)) }

/// A clock that signals an interruption by the user after some sleeps.
struct HastyClock: MonotonicClock {
  let clock: VirtualClock
  var sleeps: Int
  var now: Instant { clock.now }

  mutating func sleep(until deadline: Instant) -> Bool {
    sleeps -= 1
    return sleeps >= 0 && clock.sleep(until: deadline)
  }
}
