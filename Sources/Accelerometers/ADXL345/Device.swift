public import FixedPoint
public import HAL

extension ADXL345 {
  /// An ADXL345 on a bus that it owns.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The bus. Use it for anything but this part's address at will.
    public var bus: Bus
    /// Where the part answers.
    public let address: I2CAddress
    /// How the part is set up by `start()`.
    public let configuration: Configuration
    /// How many bus transactions were begun so far.
    public private(set) var transactions: UInt64 = 0

    /// A driver for the part at `address`. Touches nothing until `start()`.
    public init(
      bus: consuming Bus, address: I2CAddress = ADXL345.address, configuration: Configuration = Configuration()
    ) {
      self.bus = bus
      self.address = address
      self.configuration = configuration
    }

    /// The greatest specific force on one axis that can still be told from more, in g: one LSB short of the range.
    public var fullScale: Q16 { Q16(raw: Int32(configuration.range.maximum) &* ADXL345.rawUnit) }

    /// Checks the identity, then configures every register in use and reads each back; measuring starts last.
    ///
    ///     read  00 -> E5        identity
    ///     write 2D 00           standby
    ///     write 1E 00 00 00     no offsets
    ///     write 2C rate         write 2E 00 (no interrupts)     write 31 format     write 38 00 (no FIFO)
    ///     read  1E, 2C…31, 38   as written
    ///     write 2D 08, read 2D  measure
    ///
    /// Returns the time until the first sample is settled: 1.1 ms and two sample periods.
    ///
    /// - Throws: `unexpectedIdentity`, `configurationRejected` or `bus`; the part may then be half configured.
    /// - Datasheet: Rev. E, "Power sequencing" and table 7 (turn-on time).
    public mutating func start() throws(SensorError) -> Microseconds {
      let identity = try read(.identity)
      guard identity == ADXL345.identity else {
        throw .unexpectedIdentity(found: identity, expected: ADXL345.identity)
      }
      try write(.power, Power.standby)
      try writeOffsets()
      try write(.rate, rateByte)
      try write(.interruptEnable, 0)
      try write(.dataFormat, formatByte)
      try write(.fifoControl, 0)
      try verifyConfiguration()
      try write(.power, Power.measure)
      try verify(.power, wrote: Power.measure, read: try read(.power))
      return configuration.rate.period * 2 + Microseconds(1_100)
    }

    /// The latest sample, in g, in the sensor's own frame.
    ///
    ///     S | addr+W | 31 | Sr | addr+R | DATA_FORMAT X0 X1 Y0 Y1 Z0 Z1 | P
    ///
    /// One burst, so the six data bytes are of one instant. DATA_FORMAT comes first in the same burst: full resolution
    /// makes it differ from its reset value, so a part that has lost its configuration is noticed at no further cost.
    ///
    /// - Throws: `configurationLost` or `bus`.
    /// - Datasheet: Rev. E, "Register map": multiple-byte read of the data registers.
    public mutating func sample() throws(SensorError) -> Vector3 {
      var bytes = InlineArray<7, UInt8>(repeating: 0)
      var span = bytes.mutableSpan
      try read(from: .dataFormat, into: &span)
      guard bytes[0] == formatByte else { throw .configurationLost }
      return ADXL345.specificForce(
        (bytes[1], bytes[2]), (bytes[3], bytes[4]), (bytes[5], bytes[6]), range: configuration.range)
    }

    /// Closes and opens the bus again.
    public mutating func reopen() throws(SensorError) {
      do { try bus.reopen() } catch { throw .bus(error) }
    }

    private var rateByte: UInt8 { RateField(rate: configuration.rate).encoded }
    private var formatByte: UInt8 { DataFormatField(range: configuration.range, isFullResolution: true).encoded }
  }
}

extension ADXL345.Device where Bus: ~Copyable {
  private mutating func verifyConfiguration() throws(SensorError) {
    var offsets = InlineArray<3, UInt8>(repeating: 0)
    var offsetSpan = offsets.mutableSpan
    try read(from: .offsetX, into: &offsetSpan)
    for index in offsets.indices {
      try verify(.offsetX, plus: UInt8(truncatingIfNeeded: index), wrote: 0, read: offsets[index])
    }
    // 0x2C rate, 0x2D power, 0x2E interrupt enable, 0x2F and 0x30 of no interest, 0x31 data format.
    var block = InlineArray<6, UInt8>(repeating: 0)
    var blockSpan = block.mutableSpan
    try read(from: .rate, into: &blockSpan)
    try verify(.rate, wrote: rateByte, read: block[0])
    try verify(.power, wrote: ADXL345.Power.standby, read: block[1])
    try verify(.interruptEnable, wrote: 0, read: block[2])
    try verify(.dataFormat, wrote: formatByte, read: block[5])
    try verify(.fifoControl, wrote: 0, read: try read(.fifoControl))
  }

  private func verify(_ register: ADXL345.Register, plus offset: UInt8 = 0, wrote: UInt8, read: UInt8)
    throws(SensorError)
  {
    guard wrote == read else {
      throw .configurationRejected(register: register.rawValue &+ offset, wrote: wrote, read: read)
    }
  }

  private mutating func write(_ register: ADXL345.Register, _ value: UInt8) throws(SensorError) {
    let bytes: InlineArray<2, UInt8> = [register.rawValue, value]
    try write(bytes.span)
  }

  private mutating func writeOffsets() throws(SensorError) {
    let bytes: InlineArray<4, UInt8> = [ADXL345.Register.offsetX.rawValue, 0, 0, 0]
    try write(bytes.span)
  }

  private mutating func write(_ bytes: Span<UInt8>) throws(SensorError) {
    transactions &+= 1
    do { try bus.write(bytes, to: address) } catch { throw .bus(error) }
  }

  private mutating func read(_ register: ADXL345.Register) throws(SensorError) -> UInt8 {
    var byte = InlineArray<1, UInt8>(repeating: 0)
    var span = byte.mutableSpan
    try read(from: register, into: &span)
    return byte[0]
  }

  private mutating func read(from register: ADXL345.Register, into span: inout MutableSpan<UInt8>)
    throws(SensorError)
  {
    let pointer: InlineArray<1, UInt8> = [register.rawValue]
    transactions &+= 1
    do { try bus.writeRead(pointer.span, into: &span, at: address) } catch { throw .bus(error) }
  }
}
