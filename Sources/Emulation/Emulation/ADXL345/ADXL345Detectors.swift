import FixedPoint

extension EmulatedADXL345 {
  /// The bits of INT_ENABLE, INT_MAP and INT_SOURCE.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Register 0x30—INT_SOURCE".
  enum Interrupt {
    static var dataReady: UInt8 { 0x80 }
    static var singleTap: UInt8 { 0x40 }
    static var doubleTap: UInt8 { 0x20 }
    static var activity: UInt8 { 0x10 }
    static var inactivity: UInt8 { 0x08 }
    static var freeFall: UInt8 { 0x04 }
    static var watermark: UInt8 { 0x02 }
    static var overrun: UInt8 { 0x01 }
    /// The bits of both kinds of tap.
    static var taps: UInt8 { 0x60 }
  }

  /// The detectors that are on, and what they have found.
  ///
  /// A detector restarts when one of its registers is written or its function is switched on. Only then does it read
  /// its settings from the registers, so that 3200 readings a second cost little.
  struct Detectors {
    private var taps: TapDetector?
    private var freeFall: FreeFallDetector?
    private var activity: ActivityDetector?
    /// The events that the part has latched: INT_SOURCE, bits 6 to 2.
    var found: UInt8 = 0
    /// ACT_TAP_STATUS without its bit 3.
    private(set) var axes: UInt8 = 0

    /// Whether they use undecimated readings, and whether they use the next one.
    var useReadings: Bool { taps != nil || freeFall != nil || findActivity }
    var awaitReading: Bool { taps != nil || freeFall != nil || activity?.awaitsActivity ?? false }
    var findActivity: Bool { activity?.findsActivity ?? false }
    var findInactivity: Bool { activity?.findsInactivity ?? false }
    /// Whether inactivity was the last event of the two.
    var areInactive: Bool { activity?.isInactive ?? false }

    /// Restarts those of some bits of INT_ENABLE, in a part whose clock is faster than nominal by this many ppm.
    mutating func restart(_ events: UInt8, _ state: ChipState, partsPerMillion: Int32) {
      if events & Interrupt.taps != 0 { taps = TapDetector(state) }
      if events & Interrupt.freeFall != 0 { freeFall = FreeFallDetector(state) }
      if events & (Interrupt.activity | Interrupt.inactivity) != 0 {
        activity = ActivityDetector(state, second: .seconds(1).stretched(byClockOf: partsPerMillion))
      }
    }

    /// Turns all off; what they have found stays.
    mutating func turnOff() { (taps, freeFall, activity) = (nil, nil, nil) }

    /// Starts afresh after a period that was not examined.
    mutating func loseTrack(_ state: ChipState) {
      (taps, freeFall) = (TapDetector(state), FreeFallDetector(state))
      activity?.loseTrack()
    }

    // These three return the events that they find, as bits of INT_SOURCE.

    /// Examines an undecimated reading.
    mutating func events(in reading: AxisValues) -> UInt8 {
      let tapped = taps?.step(reading) ?? 0
      if tapped != 0 { axes = axes & 0x70 | (taps?.axes ?? 0) }
      let isFalling = freeFall?.step(reading) ?? false
      return tapped | (isFalling ? Interrupt.freeFall : 0) | activity(in: reading)
    }

    /// Examines a reading for activity alone.
    mutating func activity(in reading: AxisValues) -> UInt8 {
      let active = activity?.activity(in: reading) ?? 0
      guard active != 0 else { return 0 }
      // The axes are those of the first event: until it is read, there is no other.
      if found & Interrupt.activity == 0 { axes = axes & 0x07 | active << 4 }
      return Interrupt.activity
    }

    /// Examines the reading of the sample of `instant` for inactivity; `offset` is part of the output.
    mutating func inactivity(in reading: AxisValues, _ offset: AxisValues, at instant: Instant) -> UInt8 {
      activity?.inactivity(in: reading, offset, at: instant) ?? false ? Interrupt.inactivity : 0
    }
  }

  /// Single and double taps, in steps of 312.5 µs.
  ///
  /// An event begins with the first step above THRESH_TAP on any participating axis, and ends with the first step at or
  /// below it. It is a tap if it took at most DUR. Latency counts from the end of the first tap, the window from the
  /// end of the latency; the second tap must begin in the window, its last step included. As in the data sheet, it is
  /// invalidated by a spike in the latency when Suppress is set, by being above the threshold when the window begins,
  /// by outlasting DUR, or by not coming. After the first three, nothing counts until the axes are below the threshold
  /// again.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Tap detection".
  struct TapDetector {
    private enum Phase { case quiet, first, latency, window, second, spent }

