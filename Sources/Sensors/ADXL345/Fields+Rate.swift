extension ADXL345.OutputDataRate {
  /// The lowest rate of at least `millihertz` / 1000 Hz that a 400 kHz bus can follow, which is 800 Hz at most; nil where
  /// there is none, and for anything but a positive number.
  ///
  /// - Datasheet: Rev. E, table 7 and "I2C".
  public init?(atLeastMillihertz millihertz: Int32) {
    guard millihertz > 0, millihertz <= 800_000 else { return nil }
    // The rate is 100 · 2^code / 1024 Hz. Neither side exceeds 2^30.
    var code: Int32 = 0
    while (100_000 &<< code) < millihertz &* 1_024 { code &+= 1 }
    self.init(rawValue: UInt8(truncatingIfNeeded: code))
  }
}
