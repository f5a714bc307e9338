public import FixedPoint
public import HAL

/// Something a user should know about a working sensor.
public enum SensorNotice: Equatable, Sendable {
  /// A different part than requested gave `identity`; it works alike.
  case compatiblePart(identity: UInt8)
  /// This many samples that waited in the sensor were lost, because they were read too late or because of a fault.
  case samplesLost(UInt32)
  /// The sensor should watch for movement by itself, but cannot: it continues to take samples.
  case staysAwake
  /// Each axis is read for itself, so the axes of a sample may be of different instants.
  case axesApart
}

/// A three-axis accelerometer of any make.
///
/// Call ``start()``, then wait and call `proceed()` in turn until it returns nil; then call ``sample()`` no faster than
/// the output data rate.
public protocol Accelerometer: ~Copyable {
  /// The largest specific force on one axis that is not clipped, in g.
  var fullScale: Q16 { get }

  /// The largest rate of rotation about one axis that is not clipped, in °/s; nil without a gyroscope.
  var rotationFullScale: Q16? { get }

  /// The number of bus transactions started so far.
  var transactions: UInt64 { get }

  /// What a user should know after the last ``start()``, or nil.
  var notice: SensorNotice? { get }

  /// Checks the part's identity and starts to configure it from scratch, whatever its state.
  ///
  /// Returns how long to wait until `proceed()`.
  mutating func start() throws(SensorError) -> Microseconds

  /// Continues what ``start()`` began, if a part must be left alone in between, for example after a reset.
  ///
  /// Returns how long to wait until the next call; nil once samples are valid, after which a call costs no bus
  /// transaction. After a bus fault it can be called again; after any other error, start again with ``start()``.
  mutating func proceed() throws(SensorError) -> Microseconds?

  /// Checks, only by reading, whether the part already runs exactly as ``start()`` would leave it.
  ///
  /// True: samples can be taken at once, and nothing was written, so another program that runs the part does not
  /// notice. False, or an error: call ``start()``, which also reports the error if another part is there.
  mutating func adopt() throws(SensorError) -> Bool

  /// Checks by reading whether the started part still runs as ``start()`` left it, and changes nothing.
  ///
  /// - Throws: `configurationChanged`, `configurationLost` or `bus`.
  mutating func verifyConfiguration() throws(SensorError)

  /// The latest specific force in g, in the sensor's own frame. One bus transaction; two if a burst can be torn.
  mutating func sample() throws(SensorError) -> Vector3

  /// Everything that the sensor measures, at one instant, in place of ``sample()``.
  mutating func measure() throws(SensorError) -> Measurement

  /// Reopens the bus, before a ``start()`` after faults.
  mutating func reopen() throws(SensorError)

  /// Runs the self-test of the started part on a board that lies still, in any attitude; then configures the part as
  /// before.
  ///
  /// `millivolts` is its supply. Returns nil if the clock's wait was interrupted: continue with `proceed()`.
  mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings?

  // Asleep until moved: the part watches by itself, and drives its interrupt pin when it moves.

  /// Whether the started part can watch for movement by itself.
  var canWatchForMovement: Bool { get }

  /// Makes the running part watch for movement instead of taking samples: a change of more than ``movementThreshold``
  /// from its present position. From then on, its interrupt pin is driven from the first movement until
  /// ``hasMoved(from:)``.
  ///
  /// Returns how long to wait until the next call, which continues; nil once the part watches and has measured its
  /// position. After an error, the next call starts again.
  mutating func watchForMovement() throws(SensorError) -> Microseconds?

  /// Checks, while the part watches, whether it has moved since the last check, which ends its interrupt, or whether
  /// its position differs from the one in which it measured `force`, g. One bus transaction, or two.
  ///
  /// A movement between the last sample and the start of watching shows only in the force.
  ///
  /// - Throws: `configurationLost` if the part does not watch (any more), or `bus`. In either case a movement may have
  ///   been missed.
  mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool

  /// Makes the watching part take samples again, sooner than ``start()`` would if that takes long.
  ///
  /// Returns how long to wait until `proceed()`. After an error it can be called again.
  mutating func wake() throws(SensorError) -> Microseconds

  /// The change of force on an axis that a watching part takes for movement, in g, according to its documents.
  var movementThreshold: Q16 { get }

  // Several samples at a time, which `Batched` provides for any sensor that supports it; others keep the defaults.

  /// Whether samples come in batches: through ``collect(by:)`` and ``next()``, instead of ``measure()``.
  var isBatching: Bool { get }

  /// Whether ``next()`` has an element to return.
  var hasNext: Bool { get }

  /// How accurately the times of samples are known; nil if samples are taken at the moment of the call.
  var timing: SampleTiming? { get }

  /// Reads the samples that wait in the sensor, for ``next()``; returns when to call this again.
  mutating func collect(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> Instant

  /// The next of the samples read; nil if there is none.
  mutating func next() -> BatchElement?

  /// The newest sample, without removing anything; nil if there is none, or if samples come one at a time.
  mutating func newest(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> (
    measurement: Measurement, at: Instant
  )?
}

extension Accelerometer where Self: ~Copyable {
  /// Nothing is left to do: ``start()`` did everything.
  public mutating func proceed() throws(SensorError) -> Microseconds? { nil }

  /// False: the state cannot be checked without writing.
  public mutating func adopt() throws(SensorError) -> Bool { false }

  /// Reads nothing: checking the samples has to suffice.
  public mutating func verifyConfiguration() throws(SensorError) {}

  /// The force alone: ``sample()``.
  public mutating func measure() throws(SensorError) -> Measurement { Measurement(force: try sample()) }

  /// No findings: there is no self-test.
  public mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings? { SelfTestFindings() }

  /// False.
  public var canWatchForMovement: Bool { false }

  /// Throws: the part cannot watch.
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? { throw .configurationLost }

  /// Throws: the part cannot watch.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool { throw .configurationLost }

  /// Starts from scratch: ``start()``.
  public mutating func wake() throws(SensorError) -> Microseconds { try start() }

  /// Zero.
  public var movementThreshold: Q16 { .zero }

  /// False: samples come one at a time.
  public var isBatching: Bool { false }

  /// False.
  public var hasNext: Bool { false }

  /// Nil: samples are taken at the moment of the call.
  public var timing: SampleTiming? { nil }

  /// Reads nothing.
  public mutating func collect(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> Instant {
    time.now
  }

  /// Nil.
  public mutating func next() -> BatchElement? { nil }

  /// Nil.
  public mutating func newest(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> (
    measurement: Measurement, at: Instant
  )? { nil }

  /// Nil: there is no gyroscope.
  public var rotationFullScale: Q16? { nil }

  /// Nil: nothing to report.
  public var notice: SensorNotice? { nil }
}

extension Vector3 {
  /// Whether an axis differs from that of `other` by more than `most`; false without another.
  func differs(from other: Vector3?, by most: Q16) -> Bool {
    guard let other else { return false }
    return max(distance(x, other.x), max(distance(y, other.y), distance(z, other.z))) > most.raw
  }

  /// The absolute difference, saturating.
  private func distance(_ a: Q16, _ b: Q16) -> Int32 {
    let difference = a.raw.subtractingReportingOverflow(b.raw)
    guard !difference.overflow, difference.partialValue != Int32.min else { return Int32.max }
    return abs(difference.partialValue)
  }
}
