import FixedPoint

extension EmulatedADXL345 {
  /// The two interrupt pins, and the changes to report.
  struct Pins {
    struct Change {
      var pin: InterruptPin
      var isHigh: Bool
      var instant: Instant
    }

    /// Whether an interrupt drives the pin.
    private(set) var isActive: (int1: Bool, int2: Bool) = (false, false)
    /// The levels.
    private(set) var isHigh: (int1: Bool, int2: Bool) = (false, false)
    /// Whether changes are recorded.
    var keepsChanges = false
    private var changes: [Change] = []

    /// Whether there are changes to report.
    var hasNews: Bool { !changes.isEmpty }

    /// Drives the pins.
    mutating func drive(int1: Bool, int2: Bool, isActiveLow: Bool, at instant: Instant) {
      isActive = (int1, int2)
      let levels = (int1: int1 != isActiveLow, int2: int2 != isActiveLow)
      if keepsChanges {
        if levels.int1 != isHigh.int1 { changes.append(Change(pin: .int1, isHigh: levels.int1, instant: instant)) }
        if levels.int2 != isHigh.int2 { changes.append(Change(pin: .int2, isHigh: levels.int2, instant: instant)) }
      }
      isHigh = levels
    }

    /// Returns the changes and removes them.
    mutating func takeChanges() -> [Change] {
      defer { changes = [] }
      return changes
    }
  }
}

extension EmulatedADXL345.Chip {
  /// Drives the pins as INT_SOURCE, INT_ENABLE, INT_MAP and INT_INVERT now require; a pin that becomes active triggers
  /// the FIFO if it is its trigger.
  mutating func refreshPins(at instant: Instant) {
    let enabled = state[Register.interruptEnable]
    let isActiveLow = state[Register.dataFormat] & 0x20 != 0
    if enabled == 0 && !pins.isActive.int1 && !pins.isActive.int2 && pins.isHigh == (isActiveLow, isActiveLow) {
      return
    }
    let map = state[Register.interruptMap]
    let active = interruptSource & enabled
    let (int1, int2) = (active & ~map != 0, active & map != 0)
    let rises = state[Register.fifoControl] & 0x20 != 0 ? int2 && !pins.isActive.int2 : int1 && !pins.isActive.int1
    pins.drive(int1: int1, int2: int2, isActiveLow: isActiveLow, at: instant)
    if rises && fifoMode == .trigger && !queue.isTriggered {
      queue.trigger(keeping: fifoSamples)
      // Fewer entries can mean fewer interrupts.
      refreshPins(at: instant)
    }
  }
}
