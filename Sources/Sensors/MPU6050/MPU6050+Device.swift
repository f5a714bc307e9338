public import FixedPoint
public import HAL

extension MPU6050 {
  /// A part of the family on a bus that it owns.
  public struct Device<Bus: I2CBus & ~Copyable>: Accelerometer, ~Copyable {
    /// The bus. Use it for anything but this part's address at will.
    public var bus: Bus
    /// Where the part answers.
    public let address: I2CAddress
    /// How the part is set up by ``start()`` and ``proceed()``.
    public let configuration: Configuration
    /// How many bus transactions were begun so far.
    public internal(set) var transactions: UInt64 = 0
    /// Which part the last ``start()`` found; nil where it found none of the family.
    public internal(set) var part: Part?
    /// What the last ``start()`` found that deserves a word, or nil.
    public internal(set) var notice: SensorNotice?

    var phase = Phase.idle
    /// How many samples are to come before one is watched.
    var samplesUntilWatch: UInt16 = 0
    /// Whether the last sample gave a reason to watch the next one.
    var isSuspicious = false
    /// Whether the FIFO has to be emptied and begun anew before anything is read from it.
    var fifoIsBroken = false

    /// How far the part is set up.
    enum Phase: Equatable {
      /// Nothing is known of its state.
      case idle
      /// Told to reset itself; so many times it will be asked again whether it has.
      case resetting(questionsLeft: UInt8)
      /// Reset and woken up.
      case waking
      /// Set up; its first samples are not settled.
      case settling
      /// As it should be.
      case measuring
    }

    /// A driver for the part at `address`. Touches nothing until ``start()``.
    public init(
      bus: consuming Bus, address: I2CAddress = MPU6050.address, configuration: Configuration = Configuration()
    ) {
      self.bus = bus
      self.address = address
      self.configuration = configuration
    }

    /// The greatest specific force on one axis that can still be told from more, in g: one LSB short of the range.
    public var fullScale: Q16 { Q16(raw: 32_767 &* configuration.range.unit) }

    /// The latest specific force in g, in the sensor's own frame.
    ///
    ///     S | addr+W | 3B | Sr | addr+R | X1 X0 Y1 Y0 Z1 Z0 | P
    ///
    /// One burst, so the six bytes are of one instant. Every so many samples (`Configuration.samplesPerWatch`), and
    /// after a sample of six zero bytes, as a part asleep gives them, the burst begins four registers earlier, which
    /// shows whether the part still is as it was configured:
    ///
    ///     S | addr+W | 37 | Sr | addr+R | INT_PIN_CFG INT_ENABLE 39 INT_STATUS X1 X0 Y1 Y0 Z1 Z0 | P
    ///
    /// That clears INT_STATUS, as any read of it does; an overflow of the FIFO is remembered.
    ///
    /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil) or `bus`.
    /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 55 to 64.
    public mutating func sample() throws(SensorError) -> Vector3 { try measure(.force).force }

    /// The latest specific force, temperature and rate of rotation, all of one instant.
    ///
    ///     S | addr+W | 3B | Sr | addr+R | X1 X0 Y1 Y0 Z1 Z0 T1 T0 GX1 GX0 GY1 GY0 GZ1 GZ0 | P
    ///
    /// 14 bytes; 8 with the gyroscope off, 6 in cycle mode, where nothing but the accelerometer is on. Four more where
    /// the configuration is watched, as in ``sample()``.
    ///
    /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil) or `bus`.
    /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 55 to 72.
    public mutating func motion() throws(SensorError) -> Motion { try measure(configuration.motionLayout) }

    /// Reads INT_STATUS, which clears it, and the pin where it is latched.
    ///
    ///     S | addr+W | 37 | Sr | addr+R | INT_PIN_CFG INT_ENABLE 39 INT_STATUS | P
    ///
    /// An overflow of the FIFO is remembered for ``drain(into:)``.
    ///
    /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil) or `bus`.
    /// - Datasheet: RM-MPU-6000A rev. 4.2, register 58.
    public mutating func interrupts() throws(SensorError) -> Interrupts {
      guard phase == .measuring else { throw .configurationLost }
      let status = try watch()
      return Interrupts(isDataReady: status.has(bit: 0), fifoOverflowed: status.has(bit: 4))
    }

    /// Closes and opens the bus again.
    public mutating func reopen() throws(SensorError) {
      do { try bus.reopen() } catch { throw .bus(error) }
    }
  }

  /// What INT_STATUS told.
  public struct Interrupts: Equatable, Sendable {
    /// A sample came since the last look.
    public var isDataReady: Bool
    /// The FIFO overflowed since the last look.
    public var fifoOverflowed: Bool

    /// What these say.
    public init(isDataReady: Bool, fifoOverflowed: Bool) {
      self.isDataReady = isDataReady
      self.fifoOverflowed = fifoOverflowed
    }
  }
}

extension MPU6050.Device where Bus: ~Copyable {
  /// Reads one measurement in one burst, with the watched registers before it where it is time.
  private mutating func measure(_ layout: MPU6050.RecordLayout) throws(SensorError) -> MPU6050.Motion {
    guard phase == .measuring, let part else { throw .configurationLost }
    let isWatched = isSuspicious || samplesUntilWatch == 0
    let start = isWatched ? 4 : 0
    var bytes = InlineArray<18, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try read(from: isWatched ? .interruptPin : .data, into: &span, count: start &+ layout.size)
    if isWatched {
      _ = try watch(bytes[0], bytes[1], bytes[3])
      samplesUntilWatch = configuration.samplesBetweenWatches
    } else {
      samplesUntilWatch &-= 1
    }
    isSuspicious = isZero(bytes.span, from: start)
    return MPU6050.motion(bytes.span, at: start, layout, configuration, part)
  }

  private func isZero(_ bytes: Span<UInt8>, from start: Int) -> Bool {
    for index in 0..<6 where bytes[start &+ index] != 0 { return false }
    return true
  }

  /// Holds INT_PIN_CFG and INT_ENABLE against what was written to them; remembers what INT_STATUS lost by being read.
  ///
  /// Returns INT_STATUS.
  mutating func watch(_ pin: UInt8, _ enable: UInt8, _ status: UInt8) throws(SensorError) -> UInt8 {
    guard pin == configuration.interruptPinByte, enable == configuration.interruptEnableByte else {
      isSuspicious = true
      throw .configurationLost
    }
    if status.has(bit: 4), configuration.usesFIFO { fifoIsBroken = true }
    return status
  }
}
