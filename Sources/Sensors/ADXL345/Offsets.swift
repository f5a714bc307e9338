public import FixedPoint

extension ADXL345 {
  /// What the part adds to each axis of every sample, in steps of 15.625 mg (4 LSB of full resolution), about ±2 g.
  ///
  /// - Datasheet: Rev. E, registers 0x1E to 0x20 and "Offset calibration".
  public struct Offsets: Equatable, Sendable {
    /// OFSX.
    public var x: Int8
    /// OFSY.
    public var y: Int8
    /// OFSZ.
    public var z: Int8

    /// Offsets in steps of 15.625 mg; by default none.
    public init(x: Int8 = 0, y: Int8 = 0, z: Int8 = 0) {
      self.x = x
      self.y = y
      self.z = z
    }

    /// The offsets that cancel `error`: the mean of 0.1 s or more at rest less what it should have been, in g.
    ///
    /// `current` are the offsets that were in place while it was measured. Each axis is rounded to the nearest step, ties
    /// away from zero, so that at most 7.8125 mg is left; beyond ±2 g it saturates.
    public init(cancelling error: Vector3, current: Offsets = Offsets()) {
      x = cancelling(error.x, current.x)
      y = cancelling(error.y, current.y)
      z = cancelling(error.z, current.z)
    }

    /// What they add, in g: exact.
    public var specificForce: Vector3 {
      Vector3(x: Q16(raw: Int32(x) &* 1_024), y: Q16(raw: Int32(y) &* 1_024), z: Q16(raw: Int32(z) &* 1_024))
    }
  }
}

/// `current` less `error`, in steps of 1024/65536 g.
private func cancelling(_ error: Q16, _ current: Int8) -> Int8 {
  // Truncated towards zero after half a step away from it; ±8 g is far beyond what can be cancelled.
  let bounded = max(-524_288, min(524_288, error.raw))
  let steps = (bounded &+ (bounded < 0 ? -512 : 512)) / 1_024
  return Int8(truncatingIfNeeded: max(-128, min(127, Int32(current) &- steps)))
}
