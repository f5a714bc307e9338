public import FixedPoint

/// Gravity from specific force and rate of rotation: correct even while the board moves.
///
/// Pushing a board about adds to its specific force, but over a movement that begins and ends at rest these additions
/// sum to zero. To use that, the mean must be taken in a frame that does not turn with the board. So the states of a
/// smoothing filter are turned against the board's own rotation, sample by sample. Seen from the room they stand still:
/// gravity comes through without lag, however slow the filter is, and only the gyroscope's error limits the time
/// constant. There is no quaternion that could lose its length, and no accumulating rounding error: the filter forgets
/// it.
///
/// The filter is of second order with a damping of one half: it smooths as steeply as two stages in series, but lags
/// behind a gyroscope drift only as much as one.
///
/// The gyroscope's bias is its reading at rest; see `StillnessDetector`. Before the first rest, the time constant
/// starts at 20 ms and grows, and the bias is estimated from how fast gravity appears to turn; see `BiasSearch`.
///
/// Formats: states in Q8.24 g; the turn of a step in Q2.30 rad, at most 0.44 rad at a time; its matrix in Q2.30. The
/// turn is the mean of two successive rates times the real time between them. The result is led by half a period, at
/// most 10 ms: a sample is the mean of the period that ends with it.
///
/// - Source: the smoothing of the force in a frame that does not turn: D. Laidig, T. Seel, "VQF: Highly accurate IMU
///   orientation estimation with bias estimation and magnetic disturbance rejection", Information Fusion 91 (2023). The
///   form with turned states and a damping of one half is our own; see docs/fusion.md.
public struct Fusion: Equatable, Sendable {
  /// The settings of a fusion.
  public struct Configuration: Equatable, Sendable {
    /// The time over which the force is smoothed, which is also the lag behind a gyroscope drift: 0.1 to 60 s. Default
    /// 2.2 s.
    public var timeConstant: Microseconds
    /// A longer pause restarts the filter; the known bias is kept. At most 0.5 s, the default.
    public var longestGap: Microseconds
    /// The limit of the gyroscope's range, °/s. Default 2000.
    public var rateRange: Q16
    /// The limit of the accelerometer's range, g. Default 8.
    public var forceRange: Q16
    /// The gyroscope's bias if measured before, °/s, at most ±40. Default 0.
    public var bias: Vector3

    /// A configuration; omitted values have their defaults.
    public init(
      timeConstant: Microseconds = .milliseconds(2_200), longestGap: Microseconds = .milliseconds(500),
      rateRange: Q16 = Q16(whole: 2_000), forceRange: Q16 = Q16(whole: 8), bias: Vector3 = .zero
    ) {
      self.timeConstant = timeConstant
      self.longestGap = longestGap
      self.rateRange = rateRange
      self.forceRange = forceRange
      self.bias = bias
    }

    /// The same configuration, with a pause of up to `pause` not counting as a gap.
    package func allowing(pause: Microseconds) -> Configuration {
      var copy = self
      copy.longestGap = max(longestGap, min(pause, .milliseconds(500)))
      return copy
    }
  }

  // Small members come first: in one instruction, a Cortex-M0 reaches bytes within 31 of the start and words within
  // 124.
  /// Whether the board is at rest.
  public private(set) var isStill = false
  /// Whether the bias has been measured at rest.
  package private(set) var isBiasKnown = false
  /// Whether the bias comes from the first sample alone.
  private var isBiasGuessed = false
  /// Whether nothing has moved since the first sample.
  private var isUnmoved = true
  /// Whether the time constant has not reached its full length yet, or the bias is unknown.
  private var isGrowing = true
  /// Whether the gyroscope was clipped and the time constant has not recovered since.
  package private(set) var wasClipped = false
  /// The number of windows of rest that the bias averages, at most 16.
  private var weight: UInt8 = 1
  private var steps: UInt8 = 0
  private var last = Self.never
  /// Time since the start, µs, at most an hour; reduced when the gyroscope is clipped.
  private var age: UInt32 = 0
  /// When the board was last at rest, in units of 1024 µs: the lowest bits of the instant.
  private var lastRest: UInt32 = 0
  /// 2^44 over the time constant, µs.
  private let reciprocal: UInt32
  private let longestGap: UInt32
  // Readings beyond these are clipped.
  private let forceEnd: Int32
  private let rateEnd: Int32
  // The limits of a usual step: powers of two within these and 1024 °/s.
  private let forceBound: Int32
  private let rateBound: Int32
  /// The rate of rotation at the last sample, °/s, with the bias removed.
  package private(set) var rate = Vector3.zero
  /// The current estimate of the gyroscope's bias, °/s.
  public private(set) var bias: Vector3
  // In the board's frame, Q8.24 g: gravity, and how far it approaches the force in one time constant.
  private var smoothed = Turned.zero
  private var trend = Turned.zero
  /// Gravity after the lead, Q8.24 g.
  private var led = Turned.zero
  /// A horizontal direction that stands still in the room, Q2.30: the origin of headings.
  private var reference = Turned.zero
  private var stillness = StillnessDetector()
  /// The number of samples so far with an axis at the end of its range.
  public private(set) var clippedSamples: UInt32 = 0
  private var search = BiasSearch()

