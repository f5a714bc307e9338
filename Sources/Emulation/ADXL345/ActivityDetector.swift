import FixedPoint

extension EmulatedADXL345 {
  /// Activity and inactivity, and how they are linked.
  ///
  /// Activity: a reading above THRESH_ACT on any participating axis. Inactivity: all participating axes below THRESH_INACT
  /// for TIME_INACT, from the first such sample on; while they stay there, the time begins anew. Ac-coupled, both look at
  /// the difference from a reference. That of activity is the first reading after the detection begins (or, in link
  /// mode, the one that was inactive) and stays; that of inactivity is the first one, then each that exceeds the threshold.
  ///
  /// - Datasheet: ADXL345 Rev. E, "ACT_INACT_CTL", "TIME_INACT" and "Link mode".
  struct ActivityDetector {
    /// Whether inactivity was the last thing found.
    private(set) var isInactive = false
    private var activeReference: AxisReading?
    private var restReference: AxisReading?
    private var restSince: Instant?

    /// Looks for activity: the axes that show it, X 4, Y 2, Z 1.
    mutating func activity(in reading: AxisReading, _ registers: RegisterFile) -> UInt8 {
      let control = registers[Register.activityControl]
      let reference = activeReference ?? reading
      activeReference = reference
      let value = control & 0x80 != 0 ? reading - reference : reading
      return value.axes(of: control >> 4 & 0x07, beyond: registers.threshold(Register.activityThreshold))
    }

    /// Looks for inactivity in a sample of `instant`, `second` being a second of the part's clock: whether it is found.
    mutating func inactivity(
      in reading: AxisReading, at instant: Instant, second: Microseconds, _ registers: RegisterFile
    ) -> Bool {
      let control = registers[Register.activityControl]
      let reference = restReference ?? reading
      restReference = reference
      // The offset registers are part of the output, and vanish from a difference.
      let value = control & 0x08 != 0 ? reading - reference : reading + registers.offset
      guard value.isWithin(registers.threshold(Register.inactivityThreshold), onAxes: control & 0x07) else {
        restReference = reading
        restSince = nil
        return false
      }
      let since = restSince ?? instant
      let isFound = instant - since >= second * Int64(registers[Register.inactivityTime])
      restSince = isFound ? instant : since
      if isFound { isInactive = true }
      return isFound
    }

    /// After a time that was not looked at.
    mutating func loseTrack() {
      restReference = nil
      restSince = nil
    }

    /// Link mode, after inactivity: activity is looked for from `reading` on.
    mutating func beginActivity(from reading: AxisReading) { activeReference = reading }

    /// Link mode, after activity: inactivity is looked for from now on.
    mutating func beginInactivity() { self = ActivityDetector() }
  }
}
