public import FixedPoint
internal import HAL

extension ICM20948.Device where Bus: ~Copyable {
  /// 0.128 g.
  public var movementThreshold: Q16 { Q16(raw: 8_389) }

  /// Always.
  public var canWatchForMovement: Bool { true }

  /// Makes the accelerometer take ten samples a second, duty-cycled, and compare each with the previous one.
  ///
  ///     write 03 00, 66 (00 00), 10 00          no FIFO, no interrupts during the configuration
  ///     write 05 (20 01 07)                     accelerometer duty-cycled, gyroscope off
  ///     write 7F 20                             bank 2
  ///     write 00 …, 09 01                       as configured
  ///     write 10 (00 6F 03 20 range 00)         10 Hz, compares, 128 mg
  ///     read  00, 09, 10                        as written
  ///     write 7F 00
  ///     write 0F (pin 08 00 ranges 00)          latched; wake on motion
  ///     read  0F, 05                            as written. Then 220 ms
  ///
  /// A slow turn causes no interrupt: 128 mg in 100 ms is 74 degrees per second. ``hasMoved(from:)`` detects it.
  ///
  /// LP_EN, which would save more, stays off, because it also blocks registers (InvenSense's driver turns it off before
  /// most accesses).
  ///
  /// - Throws: `configurationLost` if the part does not run, `configurationRejected` or `bus`.
  /// - Datasheet: DS-000189 rev. 1.6, LP_CONFIG, INT_ENABLE, ACCEL_INTEL_CTRL and ACCEL_WOM_THR (4 mg/LSB).
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    try fallAsleep(for: .milliseconds(220)) { device throws(SensorError) in try device.watch() }
  }

  private mutating func watch() throws(SensorError) {
    try selectBankZero()
    let pin = watchBytes
    let power: InlineArray<4, UInt8> = [
      ICM20948.Register.lowPower, ICM20948.Watching.lowPower, InvenSense.PowerField(clock: 1).encoded,
      InvenSense.StandbyField(gyroscopeIsOn: false).encoded,
    ]
    try wire.write(ICM20948.Register.userControl, InvenSense.UserControl.off)
    try wire.write([ICM20948.Register.fifoSources, 0, 0])
    try wire.write(ICM20948.Register.interruptPin &+ 1, 0)
    try wire.write(power)
    var accelerometer = configuration.accelerometerBytes()
    accelerometer[2] = ICM20948.Watching.divider
    (accelerometer[3], accelerometer[4]) = (ICM20948.Watching.compares, ICM20948.Watching.threshold)
    try writeBank2(configuration.gyroscopeBytes(), accelerometer)
    try wire.write(pin)
    try wire.verify(pin)
    try wire.verify(power)
  }

  /// Checks whether there was motion, whether the part still watches, and its position.
  ///
  ///     S | addr+W | 0F | Sr | addr+R | INT_PIN_CFG INT_ENABLE … INT_ENABLE_3 14 … 18 INT_STATUS | P
  ///     S | addr+W | 2D | Sr | addr+R | X1 X0 Y1 Y0 Z1 Z0 | P
  ///
  /// The second only if nothing has moved and `force` is given.
  ///
  /// - Throws: `configurationLost` or `bus`.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    guard phase == .watching else { throw .configurationLost }
    try selectBankZero()
    var bytes = InlineArray<11, UInt8>(repeating: 0)
    try wire.read(from: ICM20948.Register.interruptPin, into: &bytes)
    let pin = watchBytes
    for index in 0..<5 where bytes[index] != pin[index &+ 1] { throw .configurationLost }
    if bytes[10] & ICM20948.Watching.interrupt != 0 { return true }
    guard let force else { return false }
    var data = InlineArray<6, UInt8>(repeating: 0)
    try wire.read(from: ICM20948.Register.data, into: &data)
    return InvenSense.force(data.span, at: 0, configuration.range).differs(from: force, by: movementThreshold)
  }

  /// Configures the part again, without the reset that ``start()`` begins with: as ``proceed()`` from 03 00 on.
  ///
  /// Returns the time until samples are settled. A part that is not running is started.
  public mutating func wake() throws(SensorError) -> Microseconds {
    isWatching ? try settle() : try start()
  }

  /// INT_PIN_CFG to INT_ENABLE_3 while it watches.
  private var watchBytes: InlineArray<6, UInt8> {
    let usual = configuration.interruptBytes
    return [
      ICM20948.Register.interruptPin, configuration.watchPinByte, ICM20948.Watching.interrupt, 0, usual[3], usual[4],
    ]
  }
}
