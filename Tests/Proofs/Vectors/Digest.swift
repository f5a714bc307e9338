import FixedPoint
import Orientation

/// A number for all results of a calculation: 64-bit FNV-1a.
struct Digest: CustomStringConvertible {
  private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ value: Int64) {
    var rest = UInt64(bitPattern: value)
    for _ in 0..<8 {
      hash = (hash ^ (rest & 0xFF)) &* 0x100_0000_01B3
      rest >>= 8
    }
  }

  mutating func add(_ value: some BinaryInteger) { add(Int64(truncatingIfNeeded: value)) }
  mutating func add(_ value: Bool) { add(value ? 1 : 0) }
  mutating func add(_ value: Q16) { add(value.raw) }
  mutating func add(_ value: BinaryAngle) { add(value.raw) }
  mutating func add(_ value: Microseconds) { add(value.count) }
  mutating func add(_ value: Instant) { add(value.microseconds) }
  mutating func add(_ value: UnitVector) { [value.x, value.y, value.z].forEach { add($0) } }
  mutating func add(_ value: Vector3) { [value.x, value.y, value.z].forEach { add($0) } }

  mutating func add(_ value: Angles) {
    [value.device, value.pitch, value.roll, value.inclination, value.steering].forEach { add($0) }
  }

  mutating func add(_ value: PoseState) {
    switch value {
    case .known(let pose): add(Int64(pose.rawValue))
    case .unknown(let reason): add(Int64(reason.rawValue) + 16)
    }
  }

  var description: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