  /// A fusion without samples.
  public init(_ configuration: Configuration = Configuration()) {
    reciprocal = Self.timeConstant(Self.limited(configuration.timeConstant, 100_000, 60_000_000))
    longestGap = Self.limited(configuration.longestGap, 0, 500_000)
    // A part's largest reading lies up to 0.2 % short of its range.
    rateEnd = configuration.rateRange.raw &- configuration.rateRange.raw &>> 9
    forceEnd = min(16 &<< 16, configuration.forceRange.raw &- configuration.forceRange.raw &>> 9)
    rateBound = Self.powerOfTwo(below: min(rateEnd, 1_024 &<< 16))
    forceBound = Self.powerOfTwo(below: forceEnd)
    bias = configuration.bias.limited(to: Self.greatestBias)
  }

  /// The largest power of two not above `end`; at least 1.
  #if _pointerBitWidth(_32)
    @inline(never)
  #endif
  private static func powerOfTwo(below end: Int32) -> Int32 {
    1 &<< (31 &- Int32(truncatingIfNeeded: max(1, end).leadingZeroBitCount))
  }

  /// A time in µs, clamped to `least`…`most`.
  #if _pointerBitWidth(_32)
    @inline(never)
  #endif
  private static func limited(_ time: Microseconds, _ least: Int32, _ most: Int32) -> UInt32 {
    UInt32(bitPattern: max(least, min(saturated(time.count), most)))
  }

  /// Converts the reciprocal to the time constant, µs, or back: 2^44 divided by the argument.
  @inline(never)
  private static func timeConstant(_ reciprocal: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: (1 &<< 44) / widened(max(1, reciprocal)))
  }

  /// The instant of the last sample, in the unit of ``lastRest``.
  private var moment: UInt32 { UInt32(truncatingIfNeeded: last.microseconds &>> 10) }

  private static var never: Instant { Instant(microseconds: Int64.min) }
}

