public import FixedPoint
internal import HAL

extension ADXL345 {
  /// Whether and how samples wait in the part: 32 of them, and one more in its output register.
  ///
  /// - Datasheet: Rev. E, "FIFO", table 22.
  public enum FIFO: Equatable, Sendable {
    /// They do not: `sample()` reads the newest.
    case bypass
    /// They are collected until the FIFO is full; then new ones are lost until there is room.
    case untilFull(watermark: Level)
    /// They are collected; when the FIFO is full the oldest gives way to the newest.
    case stream(watermark: Level)
    /// The newest are kept until an interrupt on `pin`: it keeps as many as `retained`, then fills up.
    ///
    /// Needs something that drives the pin. After that only `start()` makes it wait for an interrupt again.
    case trigger(retained: Level, pin: InterruptPin)

    /// A number of samples, 1 to 31.
    ///
    /// Not 0: it would set the watermark at once, and is forbidden in trigger mode.
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
      case .untilFull(let watermark): FIFOControlField(mode: .fifo, samples: watermark.rawValue)
      case .stream(let watermark): FIFOControlField(mode: .stream, samples: watermark.rawValue)
      case .trigger(let retained, let pin):
        FIFOControlField(mode: .trigger, triggersOnInterrupt2: pin == .int2, samples: retained.rawValue)
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
    /// How many entries wait, 0 to 32.
    package var entries: UInt8

    package var encoded: UInt8 { (hasTriggered ? 0x80 : 0) | entries }

    /// Nil for what the part cannot give: bit 6, or more than 32 entries.
    package init?(decoding byte: UInt8) {
      guard byte & 0x7F <= 32 else { return nil }
      hasTriggered = byte & 0x80 != 0
      entries = byte & 0x7F
    }
  }

  /// Samples in the order in which they were made: what one `drain` finds, 33 at most.
  public struct Batch: Sendable {
    /// The most that a batch holds: the 32 entries of the FIFO and the one in the output register.
    public static var capacity: Int { 33 }

    /// How many samples there are.
    public private(set) var count = 0
    /// Whether samples may be missing since the last batch: true whenever the FIFO was found full, else false.
    ///
    /// While it is false nothing is missing: that holds as long as no more than 31 samples wait, and for 32 too where the
    /// part keeps one of them in its output register. One more fills the FIFO, and from then on nothing that the part
    /// shows tells a sample that found the last place from one that cost another its own: Overrun is set by the filling,
    /// not by the loss. So every loss is reported, and a report without a loss is that last place.
    ///
    /// What is missing lies before the first or the second of the samples that waited then where the oldest give way
    /// (`stream`), else after the last of them, which may be in the next batch.
    ///
    /// It is true as well after a read that broke off in the middle, which may have cost its sample.
    ///
    /// - Datasheet: Rev. E, "Overrun" and register 0x39.
    public internal(set) var mayLackSamples = false
    private var samples = InlineArray<33, Vector3>(repeating: .zero)

    /// A batch of no samples.
    public init() {}

    /// Sample `index` in g, in the sensor's own frame; the oldest is 0. Nil where there is none.
    public subscript(index: Int) -> Vector3? { index >= 0 && index < count ? samples[index] : nil }

    /// Adds the next sample; beyond the capacity it is dropped.
    mutating func append(_ sample: Vector3) {
      guard count < Batch.capacity else { return }
      samples[count] = sample
      count &+= 1
    }
  }
}

