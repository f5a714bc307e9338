extension ADXL345.OutputDataRate {
  /// Refuses a rate that a bus of `frequency` hertz cannot follow: 200 Hz at most at 100 kHz, in proportion up to 800 Hz at
  /// 400 kHz, which is as fast as the part goes. 1600 and 3200 Hz are for SPI.
  ///
  /// Above that samples are lost or get noisier. A bus of unknown frequency refuses nothing. The error names the highest
  /// of the part's rates that the bus can follow, in whole hertz; 0 where that is less than one.
  ///
  /// - Datasheet: Rev. E, "I2C".
  public func check(against frequency: UInt32?) throws(SensorError) {
    guard let frequency, !fits(frequency) else { return }
    var highest = Self.hz800
    while !highest.fits(frequency), let slower = Self(rawValue: highest.rawValue &- 1) { highest = slower }
    let hertz = highest.fits(frequency) ? ((100 as UInt32) &<< UInt32(highest.rawValue)) / 1_024 : 0
    throw .rateTooHigh(busHertz: frequency, highestHertz: hertz)
  }

  /// Whether a bus of `frequency` hertz can follow.
  private func fits(_ frequency: UInt32) -> Bool {
    // The rate is 100 · 2^code / 1024 Hz; 500 Hz of the bus are needed for each.
    (50_000 as UInt32) &<< UInt32(rawValue) <= min(frequency, 400_000) &* 1_024
  }
}
