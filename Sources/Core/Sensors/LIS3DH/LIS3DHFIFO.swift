internal import FixedPoint
internal import HAL

extension LIS3DH {
  /// Whether and how the part buffers samples, up to 32 of them.
  ///
  /// - Datasheet: Rev. 2, 5.1 and 8.24.
  public enum FIFO: Equatable, Sendable {
    /// No buffering: `sample()` reads the newest sample.
    case bypass
    /// Samples are buffered; when the FIFO is full, each new sample replaces the oldest.
    case stream(watermark: Level)

    /// A number of samples.
    public typealias Level = FIFOLevel

    /// FIFO_CTRL.
    var field: FIFOControlField {
      switch self {
      case .bypass: FIFOControlField(mode: .bypass)
      case .stream(let watermark): FIFOControlField(mode: .stream, watermark: watermark.rawValue)
      }
    }
  }
}

extension LIS3DH.Device: ConfiguredDriver where Bus: ~Copyable {
  /// Reads how many sets are waiting.
  ///
  ///     S | addr+W | AE | Sr | addr+R | FIFO_CTRL FIFO_SRC | P
  ///     S | addr+W | A8 | Sr | addr+R | X0 X1 Y0 Y1 Z0 Z1 X0 … | P     to discard sets; then AE again
  ///
  /// A full FIFO may have lost samples. Five are then discarded, so that it is not full again before it is read; the
  /// rest follow the gap. After a start, the samples from before the part had settled are discarded.
  ///
  /// - Throws: `configurationLost` (also without a FIFO in stream mode) or `bus`.
  /// - Datasheet: Rev. 2, 8.25.
  public mutating func waiting() throws(SensorError) -> WaitingSamples { try countWaiting() }

  /// Reads the oldest `count` samples, all in one burst.
  ///
  ///     S | addr+W | A0 | Sr | addr+R | CTRL_REG1 … CTRL_REG6 REFERENCE STATUS X0 X1 Y0 Y1 Z0 Z1 X0 … | P
  ///     S | addr+W | AE | Sr | addr+R | FIFO_CTRL FIFO_SRC | P
  ///
  /// The pointer goes from Z1 back to X0. No set is torn. CTRL_REG1 and CTRL_REG4, read first, reveal a lost
  /// configuration. FIFO_SRC, read afterwards, shows whether the FIFO may have been full before the burst. Samples may
  /// then be missing, and all samples of the burst are discarded.
  ///
  /// - Throws: `configurationLost` or `bus`; `samples` is then unchanged.
  /// - Datasheet: Rev. 2, 5.1.6 (retrieving data from FIFO).
  public mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    let wanted = min(count, min(samples.room, 31))
    guard wanted > 0 else { return }
    var bytes = InlineArray<194, UInt8>(repeating: 0)
    let isWhole = try readWhole(wanted) { device throws(SensorError) in
      let settings = device.configuration
      try device.readBurst(8 &+ wanted &* 6, at: settings.rateField, in: settings.format, &bytes)
    }
    guard isWhole else { return }
    for set in 0..<wanted {
      let force = configuration.format.specificForce(bytes, from: 8 &+ set &* 6)
      samples.append(Measurement(force: marked(force, in: configuration.format, isNew: true)))
    }
  }
}

extension LIS3DH.Device: SetFIFODriver where Bus: ~Copyable {
  /// The number of waiting sets, if FIFO_CTRL is as written and the part can return this FIFO_SRC.
  mutating func waitingSets() throws(SensorError) -> Int32 {
    var bytes = InlineArray<2, UInt8>(repeating: 0)
    try wire.read(from: LIS3DH.Register.fifoControl | LIS3DH.Register.increment, into: &bytes)
    guard bytes[0] == configuration.fifo.field.encoded, let field = LIS3DH.FIFOSourceField(decoding: bytes[1]) else {
      throw .configurationLost
    }
    return Int32(field.sets)
  }

  mutating func discard(_ sets: Int) throws(SensorError) {
    var bytes = InlineArray<42, UInt8>(repeating: 0)
    try wire.read(sets &* 6, from: LIS3DH.Register.data | LIS3DH.Register.increment, into: &bytes)
  }
}
