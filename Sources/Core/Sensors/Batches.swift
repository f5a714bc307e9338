public import FixedPoint
public import HAL

/// A sensor in which samples can wait, to be taken several at a time; `Batched` does that. One in which none can has
/// the defaults.
public protocol BatchingAccelerometer: Accelerometer, ~Copyable {
  /// The nominal time from one sample to the next.
  var samplePeriod: Microseconds { get }

  /// Whether the sensor is set up so that samples wait in it.
  var keepsSamples: Bool { get }

  /// Looks how many samples wait. One bus transaction, and a few more after samples were lost.
  ///
  /// `configurationLost` where the part does not run as it was set up, or keeps no samples.
  mutating func waiting() throws(SensorError) -> WaitingSamples

  /// Moves the oldest `count` of them behind those in `samples`, in as few transactions as part and bus allow.
  ///
  /// What does not fit stays in the part. After an error what was read before is in `samples`; where the next look may
  /// find some missing, it says so.
  mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError)
}

extension BatchingAccelerometer where Self: ~Copyable {
  /// No.
  public var keepsSamples: Bool { false }

  /// None can.
  public mutating func waiting() throws(SensorError) -> WaitingSamples { throw .configurationLost }

  /// Takes nothing.
  public mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {}
}

/// How many samples wait in a sensor.
public struct WaitingSamples: Equatable, Sendable {
  /// How many can be taken.
  public var count: Int
  /// How many more there are that cannot be taken yet; nil where that is not known.
  public var unreachable: Int?
  /// Whether samples may be missing between the last that was taken and the first of these.
  public var followsGap: Bool

  /// So many samples.
  public init(count: Int, unreachable: Int? = 0, followsGap: Bool = false) {
    self.count = count
    self.unreachable = unreachable
    self.followsGap = followsGap
  }
}

/// Samples that were taken together, oldest first: 64 at most.
public struct SampleBatch: Sendable {
  /// How many it has room for.
  public static var capacity: Int { 64 }

  /// How many there are.
  public private(set) var count = 0
  private var storage = InlineArray<64, Measurement>(repeating: Measurement(force: .zero))

  /// None.
  public init() {}

  /// Sample `index`; nil where there is none.
  public subscript(index: Int) -> Measurement? { index >= 0 && index < count ? storage[index] : nil }

  /// How many more there is room for.
  public var room: Int { Self.capacity &- count }

  /// Adds the next sample; beyond the capacity it is dropped.
  public mutating func append(_ sample: Measurement) {
    guard count < Self.capacity else { return }
    storage[count] = sample
    count &+= 1
  }

  /// Adds what the sensor has found by itself until the last of them; returns false where there is none.
  public mutating func mark(_ findings: Findings) -> Bool {
    guard count > 0 else { return false }
    storage[count &- 1].findings = storage[count &- 1].findings.followed(by: findings)
    return true
  }

  /// Makes room for other samples.
  public mutating func removeAll() { count = 0 }
}

/// What comes out of a sensor that samples wait in.
public enum BatchElement: Equatable, Sendable {
  /// A sample, and when it was made.
  case sample(Measurement, at: Instant)
  /// So many samples were made before the next and are lost, the last of them at this instant.
  case lost(UInt32, at: Instant)
}

/// How well it is known when samples were made.
public struct SampleTiming: Equatable, Sendable {
  /// How much faster than nominal the sensor's clock runs, in parts per million.
  public var partsPerMillion: Int32
  /// How far off that can be.
  public var partsPerMillionUncertainty: Int32
  /// How far off the instant of the last sample can be.
  public var uncertainty: Microseconds
}

/// A sensor whose samples are taken several at a time, with the time of each by the sensor's own clock.
///
/// A `Loop` over it waits until a batch is there, takes it, and hands on sample by sample; between two batches there is
/// no transaction and no wait. With a batch of 1 it is the sensor itself.
///
/// Times grow from sample to sample, also from one batch to the next: what is learnt about the clock is spread over the
/// batch. None is later than the look that found the sample.
public struct Batched<Base: BatchingAccelerometer & ~Copyable>: Accelerometer, ~Copyable {
  /// The sensor.
  public var base: Base
  /// How many samples a batch has.
  public let size: Int
  /// How many samples were found to be lost so far.
  public private(set) var lostSamples: UInt64 = 0

