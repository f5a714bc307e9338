extension TL3 {
  /// The registers. The pointer advances with every byte read or written.
  enum Register {
    /// WHO: identity. Read-only, 0x3A.
    static var identity: UInt8 { 0x00 }
    /// SETUP: run, rate, range. Reset 0x00 (standby). The six data bytes follow, high bytes first.
    static var setup: UInt8 { 0x01 }
  }

  /// SETUP.
  package struct SetupField: Equatable {
    package var isRunning: Bool
    package var rate: OutputDataRate
    package var range: Range

    package var encoded: UInt8 { (isRunning ? 0x80 : 0) | rate.rawValue &<< 4 | range.rawValue }

    /// Nil if a reserved bit is set, or for the range code that does not exist.
    package init?(decoding byte: UInt8) {
      guard byte & 0x4C == 0, let rate = OutputDataRate(rawValue: byte &>> 4 & 3), let range = Range(rawValue: byte & 3)
      else { return nil }
      self.init(isRunning: byte & 0x80 != 0, rate: rate, range: range)
    }

    package init(isRunning: Bool, rate: OutputDataRate, range: Range) {
      self.isRunning = isRunning
      self.rate = rate
      self.range = range
    }
  }
}
