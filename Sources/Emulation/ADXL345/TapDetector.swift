extension EmulatedADXL345 {
  /// Single and double taps, in steps of 312.5 µs.
  ///
  /// An event begins with the first step above THRESH_TAP on any participating axis, and ends with the first step at or
  /// below it. It is a tap if that took no more than DUR. Latency counts from the end of the first tap, the window from the
  /// end of the latency; the second tap has to begin in the window, its last step included. What invalidates it is what the
  /// data sheet names: a spike in the latency when Suppress is set, being above the threshold when the window begins,
  /// outlasting DUR, or not coming. After the first three nothing counts until the axes are below the threshold again.
  ///
  /// - Datasheet: ADXL345 Rev. E, "Tap detection".
  struct TapDetector {
    private enum Phase { case quiet, first, latency, window, second, spent }

    private var phase = Phase.quiet
    /// Since the phase began.
    private var steps = 0
    /// The axes above the threshold in the first step of the first tap: X 4, Y 2, Z 1.
    private(set) var axes: UInt8 = 0

    /// Looks at the next step; the events that it completes, as bits of INT_SOURCE, enabled or not.
    mutating func step(_ reading: AxisReading, _ registers: RegisterFile) -> UInt8 {
      let control = registers[Register.tapAxes]
      let above = reading.axes(of: control & 0x07, beyond: registers.threshold(Register.tapThreshold))
      let longest = 2 * Int(registers[Register.tapDuration])
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
          enter(registers.findsDoubleTaps ? .latency : .quiet)
          if phase == .quiet { return Interrupt.singleTap }
        }
      case .second:
        if steps > longest { return end(above != 0 ? .spent : .quiet, Interrupt.singleTap) }
        if above == 0 { return end(.quiet, Interrupt.taps) }
      case .latency, .window: return wait(above != 0, suppresses: control & 0x08 != 0, registers)
      case .spent: if above == 0 { enter(.quiet) }
      }
      return 0
    }

    /// A step between the taps.
    private mutating func wait(_ isAbove: Bool, suppresses: Bool, _ registers: RegisterFile) -> UInt8 {
      if phase == .latency {
        guard steps >= 4 * Int(registers[Register.tapLatency]) else {
          return isAbove && suppresses ? end(.spent, Interrupt.singleTap) : 0
        }
        if isAbove { return end(.spent, Interrupt.singleTap) }
        enter(.window)
      } else if isAbove {
        enter(.second)
      } else if steps >= 4 * Int(registers[Register.tapWindow]) {
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

extension EmulatedADXL345.RegisterFile {
  /// Whether double taps are in use: enabled, with a latency and a window.
  fileprivate var findsDoubleTaps: Bool {
    self[EmulatedADXL345.Register.interruptEnable] & EmulatedADXL345.Interrupt.doubleTap != 0
      && self[EmulatedADXL345.Register.tapLatency] != 0 && self[EmulatedADXL345.Register.tapWindow] != 0
  }
}
