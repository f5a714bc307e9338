public import FixedPoint
public import HAL

/// A sensor in which samples can wait, to be read in batches by `Batched`. One without that ability keeps the defaults.
public protocol BatchingAccelerometer: Accelerometer, ~Copyable {
  /// The nominal time from one sample to the next.
  var samplePeriod: Microseconds { get }

  /// Whether the sensor is configured so that samples wait in it.
  var keepsSamples: Bool { get }

  /// Determines how many samples wait. One bus transaction, and a few more after samples were lost.
  ///
  /// Throws `configurationLost` if the part does not run as configured, or keeps no samples.
  mutating func waiting() throws(SensorError) -> WaitingSamples

  /// Appends the oldest `count` of them to `samples`, in as few transactions as the part and the bus allow.
  ///
  /// Samples that do not fit stay in the part. After an error, `samples` contains those read before it; if some may be
  /// missing afterwards, the next ``waiting()`` reports it.
  mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError)
}

extension BatchingAccelerometer where Self: ~Copyable {
  /// False.
  public var keepsSamples: Bool { false }

  /// Throws: no samples can wait.
  public mutating func waiting() throws(SensorError) -> WaitingSamples { throw .configurationLost }

  /// Reads nothing.
  public mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {}
}

/// The samples that wait in a sensor.
public struct WaitingSamples: Equatable, Sendable {
  /// The number of samples that can be read.
  public var count: Int
  /// The number of further samples that cannot be read yet; nil if unknown.
  public var unreachable: Int?
  /// Whether samples may be missing between the last one read and the first of these.
  public var followsGap: Bool

  /// A number of samples.
  public init(count: Int, unreachable: Int? = 0, followsGap: Bool = false) {
    self.count = count
    self.unreachable = unreachable
    self.followsGap = followsGap
  }
}

/// Samples that were read together, oldest first: at most 64.
public struct SampleBatch: Sendable {
  /// The number of samples it has room for.
  public static var capacity: Int { 64 }

  /// The number of samples.
  public private(set) var count = 0
  private var storage = InlineArray<64, Measurement>(repeating: Measurement(force: .zero))

  /// An empty batch.
  public init() {}

  /// Sample `index`; nil if there is none.
  public subscript(index: Int) -> Measurement? { index >= 0 && index < count ? storage[index] : nil }

  /// The number of further samples it has room for.
  public var room: Int { Self.capacity &- count }

  /// Appends a sample; beyond the capacity it is dropped.
  public mutating func append(_ sample: Measurement) {
    guard count < Self.capacity else { return }
    storage[count] = sample
    count &+= 1
  }

  /// Adds the sensor's findings up to the last sample; returns false if the batch is empty.
  public mutating func mark(_ findings: Findings) -> Bool {
    guard count > 0 else { return false }
    storage[count &- 1].findings = storage[count &- 1].findings.followed(by: findings)
    return true
  }

  /// Makes room for other samples.
  public mutating func removeAll() { count = 0 }
}

/// An element read from a sensor in which samples wait.
public enum BatchElement: Equatable, Sendable {
  /// A sample, and when it was taken.
  case sample(Measurement, at: Instant)
  /// This many samples before the next one are lost, the last of them at this instant.
  case lost(UInt32, at: Instant)
}

/// How accurately the times of samples are known.
public struct SampleTiming: Equatable, Sendable {
  /// How much faster than nominal the sensor's clock runs, in parts per million.
  public var partsPerMillion: Int32
  /// The uncertainty of that figure.
  public var partsPerMillionUncertainty: Int32
  /// The uncertainty of the time of the last sample.
  public var uncertainty: Microseconds
}

/// A sensor whose samples are read in batches, each with its time by the sensor's own clock.
///
/// A `Loop` over it waits until a batch is there, reads it, and hands on one sample at a time; between two batches
/// there is no transaction and no wait. With a batch size of 1 it behaves like the sensor itself.
///
/// Times increase from sample to sample, also from one batch to the next: corrections of the clock are spread over the
/// batch. No time is later than the query that found the sample.
public struct Batched<Base: BatchingAccelerometer & ~Copyable>: Accelerometer, ~Copyable {
  /// The sensor.
  public var base: Base
  /// The number of samples in a batch.
  public let size: Int
  /// The number of samples found to be lost so far.
  public private(set) var lostSamples: UInt64 = 0

  private var clock: SensorClock
  private var batch = SampleBatch()
  /// The number of samples of the batch that have been returned.
  private var given = 0
  /// The number of the batch's last sample, and when it was taken.
  private var last: (number: Int64, at: Instant) = (0, Instant(microseconds: 0))
  /// When the sample before the batch was taken, or would have been.
  private var begin = Instant(microseconds: 0)
  /// The last sample returned or lost; nil after a start.
  private var former: (number: Int64, at: Instant)?
  /// How many samples are missing before the first of the batch, and when the last of them was taken.
  private var loss: (count: UInt32, at: Instant)?
  /// When the last sample before a start was returned or lost, until a sample arrives after it; nil if no fault led to
  /// the start.
  private var silentSince: Instant?
  /// Whether the last count contradicted the elapsed time; a second such count is then believed.
  private var isInDoubt = false
  /// An error that ended a batch early, to be thrown once its samples have been returned.
  private var postponed: SensorError?
  /// The uncertainty of the times of this batch, and of the sample before it.
  private var uncertainty = (ofBatch: Microseconds.zero, ofFormer: Microseconds.zero)