extension ADXL345.Device where Bus: ~Copyable {
  /// Reads all samples that wait in the FIFO into `batch`, oldest first, in place of what it held.
  ///
  ///     S | addr+W | 38 | Sr | addr+R | FIFO_CTL FIFO_STATUS | P                              how many wait
  ///     S | addr+W | 32 | Sr | addr+R | X0 X1 Y0 Y1 Z0 Z1 FIFO_CTL FIFO_STATUS | P            for each of them
  ///     S | addr+W | 2B | Sr | addr+R | ACT_TAP_STATUS … INT_SOURCE | P                       is there one more?
  ///
  /// An entry is read in one burst, so none is torn, and as many are read as there are, so none comes twice. The sample
  /// that may wait in the output register besides is read when DATA_READY says so; other events that this look at
  /// INT_SOURCE clears are kept for ``events()``. FIFO_CTL in each burst shows a lost configuration, FIFO_STATUS behind it
  /// a FIFO that was full before the burst (31 entries are left), however long the reader was held up in between. The 5 µs
  /// between the data and FIFO_STATUS are met by the byte that lies between them, 22.5 µs at 400 kHz.
  ///
  /// Without a FIFO the batch is empty, and in trigger mode until the trigger has come; what was retained for it stays.
  ///
  /// - Throws: `configurationLost` or `bus`. What was read before is in the batch, and nowhere else; the next continues.
  /// - Datasheet: Rev. E, "Retrieving data from FIFO" and register 0x39.
  public mutating func drain(into batch: inout ADXL345.Batch) throws(SensorError) {
    batch = ADXL345.Batch()
    guard !isUnsettled else { throw .configurationLost }
    guard configuration.fifo != .bypass else { return }
    batch.mayLackSamples = lacksSamples
    do throws(SensorError) {
      try fill(&batch)
      lacksSamples = false
    } catch {
      lacksSamples = lacksSamples || batch.mayLackSamples
      throw error
    }
  }

  private mutating func fill(_ batch: inout ADXL345.Batch) throws(SensorError) {
    let status = try fifoStatus()
    hasTriggered = hasTriggered || status.hasTriggered
    if case .trigger = configuration.fifo, !hasTriggered { return }
    var left = status.entries
    // No more than were there at first and no more than are left, so that a count that came wrong repeats no sample.
    while left > 0 { left = min(left &- 1, try readEntry(into: &batch)) }
    if try latchEvents().contains(.dataReady) { _ = try readEntry(into: &batch) }
  }

  private mutating func fifoStatus() throws(SensorError) -> ADXL345.FIFOStatusField {
    var bytes = InlineArray<2, UInt8>(repeating: 0)
    try wire.read(from: ADXL345.Register.fifoControl, into: &bytes)
    return try checked(control: bytes[0], status: bytes[1])
  }

  /// Reads one entry; returns how many are left behind it.
  private mutating func readEntry(into batch: inout ADXL345.Batch) throws(SensorError) -> UInt8 {
    var bytes = InlineArray<8, UInt8>(repeating: 0)
    do throws(SensorError) {
      try wire.read(from: ADXL345.Register.data, into: &bytes)
    } catch {
      lacksSamples = lacksSamples || error.mayHaveReadSomething
      throw error
    }
    let status = try checked(control: bytes[6], status: bytes[7])
    if status.entries >= 31 { batch.mayLackSamples = true }
    batch.append(
      configuration.dataFormat.specificForce((bytes[0], bytes[1]), (bytes[2], bytes[3]), (bytes[4], bytes[5])))
    return status.entries
  }

  /// The status, if FIFO_CTL is as written and the status such as the part can give.
  private func checked(control: UInt8, status: UInt8) throws(SensorError) -> ADXL345.FIFOStatusField {
    guard control == configuration.fifo.field.encoded, let field = ADXL345.FIFOStatusField(decoding: status) else {
      throw .configurationLost
    }
    return field
  }
}

extension ADXL345.Device: BatchingAccelerometer where Bus: ~Copyable {
  /// The output data rate's.
  public var samplePeriod: Microseconds { configuration.rate.period }

  /// Whether the FIFO is in stream mode.
  public var keepsSamples: Bool { configuration.fifo.field.mode == .stream }

  /// Looks how many entries wait.
  ///
  ///     S | addr+W | 38 | Sr | addr+R | FIFO_CTL FIFO_STATUS | P
  ///
  /// There is one sample more than entries, in the output register: reading an entry takes the sample there out and moves
  /// the entry up, so that the newest sample stays for the next time. A FIFO that is full may have lost samples behind the
  /// one in the output register; that one is thrown away with the four oldest entries, so that it is not full again before
  /// it is read, and the entries are counted anew: all of them follow the gap.
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

  /// Reads the oldest `count` samples, up to 21 in a transaction where the bus joins reads.
  ///
  ///     S | addr+W | 32 | Sr | addr+R | X0 X1 Y0 Y1 Z0 Z1 FIFO_CTL FIFO_STATUS | Sr | addr+W | 32 | … | P
  ///
  /// What follows a read that shows a full FIFO, or fewer entries than there must be, is thrown away: it follows a gap.
  /// Where the part looks for taps or falls, one transaction more: what it has found is added to the last sample.
  ///
  /// - Throws: `configurationLost` or `bus`. What was read before is in `samples`.
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
