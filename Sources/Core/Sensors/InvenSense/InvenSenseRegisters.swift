extension InvenSense {
  /// INT_PIN_CFG.
  package struct InterruptPinField: Equatable {
    package var isActiveLow: Bool
    package var isOpenDrain: Bool
    package var isLatched: Bool
    package var isClearedByAnyRead: Bool
    /// FSYNC_INT_LEVEL. No effect while FSYNC_INT_EN is 0.
    package var isFrameSyncActiveLow: Bool
    package var frameSyncInterrupts = false
    package var bypassesAuxiliaryBus = false

    package var encoded: UInt8 {
      .bit(7, isActiveLow) | .bit(6, isOpenDrain) | .bit(5, isLatched) | .bit(4, isClearedByAnyRead)
        | .bit(3, isFrameSyncActiveLow) | .bit(2, frameSyncInterrupts) | .bit(1, bypassesAuxiliaryBus)
    }

    /// Nil if the reserved bit 0 is set.
    package init?(decoding byte: UInt8) {
      guard !byte.has(bit: 0) else { return nil }
      isActiveLow = byte.has(bit: 7)
      isOpenDrain = byte.has(bit: 6)
      isLatched = byte.has(bit: 5)
      isClearedByAnyRead = byte.has(bit: 4)
      isFrameSyncActiveLow = byte.has(bit: 3)
      frameSyncInterrupts = byte.has(bit: 2)
      bypassesAuxiliaryBus = byte.has(bit: 1)
    }

    /// The pin of a configuration, marked by a bit that is 0 after a reset and has no other effect: FSYNC_INT_LEVEL.
    ///
    /// So the byte never equals its reset value, and reveals a part that has lost its configuration.
    package init(_ pin: Interrupts, withFIFO hasFIFO: Bool) {
      isActiveLow = pin.isActiveLow
      isOpenDrain = pin.isOpenDrain
      isLatched = pin.isLatched
      isClearedByAnyRead = pin.isClearedByAnyRead && !hasFIFO
      isFrameSyncActiveLow = true
    }
  }

  /// PWR_MGMT_1.
  package struct PowerField: Equatable {
    package var resets = false
    package var sleeps = false
    package var cycles = false
    package var isTemperatureOff = false
    /// CLKSEL, 0…7: 0 is the internal oscillator, 1 the best available clock.
    package var clock: UInt8

    package var encoded: UInt8 {
      clock & 0x07 | .bit(7, resets) | .bit(6, sleeps) | .bit(5, cycles) | .bit(3, isTemperatureOff)
    }

    /// Nil if bit 4 is set: reserved, or gyroscope standby in later parts, which this driver never uses.
    package init?(decoding byte: UInt8) {
      guard !byte.has(bit: 4) else { return nil }
      self.init(clock: byte & 0x07)
      resets = byte.has(bit: 7)
      sleeps = byte.has(bit: 6)
      cycles = byte.has(bit: 5)
      isTemperatureOff = byte.has(bit: 3)
    }

    /// Awake, with a clock.
    package init(clock: UInt8) { self.clock = clock }

    /// DEVICE_RESET, nothing else.
    static var reset: UInt8 { 0x80 }
  }

  /// How often the part wakes to measure in cycle mode, in which it watches for movement: LP_WAKE_CTRL.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, register 108.
  package enum CycleRate: UInt8, Equatable, Sendable {
    /// 1.25, 5, 20 and 40 Hz.
    case hz1_25, hz5, hz20, hz40
  }

  /// PWR_MGMT_2.
  package struct StandbyField: Equatable {
    package var cycleRate: CycleRate
    /// X, Y, Z of the accelerometer in bits 2 to 0.
    package var accelerometerAxes: UInt8 = 0
    /// X, Y, Z of the gyroscope in bits 2 to 0.
    package var gyroscopeAxes: UInt8

    package var encoded: UInt8 {
      cycleRate.rawValue &<< 6 | (accelerometerAxes & 7) &<< 3 | gyroscopeAxes & 7
    }

    package init?(decoding byte: UInt8) {
      guard let rate = CycleRate(rawValue: byte &>> 6) else { return nil }
      cycleRate = rate
      accelerometerAxes = byte &>> 3 & 7
      gyroscopeAxes = byte & 0x07
    }

    /// The accelerometer on, the gyroscope on or off.
    package init(gyroscopeIsOn: Bool, cycleRate: CycleRate = .hz1_25) {
      self.cycleRate = cycleRate
      gyroscopeAxes = gyroscopeIsOn ? 0 : 0x07
    }
  }

  /// What is stored in the FIFO: FIFO_EN, in the ICM-20948 FIFO_EN_2. A bit each selects the temperature and the force,
  /// three bits from `rotationBit` up the gyroscope, and the lowest `auxiliaryBits` parts on the auxiliary bus.
  package struct SourcesField<
    let temperatureBit: Int, let rotationBit: Int, let forceBit: Int, let auxiliaryBits: Int
  >: Equatable {
    package var temperature: Bool
    /// The axes of the gyroscope, in three bits.
    package var gyroscopeAxes: UInt8
    package var accelerometer: Bool
    /// Parts on the auxiliary bus.
    package var auxiliaries: UInt8 = 0

    package var encoded: UInt8 {
      .bit(Self.temperature, temperature) | (gyroscopeAxes & 7) &<< Self.rotation | .bit(Self.force, accelerometer)
        | auxiliaries & Self.auxiliary
    }

    /// Nil if a reserved bit is set.
    package init?(decoding byte: UInt8) {
      temperature = byte.has(bit: Self.temperature)
      gyroscopeAxes = byte &>> Self.rotation & 7
      accelerometer = byte.has(bit: Self.force)
      auxiliaries = byte & Self.auxiliary
      guard encoded == byte else { return nil }
    }

    /// The sources for a record layout.
    package init(_ layout: RecordLayout) {
      temperature = layout.hasTemperature
      gyroscopeAxes = layout.hasRotation ? 7 : 0
      accelerometer = true
    }

    private static var temperature: UInt8 { UInt8(truncatingIfNeeded: temperatureBit) }
    private static var rotation: UInt8 { UInt8(truncatingIfNeeded: rotationBit) }
    private static var force: UInt8 { UInt8(truncatingIfNeeded: forceBit) }
    private static var auxiliary: UInt8 { ~(0xFF &<< UInt8(truncatingIfNeeded: auxiliaryBits)) }
  }

  /// USER_CTRL, the values that the drivers write: the auxiliary bus stays off, and I2C on.
  enum UserControl {
    static var off: UInt8 { 0x00 }
    static var resetFIFO: UInt8 { 0x04 }
    static var runFIFO: UInt8 { 0x40 }
  }
}