    private let threshold: Int64
    private let participants: UInt8
    /// Whether a spike in the latency invalidates a double tap.
    private let suppresses: Bool
    /// The greatest length of a tap, the latency and the window, in steps.
    private let longest: Int
    private let latency: Int
    private let window: Int
    /// Whether double taps are in use: enabled, with a latency and a window.
    private let findsDoubleTaps: Bool
    /// The kinds that are enabled.
    private let enabled: UInt8

    private var phase = Phase.quiet
    /// The steps since the phase began.
    private var steps = 0
    /// The axes above the threshold in the first step of the first tap: X 4, Y 2, Z 1.
    private(set) var axes: UInt8 = 0

    /// The detector that the registers of a part set; nil if they set none.
    init?(_ state: ChipState) {
      enabled = state[0x2E] & Interrupt.taps
      (threshold, participants, suppresses) = (state.threshold(0x1D), state[0x2A] & 0x07, state[0x2A] & 0x08 != 0)
      (longest, latency, window) = (2 * Int(state[0x21]), 4 * Int(state[0x22]), 4 * Int(state[0x23]))
      findsDoubleTaps = enabled & Interrupt.doubleTap != 0 && latency != 0 && window != 0
      guard enabled != 0, longest != 0, participants != 0 else { return nil }
    }

    /// Examines the next step; returns the enabled events that it completes, as bits of INT_SOURCE.
    mutating func step(_ reading: AxisValues) -> UInt8 {
      let above = reading.axes(of: participants, beyond: threshold)
      steps += 1
      switch phase {
      case .quiet:
        if above != 0 {
          axes = above
          enter(.first)
        }
      case .first:
        if steps > longest {
          enter(above != 0 ? .spent : .quiet)
        } else if above == 0 {
          return findsDoubleTaps ? end(.latency, 0) : end(.quiet, Interrupt.singleTap)
        }
      case .latency:
        if steps < latency {
          return above != 0 && suppresses ? end(.spent, Interrupt.singleTap) : 0
        }
        if above != 0 { return end(.spent, Interrupt.singleTap) }
        enter(.window)
      case .window:
        if above != 0 {
          enter(.second)
        } else if steps >= window {
          return end(.quiet, Interrupt.singleTap)
        }
      case .second:
        if steps > longest { return end(above != 0 ? .spent : .quiet, Interrupt.singleTap) }
        if above == 0 { return end(.quiet, Interrupt.taps) }
      case .spent: if above == 0 { enter(.quiet) }
      }
      return 0
    }

    private mutating func enter(_ next: Phase) { (phase, steps) = (next, 0) }

    private mutating func end(_ next: Phase, _ events: UInt8) -> UInt8 {
      enter(next)
      return events & enabled
    }
  }

  /// Activity and inactivity, and how they are linked.
  ///
  /// Activity: a reading above THRESH_ACT on any participating axis. Inactivity: all participating axes below
  /// THRESH_INACT for TIME_INACT, starting from the first such sample; while they stay there, the time restarts after
  /// each event. If ac-coupled, both use the difference from a reference. The reference of activity is the first
  /// reading after the detection begins (or, in link mode, the one that was inactive) and stays; that of inactivity is
  /// the first reading, then each one that exceeds the threshold. Linked, they alternate, inactivity first.
  ///
  /// - Datasheet: ADXL345 Rev. E, "ACT_INACT_CTL", "TIME_INACT" and "Link mode".
  struct ActivityDetector {
    /// ACT_INACT_CTL.
    private let control: UInt8
    private let activityThreshold: Int64
    private let inactivityThreshold: Int64
    private let inactivityTime: Microseconds
    private let isLinked: Bool
    /// Which of the two are on.
    let findsActivity: Bool
    let findsInactivity: Bool

    /// Whether inactivity was the last event detected.
    private(set) var isInactive = false
    private var activeReference: AxisValues?
    private var restReference: AxisValues?
    private var restSince: Instant?

