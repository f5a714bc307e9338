extension LSM6DS {
  /// A part of the family, by its WHO_AM_I. Other identities are refused.
  ///
  /// There are two layouts of the FIFO: words in a fixed pattern, and words with tags.
  ///
  /// - Datasheet: LSM6DS33 Rev. 4, LSM6DS3 Rev. 4 and LSM6DS3TR-C Rev. 3, WHO_AM_I.
  /// - Source: Linux's st_lsm6dsx for the others.
  public enum Part: UInt8, Equatable, Sendable {
    /// LSM6DS33 and LSM6DS3.
    case lsm6ds3 = 0x69
    /// LSM6DS3TR-C and LSM6DSL; many boards sold as LSM6DS3.
    case lsm6dsl = 0x6A
    /// ISM330DHCX, and the LSM6DSR and LSM6DSRX.
    case ism330dhcx = 0x6B
    /// LSM6DSO and LSM6DSOX.
    case lsm6dso = 0x6C
  }
}

extension LSM6DS.Part {
  /// How this part is treated: no data sheet of those with the identity 0x6B was at hand.
  public var admission: SensorPart.Admission { self == .ism330dhcx ? .acceptedWithNotice : .accepted }

  /// The name with its article.
  public var name: StaticString {
    switch self {
    case .lsm6ds3: "an LSM6DS33 or LSM6DS3"
    case .lsm6dsl: "an LSM6DS3TR-C or LSM6DSL"
    case .ism330dhcx: "an ISM330DHCX or LSM6DSR"
    case .lsm6dso: "an LSM6DSO or LSM6DSOX"
    }
  }

  /// Whether it is one of the later parts: tags in the FIFO, I3C.
  var hasTags: Bool { self == .lsm6dso || self == .ism330dhcx }

  /// The temperature per LSB, in 1/65536 °C.
  ///
  /// - Datasheet: LSM6DS33 Rev. 4, LSM6DS3TR-C Rev. 3, temperature sensor characteristics: 16 and 256 LSB/°C.
  var temperatureUnit: Int32 { self == .lsm6ds3 ? 4_096 : 256 }

  /// CTRL9_XL: the axes of the accelerometer on; in the later parts the reset value (from memory) with I3C_DISABLE.
  ///
  /// - Datasheet: LSM6DS33 Rev. 4, CTRL9_XL.
  var control9: UInt8 { hasTags ? 0xE2 : self == .lsm6ds3 ? 0x38 : 0x00 }

  /// CTRL10_C: the axes of the gyroscope on.
  ///
  /// - Datasheet: LSM6DS33 Rev. 4, CTRL10_C.
  var control10: UInt8 { self == .lsm6ds3 ? 0x38 : 0x00 }

  /// Whether it has the ranges of `configuration`.
  func supports(_ configuration: LSM6DS.Configuration) -> Bool {
    configuration.gyroscope != .dps4000 || self == .ism330dhcx
  }
}
