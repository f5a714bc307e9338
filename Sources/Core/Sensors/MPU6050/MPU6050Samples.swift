public import FixedPoint

extension MPU6050.Device where Bus: ~Copyable {
  /// The latest specific force in g, in the sensor's own frame.
  ///
  ///     S | addr+W | 3B | Sr | addr+R | X1 X0 Y1 Y0 Z1 Z0 | P
  ///
  /// A single burst, so the six bytes belong to one instant. Every few samples (`Configuration.samplesPerWatch`), and
  /// after a sample of six zero bytes, which a sleeping part returns, the burst starts four registers earlier, which
  /// shows whether the part is still configured:
  ///
  ///     S | addr+W | 37 | Sr | addr+R | INT_PIN_CFG INT_ENABLE 39 INT_STATUS X1 X0 Y1 Y0 Z1 Z0 | P
  ///
  /// That clears INT_STATUS, as any read of it does; an overflow of the FIFO is remembered.
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil) or `bus`.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 55 to 64.
  public mutating func sample() throws(SensorError) -> Vector3 {
    var bytes = InlineArray<10, UInt8>(repeating: 0)
    let start = try readData(6, into: &bytes)
    return InvenSense.force(bytes.span, at: start, configuration.range)
  }

  /// The latest specific force in g, rate of rotation in °/s and temperature in °C, in the sensor's own frame; with the
  /// gyroscope off only the force, as ``sample()``.
  ///
  ///     S | addr+W | 3B | Sr | addr+R | X1 X0 Y1 Y0 Z1 Z0 T1 T0 P1 P0 Q1 Q0 R1 R0 | P
  ///
  /// A single burst, so the fourteen bytes belong to one instant. P, Q and R are the rotation about X, Y and Z. The
  /// registers before them are checked as often, and in the same cases, as by ``sample()``:
  ///
  ///     S | addr+W | 37 | Sr | addr+R | INT_PIN_CFG INT_ENABLE 39 INT_STATUS X1 … R0 | P
  ///
  /// An axis beyond its range reads the limit: 32767 or -32768 LSB.
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil) or `bus`.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 55 to 72.
  public mutating func measure() throws(SensorError) -> Measurement {
    guard configuration.usesGyroscope else { return Measurement(force: try sample()) }
    var bytes = InlineArray<18, UInt8>(repeating: 0)
    let start = try readData(14, into: &bytes)
    return measurement(bytes.span, at: start, .whole)
  }

  func measurement(_ bytes: Span<UInt8>, at start: Int, _ layout: InvenSense.RecordLayout) -> Measurement {
    InvenSense.measurement(
      bytes, at: start, layout, configuration.range, configuration.gyroscope, part?.temperatureScale ?? .mpu6050)
  }

  /// Reads `length` bytes of data, and four more if the configuration is checked; returns where the data begin.
  private mutating func readData<let count: Int>(
    _ length: Int, into bytes: inout InlineArray<count, UInt8>
  ) throws(SensorError) -> Int {
    guard phase == .measuring else { throw .configurationLost }
    let isWatched = samplesUntilWatch == 0
    if isWatched {
      try wire.read(length &+ 4, from: MPU6050.Register.interruptPin, into: &bytes)
      try watch(bytes[0], bytes[1], bytes[3])
      samplesUntilWatch = configuration.samplesBetweenWatches
    } else {
      try wire.read(length, from: MPU6050.Register.data, into: &bytes)
      samplesUntilWatch &-= 1
    }
    let start = isWatched ? 4 : 0
    // As in a sleeping part: the next sample is checked.
    if bytes.span.isZero(6, from: start) { samplesUntilWatch = 0 }
    return start
  }

  /// Reads only the checked registers.
  mutating func watch() throws(SensorError) {
    var bytes = InlineArray<4, UInt8>(repeating: 0)
    try wire.read(from: MPU6050.Register.interruptPin, into: &bytes)
    try watch(bytes[0], bytes[1], bytes[3])
  }

  /// Compares INT_PIN_CFG and INT_ENABLE with what was written; remembers an overflow that reading INT_STATUS has
  /// cleared.
  private mutating func watch(_ pin: UInt8, _ enable: UInt8, _ status: UInt8) throws(SensorError) {
    guard pin == configuration.pinByte, enable == configuration.enableByte else {
      samplesUntilWatch = 0
      throw .configurationLost
    }
    if status.has(bit: 4), configuration.usesFIFO { fifoIsBroken = true }
  }
}
