public import FixedPoint

extension ADXL345 {
  /// What a part with the identity 0xE5 probably is, judged by what it measures at rest.
  public enum Likeness: Equatable, Sendable {
    /// An ADXL345, or an ADXL343, which is the same to a program.
    case adxl345
    /// An ADXL375 (±200 g), which counts 49 mg to the LSB: 20 LSB at rest instead of 256.
    case adxl375
    /// No part of the family at rest: in motion, out of calibration, or defective.
    case neither
  }

  /// What the part probably is that measures `mean` g at rest, the mean of 0.1 s or more by an ADXL345's scale.
  ///
  /// An ADXL345 lies within 0.5 and 1.5 g: 230 to 282 LSB/g, and up to 0.15, 0.15 and 0.25 g of offset. An ADXL375 gives
  /// about 0.08 g; what is taken for one, 0.02 to 0.2 g, leaves room for the offsets that are typical of such parts. Less is
  /// next to nothing. A part that falls can look like either: the mean has to be one at rest.
  ///
  /// - Datasheet: Rev. E, table 1, "Sensitivity" and "0 g offset"; ADXL375, "Sensitivity".
  public static func likeness(atRest mean: Vector3) -> Likeness {
    switch mean.magnitude {
    case 32_768...98_304: .adxl345
    case 1_311...13_107: .adxl375
    default: .neither
    }
  }
}
