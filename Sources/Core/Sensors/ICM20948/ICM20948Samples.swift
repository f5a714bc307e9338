public import FixedPoint

extension ICM20948.Device where Bus: ~Copyable {
  /// The latest specific force in g, in the sensor's own frame.
  ///
  ///     S | addr+W | 2D | Sr | addr+R | X1 X0 Y1 Y0 Z1 Z0 | P
  ///
  /// A single burst. The data sheet does not promise that its bytes belong to one instant; as with the MPU-6500, from
  /// which the part is derived, the driver relies on it.
  ///
  /// Every few samples (`Configuration.samplesPerWatch`), and after six zero bytes, which a sleeping part returns, the
  /// power registers show whether the part is still configured and bank 0 selected; PWR_MGMT_1 is 41 after a reset:
  ///
  ///     S | addr+W | 05 | Sr | addr+R | LP_CONFIG PWR_MGMT_1 PWR_MGMT_2 | P
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil) or `bus`.
  /// - Datasheet: DS-000189 rev. 1.6, ACCEL_XOUT_H and PWR_MGMT_1.
  public mutating func sample() throws(SensorError) -> Vector3 {
    var bytes = InlineArray<6, UInt8>(repeating: 0)
    try readData(into: &bytes)
    return InvenSense.force(bytes.span, at: 0, configuration.range)
  }

  /// The latest specific force in g, rate of rotation in °/s and temperature in °C, in the sensor's own frame; with the
  /// gyroscope off only the force, as ``sample()``.
  ///
  ///     S | addr+W | 2D | Sr | addr+R | X1 X0 Y1 Y0 Z1 Z0 P1 P0 Q1 Q0 R1 R0 T1 T0 | P
  ///
  /// A single burst, and the same checks as of ``sample()``. P, Q and R are the rotation about X, Y and Z. An axis
  /// beyond its range reads the limit: 32767 or -32768 LSB.
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil) or `bus`.
  /// - Datasheet: DS-000189 rev. 1.6, ACCEL_XOUT_H to TEMP_OUT_L.
  public mutating func measure() throws(SensorError) -> Measurement {
    guard configuration.usesGyroscope else { return Measurement(force: try sample()) }
    var bytes = InlineArray<14, UInt8>(repeating: 0)
    try readData(into: &bytes)
    return measurement(bytes.span, at: 0, .whole)
  }

  /// Fills `bytes` with the data from the force on.
  private mutating func readData<let count: Int>(into bytes: inout InlineArray<count, UInt8>) throws(SensorError) {
    guard phase == .measuring else { throw .configurationLost }
    try wire.read(from: ICM20948.Register.data, into: &bytes)
    // Checked after the data: if the part is configured then, it was when they were read.
    if samplesUntilWatch == 0 || bytes.span.isZero(6, from: 0) {
      samplesUntilWatch = 0
      try checkPower()
      samplesUntilWatch = configuration.samplesBetweenWatches
    } else {
      samplesUntilWatch &-= 1
    }
  }

  /// Reads LP_CONFIG, PWR_MGMT_1 and PWR_MGMT_2, and throws `configurationLost` if they are not as configured.
  mutating func checkPower() throws(SensorError) {
    let isSame = try wire.difference(from: configuration.powerBytes, at: ICM20948.Register.lowPower) == nil
    guard isSame else { throw .configurationLost }
  }

  func measurement(_ bytes: Span<UInt8>, at start: Int, _ layout: InvenSense.RecordLayout) -> Measurement {
    InvenSense.measurement(
      bytes, at: start, layout, configuration.range, configuration.gyroscope, .mpu6500, temperatureIsLast: true)
  }
}
