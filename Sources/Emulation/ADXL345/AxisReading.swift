extension EmulatedADXL345 {
  /// What three axes measure, in 1/65536 g; wider than any format, so that clipping is left to the format.
  struct AxisReading {
    var x: Int64
    var y: Int64
    var z: Int64

    static var zero: AxisReading { AxisReading(x: 0, y: 0, z: 0) }

    /// Beyond the widest range on every axis.
    static var fullScale: AxisReading { AxisReading(x: 1 << 32, y: 1 << 32, z: 1 << 32) }

    static func + (a: AxisReading, b: AxisReading) -> AxisReading {
      AxisReading(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z)
    }

    static func - (a: AxisReading, b: AxisReading) -> AxisReading {
      AxisReading(x: a.x - b.x, y: a.y - b.y, z: a.z - b.z)
    }

    /// The axes of `mask` (X 4, Y 2, Z 1) whose magnitude is greater than `threshold`.
    func axes(of mask: UInt8, beyond threshold: Int64) -> UInt8 {
      let all: UInt8 =
        (x.magnitude > threshold ? 4 : 0) | (y.magnitude > threshold ? 2 : 0) | (z.magnitude > threshold ? 1 : 0)
      return all & mask
    }

    /// Whether the magnitude of every axis of `mask` (X 4, Y 2, Z 1) is less than `threshold`.
    func isWithin(_ threshold: Int64, onAxes mask: UInt8) -> Bool {
      (x.magnitude < threshold || mask & 4 == 0) && (y.magnitude < threshold || mask & 2 == 0)
        && (z.magnitude < threshold || mask & 1 == 0)
    }
  }
}

extension EmulatedADXL345.RegisterFile {
  /// What the offset registers add, in 1/65536 g. One LSB is 15.625 mg: 1024/65536 g, in every range.
  var offset: EmulatedADXL345.AxisReading {
    func axis(_ number: UInt8) -> Int64 {
      Int64(Int8(bitPattern: self[EmulatedADXL345.Register.offsetX + number])) * 1_024
    }
    return EmulatedADXL345.AxisReading(x: axis(0), y: axis(1), z: axis(2))
  }

  /// The six data bytes of a reading, X0 lowest: with the offsets and in the format that are set now.
  func encoded(_ reading: EmulatedADXL345.AxisReading) -> UInt64 {
    let sum = reading + offset
    return UInt64(encoded(sum.x)) | UInt64(encoded(sum.y)) << 16 | UInt64(encoded(sum.z)) << 32
  }

  /// A value in 1/65536 g as DATA_FORMAT wants it: rounded to nearest, clipped to the range, right- or left-justified.
  ///
  /// - Datasheet: ADXL345 Rev. E, "DATA_FORMAT", Table 1 and "Data formatting of upper data rates".
  private func encoded(_ value: Int64) -> UInt16 {
    let format = self[EmulatedADXL345.Register.dataFormat]
    let range = Int64(format & 0x03)
    let isFullResolution = format & 0x08 != 0
    let bits = isFullResolution ? 10 + range : 10
    let shift = isFullResolution ? 8 : 8 + range
    let limit: Int64 = 1 << (bits - 1)
    var counts = max(-limit, min(limit - 1, (value + (1 << (shift - 1))) >> shift))
    // The two fastest rates leave the lowest bit of 256 LSB/g at 0.
    if rateCode >= 0x0E && shift == 8 { counts &= ~1 }
    let isLeftJustified = format & 0x04 != 0
    return UInt16(truncatingIfNeeded: isLeftJustified ? counts << (16 - bits) : counts)
  }
}
