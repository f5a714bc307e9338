public import FixedPoint
internal import HAL

extension MPU6050.Device where Bus: ~Copyable {
  /// 0.128 g.
  public var movementThreshold: Q16 { Q16(raw: 8_389) }

  /// Whether the part's cycle mode is known: not for ICM and IAM parts.
  public var canWatchForMovement: Bool { part?.isICM == false }

  /// Puts the part into cycle mode, in which it wakes 20 times a second (31 in parts after the 6050 class) and checks
  /// for a change of force: in the 6050 class from the initial force, in later parts from the previous sample.
  ///
  ///     write 38 00                           no interrupts during the configuration
  ///     write 6A 00, 23 00                    the FIFO is off
  ///     write 6B 00, 6C 07                    awake on the internal oscillator, the gyroscope in standby
  ///     write 1A 00, 1C range                 without a filter; the high-pass passes nothing. Then 5 ms
  ///     write 1F 04 01                        128 mg, one sample
  ///     write 37 pin, 38 40                   latched; motion
  ///     write 1C range | 07                   the high-pass holds the present force
  ///     write 6B 28, 6C 87                    cycle, 20 Hz
  ///     read  1F, 37, 1C, 6B                  as written. Then 120 ms: two measurements
  ///
  /// After the 6050 class, in one go:
  ///
  ///     write 38 00, 6A 00, 23 00
  ///     write 6B 01, 6C 07                    awake, the gyroscope in standby
  ///     write 1D 01, 1E 07                    184 Hz; 31.25 Hz
  ///     write 1F 20                           128 mg
  ///     write 69 C0                           each sample is compared with the previous one
  ///     write 37 pin, 38 40, 6B 21            cycle
  ///     read  1D, 69, 37, 6B                  as written. Then 120 ms
  ///
  /// In these parts a slow turn causes no interrupt: 128 mg in 32 ms is 230 degrees per second. ``hasMoved(from:)``
  /// detects it.
  ///
  /// - Throws: `configurationLost` if the part does not run or cannot watch, `configurationRejected` or `bus`.
  /// - Datasheet: PS-MPU-6000A rev. 3.4, 6.2 (32 mg/LSB; some copies of the register map have 2 mg) and 7.5 (70 µA);
  ///   RM-MPU-6000A rev. 3.2, registers 28, 31, 32 and 56; RM-MPU-6500A rev. 2.1, registers 29 to 31, 56 and 105.
  /// - Source: InvenSense's Embedded MotionDriver, `mpu_lp_motion_interrupt`, for the order and the 5 ms.
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    guard let part, canWatchForMovement else { throw .configurationLost }
    switch phase {
    case .fallingAsleep:
      phase = .watching
      return nil
    case .holding:
      try watch(part)
      phase = .fallingAsleep
      return .milliseconds(120)
    case .measuring, .watching:
      try prepareToWatch(part)
      guard part.isFirstClass else {
        try watchSamples()
        phase = .fallingAsleep
        return .milliseconds(120)
      }
      phase = .holding
      return .milliseconds(5)
    default: throw .configurationLost
    }
  }

  /// Makes the part awake and quiet.
  private mutating func prepareToWatch(_ part: MPU6050.Part) throws(SensorError) {
    phase = .watching
    try wire.write(MPU6050.Register.interruptEnable, 0)
    try wire.write(MPU6050.Register.userControl, InvenSense.UserControl.off)
    try wire.write(MPU6050.Register.fifoSources, 0)
    try wire.write(MPU6050.Register.power, InvenSense.PowerField(clock: part.isFirstClass ? 0 : 1).encoded)
    try wire.write(MPU6050.Register.standby, InvenSense.StandbyField(gyroscopeIsOn: false).encoded)
    guard part.isFirstClass else { return }
    try wire.write(MPU6050.Register.filter, 0)
    try wire.write(MPU6050.Register.accelerometer, accelerometerByte)
  }

  /// For the 6050 class, after 5 ms.
  private mutating func watch(_ part: MPU6050.Part) throws(SensorError) {
    phase = .watching
    let threshold: InlineArray<3, UInt8> = [MPU6050.Register.motionThreshold, 4, 1]
    let held: InlineArray<2, UInt8> = [MPU6050.Register.accelerometer, accelerometerByte | 0x07]
    var field = InvenSense.PowerField(clock: 0)
    (field.cycles, field.isTemperatureOff) = (true, true)
    let power: InlineArray<3, UInt8> = [
      MPU6050.Register.power, field.encoded,
      InvenSense.StandbyField(gyroscopeIsOn: false, cycleRate: .hz20).encoded,
    ]
    try wire.establish(threshold, watchPin, held, power)
  }

  /// For the parts after the 6050 class.
  private mutating func watchSamples() throws(SensorError) {
    let filter: InlineArray<4, UInt8> = [
      MPU6050.Register.accelerometerFilter, MPU6050.AccelerometerFilterField(filter: .hz184).encoded,
      // LP_ACCEL_ODR: 0.24 Hz · 2^7.
      7, 32,
    ]
    let control: InlineArray<2, UInt8> = [MPU6050.Register.motionControl, MPU6050.MotionControl.compares]
    var field = InvenSense.PowerField(clock: 1)
    field.cycles = true
    let power: InlineArray<2, UInt8> = [MPU6050.Register.power, field.encoded]
    try wire.establish(filter, control, watchPin, power)
  }

  /// Checks whether there was motion, its position, and whether the part still watches.
  ///
  ///     S | addr+W | 37 | Sr | addr+R | INT_PIN_CFG INT_ENABLE 39 INT_STATUS X1 X0 Y1 Y0 Z1 Z0 | P
  ///
  /// - Throws: `configurationLost` or `bus`.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    guard phase == .watching else { throw .configurationLost }
    var bytes = InlineArray<10, UInt8>(repeating: 0)
    try wire.read(from: MPU6050.Register.interruptPin, into: &bytes)
    let pin = watchPin
    guard bytes[0] == pin[1], bytes[1] == pin[2] else { throw .configurationLost }
    if bytes[3].has(bit: 6) { return true }
    return InvenSense.force(bytes.span, at: 4, configuration.range).differs(from: force, by: movementThreshold)
  }

  /// Configures the part again, without the reset that ``start()`` begins with.
  ///
  ///     [write 69 00]      after the 6050 class
  ///     then as ``proceed()`` after a reset, from 6A 00 on
  ///
  /// Returns the time until samples are settled: 50 ms (100 ms with the gyroscope), two filter delays and one period. A
  /// part that is not running is started.
  public mutating func wake() throws(SensorError) -> Microseconds {
    guard let part, isWatching else { return try start() }
    if !part.isFirstClass { try wire.write(MPU6050.Register.motionControl, 0) }
    return try settle()
  }

  /// ACCEL_CONFIG.
  private var accelerometerByte: UInt8 { MPU6050.AccelerometerField(range: configuration.range).encoded }

  /// INT_PIN_CFG and INT_ENABLE while it watches.
  private var watchPin: InlineArray<3, UInt8> {
    [MPU6050.Register.interruptPin, configuration.watchPinByte, MPU6050.InterruptField(motion: true).encoded]
  }
}
