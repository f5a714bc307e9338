extension MPU6050 {
  /// INT_PIN_CFG.
  package struct InterruptPinField: Equatable {
    package var isActiveLow = false
    package var isOpenDrain = false
    package var isLatched = false
    package var isClearedByAnyRead = false
    /// FSYNC_INT_LEVEL. Without effect while FSYNC_INT_EN is 0.
    package var isFrameSyncActiveLow = false
    package var frameSyncInterrupts = false
    package var bypassesAuxiliaryBus = false

    package var encoded: UInt8 {
      .bit(7, isActiveLow) | .bit(6, isOpenDrain) | .bit(5, isLatched) | .bit(4, isClearedByAnyRead)
        | .bit(3, isFrameSyncActiveLow) | .bit(2, frameSyncInterrupts) | .bit(1, bypassesAuxiliaryBus)
    }

    /// Nil where the reserved bit 0 is set.
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

    /// The pin of a configuration, marked by a bit that is 0 after a reset and does nothing else: FSYNC_INT_LEVEL.
    ///
    /// So the byte never is its reset value, and a part that lost its configuration can be told by it.
    package init(_ pin: InterruptPin, withFIFO hasFIFO: Bool) {
      isActiveLow = pin.isActiveLow
      isOpenDrain = pin.isOpenDrain
      isLatched = pin.isLatched
      isClearedByAnyRead = pin.isClearedByAnyRead && !hasFIFO
      isFrameSyncActiveLow = true
    }
  }

  /// INT_ENABLE and INT_STATUS.
  package struct InterruptField: Equatable {
    package var wakesOnMotion = false
    package var fifoOverflow = false
    package var auxiliaryBus = false
    package var dataReady = false

    package var encoded: UInt8 {
      .bit(6, wakesOnMotion) | .bit(4, fifoOverflow) | .bit(3, auxiliaryBus) | .bit(0, dataReady)
    }

    /// Nil where a reserved bit is set.
    package init?(decoding byte: UInt8) {
      guard byte & 0xA6 == 0 else { return nil }
      wakesOnMotion = byte.has(bit: 6)
      fifoOverflow = byte.has(bit: 4)
      auxiliaryBus = byte.has(bit: 3)
      dataReady = byte.has(bit: 0)
    }

    package init(fifoOverflow: Bool, dataReady: Bool) {
      self.fifoOverflow = fifoOverflow
      self.dataReady = dataReady
    }
  }

  /// PWR_MGMT_1.
  package struct PowerField: Equatable {
    package var resets = false
    package var sleeps = false
    package var cycles = false
    package var isTemperatureOff = false
    /// CLKSEL, 0…7: 0 the internal oscillator, 1 the best there is.
    package var clock: UInt8

    package var encoded: UInt8 {
      clock & 0x07 | .bit(7, resets) | .bit(6, sleeps) | .bit(5, cycles) | .bit(3, isTemperatureOff)
    }

    /// Nil where bit 4 is set: reserved, and gyroscope standby in later parts, which this driver never asks for.
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

  /// PWR_MGMT_2.
  package struct StandbyField: Equatable {
    package var cycleRate = CycleRate.hz1_25
    /// X, Y, Z of the accelerometer in bits 2 to 0.
    package var accelerometerAxes: UInt8 = 0
    /// X, Y, Z of the gyroscope in bits 2 to 0.
    package var gyroscopeAxes: UInt8 = 0

    package var encoded: UInt8 {
      cycleRate.rawValue &<< 6 | (accelerometerAxes & 0x07) &<< 3 | gyroscopeAxes & 0x07
    }

    package init?(decoding byte: UInt8) {
      guard let rate = CycleRate(rawValue: byte &>> 6) else { return nil }
      cycleRate = rate
      accelerometerAxes = byte &>> 3 & 0x07
      gyroscopeAxes = byte & 0x07
    }

    /// The accelerometer on, the gyroscope on or off.
    package init(gyroscopeIsOn: Bool, cycleRate: CycleRate = .hz1_25) {
      self.cycleRate = cycleRate
      gyroscopeAxes = gyroscopeIsOn ? 0 : 0x07
    }
  }

  /// FIFO_EN.
  package struct SourcesField: Equatable {
    package var temperature = false
    /// X, Y, Z of the gyroscope in bits 2 to 0.
    package var gyroscopeAxes: UInt8 = 0
    package var accelerometer = false
    /// Parts on the auxiliary bus, 2 to 0.
    package var auxiliaries: UInt8 = 0

    package var encoded: UInt8 {
      // X is the highest of the three bits, 6, as it comes first in the FIFO.
      .bit(7, temperature) | (gyroscopeAxes & 0x07) &<< 4 | .bit(3, accelerometer) | auxiliaries & 0x07
    }

    package init(decoding byte: UInt8) {
      temperature = byte.has(bit: 7)
      gyroscopeAxes = byte &>> 4 & 0x07
      accelerometer = byte.has(bit: 3)
      auxiliaries = byte & 0x07
    }

    /// What a configuration puts into the FIFO.
    package init(_ layout: RecordLayout) {
      temperature = layout.hasTemperature
      gyroscopeAxes = layout.hasRotation ? 0x07 : 0
      accelerometer = true
    }

    /// Nothing goes in.
    static var none: UInt8 { 0 }
  }

  /// USER_CTRL, the values this driver writes: the auxiliary bus stays off.
  enum UserControl {
    static var off: UInt8 { 0x00 }
    static var resetFIFO: UInt8 { 0x04 }
    static var runFIFO: UInt8 { 0x40 }
  }

  /// SIGNAL_PATH_RESET: gyroscope, accelerometer and temperature.
  enum SignalPath {
    static var resetAll: UInt8 { 0x07 }
  }
}
