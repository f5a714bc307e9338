public import FixedPoint
public import HAL

/// Something that a user should know about a sensor that works.
public enum SensorNotice: Equatable, Sendable {
  /// Another part than was asked for gave `identity`; it works alike.
  case compatiblePart(identity: UInt8)
  /// So many samples that waited in the sensor were lost, because they were taken too late or a fault cost them.
  case samplesLost(UInt32)
  /// It was to watch for movement by itself, and cannot: it goes on making samples.
  case staysAwake
}

/// A three-axis accelerometer, whatever its make.
///
/// Call ``start()``, then wait and call `proceed()` in turn until that says that there is nothing to wait for; then
/// call ``sample()`` no faster than the output data rate.
public protocol Accelerometer: ~Copyable {
  /// The greatest specific force on one axis that can still be told from more, in g.
  var fullScale: Q16 { get }

  /// The greatest rate of rotation about one axis that can still be told from more, in °/s; nil without a gyroscope.
  var rotationFullScale: Q16? { get }

  /// How many bus transactions were begun so far.
  var transactions: UInt64 { get }

  /// What the last ``start()`` found that a user should know, or nil.
  var notice: SensorNotice? { get }

  /// Checks the part's identity and begins to configure it from scratch, whatever its state.
  ///
  /// Returns how long to wait until `proceed()`.
  mutating func start() throws(SensorError) -> Microseconds

  /// Goes on with what ``start()`` began, where a part has to be left alone in between, as after a reset.
  ///
  /// Returns how long to wait until the next call of this; nil once samples are valid, from when on it costs no bus
  /// transaction. After a bus fault it can be called again; after any other error begin with ``start()``.
  mutating func proceed() throws(SensorError) -> Microseconds?

  /// Looks, by reads alone, whether the part runs already exactly as ``start()`` would leave it.
  ///
  /// True: samples can be taken at once, and nothing was written, so that a program that runs the part does not notice.
  /// False: call ``start()``, which also says what is wrong where another part is there. The same after an error.
  mutating func adopt() throws(SensorError) -> Bool

  /// Reads whether the part that was started still runs as ``start()`` left it, and changes nothing.
  ///
  /// - Throws: `configurationChanged`, `configurationLost` or `bus`.
  mutating func verifyConfiguration() throws(SensorError)

  /// The latest specific force in g, in the sensor's own frame. One bus transaction.
  mutating func sample() throws(SensorError) -> Vector3

  /// All that the sensor measures, of one instant. One bus transaction, in place of that of ``sample()``.
  mutating func measure() throws(SensorError) -> Measurement

  /// Closes and opens the bus again, before a ``start()`` after faults.
  mutating func reopen() throws(SensorError)

  /// Has the part that was started test itself on a board that lies still, whatever its attitude; then sets it up as
  /// before.
  ///
  /// `millivolts` is its supply. Returns nil where the clock's wait was ended from outside: go on with `proceed()`.
  mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings?

  // Asleep until moved: the part watches by itself, and drives its interrupt pin when it moves.

  /// Whether the part that was started can watch for movement by itself.
  var canWatchForMovement: Bool { get }

  /// Sets the part that runs to watch for movement, in place of making samples: more than ``movementThreshold`` away
  /// from how it lies. From then on its interrupt pin is driven from the first movement until ``hasMoved(from:)``.
  ///
  /// Returns how long to wait until the next call of this, which goes on; nil once it watches and has measured how it
  /// lies. After an error the next call begins anew.
  mutating func watchForMovement() throws(SensorError) -> Microseconds?

  /// Looks, while it watches, whether the part has moved since it was asked last, which ends its interrupt, or lies
  /// otherwise than when it measured `force`, g. One bus transaction.
  ///
  /// What moved between the last sample and the moment when it began to watch shows in the force alone.
  ///
  /// - Throws: `configurationLost` where it does not watch (any more), or `bus`. Either can have cost a movement.
  mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool

  /// Sets the part that watches to make samples again, sooner than ``start()`` would where that takes long.
  ///
  /// Returns how long to wait until `proceed()`. After an error it can be called again.
  mutating func wake() throws(SensorError) -> Microseconds

  /// By how much the force on an axis changes when a part that watches finds that it has moved, in g, as far as its
  /// documents say.
  var movementThreshold: Q16 { get }

  // Several samples at a time, which `Batched` gives to any sensor that can; all others leave it at the defaults.

  /// Whether samples come several at a time: by ``collect(by:)`` and ``next()``, in place of ``measure()``.
  var isBatching: Bool { get }

  /// Whether ``next()`` has something to give.
  var hasNext: Bool { get }

  /// How well it is known when samples were made; nil where they are of the moment of the call.
  var timing: SampleTiming? { get }

  /// Takes the samples that wait in the sensor, for ``next()``; returns when to call this again.
  mutating func collect(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> Instant

  /// The next of the samples taken; nil where there is none.
  mutating func next() -> BatchElement?

  /// The newest sample, without giving anything out; nil where there is none, or samples come one at a time.
  mutating func newest(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> (
    measurement: Measurement, at: Instant
  )?
}

extension Accelerometer where Self: ~Copyable {
  /// Nothing is left to do: ``start()`` did it all.
  public mutating func proceed() throws(SensorError) -> Microseconds? { nil }

  /// No: there is no way to see without writing.
  public mutating func adopt() throws(SensorError) -> Bool { false }

  /// Reads nothing: what samples show has to do.
  public mutating func verifyConfiguration() throws(SensorError) {}

  /// The force alone: ``sample()``.
  public mutating func measure() throws(SensorError) -> Measurement { Measurement(force: try sample()) }

  /// No findings: there is no self-test.
  public mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings? { SelfTestFindings() }

  /// No.
  public var canWatchForMovement: Bool { false }

  /// There is nothing that watches.
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? { throw .configurationLost }

  /// There is nothing that watches.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool { throw .configurationLost }

  /// From scratch: ``start()``.
  public mutating func wake() throws(SensorError) -> Microseconds { try start() }

  /// None.
  public var movementThreshold: Q16 { .zero }

  /// They come one at a time.
  public var isBatching: Bool { false }

  /// Never.
  public var hasNext: Bool { false }

  /// They are of the moment.
  public var timing: SampleTiming? { nil }

  /// Takes nothing.
  public mutating func collect(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> Instant {
    time.now
  }

  /// Nothing.
  public mutating func next() -> BatchElement? { nil }

  /// None.
  public mutating func newest(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> (
    measurement: Measurement, at: Instant
  )? { nil }

  /// There is no gyroscope.
  public var rotationFullScale: Q16? { nil }

  /// Nothing to say.
  public var notice: SensorNotice? { nil }
}

extension Vector3 {
  /// Whether an axis is more than `most` away from that of `other`.
  func differs(from other: Vector3, by most: Q16) -> Bool {
    max(distance(x, other.x), max(distance(y, other.y), distance(z, other.z))) > most.raw
  }

  /// Saturating.
  private func distance(_ a: Q16, _ b: Q16) -> Int32 {
    let difference = a.raw.subtractingReportingOverflow(b.raw)
    guard !difference.overflow, difference.partialValue != Int32.min else { return Int32.max }
    return abs(difference.partialValue)
  }
}