    /// The detector that the registers of a part set, with a second of its clock; nil if they set none.
    init?(_ state: ChipState, second: Microseconds) {
      let enabled = state[0x2E]
      control = state[0x27]
      (activityThreshold, inactivityThreshold) = (state.threshold(0x24), state.threshold(0x25))
      inactivityTime = second * Int64(state[0x26])
      findsActivity = enabled & Interrupt.activity != 0 && control & 0x70 != 0
      findsInactivity = enabled & Interrupt.inactivity != 0 && control & 0x07 != 0
      isLinked = state[0x2D] & 0x20 != 0 && findsActivity && findsInactivity
      guard findsActivity || findsInactivity else { return nil }
    }

    /// Whether a reading can be an activity now.
    var awaitsActivity: Bool { findsActivity && (!isLinked || isInactive) }

    /// Detects activity; returns the axes that show it, X 4, Y 2, Z 1.
    mutating func activity(in reading: AxisValues) -> UInt8 {
      guard awaitsActivity else { return 0 }
      let reference = activeReference ?? reading
      activeReference = reference
      let value = control & 0x80 != 0 ? reading - reference : reading
      let axes = value.axes(of: control >> 4 & 0x07, beyond: activityThreshold)
      if axes != 0 && isLinked {
        // Inactivity is detected from now on.
        (isInactive, activeReference) = (false, nil)
        loseTrack()
      }
      return axes
    }

    /// Whether the sample of `instant` completes an inactivity. `offset` is part of the output.
    mutating func inactivity(in reading: AxisValues, _ offset: AxisValues, at instant: Instant) -> Bool {
      guard findsInactivity && !(isLinked && isInactive) else { return false }
      let reference = restReference ?? reading
      restReference = reference
      // The offset cancels out in a difference.
      let value = control & 0x08 != 0 ? reading - reference : reading + offset
      guard value.isWithin(inactivityThreshold, onAxes: control & 0x07) else {
        (restReference, restSince) = (reading, nil)
        return false
      }
      let since = restSince ?? instant
      guard instant - since >= inactivityTime else {
        restSince = since
        return false
      }
      (isInactive, restSince) = (true, instant)
      // Activity is detected from this reading on.
      if isLinked { activeReference = reading }
      return true
    }

    /// Starts the detection of inactivity afresh, as after a period that was not examined.
    mutating func loseTrack() { (restReference, restSince) = (nil, nil) }
  }

  /// Free fall, in steps of 312.5 µs.
  ///
  /// An event occurs when all three axes have been below THRESH_FF for TIME_FF, starting from the first such step;
  /// while they stay there, the time restarts after each event. With a TIME_FF of 0, every step below is an event.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Interrupts" and "TIME_FF".
  struct FreeFallDetector {
    private let threshold: Int64
    /// TIME_FF in steps.
    private let longest: Int
    /// The steps since the first one below; nil if there is none.
    private var steps: Int?

    /// The detector that the registers of a part set; nil if they set none.
    init?(_ state: ChipState) {
      guard state[0x2E] & Interrupt.freeFall != 0 else { return nil }
      (threshold, longest) = (state.threshold(0x28), 16 * Int(state[0x29]))
    }

    /// Examines the next step; returns whether it completes an event.
    mutating func step(_ reading: AxisValues) -> Bool {
      guard reading.isWithin(threshold, onAxes: 0x07) else {
        steps = nil
        return false
      }
      let elapsed = steps.map { $0 + 1 } ?? 0
      let isEvent = elapsed >= longest
      steps = isEvent ? 0 : elapsed
      return isEvent
    }
  }
}

extension ChipState {
  /// A threshold of 62.5 mg/LSB, in 1/65536 g.
  fileprivate func threshold(_ register: Int) -> Int64 { Int64(self[register]) * 4_096 }
}

extension AxisValues {
  /// The axes of `mask` (X 4, Y 2, Z 1) whose magnitude is greater than `threshold`.
  fileprivate func axes(of mask: UInt8, beyond threshold: Int64) -> UInt8 {
    let all: UInt8 =
      (x.magnitude > threshold ? 4 : 0) | (y.magnitude > threshold ? 2 : 0) | (z.magnitude > threshold ? 1 : 0)
    return all & mask
  }

  /// Whether the magnitude of every axis of `mask` (X 4, Y 2, Z 1) is less than `threshold`.
  fileprivate func isWithin(_ threshold: Int64, onAxes mask: UInt8) -> Bool {
    (x.magnitude < threshold || mask & 4 == 0) && (y.magnitude < threshold || mask & 2 == 0)
      && (z.magnitude < threshold || mask & 1 == 0)
  }
}
