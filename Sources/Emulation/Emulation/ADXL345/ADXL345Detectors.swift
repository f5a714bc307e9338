import FixedPoint

extension EmulatedADXL345 {
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

    private var phase = Phase.quiet
    /// The steps since the phase began.
    private var steps = 0
    /// The axes above the threshold in the first step of the first tap: X 4, Y 2, Z 1.
    private(set) var axes: UInt8 = 0

    /// Examines the next step; returns the events that it completes, as bits of INT_SOURCE, enabled or not.
    mutating func step(_ reading: AxisValues, _ detectors: Detectors) -> UInt8 {
      let above = reading.axes(of: detectors.tapControl & 0x07, beyond: detectors.tapThreshold)
      let longest = 2 * detectors.tapDuration
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
          enter(detectors.findsDoubleTaps ? .latency : .quiet)
          if phase == .quiet { return Interrupt.singleTap }
        }
      case .second:
        if steps > longest { return end(above != 0 ? .spent : .quiet, Interrupt.singleTap) }
        if above == 0 { return end(.quiet, Interrupt.taps) }
      case .latency, .window: return wait(above != 0, detectors)
      case .spent: if above == 0 { enter(.quiet) }
      }
      return 0
    }

    /// Handles a step between the taps.
    private mutating func wait(_ isAbove: Bool, _ detectors: Detectors) -> UInt8 {
      if phase == .latency {
        guard steps >= 4 * detectors.tapLatency else {
          return isAbove && detectors.tapControl & 0x08 != 0 ? end(.spent, Interrupt.singleTap) : 0
        }
        if isAbove { return end(.spent, Interrupt.singleTap) }
        enter(.window)
      } else if isAbove {
        enter(.second)
      } else if steps >= 4 * detectors.tapWindow {
        return end(.quiet, Interrupt.singleTap)
      }
      return 0
    }

    private mutating func enter(_ next: Phase) {
      phase = next
      steps = 0
    }

    private mutating func end(_ next: Phase, _ events: UInt8) -> UInt8 {
      enter(next)
      return events
    }
  }
}

extension EmulatedADXL345 {
  /// Activity and inactivity, and how they are linked.
  ///
  /// Activity: a reading above THRESH_ACT on any participating axis. Inactivity: all participating axes below
  /// THRESH_INACT for TIME_INACT, starting from the first such sample; while they stay there, the time restarts after
  /// each event. If ac-coupled, both use the difference from a reference. The reference of activity is the first
  /// reading after the detection begins (or, in link mode, the one that was inactive) and stays; that of inactivity is
  /// the first reading, then each one that exceeds the threshold.
  ///
  /// - Datasheet: ADXL345 Rev. E, "ACT_INACT_CTL", "TIME_INACT" and "Link mode".
  struct ActivityDetector {
    /// Whether inactivity was the last event detected.
    private(set) var isInactive = false
    private var activeReference: AxisValues?
    private var restReference: AxisValues?
    private var restSince: Instant?

    /// Detects activity; returns the axes that show it, X 4, Y 2, Z 1.
    mutating func activity(in reading: AxisValues, _ detectors: Detectors) -> UInt8 {
      let control = detectors.activityControl
      let reference = activeReference ?? reading
      activeReference = reference
      let value = control & 0x80 != 0 ? reading - reference : reading
      return value.axes(of: control >> 4 & 0x07, beyond: detectors.activityThreshold)
    }

    /// Whether the sample of `instant` completes an inactivity; `second` is a second of the part's clock. `offset` is
    /// part of the output.
    mutating func inactivity(
      in reading: AxisValues, _ offset: AxisValues, at instant: Instant, second: Microseconds, _ detectors: Detectors
    ) -> Bool {
      let control = detectors.activityControl
      let reference = restReference ?? reading
      restReference = reference
      // The offset cancels out in a difference.
      let value = control & 0x08 != 0 ? reading - reference : reading + offset
      guard value.isWithin(detectors.inactivityThreshold, onAxes: control & 0x07) else {
        restReference = reading
        restSince = nil
        return false
      }
      let since = restSince ?? instant
      let isFound = instant - since >= second * detectors.inactivityTime
      restSince = isFound ? instant : since
      if isFound { isInactive = true }
      return isFound
    }