extension Fusion {
  /// Takes in the specific force, g, and the rate of rotation, °/s, of the instant `now`, both in the board's frame.
  ///
  /// If time stands still, nothing changes. If time runs backwards, or after a pause over the longest gap, the filter
  /// restarts and keeps the known bias. Components are clamped to ±16 g and ±4000 °/s.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  public mutating func step(_ force: Vector3, rotation: Vector3, at now: Instant) -> Vector3 {
    let elapsed = (now - last).count
    // The usual case: nothing clipped, and a turn of less than 0.44 rad.
    let isUsual =
      UInt64(bitPattern: elapsed &- 1) < 16_384 && force.isInside(forceBound) && rotation.isInside(rateBound)
    #if !SCARCE_FLASH
      guard isUsual else { return roughStep(force, rotation, elapsed, false, at: now) }
      last = now
      let time = UInt32(truncatingIfNeeded: elapsed)
      judge(force, rotation, time)
      let angle = angle(of: rotation, time)
      advance(
        to: force,
        by: BoardTurn(
          Int(truncatingIfNeeded: angle.x &>> 24), Int(truncatingIfNeeded: angle.y &>> 24),
          Int(truncatingIfNeeded: angle.z &>> 24)),
        Int(truncatingIfNeeded: usualGain(time) &>> 1))
      steps &+= 1
      if steps & 127 == 0 { straighten() }
      return gravity
    #else
      // One body for both cases takes less flash and more time; the result is the same to the bit.
      return roughStep(force, rotation, elapsed, isUsual, at: now)
    #endif
  }

  /// 1 - exp(-time / time constant), Q32, for at most 16 ms, by two terms of its series: too small by at most 0.0007
  /// with the shortest time constant, and by 0.0000001 with the default.
  @inline(__always)
  private mutating func usualGain(_ time: UInt32) -> Int64 {
    if isGrowing { return grow(time) }
    let share = Int64(bitPattern: (widened(time) &* widened(reciprocal)) &>> 12)
    return share &- (share &* share) &>> 33
  }

  /// A step of any size; usual steps come here only where `SCARCE_FLASH` is set, as for armv6m.
  #if SCARCE_FLASH
    @inline(__always)
  #else
    @inline(never)
  #endif
  private mutating func roughStep(
    _ force: Vector3, _ rotation: Vector3, _ elapsed: Int64, _ isUsual: Bool, at now: Instant
  ) -> Vector3 {
    var (force, rotation) = (force, rotation)
    if !isUsual {
      force = force.limited(to: 16 &<< 16)
      rotation = rotation.limited(to: 4_000 &<< 16)
      guard UInt64(bitPattern: elapsed &- 1) < widened(longestGap) else {
        if elapsed != 0 { restart(force, rotation, elapsed, at: now) }
        return gravity
      }
      noteClipping(force, rotation)
    }
    last = now
    let time = UInt32(truncatingIfNeeded: elapsed)
    judge(force, rotation, time)
    let before = smoothed
    let angle = angle(of: rotation, time)
    let gain = isUsual ? usualGain(time) : 0
    turnFar(angle.x, angle.y, angle.z, isUsual)
    approach(force, isUsual ? gain : isGrowing ? grow(time) : Self.gain(time, Self.timeConstant(reciprocal)))
    // Half a step ahead, at most 10 ms.
    let lead = isUsual ? 1 &<< 15 : min(1 &<< 15, Int(truncatingIfNeeded: (10_000 as UInt32 &<< 16) / max(1, time)))
    led = Turned(
      x: Self.led(smoothed.x, before.x, lead), y: Self.led(smoothed.y, before.y, lead),
      z: Self.led(smoothed.z, before.z, lead))
    steps &+= 1
    if steps & 127 == 0 { straighten() }
    return gravity
  }

  /// `after`, led by the share `lead`, Q16, of the change since `before`.
  @inline(never)
  private static func led(_ after: Int32, _ before: Int32, _ lead: Int) -> Int32 {
    after &+ Int32(truncatingIfNeeded: product(Int(after) &- Int(before), lead) &>> 16)
  }

  /// Makes the filter restart with the next sample, as after a long pause: in between, the board may have turned
  /// unseen.
  package mutating func interrupt() {
    guard last != Self.never else { return }
    last = last + .seconds(-1)
  }

  /// Restarts with this sample alone. While the bias is unknown, the board is assumed to be at rest.
  @inline(never)
  private mutating func restart(_ force: Vector3, _ rotation: Vector3, _ elapsed: Int64, at now: Instant) {
    let isFirst = last == Self.never
    let moment = moment
    last = now
    // If time runs backwards, no time has passed in which the bias could have changed.
    if elapsed < 0 { lastRest = self.moment &- (moment &- lastRest) }
    (smoothed, trend) = (Turned(force), .zero)
    if isFirst && bias == .zero {
      bias = rotation.limited(to: Self.greatestBias)
      isBiasGuessed = true
    }
    rate = rotation.subtracting(bias)
    stillness.interrupt(force, rotation)
    (isStill, isGrowing) = (false, true)
    age = 0
    led = smoothed
    if isFirst { reference = Turned(levelXOf: up) }
    straighten()
  }

  /// ±20 °/s at 25 °C plus ±20 °/s over temperature: PS-MPU-6000A rev. 3.4, 6.1.
  private static var greatestBias: Int32 { 40 &<< 16 }
}

