extension ADXL345 {
  /// Whether and how samples wait in the part: 32 of them, and one more in its output register.
  ///
  /// - Datasheet: Rev. E, "FIFO", table 22.
  public enum FIFO: Equatable, Sendable {
    /// They do not: `sample()` reads the newest.
    case bypass
    /// They are collected until the FIFO is full; then new ones are lost until there is room.
    case untilFull(watermark: Level)
    /// They are collected; when the FIFO is full the oldest gives way to the newest.
    case stream(watermark: Level)
    /// The newest are kept until an interrupt on `pin`: it keeps as many as `retained`, then fills up.
    ///
    /// Needs something that drives the pin. After that only `start()` makes it wait for an interrupt again.
    case trigger(retained: Level, pin: InterruptPin)

    /// A number of samples, 1 to 31.
    ///
    /// Not 0: it would set the watermark at once, and is forbidden in trigger mode.
    ///
    /// - Datasheet: Rev. E, "Samples bits", table 23.
    public struct Level: Equatable, Sendable {
      /// The number.
      public let rawValue: UInt8

      /// The level `count`, or nil outside 1 to 31.
      public init?(_ count: Int32) {
        guard count >= 1 && count <= 31 else { return nil }
        rawValue = UInt8(truncatingIfNeeded: count)
      }

      /// The level nearest to `count`.
      public init(nearest count: Int32) { rawValue = UInt8(truncatingIfNeeded: max(1, min(31, count))) }
    }

    /// FIFO_CTL.
    var field: FIFOControlField {
      switch self {
      case .bypass: FIFOControlField(mode: .bypass)
      case .untilFull(let watermark): FIFOControlField(mode: .fifo, samples: watermark.rawValue)
      case .stream(let watermark): FIFOControlField(mode: .stream, samples: watermark.rawValue)
      case .trigger(let retained, let pin):
        FIFOControlField(mode: .trigger, triggersOnInterrupt2: pin == .int2, samples: retained.rawValue)
      }
    }
  }

  /// FIFO_CTL.
  package struct FIFOControlField: Equatable {
    package enum Mode: UInt8, Equatable {
      case bypass, fifo, stream, trigger
    }

    package var mode: Mode
    package var triggersOnInterrupt2: Bool
    /// Samples, 0 to 31; higher bits are ignored.
    package var samples: UInt8

    package var encoded: UInt8 { mode.rawValue &<< 6 | (triggersOnInterrupt2 ? 0x20 : 0) | samples & 0x1F }

    package init(decoding byte: UInt8) {
      self.init(
        mode: Mode(rawValue: byte &>> 6) ?? .bypass, triggersOnInterrupt2: byte & 0x20 != 0, samples: byte & 0x1F)
    }

    package init(mode: Mode, triggersOnInterrupt2: Bool = false, samples: UInt8 = 0) {
      self.mode = mode
      self.triggersOnInterrupt2 = triggersOnInterrupt2
      self.samples = samples
    }
  }

  /// FIFO_STATUS.
  package struct FIFOStatusField: Equatable {
    package var hasTriggered: Bool
    /// How many entries wait, 0 to 32.
    package var entries: UInt8

    package var encoded: UInt8 { (hasTriggered ? 0x80 : 0) | entries }

    /// Nil for what the part cannot give: bit 6, or more than 32 entries.
    package init?(decoding byte: UInt8) {
      guard byte & 0x7F <= 32 else { return nil }
      hasTriggered = byte & 0x80 != 0
      entries = byte & 0x7F
    }
  }
}
