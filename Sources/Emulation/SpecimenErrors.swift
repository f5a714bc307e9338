public import FixedPoint

/// The errors of one specimen of a sensor, drawn from a seed: what its axes read at 0 g, and how much more than 1 g they
/// read at 1 g.
///
/// Each axis has its own, all of them independent and uniform from minus to plus the greatest, which both can be. The
/// same seed gives the same specimen on every machine, and it is not the seed's noise.
public struct SpecimenErrors: Equatable, Sendable {
  /// What the axes read at 0 g, in g.
  public let zeroGOffset: Vector3
  /// How much more than 1 g an axis reads at 1 g, in g.
  public let sensitivityError: Vector3

  /// The errors of specimen `seed` of a kind whose axes read at most `offset` g at 0 g and are at most `sensitivity` g
  /// out at 1 g; the sign of neither counts.
  public init(seed: UInt64, offset: Q16, sensitivity: Q16) {
    // Another sequence than that of the noise, whose seeds are small as a rule.
    let bits = RandomBits(seed: seed ^ 0x0FF5_E75C_A1E5_0000)
    func drawn(_ number: UInt64, _ greatest: Q16) -> Q16 {
      let span = UInt64(greatest.raw.magnitude)
      let steps = RandomBits.number(below: 2 * span + 1, from: bits.word(number))
      return Q16(raw: Int32(clamping: Int64(steps) - Int64(span)))
    }
    zeroGOffset = Vector3(x: drawn(0, offset), y: drawn(1, offset), z: drawn(2, offset))
    sensitivityError = Vector3(x: drawn(3, sensitivity), y: drawn(4, sensitivity), z: drawn(5, sensitivity))
  }
}