// The work per sample. Inlined where registers are wide; elsewhere, calls are cheaper than flash.
extension Fusion {
  /// Determines whether the board is at rest, and the bias.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  private mutating func judge(_ force: Vector3, _ rotation: Vector3, _ time: UInt32) {
    switch stillness.step(force, rotation, time) {
    case .gathering: break
    case .moving: move()
    case .complete: settle()
    }
  }

  /// The turn since the last sample, from the mean of both rates: Q54 rad.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  private mutating func angle(of rotation: Vector3, _ time: UInt32) -> (x: Int64, y: Int64, z: Int64) {
    let rate = rotation.subtracting(bias)
    let sum = rate.adding(self.rate)
    self.rate = rate
    // 2^54 rad per 2^-16 °/s of a sum of two rates: half of π/180 · 10^-6 s · time.
    let factor = Int(truncatingIfNeeded: (widened(time) &* 2_515_284_534) &>> 20)
    return (
      product(Int(sum.x.raw), factor), product(Int(sum.y.raw), factor), product(Int(sum.z.raw), factor)
    )
  }

  /// A step of the filter by `gain`, Q1.31, in the frame into which `turn` has brought the board; then half a step
  /// ahead.
  ///
  /// In one piece, so that no intermediate result is stored.
  @inline(__always)
  private mutating func advance(to force: Vector3, by turn: borrowing BoardTurn, _ gain: Int) {
    reference.turn(by: turn)
    let drawn = trend.turned(by: turn)
    let before = smoothed
    let goal = smoothed.turned(by: turn)
    let x = advanced(&trend.x, goal.x, drawn.x, force.x, gain)
    let y = advanced(&trend.y, goal.y, drawn.y, force.y, gain)
    let z = advanced(&trend.z, goal.z, drawn.z, force.z, gain)
    smoothed = Turned(x: x, y: y, z: z)
    led = Turned(x: x &+ (x &- before.x) &>> 1, y: y &+ (y &- before.y) &>> 1, z: z &+ (z &- before.z) &>> 1)
  }

  /// One component of the filter: its new state, from those of both stages.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  private func advanced(_ trend: inout Int32, _ state: Int, _ before: Int, _ force: Q16, _ gain: Int) -> Int32 {
    let after = before &+ share(gain, of: Int(force.raw) &<< 8 &- state &- before)
    trend = Int32(truncatingIfNeeded: after)
    return Int32(truncatingIfNeeded: state &+ share(gain, of: after))
  }
}

// Rare work.
extension Fusion {
  /// Applies a turn of the board.
  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  private mutating func turn(by turn: borrowing BoardTurn) {
    smoothed.turn(by: turn)
    trend.turn(by: turn)
    reference.turn(by: turn)
  }

  /// A step of the filter by `gain`, Q32.
  @inline(__always)
  private mutating func approach(_ force: Vector3, _ gain: Int64) {
    let gain = Int(truncatingIfNeeded: gain &>> 1)
    let (x, y, z) = (Int(smoothed.x), Int(smoothed.y), Int(smoothed.z))
    let drawn = trend
    smoothed = Turned(
      x: advanced(&trend.x, x, Int(drawn.x), force.x, gain), y: advanced(&trend.y, y, Int(drawn.y), force.y, gain),
      z: advanced(&trend.z, z, Int(drawn.z), force.z, gain))
  }

  /// 1 - exp(-time / timeConstant), Q32, by three terms of its series; `time` is clamped to the time constant.
  private static func gain(_ time: UInt32, _ timeConstant: UInt32) -> Int64 {
    let share = min(Int64(bitPattern: (widened(time) &<< 32) / widened(max(1, timeConstant))), 0xFFFF_FFFF)
    let square = Int64(bitPattern: (UInt64(bitPattern: share) &* UInt64(bitPattern: share)) &>> 32)
    let cube = Int64(bitPattern: (UInt64(bitPattern: square) &* UInt64(bitPattern: share)) &>> 32)
    return share &- square &>> 1 &+ cube / 6
  }

  /// Turns in equal parts of at most a quarter of a radian about each axis; in one part if `isUsual`.
  @inline(__always)
  private mutating func turnFar(_ x: Int64, _ y: Int64, _ z: Int64, _ isUsual: Bool) {
    // 0.25 rad in Q54 is 2^52; negative numbers enter as their ones' complement.
    let size = UInt64(bitPattern: (x ^ (x &>> 63)) | (y ^ (y &>> 63)) | (z ^ (z &>> 63)))
    let halvings = isUsual ? 0 : max(0, 12 &- Int32(truncatingIfNeeded: size.leadingZeroBitCount))
    let places = 24 &+ widened(halvings)
    let part = BoardTurn(
      Int(truncatingIfNeeded: x &>> places), Int(truncatingIfNeeded: y &>> places),
      Int(truncatingIfNeeded: z &>> places))
    var left: Int32 = 1 &<< halvings
    while left > 0 {
      turn(by: part)
      left &-= 1
    }
  }

