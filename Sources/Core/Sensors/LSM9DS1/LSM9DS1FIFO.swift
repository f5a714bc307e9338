internal import FixedPoint
internal import HAL

extension LSM9DS1 {
  /// Whether and how the part buffers samples, up to 32 of them, each of both sensors.
  ///
  /// - Datasheet: Rev. 2, 3.5 and 7.32.
  public enum FIFO: Equatable, Sendable {
    /// No buffering: `sample()` reads the newest sample.
    case bypass
    /// Samples are buffered; when the FIFO is full, each new sample replaces the oldest.
    case continuous(threshold: Level)

    /// A number of samples.
    public typealias Level = FIFOLevel

    /// FIFO_CTRL: mode 6, or 0.
    var byte: UInt8 {
      switch self {
      case .bypass: 0
      case .continuous(let threshold): 0xC0 | threshold.rawValue
      }
    }
  }

  /// The number of waiting sets in a byte of FIFO_SRC; nil for more than 32. 32 fill the FIFO.
  package static func sets(in byte: UInt8) -> Int32? { byte & 0x3F > 32 ? nil : Int32(byte & 0x3F) }
}

extension LSM9DS1.Device: ConfiguredDriver where Bus: ~Copyable {
  /// Reads how many sets are waiting.
  ///
  ///     S | addr+W | 2E | Sr | addr+R | FIFO_CTRL FIFO_SRC | P
  ///     S | addr+W | 10 or 20 | Sr | addr+R | as measure() | P     to discard sets; then 2E again
  ///
  /// A full FIFO may have lost samples. Five are then discarded, so that it is not full again before it is read; the
  /// rest follow the gap. After a start, the samples from before the part had settled are discarded, and with them the
  /// first after a change of mode, which is not valid.
  ///
  /// - Throws: `configurationLost` (also without a FIFO in continuous mode) or `bus`.
  /// - Datasheet: Rev. 2, 3.5 and 7.33.
  public mutating func waiting() throws(SensorError) -> WaitingSamples { try countWaiting() }

  /// Reads the oldest `count` samples, all in one burst.
  ///
  ///     S | addr+W | 20 | Sr | addr+R | CTRL_REG6_XL … STATUS X0 X1 Y0 Y1 Z0 Z1 X0 … | P
  ///     S | addr+W | 2E | Sr | addr+R | FIFO_CTRL FIFO_SRC | P
  ///
  /// With the gyroscope on:
  ///
  ///     S | addr+W | 10 | Sr | addr+R | CTRL_REG1_G … T1 P0 … R1 X0 … Z1 P0 … | P
  ///     S | addr+W | 2E | Sr | addr+R | FIFO_CTRL FIFO_SRC | P
  ///
  /// The pointer goes from the last byte of a set to the first. No set is torn; all have the temperature of the burst.
  /// The registers before them reveal a lost configuration. FIFO_SRC, read afterwards, shows whether the FIFO may have
  /// been full before the burst. Samples may then be missing, and all samples of the burst are discarded.
  ///
  /// - Throws: `configurationLost` or `bus`; `samples` is then unchanged.
  /// - Datasheet: Rev. 2, 3.5 and figures 6 and 7.
  public mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    let wanted = min(count, min(samples.room, 31))
    guard wanted > 0 else { return }
    // 7 and 31 sets of 12.
    var bytes = InlineArray<379, UInt8>(repeating: 0)
    let isWhole = try readWhole(wanted) { device throws(SensorError) in
      try device.read(wanted, as: device.configuration, into: &bytes)
    }
    guard isWhole else { return }
    let form = LSM9DS1.BurstForm(configuration)
    for set in 0..<wanted { samples.append(form.measurement(bytes, set, configuration)) }
  }
}

extension LSM9DS1.Device: SetFIFODriver where Bus: ~Copyable {
  /// The number of waiting sets, if FIFO_CTRL is as written.
  mutating func waitingSets() throws(SensorError) -> Int32 {
    var bytes = InlineArray<2, UInt8>(repeating: 0)
    try wire.read(from: LSM9DS1.Register.fifoControl, into: &bytes)
    guard bytes[0] == configuration.fifo.byte, let sets = LSM9DS1.sets(in: bytes[1]) else { throw .configurationLost }
    return sets
  }

  mutating func discard(_ sets: Int) throws(SensorError) {
    var bytes = InlineArray<175, UInt8>(repeating: 0)
    try read(sets, as: configuration, into: &bytes)
  }
}
