import Emulation
import FixedPoint
import Sensors

/// A constant specific force, in counts of `unit` / 65536 g.
struct Still: Motion, Equatable {
  var x: Int32
  var y: Int32
  var z: Int32
  /// 256 is 1/256 g, the count of an ADXL345; 32 is 1/2048 g, which is a whole number of counts for every MPU-6050.
  var unit: Int32 = 256
  var duration: Microseconds { .zero }
  /// The driver's result for it, unclipped.
  var vector: Vector3 { Vector3(x: Q16(raw: x * unit), y: Q16(raw: y * unit), z: Q16(raw: z * unit)) }
  func specificForce(at time: Microseconds) -> Vector3 { vector }
}

/// The error that `body` threw; nil if it threw none.
func sensorError(of body: () throws(SensorError) -> Void) -> SensorError? {
  do throws(SensorError) {
    try body()
    return nil
  } catch { return error }
}
