public import FixedPoint
internal import HAL

extension LSM6DS.Device where Bus: ~Copyable {
  /// 0.125 g.
  public var movementThreshold: Q16 { Q16(raw: 8_192) }

  /// Whether the part is started: every part of the family can.
  public var canWatchForMovement: Bool { part != nil }

  /// Low-power mode, 12.5 Hz, ±2 g, the gyroscope off.
  private var watchImage: RegisterImage {
    let pin = DataReadyPin(isActiveLow: configuration.interrupts.isActiveLow)
    var image = LSM6DS.Configuration(rate: .hz12_5, range: .g2, interrupts: pin).image(of: variant)
    image[LSM6DS.Register.control6] = 0x10
    return image
  }

  /// Puts the part into low-power mode, in which it compares each sample with the previous one, 12.5 times a second.
  ///
  ///     as proceed() after the reset, with the registers for watching and nothing on INT2
  ///     write 5B 02 00              2/64 of ±2 g, on half the difference of two samples: 0.125 g
  ///     write 56 41, 58 80          latched until read; in parts without tags 58 81
  ///     write 5F 20                 wake-up on INT2
  ///     read  5B, 56, 58, 5F        as written; then 400 ms, for at least four samples
  ///     read  1B                    clears earlier events
  ///
  /// The first call ends before the wait and returns 400 ms; the second completes the set-up and returns nil. That the
  /// difference is halved is from AN5130 alone; if it is not, the threshold is half as high.
  ///
  /// A slow turn causes no interrupt; ``hasMoved(from:)`` detects it.
  ///
  /// - Throws: `configurationLost` if the part does not run, `configurationRejected` or `bus`.
  /// - Datasheet: AN5130 Rev. 1, wake-up interrupt; LSM6DS3TR-C Rev. 3, TAP_CFG, WAKE_UP_THS and MD2_CFG.
  /// - Source: lsm6dso_reg.h for TAP_CFG0 and TAP_CFG2.
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    if phase == .fallingAsleep { _ = try wire.read(LSM6DS.Register.wakeSource) }
    return try fallAsleep(for: .milliseconds(400)) { device throws(SensorError) in
      try device.configure(as: device.watchImage)
      let hasTags = device.variant.hasTags
      let enable: InlineArray<2, UInt8> = [LSM6DS.Register.eventEnable, hasTags ? 0x80 : 0x81]
      let latch: InlineArray<2, UInt8> = hasTags ? [LSM6DS.Register.eventLatch, 0x41] : enable
      try device.wire.establish(
        [LSM6DS.Register.wakeThreshold, 2, 0], latch, enable, [LSM6DS.Register.eventPin, 0x20])
    }
  }

  /// Checks whether the force has changed and the part is still watching. If it has detected nothing, compares the
  /// present force with `force`.
  ///
  ///     S | addr+W | 10 | Sr | addr+R | CTRL1_XL CTRL2_G CTRL3_C | P
  ///     S | addr+W | 1B | Sr | addr+R | WAKE_UP_SRC 1C 1D STATUS_REG … X0 X1 Y0 Y1 Z0 Z1 | P
  ///
  /// Two transactions, because one burst over both would read ALL_INT_SRC (0x1A), which clears the event in the later
  /// parts.
  ///
  /// - Throws: `configurationLost` or `bus`.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    guard phase == .watching else { throw .configurationLost }
    try check(watchImage)
    var bytes = InlineArray<19, UInt8>(repeating: 0)
    try wire.read(from: LSM6DS.Register.wakeSource, into: &bytes)
    if bytes[0].has(bit: 3) { return true }
    return bytes.span.vector(at: 13) { LSM6DS.force($0, range: .g2) }.differs(from: force, by: movementThreshold)
  }

  /// Configures the part again, without the reset that ``start()`` begins with.
  ///
  ///     write 5F 00, 58 00 [, 56 00]
  ///     then as proceed() after the reset
  ///
  /// Returns the time until samples have settled. A part that is not watching is started.
  public mutating func wake() throws(SensorError) -> Microseconds {
    guard isWatching else { return try start() }
    try wire.write(LSM6DS.Register.eventPin, 0)
    try wire.write(LSM6DS.Register.eventEnable, 0)
    if variant.hasTags { try wire.write(LSM6DS.Register.eventLatch, 0) }
    return try settle()
  }
}
