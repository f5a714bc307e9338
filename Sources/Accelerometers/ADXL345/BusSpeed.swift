extension ADXL345.OutputDataRate {
  /// Refuses a rate that a bus of `frequency` hertz cannot follow: 200 Hz at most at 100 kHz, in proportion up to 800 Hz at
  /// 400 kHz, which is as fast as the part goes. 1600 and 3200 Hz are for SPI.
  ///
  /// Above that samples are lost or get noisier. A bus of unknown frequency refuses nothing.
  ///
  /// - Datasheet: Rev. E, "I2C".
  func check(against frequency: UInt32?) throws(SensorError) {
    guard let frequency else { return }
    let usable = min(frequency, 400_000)
    // The rate is 100 · 2^code / 1024 Hz; 500 Hz of the bus are needed for each.
    guard (50_000 as UInt32) &<< UInt32(rawValue) <= usable &* 1_024 else {
      throw .rateTooHigh(busHertz: frequency, highestHertz: usable / 500)
    }
  }
}
