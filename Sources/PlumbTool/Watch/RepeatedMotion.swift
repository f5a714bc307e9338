import Emulation
import FixedPoint

/// A motion that begins again when it has ended, with a short turn from its end to its beginning.
struct RepeatedMotion: Motion {
  private let motion: any Motion

  init(_ motion: any Motion) { self.motion = motion }

  /// Without end, as far as anybody can tell: a century.
  var duration: Microseconds { .seconds(3_155_760_000) }

  private static let turn = Microseconds.milliseconds(500)

  func specificForce(at time: Microseconds) -> Vector3 {
    guard motion.duration > .zero && time > .zero else { return motion.specificForce(at: time) }
    let phase = Microseconds(time.count % (motion.duration + Self.turn).count)
    guard phase >= motion.duration else { return motion.specificForce(at: phase) }
    let part = (phase - motion.duration).count * 256 / Self.turn.count
    let (end, begin) = (motion.specificForce(at: motion.duration), motion.specificForce(at: .zero))
    func between(_ a: Q16, _ b: Q16) -> Int64 { (Int64(a.raw) * (256 - part) + Int64(b.raw) * part) / 256 }
    let chord = (between(end.x, begin.x), between(end.y, begin.y), between(end.z, begin.z))
    // On the sphere, not through it.
    let length = Double(chord.0 * chord.0 + chord.1 * chord.1 + chord.2 * chord.2).squareRoot()
    guard length > 6_554 else { return end }
    func scaled(_ value: Int64) -> Q16 { Q16(raw: Int32((Double(value) / length * 65_536).rounded())) }
    return Vector3(x: scaled(chord.0), y: scaled(chord.1), z: scaled(chord.2))
  }
}
