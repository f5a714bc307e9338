internal import FixedPoint
internal import HAL

extension ADXL345 {
  /// Whether and how samples wait in the part: up to 32, plus one in its output register.
  ///
  /// - Datasheet: Rev. E, "FIFO", table 22.
  public enum FIFO: Equatable, Sendable {
    /// Samples do not wait: `sample()` reads the newest.
    case bypass
    /// Samples are collected; when the FIFO is full, the newest replaces the oldest.
    case stream(watermark: Level)

    /// A number of samples, 1 to 31.
    ///
    /// Not 0: that would set the watermark at once.
    ///
    /// - Datasheet: Rev. E, "Samples bits", table 23.
    public struct Level: Equatable, Sendable {
      /// The number.
      public let rawValue: UInt8

      /// The level `count`, or nil outside 1 to 31.
      public init?(_ count: Int32) {
        guard count >= 1 && count <= 31 else { return nil }
        rawValue = UInt8(truncatingIfNeeded: count)
      }

      /// The level nearest to `count`.
      public init(nearest count: Int32) { rawValue = UInt8(truncatingIfNeeded: max(1, min(31, count))) }
    }

    /// FIFO_CTL.
    var field: FIFOControlField {
      switch self {
      case .bypass: FIFOControlField(mode: .bypass)
      case .stream(let watermark): FIFOControlField(mode: .stream, samples: watermark.rawValue)
      }
    }
  }

  /// FIFO_CTL.
  package struct FIFOControlField: Equatable {
    package enum Mode: UInt8, Equatable {
      case bypass, fifo, stream, trigger
    }

    package var mode: Mode
    package var triggersOnInterrupt2: Bool
    /// Samples, 0 to 31; higher bits are ignored.
    package var samples: UInt8

    package var encoded: UInt8 { mode.rawValue &<< 6 | (triggersOnInterrupt2 ? 0x20 : 0) | samples & 0x1F }

    package init(decoding byte: UInt8) {
      self.init(
        mode: Mode(rawValue: byte &>> 6) ?? .bypass, triggersOnInterrupt2: byte & 0x20 != 0, samples: byte & 0x1F)
    }

    package init(mode: Mode, triggersOnInterrupt2: Bool = false, samples: UInt8 = 0) {
      self.mode = mode
      self.triggersOnInterrupt2 = triggersOnInterrupt2
      self.samples = samples
    }
  }

  /// FIFO_STATUS.
  package struct FIFOStatusField: Equatable {
    package var hasTriggered: Bool
    /// The number of waiting entries, 0 to 32.
    package var entries: UInt8

    package var encoded: UInt8 { (hasTriggered ? 0x80 : 0) | entries }

    /// Nil for impossible values: bit 6, or more than 32 entries.
    package init?(decoding byte: UInt8) {
      guard byte & 0x7F <= 32 else { return nil }
      hasTriggered = byte & 0x80 != 0
      entries = byte & 0x7F
    }
  }
}

extension ADXL345.Device where Bus: ~Copyable {
  private mutating func fifoStatus() throws(SensorError) -> ADXL345.FIFOStatusField {
    var bytes = InlineArray<2, UInt8>(repeating: 0)
    try wire.read(from: ADXL345.Register.fifoControl, into: &bytes)
    return try checked(control: bytes[0], status: bytes[1])
  }

  /// The status, if FIFO_CTL is as written and the status is a possible one.
  private func checked(control: UInt8, status: UInt8) throws(SensorError) -> ADXL345.FIFOStatusField {
    guard control == configuration.fifo.field.encoded, let field = ADXL345.FIFOStatusField(decoding: status) else {
      throw .configurationLost
    }
    return field
  }
}

extension ADXL345.Device: ConfiguredDriver where Bus: ~Copyable {
  /// Determines how many entries wait.
  ///
  ///     S | addr+W | 38 | Sr | addr+R | FIFO_CTL FIFO_STATUS | P
  ///
  /// There is one sample more than entries, in the output register: reading an entry takes the sample from there and
  /// moves the entry up, so the newest sample stays for the next time. A full FIFO may have lost samples after the one
  /// in the output register. That sample is discarded together with the four oldest entries, so that the FIFO is not
  /// full again before it is read, and the entries are counted again: all of them follow the gap.
  ///
  /// - Throws: `configurationLost` (also without a FIFO in stream mode) or `bus`.
  /// - Datasheet: Rev. E, "Retrieving data from FIFO" and register 0x39.
  public mutating func waiting() throws(SensorError) -> WaitingSamples {
    guard !isUnsettled, keepsSamples else { throw .configurationLost }
    var status = try fifoStatus()
    if status.entries >= 32 {
      lacksSamples = true
      var old = InlineArray<6, UInt8>(repeating: 0)
      for _ in 0..<5 { try wire.read(from: ADXL345.Register.data, into: &old) }
      status = try fifoStatus()
    }
    let entries = Int(status.entries)
    let followsGap = lacksSamples
    if entries > 0 { lacksSamples = false }
    return WaitingSamples(count: entries, unreachable: entries > 0 ? 1 : nil, followsGap: followsGap)
  }

  /// Reads the oldest `count` samples, up to 21 per transaction if the bus combines reads.
  ///
  ///     S | addr+W | 32 | Sr | addr+R | X0 X1 Y0 Y1 Z0 Z1 FIFO_CTL FIFO_STATUS | Sr | addr+W | 32 | … | P
  ///
  /// An entry is read in a single burst, so none is torn. In each burst, FIFO_CTL reveals a lost configuration, and
  /// FIFO_STATUS after it a FIFO that was full before the burst (31 entries are left), however long the reader was
  /// delayed in between. The byte between the data and FIFO_STATUS takes 22.5 µs at 400 kHz, which satisfies the 5 µs
  /// required between them.
  ///
  /// Everything after a read that shows a full FIFO, or fewer entries than expected, is discarded: it follows a gap. If
  /// the part detects taps or falls, another transaction adds its findings to the last sample.
  ///
  /// - Throws: `configurationLost` or `bus`. Samples read before the error are in `samples`.
  /// - Datasheet: Rev. E, "Retrieving data from FIFO" and register 0x39.
  public mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    try read(count, into: &samples)
    try mark(&samples)
  }

  private mutating func read(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    var left = min(count, samples.room)
    while left > 0 {
      var bytes = InlineArray<168, UInt8>(repeating: 0)
      let reads: Int
      do throws(SensorError) {
        reads = try wire.read(8, upTo: min(left, 21), from: ADXL345.Register.data, into: &bytes)
      } catch {
        lacksSamples = lacksSamples || wire.bus.readsPerTransaction > 1 || error.mayHaveReadSomething
        throw error
      }
      for read in 0..<reads {
        left &-= 1
        let start = read &* 8
        let status = try checked(control: bytes[start &+ 6], status: bytes[start &+ 7])
        samples.append(
          Measurement(
            force: configuration.dataFormat.specificForce(
              (bytes[start], bytes[start &+ 1]), (bytes[start &+ 2], bytes[start &+ 3]),
              (bytes[start &+ 4], bytes[start &+ 5]))))
        guard status.entries < 31, Int(status.entries) >= left else {
          lacksSamples = true
          return
        }
      }
    }
  }
}

extension SensorError {
  /// Whether the transaction may have read bytes before it failed.
  fileprivate var mayHaveReadSomething: Bool {
    switch self {
    case .bus(.noAcknowledge), .bus(.unsupported), .bus(.notPermitted), .bus(.busy), .bus(.unavailable): false
    default: true
    }
  }
}
