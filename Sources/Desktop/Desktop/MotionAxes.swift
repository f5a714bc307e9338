package import CDesktop
package import FixedPoint
package import Monitor

/// The board's motion sensor as games and emulators read it from controllers: X, Y and Z the specific force, RX, RY and
/// RZ the rate of rotation if there is a gyroscope, in the board frame.
///
/// That is the frame and the sign that SDL has for phones and controllers: X to the right, Y to the top edge, Z out of
/// the face; at rest +1 g along the axis that points up. iio-sensor-proxy has it half a turn about Z away; for it the
/// udev rule of the package sets ACCEL_MOUNT_MATRIX.
/// - Source: SDL_sensor.h; iio-sensor-proxy 3.7, orientation.c and drv-input-accel.c.
package struct MotionAxes: InputLogic {
  package private(set) var kind = CDESKTOP_INPUT_NONE
  package var samples: Int32 { 100 }

  package init() {}

  package mutating func take(_ seen: borrowing Observation, at now: Instant, _ report: inout InputReport) {
    guard let reading = seen.reading else { return }
    kind = reading.rotation == nil ? CDESKTOP_INPUT_FORCE : CDESKTOP_INPUT_MOTION
    // A still board sends nothing: its noise is at most 40 mg. Its rate is 0, because a game adds up any other.
    let isStill = seen.snapshot.isStill == true
    move(0, to: reading.force, perUnit: 32, least: isStill ? 82 : 1, &report)
    if let rate = reading.rotation { move(3, to: isStill ? .zero : rate, perUnit: 4_096, &report) }
    guard report.count > 0 else { return }
    report.add(CDESKTOP_MSC_TIMESTAMP, Int32(truncatingIfNeeded: reading.instant.microseconds))
  }

  /// Moves three axes: `perUnit` is 65536 over the resolution, 2048 a g (±16 g; iio-sensor-proxy adds two squares of it
  /// in 32 bits) and 16 a °/s (±2048 °/s).
  private func move(_ first: Int, to vector: Vector3, perUnit: Int32, least: Int32 = 1, _ report: inout InputReport) {
    report.move(first, to: vector.x.raw / perUnit, least: least)
    report.move(first &+ 1, to: vector.y.raw / perUnit, least: least)
    report.move(first &+ 2, to: vector.z.raw / perUnit, least: least)
  }
}
