import Emulation
import FixedPoint
import HAL
import Sensors

/// A driver on an emulated bus with an emulated part, on a virtual clock, for any part.
protocol SensorRig: AnyObject {
  var clock: VirtualClock { get }
  var log: BusLog { get }
  /// The number of transactions that the driver reports.
  var transactions: UInt64 { get }
  var canWatchForMovement: Bool { get }
  /// Whether samples wait in the part.
  var keepsSamples: Bool { get }
  /// The nominal time from one sample to the next.
  var samplePeriod: Microseconds { get }
  /// Begins a start, and no more.
  func begin() throws(SensorError)
  /// Continues a start; returns false once it is done.
  func proceed() throws(SensorError) -> Bool
  /// Starts the part, and waits as long as the driver says each time.
  func start() throws(SensorError)
  func adopt() throws(SensorError) -> Bool
  func verifyConfiguration() throws(SensorError)
  /// A sample now.
  func sample() throws(SensorError) -> Vector3
  /// The samples one period later: one, or all that wait in the part.
  func nextSamples() throws(SensorError) -> (samples: [Vector3], followsGap: Bool)
  /// The samples that wait in the part, and whether some may be missing before them; includes those read before an
  /// error.
  func takeWaiting(into batch: inout (samples: [Vector3], followsGap: Bool)) throws(SensorError)
  func waiting() throws(SensorError) -> WaitingSamples
  func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError)
  func reopen() throws(SensorError)
  /// The change for which the part watches.
  var movementThreshold: Q16 { get }
  /// Puts the part to sleep, and waits as long as the driver says each time.
  func fallAsleep() throws(SensorError)
  func hasMoved(from force: Vector3?) throws(SensorError) -> Bool
  /// Wakes the part, and waits until its samples have settled.
  func wake() throws(SensorError)
  /// Runs the self-test on a clock whose wait of this number is interrupted.
  func testItself(impatientAt number: Int?) throws(SensorError) -> SelfTestFindings?
  /// Starts another motion now.
  func play(_ motion: any Motion)
  /// Whether the part's interrupt pin is high.
  var isInterruptHigh: Bool { get }
  /// The number of the driver's writes to what is reserved.
  var reservedWrites: Int { get }
  func powerCycle()
  /// The contents of `count` registers from `register` on, bypassing the driver and its bus.
  func registers(_ register: UInt8, _ count: Int) throws(I2CFault) -> [UInt8]
  /// Writes registers, starting with the one in the first byte, bypassing the driver and its bus.
  func write(_ bytes: [UInt8]) throws(I2CFault)
  /// Another driver, configured alike, on its own bus to the same part.
  func guest(plan: FaultPlan) -> any SensorRig
}

/// The rig of one kind of driver and part.
final class DriverRig<Sensor: BatchingAccelerometer & ~Copyable, Part: EmulatedSensor>: SensorRig {
  var clock: VirtualClock
  let part: Part
  let log: BusLog
  var driver: Sensor
  private let address: I2CAddress
  private let makeDriver: (consuming EmulatedBus) -> Sensor
  private var outside: EmulatedBus

  init(
    _ part: Part, at address: I2CAddress, _ clock: VirtualClock, plan: FaultPlan,
    driver makeDriver: @escaping (consuming EmulatedBus) -> Sensor
  ) {
    (self.part, self.address, self.clock, self.makeDriver, log) = (part, address, clock, makeDriver, BusLog())
    driver = makeDriver(
      EmulatedBus(part, at: address, plan: plan, log: log, pass: { clock.advance(by: $0) }, now: { clock.now }))
    outside = EmulatedBus(part, at: address, log: BusLog(capacity: 0)) { clock.now }
  }

  var transactions: UInt64 { driver.transactions }
  var canWatchForMovement: Bool { driver.canWatchForMovement }
  var keepsSamples: Bool { driver.keepsSamples }
  var samplePeriod: Microseconds { driver.samplePeriod }

  func begin() throws(SensorError) { clock.advance(by: try driver.start()) }

  func proceed() throws(SensorError) -> Bool {
    guard let wait = try driver.proceed() else { return false }
    clock.advance(by: wait)
    return true
  }

  func start() throws(SensorError) {
    try begin()
    var steps = 0
    while steps < 100, try proceed() { steps += 1 }
  }

  func adopt() throws(SensorError) -> Bool { try driver.adopt() }

  func verifyConfiguration() throws(SensorError) { try driver.verifyConfiguration() }

  func sample() throws(SensorError) -> Vector3 { try driver.sample() }

  func nextSample() throws(SensorError) -> Vector3 {
    clock.advance(by: driver.samplePeriod)
    return try driver.sample()
  }

  func nextSamples() throws(SensorError) -> (samples: [Vector3], followsGap: Bool) {
    guard driver.keepsSamples else { return ([try nextSample()], false) }
    clock.advance(by: driver.samplePeriod)
    var batch: (samples: [Vector3], followsGap: Bool) = ([], false)
    try takeWaiting(into: &batch)
    return batch
  }

  func takeWaiting(into batch: inout (samples: [Vector3], followsGap: Bool)) throws(SensorError) {
    batch = ([], false)
    let waiting = try driver.waiting()
    batch.followsGap = waiting.followsGap
    var taken = SampleBatch()
    defer { batch.samples = Self.forces(taken) }
    try driver.take(waiting.count, into: &taken)
  }

  /// A function of its own, as unoptimised code copies all of a batch in a variable for each of its samples.
  private static func forces(_ batch: SampleBatch) -> [Vector3] {
    var forces: [Vector3] = []
    for index in 0..<batch.count { if let sample = batch[index] { forces.append(sample.force) } }
    return forces
  }

  func reopen() throws(SensorError) { try driver.reopen() }

  func waiting() throws(SensorError) -> WaitingSamples { try driver.waiting() }

  func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    try driver.take(count, into: &samples)
  }

  var movementThreshold: Q16 { driver.movementThreshold }

  func fallAsleep() throws(SensorError) {
    while let wait = try driver.watchForMovement() { clock.advance(by: wait) }
  }

  func hasMoved(from force: Vector3?) throws(SensorError) -> Bool { try driver.hasMoved(from: force) }

  func wake() throws(SensorError) {
    clock.advance(by: try driver.wake())
    while try proceed() {}
  }

  func testItself(impatientAt number: Int?) throws(SensorError) -> SelfTestFindings? {
    var clock = ImpatientClock(clock: clock, impatientAt: number)
    return try driver.testItself(supply: 3_300, by: &clock)
  }

  func play(_ motion: any Motion) { part.play(motion) }

  var isInterruptHigh: Bool { part.isInterruptHigh }
  var reservedWrites: Int { part.reservedWrites }

  func powerCycle() { part.powerCycle() }

  func registers(_ register: UInt8, _ count: Int = 1) throws(I2CFault) -> [UInt8] {
    var buffer = [UInt8](repeating: 0xAA, count: count)
    var span = buffer.mutableSpan
    try outside.writeRead([register].span, into: &span, at: address)
    return buffer
  }

  func write(_ bytes: [UInt8]) throws(I2CFault) { try outside.write(bytes.span, to: address) }

  func guest(plan: FaultPlan = .none) -> any SensorRig {
    DriverRig(part, at: address, clock, plan: plan, driver: makeDriver)
  }
}