  private var clock: SensorClock
  private var batch = SampleBatch()
  /// How many of the batch were given out.
  private var given = 0
  /// The number of the batch's last sample, and when it was made.
  private var last: (number: Int64, at: Instant) = (0, Instant(microseconds: 0))
  /// When the sample before the batch was made, or would have been.
  private var begin = Instant(microseconds: 0)
  /// The last sample given out or lost; nil after a start.
  private var former: (number: Int64, at: Instant)?
  /// How many samples are missing before the first of the batch, and when the last of them was made.
  private var loss: (count: UInt32, at: Instant)?
  /// When the last sample before a start was given out or lost, while none after it has come; nil where no fault led to
  /// the start.
  private var silentSince: Instant?
  /// Whether the last count contradicted time, so that another that does is believed.
  private var isInDoubt = false
  /// An error that broke a batch off, to be thrown once its samples are given out.
  private var postponed: SensorError?
  /// How far off the instants of this batch may be, and that of the sample before it.
  private var uncertainty = (ofBatch: Microseconds.zero, ofFormer: Microseconds.zero)

  /// `base`, whose samples are taken `size` at a time, 1 to 64. Where it keeps none, one at a time.
  public init(_ base: consuming Base, size: Int) {
    self.size = base.keepsSamples ? max(1, min(SampleBatch.capacity, size)) : 1
    clock = SensorClock(nominal: base.samplePeriod)
    self.base = base
  }

  /// As the sensor has it.
  public var fullScale: Q16 { base.fullScale }
  /// As the sensor has it.
  public var rotationFullScale: Q16? { base.rotationFullScale }
  /// As the sensor has it.
  public var transactions: UInt64 { base.transactions }
  /// As the sensor has it.
  public var notice: SensorNotice? { base.notice }
  /// Whether samples come several at a time.
  public var isBatching: Bool { size > 1 }
  /// Whether there is something to give out.
  public var hasNext: Bool { loss != nil || given < batch.count }

  /// How well the times are known; nil before the first batch.
  public var timing: SampleTiming? {
    guard isBatching, former != nil else { return nil }
    return SampleTiming(
      partsPerMillion: clock.partsPerMillion, partsPerMillionUncertainty: clock.partsPerMillionUncertainty,
      uncertainty: uncertainty.ofBatch)
  }

  /// Starts the sensor. Whatever was taken and not given out is lost, with what waits in the sensor and what it would
  /// have made until its first sample after this: ``next()`` says how many.
  public mutating func start() throws(SensorError) -> Microseconds {
    let last = former?.at ?? silentSince
    forget()
    silentSince = last
    return try base.start()
  }

  /// Goes on with the start.
  public mutating func proceed() throws(SensorError) -> Microseconds? { try base.proceed() }

  /// Looks whether the sensor runs as it should.
  public mutating func adopt() throws(SensorError) -> Bool {
    forget()
    return try base.adopt()
  }

  /// As the sensor does it.
  public mutating func verifyConfiguration() throws(SensorError) { try base.verifyConfiguration() }

  /// A sample of the sensor; not where samples wait in it, from which it would be missing: `configurationLost`.
  public mutating func sample() throws(SensorError) -> Vector3 { try measure().force }

  /// The same with all that the sensor measures.
  public mutating func measure() throws(SensorError) -> Measurement {
    guard !isBatching else { throw .configurationLost }
    return try base.measure()
  }

  /// Closes and opens the bus again.
  public mutating func reopen() throws(SensorError) { try base.reopen() }

  /// As the sensor has it.
  public var canWatchForMovement: Bool { base.canWatchForMovement }
  /// As the sensor has it.
  public var movementThreshold: Q16 { base.movementThreshold }