  /// Reads the samples of `base` in batches of `size`, 1 to 64. If it keeps none, one at a time.
  public init(_ base: consuming Base, size: Int) {
    self.size = base.keepsSamples ? max(1, min(SampleBatch.capacity, size)) : 1
    clock = SensorClock(nominal: base.samplePeriod)
    self.base = base
  }

  /// The sensor's value.
  public var fullScale: Q16 { base.fullScale }
  /// The sensor's value.
  public var rotationFullScale: Q16? { base.rotationFullScale }
  /// The sensor's value.
  public var transactions: UInt64 { base.transactions }
  /// The sensor's value.
  public var notice: SensorNotice? { base.notice }
  /// Whether samples come in batches.
  public var isBatching: Bool { size > 1 }
  /// Whether there is an element to return.
  public var hasNext: Bool { loss != nil || given < batch.count }

  /// How accurately the times are known; nil before the first batch.
  public var timing: SampleTiming? {
    guard isBatching, former != nil else { return nil }
    return SampleTiming(
      partsPerMillion: clock.partsPerMillion, partsPerMillionUncertainty: clock.partsPerMillionUncertainty,
      uncertainty: uncertainty.ofBatch)
  }

  /// Starts the sensor. Samples read but not returned are lost, together with those that wait in the sensor and those
  /// it would have taken until its first sample after this: ``next()`` reports how many.
  public mutating func start() throws(SensorError) -> Microseconds {
    let last = former?.at ?? silentSince
    forget()
    silentSince = last
    return try base.start()
  }

  /// Continues the start.
  public mutating func proceed() throws(SensorError) -> Microseconds? { try base.proceed() }

  /// Checks whether the sensor runs as it should.
  public mutating func adopt() throws(SensorError) -> Bool {
    forget()
    return try base.adopt()
  }

  /// Forwards to the sensor.
  public mutating func verifyConfiguration() throws(SensorError) { try base.verifyConfiguration() }

  /// A sample of the sensor; throws `configurationLost` if samples wait in it, because one would then be missing there.
  public mutating func sample() throws(SensorError) -> Vector3 { try measure().force }

  /// The same with everything that the sensor measures.
  public mutating func measure() throws(SensorError) -> Measurement {
    guard !isBatching else { throw .configurationLost }
    return try base.measure()
  }

  /// Reopens the bus.
  public mutating func reopen() throws(SensorError) { try base.reopen() }

  /// The sensor's value.
  public var canWatchForMovement: Bool { base.canWatchForMovement }
  /// The sensor's value.
  public var movementThreshold: Q16 { base.movementThreshold }

  /// Makes the sensor watch; samples read but not returned are discarded.
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    forget()
    return try base.watchForMovement()
  }

  /// Asks the sensor.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool { try base.hasMoved(from: force) }

  /// Wakes the sensor; sample numbers start again.
  public mutating func wake() throws(SensorError) -> Microseconds {
    forget()
    return try base.wake()
  }

  private mutating func forget() {
    clock.restart()
    batch.removeAll()
    (given, former, loss, postponed, isInDoubt, silentSince) = (0, nil, nil, nil, false, nil)
  }
}