  /// A clipped rate is lost, so the force gets more weight for a while.
  private mutating func noteClipping(_ force: Vector3, _ rotation: Vector3) {
    let isRate = !rotation.isWithin(rateEnd)
    guard isRate || !force.isWithin(forceEnd) else { return }
    clippedSamples = clippedSamples == UInt32.max ? clippedSamples : clippedSamples &+ 1
    guard isRate else { return }
    (wasClipped, isGrowing) = (true, true)
    age = min(age, 1_000_000)
  }

  /// Handles a sample that exceeds the noise.
  @inline(__always)
  private mutating func move() {
    isStill = false
    if isUnmoved { depart() }
  }

  /// The first movement. The gyroscope's reading until now was its bias, if it was observed for long enough.
  @inline(never)
  private mutating func depart() {
    isUnmoved = false
    if isBiasKnown { return }
    if isBiasGuessed { bias = .zero } else { search = BiasSearch(isSettled: true) }
  }

  /// A window of the stillness detector is full: at rest it gives the bias.
  @inline(never)
  private mutating func settle() {
    let rest = stillness.rate
    if isUnmoved && !isBiasKnown {
      bias = rest.limited(to: Self.greatestBias)
      isBiasGuessed = false
    }
    guard stillness.quietWindows >= 3 else {
      isStill = false
      return
    }
    isStill = isAtRest(rest)
    guard isStill else {
      // A turntable: it leaves the bias as certain as before.
      lastRest &+= StillnessDetector.window &>> 10
      return
    }
    // The bias estimate ages after 2 s of movement, because the part warms up; the three windows of rest come on top.
    if moment &- lastRest > 3_125 { weight = 1 }
    lastRest = moment
    let change = rest.subtracting(bias)
    guard !isBiasKnown || change.squaredMagnitude > 32_768 * 32_768 else {
      bias = bias.adding(change.divided(by: Int32(weight)))
      weight = min(weight &+ 1, 16)
      return
    }
    // A bias this wrong has tilted gravity; at rest the force corrects it.
    (bias, isBiasKnown, weight) = (rest, true, 2)
    (smoothed, trend) = (Turned(stillness.force), .zero)
    age = max(age, Self.timeConstant(reciprocal))
  }

  /// Whether a steady rate is the gyroscope's reading at rest. A turntable turns about the vertical, which the force
  /// does not show; but it starts abruptly, while a bias creeps.
  private func isAtRest(_ rate: Vector3) -> Bool {
    guard rate.isWithin(Self.greatestBias) else { return false }
    guard isBiasKnown else { return true }
    let up = up
    let change = rate.subtracting(bias)
    let turned = Turned(x: change.x.raw, y: change.y.raw, z: change.z.raw)
    // 0.5 °/s plus 0.02 °/s for each second of movement, during which the bias cannot be observed; at most 62 °/s.
    let most = 32_768 &+ (min(moment &- lastRest, 3_000_000) &* 1_374) &>> 10
    guard Self.part(of: turned, along: up).magnitude <= most else { return false }
    let square = change.squaredMagnitude
    guard square > widened(most) &* widened(most) else { return true }
    // A turn about a horizontal axis can hide in the noise of the force. But a bias eventually pulls gravity away from
    // the force by the change times the time constant: at least a fifth of that must show.
    let pull = trend.cross(smoothed, places: 24)
    let shown = 0 &- turned.scalar(Int(pull.x), Int(pull.y), Int(pull.z))
    // The change is at most 140 °/s, so its square here is below 2^31; the time constant is at most 2^26 µs.
    let least =
      widened(UInt32(truncatingIfNeeded: square &>> 16)) &* widened((Self.timeConstant(reciprocal) &* 60) &>> 10)
    return shown >= Int64(bitPattern: least)
  }