  /// Has the sensor watch; whatever was taken and not given out is forgotten.
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    forget()
    return try base.watchForMovement()
  }

  /// Asks the sensor.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool { try base.hasMoved(from: force) }

  /// Wakes the sensor; samples are counted anew.
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
  /// Takes what waits, after what was given out; returns when the next batch will be there.
  ///
  /// Throws what the sensor throws; where that broke off a batch, once what was taken is given out.
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

  /// How many samples wait, and from when to when that was looked.
  ///
  /// After a start twice, and what both can mean: there is no time yet that contradicts a count that came wrong.
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

  /// The next sample, or loss of samples, in the order of time; nil where there is nothing left.
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

  /// The newest sample there is, taken from the sensor if none is at hand, without giving anything out.
  public mutating func newest(
    by time: borrowing some MonotonicClock & ~Copyable
  ) throws(SensorError) -> (measurement: Measurement, at: Instant)? {
    if !hasNext { _ = try collect(by: time) }
    guard let sample = batch[batch.count &- 1] else { return nil }
    return (sample, instant(ofSample: batch.count &- 1))
  }

  /// Counts on to the newest sample, and finds how many are missing before those that wait. Returns how many may be
  /// taken.
  ///
  /// A count that contradicts time is not believed: the samples that wait follow the last one, and no more are taken
  /// than there can be. If the next one does so too, samples were lost unnoticed, or the reader has fallen behind.
  private mutating func count(_ waiting: WaitingSamples, between before: Instant, and after: Instant) -> Int {
    var contradictsTime = false
    if let former, let known = clock.newest, !waiting.followsGap {
      guard let unreachable = waiting.unreachable else { return 0 }
      let told = former.number &+ widened(count: waiting.count &+ unreachable) &- known
      contradictsTime = clock.saw(told, between: before, and: after) != told
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

  /// Says when the samples of the batch were made: on a straight line from the one before, so that what was learnt
  /// since is spread over the batch.
  private mutating func date(_ waiting: WaitingSamples) {
    guard batch.count > 0, let newest = clock.newest else { return }
    let (span, reachable) = (widened(count: batch.count), newest &- widened(count: waiting.unreachable ?? 0))
    // Never later than what there was.
    let number = former.map { min($0.number &+ span, reachable) } ?? reachable &- widened(count: waiting.count) &+ span
    let known = clock.uncertainty(of: number) ?? .zero
    let ofFirst = former == nil ? clock.uncertainty(of: number &- span) ?? known : uncertainty.ofFormer
    begin = former?.at ?? clock.instant(of: number &- span) ?? begin
    if let silentSince { begin = max(begin, silentSince) }
    last = (number, max(clock.instant(of: number) ?? begin, begin + Microseconds(span)))
    uncertainty = (max(known, ofFirst), known)
  }

  /// Finds how many samples are missing between the last before a start and the first after it: by time alone, as the
  /// sensor begins to count anew.
  private mutating func countSilence() {
    guard batch.count > 0, let since = silentSince else { return }
    silentSince = nil
    let (first, period) = (instant(ofSample: 0), clock.period.middle)
    // 50 days at most, which 2^-20 µs have room for.
    let span = max(0, min(1 &<< 42, (first - since).count)) &<< 20
    let missing = (span &+ period / 2) / max(1, period) &- 1
    guard missing > 0 else { return }
    loss = (
      UInt32(truncatingIfNeeded: min(missing, 0xFFFF_FFFF)), max(since, first - Microseconds(period &>> 20))
    )
    lostSamples &+= UInt64(bitPattern: missing)
  }

  /// When sample `index` of the batch was made.
  private func instant(ofSample index: Int) -> Instant {
    begin + Microseconds((last.at - begin).count &* widened(count: index &+ 1) / widened(count: max(1, batch.count)))
  }

  /// When the next batch will be there: the middle of when its last sample may be made.
  private func due(_ waiting: WaitingSamples) -> Instant? {
    guard let newest = clock.newest else { return nil }
    let unreachable = widened(count: waiting.unreachable ?? 0)
    let taken = batch.count > 0 ? last.number : newest &- unreachable
    return clock.instant(of: taken &+ widened(count: size) &+ unreachable)
  }
}
