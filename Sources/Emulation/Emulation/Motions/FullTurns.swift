public import FixedPoint

/// The six faces of ``AttitudePath/sixFaces``, then a full turn about each axis of the board while it points up or
/// down.
///
/// From 23 s, 29.3 s and 36.1 s on it turns for 3 s, counter-clockwise seen from above: face down, in landscapeRight
/// and in portrait, each held still for at least 1 s before and after. 40.6 s in all.
public struct FullTurns: Motion, Equatable {
  private let path: AttitudePath
  private static let starts = [23.0, 29.3, 36.1]

  /// The motion; there is only one.
  public init() {
    var stops = AttitudePath.sixFaces.stops
    let last = stops.count - 1
    if last >= 0 { stops[last].held = stops[last].held + .seconds(5) }
    stops.append(AttitudePath.Stop(.landscapeRight, held: .seconds(6), turning: .milliseconds(800)))
    stops.append(AttitudePath.Stop(.portrait, held: .seconds(6)))
    path = AttitudePath(stops)
  }

  /// 40.6 s.
  public var duration: Microseconds { path.duration }

  /// The specific force in g, always of length 1.
  public func specificForce(at time: Microseconds) -> Vector3 { path.specificForce(at: time) }

  /// The rotation rate in °/s: that of the turns from face to face, and in a full turn up to 225 °/s about the
  /// vertical.
  public func rotationRate(at time: Microseconds) -> Vector3 {
    let now = Double(time.count) / 1e6
    let rate = Self.starts.reduce(0) { $0 + 360 * Jet.step(at: now, from: $1, taking: 3).first }
    guard rate != 0 else { return path.rotationRate(at: time) }
    let up = path.specificForce(at: time)
    return Vector3(
      rounding: SIMD3(Double(up.x.raw), Double(up.y.raw), Double(up.z.raw)) * (rate / 65_536))
  }
}
