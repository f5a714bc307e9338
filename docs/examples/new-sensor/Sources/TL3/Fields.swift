public import FixedPoint

extension TL3 {
  /// The output data rate: 50 Hz · 2^code.
  public enum OutputDataRate: UInt8, Equatable, Sendable {
    /// 50, 100, 200 and 400 Hz.
    case hz50, hz100, hz200, hz400

    /// In hertz.
    var hertz: UInt32 { 50 &<< UInt32(rawValue) }

    /// The time from one sample to the next, exact.
    public var period: Microseconds {
      switch self {
      case .hz50: .milliseconds(20)
      case .hz100: .milliseconds(10)
      case .hz200: .milliseconds(5)
      case .hz400: Microseconds(2_500)
      }
    }
  }

  /// The largest specific force that is measured.
  public enum Range: UInt8, Equatable, Sendable {
    /// ±2, ±4 and ±8 g.
    case g2, g4, g8
  }

  /// SETUP.
  package struct SetupField: Equatable {
    package var isRunning: Bool
    package var rate: OutputDataRate
    package var range: Range

    package var encoded: UInt8 { (isRunning ? 0x80 : 0) | rate.rawValue &<< 4 | range.rawValue }

    /// Nil where a reserved bit is set, or the range is the one that there is not.
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
