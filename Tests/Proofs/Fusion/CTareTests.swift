internal import CPlumb
import FixedPoint
import Orientation
import TestSupport
import Testing

/// The C interface of the tare against the core's.
struct CTareTests {
  private static func numbers(_ seen: plumb_tared_t) -> [Int32] {
    [
      seen.tilted.x, seen.tilted.y, seen.tilted.z, seen.device_angle, seen.level_angle, seen.pitch, seen.roll,
      seen.inclination, seen.steering_angle,
    ]
  }

  /// The same for the core's, with 0 for an undefined angle.
  private static func numbers(_ seen: TaredForce) -> [Int32] {
    let (device, level) = seen.isFlat ? (.zero, .zero) : (seen.deviceAngle, seen.levelAngle)
    return [seen.tilted.x, seen.tilted.y, seen.tilted.z].map(\.raw)
      + [device, level, seen.pitch, seen.isOnEnd ? .zero : seen.roll, seen.inclination, seen.steeringAngle].map(\.raw)
  }

  /// A force of `size` g in any direction.
  private static func force(_ size: Double, _ generator: inout SplitMix64) -> Vector3 {
    let direction = SIMD3(generator.normal(), generator.normal(), generator.normal())
    return q16(direction * (size / (direction * direction).sum().squareRoot()))
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  static func `a tare gives the same progress, direction and angles in C as in the core`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var (state, time) = (plumb_tare_t(), Int64(seed) * 1_000_000)
    let held = Self.force(1, &generator)
    let period: Int64 = seed.isMultiple(of: 2) ? 10_000 : 250_000
    try #require(unsafe plumb_tare_init(&state) == PLUMB_OK.rawValue)
    try #require(unsafe plumb_tare_begin(&state, UInt32(period), UInt64(time)) == PLUMB_OK.rawValue)
    var capture = TareCapture(at: Instant(microseconds: time), period: Microseconds(period))
    var tare: Tare?
    for index in 0..<1_000 where tare == nil {
      time += period
      // Some samples are missing.
      let sample = index % 7 == 3 ? nil : Vector3(x: held.x, y: held.y, z: Q16(raw: held.z.raw + Int32(index % 5)))
      let progress = capture.step(sample, at: Instant(microseconds: time))
      var measured = CInterfaceTests.c(sample ?? .zero)
      let found =
        sample == nil
        ? unsafe plumb_tare_step(&state, nil, UInt64(time)) : unsafe plumb_tare_step(&state, &measured, UInt64(time))
      if case .tare(let taken) = progress { tare = taken }
      #expect(found == Int32((tare == nil ? PLUMB_TARE_MEASURING : PLUMB_TARE_TAKEN).rawValue), "at \(time) µs")
    }
    let taken = try #require(tare)
    var (up, seen) = (plumb_vector_t(), plumb_tared_t())
    try #require(unsafe plumb_tare_up(&state, &up) == PLUMB_OK.rawValue)
    let direction = try #require(taken.up)
    #expect(
      [up.x, up.y, up.z]
        == [direction.x, direction.y, direction.z].map { part in
          Int32((Double(part) / 1_073.741824).rounded())
        })
    for size in [0.01, 0.5, 1, 1, 1, 2, 16, 200] {
      let force = Self.force(size, &generator)
      var measured = CInterfaceTests.c(force)
      try #require(unsafe plumb_tare_angles(&state, &measured, &seen) == PLUMB_OK.rawValue)
      #expect(Self.numbers(seen) == Self.numbers(taken.applied(to: force)))
    }
    // The saved millionths give the same angles as in a board file.
    let kept = try #require(Tare(millionths: up.x, up.y, up.z))
    try #require(unsafe plumb_tare_undo(&state) == PLUMB_OK.rawValue)
    try #require(unsafe plumb_tare_set(&state, &up) == PLUMB_OK.rawValue)
    let force = Self.force(1, &generator)
    var measured = CInterfaceTests.c(force)
    try #require(unsafe plumb_tare_angles(&state, &measured, &seen) == PLUMB_OK.rawValue)
    #expect(Self.numbers(seen) == Self.numbers(kept.applied(to: force)))
  }
}
