public import FixedPoint
internal import HAL

extension ADXL345.Device where Bus: ~Copyable {
  /// 0.125 g.
  public var movementThreshold: Q16 { Self.watched.force }

  /// True.
  public var canWatchForMovement: Bool { true }

  /// Two steps: ten times the noise of the noisiest axis, or a turn of 7 to 12 degrees.
  private static var watched: Steps { Steps(rawValue: 2) }

  /// INT_MAP: activity drives the pin that samples drive while the part is awake.
  private var watchMap: UInt8 {
    configuration.interrupts.onInterrupt2.contains(.dataReady) ? ADXL345.Events.activity.rawValue : 0
  }

  /// Puts the part to sleep; it then checks eight times a second for a force that differs from the first one it
  /// measures.
  ///
  ///     write 2D 00                 standby
  ///     write 2E 00                 no interrupts during the configuration
  ///     write 24 02 00 00 F0        THRESH_ACT; activity on all axes, ac-coupled
  ///     write 2F map, 38 00         the pin of data-ready; the FIFO is off
  ///     read  24 …, 2F, 38          as written
  ///     read  30                    earlier events are discarded
  ///     write 2E 10, read 2E        activity
  ///     write 2D 0C, read 2D        measure and sleep, 8 Hz. Then 150 ms: one measurement
  ///
  /// - Throws: `configurationRejected` or `bus`. ``sample()`` refuses to read until `wake()` or ``start()``.
  /// - Datasheet: Rev. E, "Sleep Bit", "Wakeup Bits", "ACT AC/DC and INACT AC/DC Bits"; about 40 µA ("Auto Sleep
  ///   Mode").
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? {
    if isFallingAsleep {
      isFallingAsleep = false
      return nil
    }
    isUnsettled = true
    let activity = ADXL345.ActivityField.Side(axes: .all, isRelative: true)
    let function: InlineArray<5, UInt8> = [
      ADXL345.Register.activityThreshold, Self.watched.rawValue, 0, 0,
      ADXL345.ActivityField(activity: activity, inactivity: ADXL345.ActivityField.Side()).encoded,
    ]
    let map: InlineArray<2, UInt8> = [ADXL345.Register.interruptMap, watchMap]
    let enable: InlineArray<2, UInt8> = [ADXL345.Register.interruptEnable, ADXL345.Events.activity.rawValue]
    let power: InlineArray<2, UInt8> = [ADXL345.Register.power, ADXL345.Power.watch]
    try wire.write(ADXL345.Register.power, ADXL345.Power.standby)
    try wire.write(ADXL345.Register.interruptEnable, 0)
    try wire.write(function)
    try wire.write(map)
    try wire.write(ADXL345.Register.fifoControl, 0)
    try wire.verify(function)
    try wire.verify(map)
    try wire.verify([ADXL345.Register.fifoControl, 0])
    _ = try wire.read(ADXL345.Register.interruptSource)
    try wire.write(enable)
    try wire.verify(enable)
    try wire.write(power)
    try wire.verify(power)
    isFallingAsleep = true
    return .milliseconds(150)
  }

  /// Checks whether there was activity, its position, and whether the part still watches.
  ///
  ///     S | addr+W | 2D | Sr | addr+R | POWER_CTL INT_ENABLE INT_MAP INT_SOURCE DATA_FORMAT X0 X1 Y0 Y1 Z0 Z1 | P
  ///
  /// - Throws: `configurationLost` or `bus`.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    var bytes = InlineArray<11, UInt8>(repeating: 0)
    try wire.read(from: ADXL345.Register.power, into: &bytes)
    let format = configuration.dataFormat
    guard bytes[0] == ADXL345.Power.watch, bytes[1] == ADXL345.Events.activity.rawValue, bytes[2] == watchMap,
      bytes[4] == format.encoded
    else { throw .configurationLost }
    if ADXL345.Events(rawValue: bytes[3]).contains(.activity) { return true }
    let present = format.specificForce((bytes[5], bytes[6]), (bytes[7], bytes[8]), (bytes[9], bytes[10]))
    return present.differs(from: force, by: movementThreshold)
  }
}
