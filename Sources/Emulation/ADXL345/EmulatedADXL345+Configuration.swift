public import FixedPoint

extension EmulatedADXL345 {
  /// What this specimen is like; the defaults are a perfect one with the typical noise of the data sheet.
  public struct Configuration: Equatable, Sendable {
    /// The standard deviation of the noise in g, at normal power and output data rates up to 100 Hz.
    ///
    /// Default 0.75 LSB on X and Y and 1.1 LSB on Z, at 256 LSB/g. Above 100 Hz it grows by √2 with every doubling of the
    /// rate. LOW_POWER makes it 2.4 times as much on X and Y (1.8 LSB) and 26/11 times on Z (2.6 LSB), at any rate at which
    /// it is not more already. 0 is a part without noise.
    ///
    /// - Datasheet: ADXL345 Rev. E, Table 1 and "Noise performance".
    public var noise = Vector3(x: Q16(raw: 192), y: Q16(raw: 192), z: Q16(raw: 282))
    /// What the axes read at 0 g, in g. Default 0; the data sheet allows ±0.15 g on X and Y, ±0.25 g on Z.
    public var zeroGOffset = Vector3.zero
    /// How much more than 1 g an axis reads at 1 g, in g. Default 0; the data sheet allows about ±0.1.
    public var sensitivityError = Vector3.zero
    /// What SELF_TEST adds with a supply of 2.5 V, in g. Default 0.85, -0.85 and 1.35: inside the limits, and scaled to
    /// 3.3 V inside those too.
    ///
    /// - Datasheet: ADXL345 Rev. E, Table 1.
    public var selfTest = Vector3(x: Q16(85, over: 100), y: Q16(-85, over: 100), z: Q16(135, over: 100))
    /// The supply in millivolts, 2000…3600; beyond that, the nearest. Default 3300, as on a Raspberry Pi.
    ///
    /// It scales the force of the self-test, in straight lines between the four voltages of the data sheet.
    ///
    /// - Datasheet: ADXL345 Rev. E, Table 14.
    public var supplyMillivolts: Int32 = 3_300
    /// Whether the supply shifts offset and sensitivity as is typical; default not.
    ///
    /// At 3.3 V: X and Y read 25 mg more and have 265 LSB/g, Z reads 20 mg less. Nothing at 2.5 V, where the part is
    /// specified, and in proportion elsewhere. Comes on top of the specimen's own errors.
    ///
    /// - Datasheet: ADXL345 Rev. E, Table 1 and typical performance characteristics at 3.3 V.
    public var shiftsWithSupply = false
    /// How much faster its sample clock runs than the nominal one, in parts per million, ±500 000. Default 0.
    public var ratePartsPerMillion: Int32 = 0
    /// What DEVID reads. Default 0xE5.
    public var identity: UInt8 = 0xE5

    /// The defaults.
    public init() {}
  }
}

extension EmulatedADXL345.Configuration {
  /// What a reading is multiplied with, in 1/65536.
  var gain: EmulatedADXL345.AxisReading {
    let own = EmulatedADXL345.AxisReading(sensitivityError)
    // 9 of 256 LSB/g more at 0.8 V more.
    let shift = shiftsWithSupply ? 65_536 * 9 * excessMillivolts / (256 * 800) : 0
    return EmulatedADXL345.AxisReading(x: 65_536 + own.x + shift, y: 65_536 + own.y + shift, z: 65_536 + own.z)
  }

  /// What is added to a reading, in 1/65536 g.
  var bias: EmulatedADXL345.AxisReading {
    func shift(_ milliG: Int64) -> Int64 {
      shiftsWithSupply ? 65_536 * milliG * excessMillivolts / (1_000 * 800) : 0
    }
    return EmulatedADXL345.AxisReading(zeroGOffset)
      + EmulatedADXL345.AxisReading(x: shift(25), y: shift(25), z: shift(-20))
  }

  /// What a settled self-test adds, in 1/65536 g.
  var selfTestForce: EmulatedADXL345.AxisReading {
    let force = EmulatedADXL345.AxisReading(selfTest)
    let factorOfXY = interpolated([64, 100, 177, 211])
    let factorOfZ = interpolated([80, 100, 147, 169])
    return EmulatedADXL345.AxisReading(
      x: force.x * factorOfXY / 65_536, y: force.y * factorOfXY / 65_536, z: force.z * factorOfZ / 65_536)
  }

  private var millivolts: Int64 { max(2_000, min(3_600, Int64(supplyMillivolts))) }
  private var excessMillivolts: Int64 { millivolts - 2_500 }

  /// A factor in 1/65536, from hundredths at 2.0, 2.5, 3.3 and 3.6 V.
  private func interpolated(_ hundredths: InlineArray<4, Int64>) -> Int64 {
    let volts: InlineArray<4, Int64> = [2_000, 2_500, 3_300, 3_600]
    let part = millivolts <= 2_500 ? 0 : millivolts <= 3_300 ? 1 : 2
    let rise = hundredths[part + 1] - hundredths[part]
    let run = volts[part + 1] - volts[part]
    return 65_536 * (hundredths[part] * run + rise * (millivolts - volts[part])) / (100 * run)
  }
}

extension EmulatedADXL345.AxisReading {
  init(_ vector: Vector3) { self.init(x: Int64(vector.x.raw), y: Int64(vector.y.raw), z: Int64(vector.z.raw)) }
}