    /// Resets the detection after a period that was not examined.
    mutating func loseTrack() {
      restReference = nil
      restSince = nil
    }

    /// In link mode, after inactivity: activity is detected from `reading` on.
    mutating func beginActivity(from reading: AxisValues) { activeReference = reading }

    /// In link mode, after activity: inactivity is detected from now on.
    mutating func beginInactivity() { self = ActivityDetector() }
  }
}

extension EmulatedADXL345 {
  /// Free fall, in steps of 312.5 µs.
  ///
  /// An event occurs when all three axes have been below THRESH_FF for TIME_FF, starting from the first such step;
  /// while they stay there, the time restarts after each event. With a TIME_FF of 0, every step below is an event.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Interrupts" and "TIME_FF".
  struct FreeFallDetector {
    /// The steps since the first one below; nil if there is none.
    private var steps: Int?

    /// Examines the next step; returns whether it completes an event.
    mutating func step(_ reading: AxisValues, _ detectors: Detectors) -> Bool {
      guard reading.isWithin(detectors.fallThreshold, onAxes: 0x07) else {
        steps = nil
        return false
      }
      let elapsed = steps.map { $0 + 1 } ?? 0
      let isEvent = elapsed >= 16 * detectors.fallTime
      steps = isEvent ? 0 : elapsed
      return isEvent
    }
  }
}

extension EmulatedADXL345 {
  /// Which detectors run, and their settings: read from the registers after a write, so that a step costs little.
  struct Detectors {
    var taps = false
    var freeFall = false
    var activity = false
    var inactivity = false
    /// Whether activity and inactivity alternate.
    var areLinked = false
    /// Whether every single sample is examined.
    var watchSamples = false

    /// TAP_AXES, and the bits of ACT_INACT_CTL.
    private(set) var tapControl: UInt8 = 0
    private(set) var activityControl: UInt8 = 0
    private(set) var tapThreshold: Int64 = 0
    private(set) var tapDuration = 0
    private(set) var tapLatency = 0
    private(set) var tapWindow = 0
    /// Whether double taps are in use: enabled, with a latency and a window.
    private(set) var findsDoubleTaps = false
    private(set) var activityThreshold: Int64 = 0
    private(set) var inactivityThreshold: Int64 = 0
    private(set) var inactivityTime: Int64 = 0
    private(set) var fallThreshold: Int64 = 0
    private(set) var fallTime = 0

    /// None.
    init() {}

    /// Those that the registers of a part set.
    init(_ state: ChipState) {
      /// 62.5 mg/LSB in 1/65536 g.
      func threshold(_ register: Int) -> Int64 { Int64(state[register]) * 4_096 }
      let enabled = state[Register.interruptEnable]
      (tapControl, activityControl) = (state[Register.tapAxes], state[Register.activityControl])
      (tapThreshold, tapDuration) = (threshold(Register.tapThreshold), Int(state[Register.tapDuration]))
      (tapLatency, tapWindow) = (Int(state[Register.tapLatency]), Int(state[Register.tapWindow]))
      findsDoubleTaps = enabled & Interrupt.doubleTap != 0 && tapLatency != 0 && tapWindow != 0
      activityThreshold = threshold(Register.activityThreshold)
      inactivityThreshold = threshold(Register.inactivityThreshold)
      inactivityTime = Int64(state[Register.inactivityTime])
      (fallThreshold, fallTime) = (threshold(Register.fallThreshold), Int(state[Register.fallTime]))

      taps = enabled & Interrupt.taps != 0 && tapDuration != 0 && tapControl & 0x07 != 0
      freeFall = enabled & Interrupt.freeFall != 0
      activity = enabled & Interrupt.activity != 0 && activityControl & 0x70 != 0
      inactivity = enabled & Interrupt.inactivity != 0 && activityControl & 0x07 != 0
      areLinked = state[Register.powerControl] & 0x20 != 0 && activity && inactivity
      watchSamples = inactivity || (activity && state[Register.powerControl] & 0x04 != 0)
    }
  }
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