extension Batched where Base: ~Copyable {
  /// Reads the waiting samples, once all earlier ones have been returned; returns when the next batch will be ready.
  ///
  /// Throws what the sensor throws; if the error ended a batch early, only after the samples read have been returned.
  public mutating func collect(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> Instant {
    if let error = postponed {
      postponed = nil
      throw error
    }
    guard !hasNext else { return time.now }
    batch.removeAll()
    given = 0
    let (waiting, before, after) = try look(by: time)
    let most = count(waiting, between: before, and: after)
    do throws(SensorError) {
      try base.take(min(most, batch.room), into: &batch)
    } catch {
      guard hasNext else { throw error }
      postponed = error
    }
    date(waiting)
    countSilence()
    guard postponed == nil && waiting.count <= batch.count else { return time.now }
    return due(waiting) ?? time.now + base.samplePeriod
  }

  /// The number of samples that wait, and the instants before and after the query.
  ///
  /// After a start it queries twice, and keeps what both results allow: no elapsed time can contradict a wrong count
  /// yet.
  private mutating func look(
    by time: borrowing some MonotonicClock & ~Copyable
  ) throws(SensorError) -> (waiting: WaitingSamples, before: Instant, after: Instant) {
    let before = time.now
    let waiting = try base.waiting()
    let after = time.now
    guard former == nil else { return (waiting, before, after) }
    let again = try base.waiting()
    return again.count < waiting.count ? (again, after, time.now) : (waiting, before, after)
  }

  /// The next sample, or loss of samples, in order of time; nil if there is nothing left.
  public mutating func next() -> BatchElement? {
    if let (count, instant) = loss {
      loss = nil
      return .lost(count, at: instant)
    }
    guard let sample = batch[given] else { return nil }
    let instant = instant(ofSample: given)
    given &+= 1
    former = (last.number &- widened(count: batch.count &- given), instant)
    return .sample(sample, at: instant)
  }

  /// The newest sample, read from the sensor if none is at hand, without removing anything.
  public mutating func newest(
    by time: borrowing some MonotonicClock & ~Copyable
  ) throws(SensorError) -> (measurement: Measurement, at: Instant)? {
    if !hasNext { _ = try collect(by: time) }
    guard let sample = batch[batch.count &- 1] else { return nil }
    return (sample, instant(ofSample: batch.count &- 1))
  }

  /// Advances the count to the newest sample, and determines how many are missing before those that wait. Returns how
  /// many may be read.
  ///
  /// A count that contradicts the elapsed time is not believed: the waiting samples are assumed to follow the last one,
  /// and no more are read than there can be. If the next count contradicts it too, samples were lost unnoticed, or the
  /// reader has fallen behind.
  private mutating func count(_ waiting: WaitingSamples, between before: Instant, and after: Instant) -> Int {
    var contradictsTime = false
    if let former, let known = clock.newest, !waiting.followsGap {
      guard let unreachable = waiting.unreachable else { return 0 }
      let counted = former.number &+ widened(count: waiting.count &+ unreachable) &- known
      contradictsTime = clock.saw(counted, between: before, and: after) != counted
    } else {
      _ = clock.resume(between: before, and: after)
    }
    defer { isInDoubt = contradictsTime && !isInDoubt }
    guard waiting.count > 0, let former, let newest = clock.newest else { return waiting.count }
    let missing = newest &- widened(count: waiting.unreachable ?? 0) &- widened(count: waiting.count) &- former.number
    if contradictsTime && !isInDoubt { return max(0, waiting.count &+ Int(saturated(min(0, missing)))) }
    guard missing > 0 else { return waiting.count }
    let number = former.number &+ missing
    let instant = max(former.at, clock.instant(of: number) ?? former.at)
    loss = (UInt32(truncatingIfNeeded: min(missing, 0xFFFF_FFFF)), instant)
    lostSamples &+= UInt64(bitPattern: missing)
    self.former = (number, instant)
    uncertainty.ofFormer = clock.uncertainty(of: number) ?? .zero
    return waiting.count
  }

  /// Assigns times to the samples of the batch: on a straight line from the previous sample, so that corrections are
  /// spread over the batch.
  private mutating func date(_ waiting: WaitingSamples) {
    guard batch.count > 0, let newest = clock.newest else { return }
    let (span, reachable) = (widened(count: batch.count), newest &- widened(count: waiting.unreachable ?? 0))
    // Never later than the samples that existed.
    let number = former.map { min($0.number &+ span, reachable) } ?? reachable &- widened(count: waiting.count) &+ span
    let known = clock.uncertainty(of: number) ?? .zero
    let ofFirst = former == nil ? clock.uncertainty(of: number &- span) ?? known : uncertainty.ofFormer
    begin = former?.at ?? clock.instant(of: number &- span) ?? begin
    if let silentSince { begin = max(begin, silentSince) }
    last = (number, max(clock.instant(of: number) ?? begin, begin + Microseconds(span)))
    uncertainty = (max(known, ofFirst), known)
  }

  /// Determines how many samples are missing between the last before a start and the first after it: by time alone,
  /// because the sensor's count starts again.
  private mutating func countSilence() {
    guard batch.count > 0, let since = silentSince else { return }
    silentSince = nil
    let (first, period) = (instant(ofSample: 0), clock.period.middle)
    // At most 50 days, which fit in 2^-20 µs.
    let span = max(0, min(1 &<< 42, (first - since).count)) &<< 20
    let missing = (span &+ period / 2) / max(1, period) &- 1
    guard missing > 0 else { return }
    loss = (
      UInt32(truncatingIfNeeded: min(missing, 0xFFFF_FFFF)), max(since, first - Microseconds(period &>> 20))
    )
    lostSamples &+= UInt64(bitPattern: missing)
  }

  /// When sample `index` of the batch was taken.
  private func instant(ofSample index: Int) -> Instant {
    begin + Microseconds((last.at - begin).count &* widened(count: index &+ 1) / widened(count: max(1, batch.count)))
  }

  /// When the next batch will be ready: the middle of the possible times of its last sample.
  private func due(_ waiting: WaitingSamples) -> Instant? {
    guard let newest = clock.newest else { return nil }
    let unreachable = widened(count: waiting.unreachable ?? 0)
    let taken = batch.count > 0 ? last.number : newest &- unreachable
    return clock.instant(of: taken &+ widened(count: size) &+ unreachable)
  }
}