  /// The present gain: the time constant grows with the time since the start. Until the first rest it grows slowly,
  /// while the bias search runs.
  @inline(never)
  private mutating func grow(_ time: UInt32) -> Int64 {
    let early = min(age, 850_000)
    let late = age &- early
    let timeConstant = Self.timeConstant(reciprocal)
    let whole = min(20_000 &+ early &+ (isBiasKnown ? late : late / 16), timeConstant)
    age = min(age &+ time, 3_600_000_000)
    if whole == timeConstant && isBiasKnown { (isGrowing, wasClipped) = (false, false) }
    if !isBiasKnown && !isUnmoved {
      bias = bias.adding(
        search.step(trend, smoothed, up: up, rate: rate, stage: whole, time)
      ).limited(to: Self.greatestBias)
    }
    return Self.gain(time, whole)
  }

  /// The component of a vector along a direction. The result may be up to twice what fits in 31 bits; no caller has
  /// that.
  @inline(__always)
  private static func part(of vector: Turned, along up: UnitVector) -> Int32 {
    Int32(truncatingIfNeeded: vector.scalar(Int(up.x), Int(up.y), Int(up.z)) &>> 30)
  }

  /// Keeps the reference direction of headings horizontal and of length 1, against rounding and the correction of up.
  @inline(never)
  private mutating func straighten() {
    let up = up
    let rise = Self.part(of: reference, along: up)
    func level(_ component: Int32, _ up: Int32) -> Int32 {
      component &- Int32(truncatingIfNeeded: (widened(rise) &* widened(up)) &>> 30)
    }
    let direction = direction(
      Turned(x: level(reference.x, up.x), y: level(reference.y, up.y), z: level(reference.z, up.z)))
    if let direction { reference = Turned(x: direction.x, y: direction.y, z: direction.z) }
  }
}

// Queries.
extension Fusion {
  /// The part of the force that is gravity, g. At rest it equals the force, so no motion remains.
  public var gravity: Vector3 {
    Vector3(
      x: Q16(raw: (led.x &+ 0x80) &>> 8), y: Q16(raw: (led.y &+ 0x80) &>> 8), z: Q16(raw: (led.z &+ 0x80) &>> 8))
  }

  /// The direction of up in the board's frame; the face's before any sample, and if there is no gravity.
  public var up: UnitVector { Self.up(led) }

  #if _pointerBitWidth(_64)
    @inline(__always)
  #else
    @inline(never)
  #endif
  private static func up(_ led: Turned) -> UnitVector { direction(led) ?? .face }

  /// The full result after the last sample.
  public var attitude: Attitude {
    Attitude(
      up: up, heading: heading, rate: rate, bias: bias, isStill: isStill, certainty: certainty)
  }

  /// See ``Fusion/Attitude/certainty``.
  public var certainty: Certainty {
    if !isBiasKnown { return .starting }
    return wasClipped ? .clipped : isStill ? .still : .moving
  }

  /// The rotation about the vertical that remains once the board has been turned upright the shortest way.
  package var heading: BinaryAngle? {
    let up = up
    guard up.z > -1_069_655_965 else { return nil }
    // The horizontal direction 90° to the left of the reference.
    let left = Turned(x: up.x, y: up.y, z: up.z).cross(reference, places: 30)
    // Halved, because the sums may reach 2.
    return atan2(y: left.x &>> 1 &- reference.y &>> 1, x: reference.x &>> 1 &+ left.y &>> 1)
  }
}

@inline(__always)
private func direction(_ vector: Turned) -> UnitVector? {
  guard let (x, y, z) = FixedPoint.direction(vector.x, vector.y, vector.z) else { return nil }
  return UnitVector(x: x, y: y, z: z)
}

extension Turned {
  /// The horizontal direction that becomes X once `up` has been turned upright the shortest way; X itself close to face
  /// down.
  fileprivate init(levelXOf up: UnitVector) {
    let sum = (1 &<< 30) &+ widened(up.z)
    guard sum > 1 &<< 22 else {
      self.init(x: 1 &<< 30, y: 0, z: 0)
      return
    }
    let (x, y) = (widened(up.x), widened(up.y))
    self.init(
      x: Int32(truncatingIfNeeded: (1 &<< 30) &- x &* x / sum), y: Int32(truncatingIfNeeded: 0 &- x &* y / sum),
      z: 0 &- up.x)
  }
}
