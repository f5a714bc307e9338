extension UInt8 {
  /// Bit `number` set where `isOn`, else nothing.
  static func bit(_ number: UInt8, _ isOn: Bool) -> UInt8 { isOn ? 1 &<< number : 0 }

  /// Whether bit `number` is set.
  func has(bit number: UInt8) -> Bool { self & (1 &<< number) != 0 }
}

extension MPU6050 {
  /// ACCEL_CONFIG.
  package struct AccelerometerField: Equatable {
    package var range: Range
    /// The self-test of X, Y and Z: bits 7, 6 and 5.
    package var selfTestsX = false
    package var selfTestsY = false
    package var selfTestsZ = false

    package var encoded: UInt8 {
      range.rawValue &<< 3 | .bit(7, selfTestsX) | .bit(6, selfTestsY) | .bit(5, selfTestsZ)
    }

    /// Nil where one of the reserved bits 2 to 0 is set.
    package init?(decoding byte: UInt8) {
      guard byte & 0x07 == 0, let range = Range(rawValue: byte &>> 3 & 0x03) else { return nil }
      self.init(range: range)
      selfTestsX = byte.has(bit: 7)
      selfTestsY = byte.has(bit: 6)
      selfTestsZ = byte.has(bit: 5)
    }

    /// A range, with the self-test of all three axes on or off.
    package init(range: Range, selfTests: Bool = false) {
      self.range = range
      selfTestsX = selfTests
      selfTestsY = selfTests
      selfTestsZ = selfTests
    }
  }

  /// GYRO_CONFIG, without the self-test that this driver leaves off.
  package struct GyroscopeField: Equatable {
    package var range: GyroscopeRange

    package var encoded: UInt8 { range.rawValue &<< 3 }

    /// Nil where any bit outside the range is set.
    package init?(decoding byte: UInt8) {
      guard byte & ~0x18 == 0, let range = GyroscopeRange(rawValue: byte &>> 3) else { return nil }
      self.init(range: range)
    }

    package init(range: GyroscopeRange) { self.range = range }
  }

  /// CONFIG: the filter; frame synchronisation off, the FIFO drops its oldest bytes when full.
  package struct FilterField: Equatable {
    package var filter: Filter

    package var encoded: UInt8 { filter.rawValue }

    /// Nil for the filters that change the base rate, and where any other bit is set.
    package init?(decoding byte: UInt8) {
      guard let filter = Filter(rawValue: byte) else { return nil }
      self.init(filter: filter)
    }

    package init(filter: Filter) { self.filter = filter }
  }

  /// ACCEL_CONFIG2: the filter, never bypassed (ACCEL_FCHOICE_B 0); the FIFO of the smallest size where it has a
  /// choice.
  package struct AccelerometerFilterField: Equatable {
    /// The filter; nil for the widest, code 7, which cycle mode wants.
    package var filter: Filter?

    package var encoded: UInt8 { filter?.rawValue ?? 0x07 }

    /// Nil for code 0, and where any other bit is set.
    package init?(decoding byte: UInt8) {
      guard let filter = Filter(rawValue: byte) else {
        guard byte == 0x07 else { return nil }
        self.init(filter: nil)
        return
      }
      self.init(filter: filter)
    }

    package init(filter: Filter?) { self.filter = filter }
  }
}
