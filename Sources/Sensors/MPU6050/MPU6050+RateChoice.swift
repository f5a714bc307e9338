extension MPU6050.SampleRate {
  /// The lowest rate of at least `millihertz` / 1000 Hz; nil above 1000 Hz, and for anything but a positive number.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 25.
  public init?(atLeastMillihertz millihertz: Int32) {
    guard millihertz > 0, millihertz <= 1_000_000 else { return nil }
    self.init(divider: UInt8(truncatingIfNeeded: min(255, 1_000_000 / millihertz &- 1)))
  }
}
