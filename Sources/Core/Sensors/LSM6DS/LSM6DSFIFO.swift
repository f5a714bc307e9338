internal import FixedPoint

extension LSM6DS.Device where Bus: ~Copyable {
  /// Empties the FIFO and starts it.
  ///
  ///     write 0A 00                   bypass, which empties it
  ///     write 07 threshold … 00       what is stored
  ///     write 0A mode                 continuous; last, as it starts the FIFO
  ///     read  07 … 0A                 as written
  ///
  /// - Datasheet: LSM6DS3TR-C Rev. 3, FIFO_CTRL2 to FIFO_CTRL5; lsm6dso_reg.h, FIFO_CTRL1 to FIFO_CTRL4.
  mutating func startFIFO() throws(SensorError) {
    let image = configuration.image(of: variant, runsFIFO: true)
    var stopped = image
    stopped[LSM6DS.Register.fifoMode] = 0
    try wire.write(stopped, at: LSM6DS.Register.fifoMode)
    try wire.write(stopped, 4, at: LSM6DS.Register.fifoControl)
    try wire.write(image, at: LSM6DS.Register.fifoMode)
    if let found = try wire.difference(4, from: image, at: LSM6DS.Register.fifoControl) { throw found.rejected }
  }

  /// Reads how many sets wait; notes whether the FIFO must be restarted, and then returns 0.
  private mutating func waitingSets() throws(SensorError) -> Int {
    var bytes = InlineArray<4, UInt8>(repeating: 0)
    try wire.read(variant.hasTags ? 2 : 4, from: LSM6DS.Register.fifoStatus, into: &bytes)
    let status = LSM6DS.FIFOStatus(bytes, of: variant)
    // Out of step, it would give the axes of one sensor as those of the other.
    if status.isFull || status.position != 0 { fifoIsBroken = true }
    // A word is an axis, or with tags a sensor and its tag.
    return fifoIsBroken ? 0 : status.words &* (variant.hasTags ? 7 : 2) / setSize
  }

  /// The bytes of a set in the FIFO.
  private var setSize: Int { (variant.hasTags ? 7 : 6) &* (configuration.usesGyroscope ? 2 : 1) }
}

extension LSM6DS.Device: FIFODriver where Bus: ~Copyable {
  /// Reads how many sets wait; if none does, also checks that the part is still configured.
  ///
  ///     S | addr+W | 3A | Sr | addr+R | FIFO_STATUS1 … FIFO_STATUS4 | P       the later parts have two
  ///
  /// A FIFO that has lost words, is full, or does not begin with a whole set is emptied and restarted; then nothing
  /// waits, and the next samples follow a gap.
  ///
  /// - Throws: `configurationLost` (also without a FIFO, and before ``proceed()`` has returned nil),
  ///   `configurationRejected` or `bus`.
  /// - Datasheet: AN5130 Rev. 1, FIFO_STATUS: after an overrun the number of words is 0.
  public mutating func waiting() throws(SensorError) -> WaitingSamples {
    guard phase == .measuring, keepsSamples else { throw .configurationLost }
    let sets = try fifoIsBroken ? 0 : waitingSets()
    if sets == 0 { try check(configuration.image(of: variant)) }
    if fifoIsBroken { try restartFIFO() }
    return report(sets)
  }

  /// Reads the oldest `count` sets in bursts of up to 240 bytes, then checks that none was lost meanwhile.
  ///
  ///     S | addr+W | 20 | Sr | addr+R | T0 T1 | P
  ///     S | addr+W | 3E | Sr | addr+R | P0 P1 Q0 Q1 R0 R1 X0 X1 Y0 Y1 Z0 Z1 P0 … | P
  ///     S | addr+W | 78 | Sr | addr+R | tag P0 P1 Q0 Q1 R0 R1 tag X0 X1 Y0 Y1 Z0 Z1 tag … | P     the later parts
  ///     S | addr+W | 3A | Sr | addr+R | FIFO_STATUS1 … | P
  ///     S | addr+W | 10 | Sr | addr+R | CTRL1_XL CTRL2_G CTRL3_C | P
  ///
  /// Without the gyroscope a set has X, Y and Z only. All get the one temperature. If words were lost, a set is
  /// incomplete, or after an error, no sample is returned and the FIFO is restarted.
  ///
  /// - Throws: `configurationLost` or `bus`; `samples` is then unchanged.
  /// - Datasheet: AN5130 Rev. 1, retrieving data from the FIFO.
  /// - Source: Linux's st_lsm6dsx for the tags.
  public mutating func take(_ count: Int, into samples: inout SampleBatch) throws(SensorError) {
    guard count > 0, phase == .measuring else { return }
    try take(count, mostInBurst: 240 / setSize, into: &samples)
  }

  mutating func beginBursts() throws(SensorError) {
    var bytes = InlineArray<2, UInt8>(repeating: 0)
    try wire.read(from: LSM6DS.Register.temperature, into: &bytes)
    batchTemperature = LSM6DS.temperature(bytes.span.word(at: 0), of: variant)
  }

  mutating func endBursts() throws(SensorError) {
    _ = try waitingSets()
    try check(configuration.image(of: variant))
  }

  mutating func readBurst(of sets: Int, into samples: inout SampleBatch) throws(SensorError) {
    guard !fifoIsBroken else { return }
    var bytes = InlineArray<240, UInt8>(repeating: 0)
    let (size, register) = (setSize, variant.hasTags ? LSM6DS.Register.fifoTags : LSM6DS.Register.fifoWords)
    try wire.read(sets &* size, from: register, into: &bytes)
    for set in 0..<sets {
      guard let places = variant.places(bytes.span, at: set &* size, withRotation: configuration.usesGyroscope) else {
        fifoIsBroken = true
        return
      }
      samples.append(configuration.measurement(bytes.span, at: places, temperature: batchTemperature))
    }
  }
}

extension LSM6DS.Part {
  /// Where the data of a set are that begins at `start`; nil if it is incomplete or its words belong to different
  /// instants, which only tags show.
  fileprivate func places(
    _ bytes: Span<UInt8>, at start: Int, withRotation hasRotation: Bool
  ) -> (rotation: Int, force: Int)? {
    guard hasTags else { return (start, hasRotation ? start &+ 6 : start) }
    func kind(_ index: Int) -> UInt8 { bytes[index] &>> 3 }
    guard hasRotation else { return kind(start) == 2 ? (start, start &+ 1) : nil }
    let next = start &+ 7
    // Bits 2 and 1 count the instants.
    guard (bytes[start] ^ bytes[next]) & 0x06 == 0 else { return nil }
    switch (kind(start), kind(next)) {
    case (1, 2): return (start &+ 1, next &+ 1)
    case (2, 1): return (next &+ 1, start &+ 1)
    default: return nil
    }
  }
}
