import Emulation
import FixedPoint
import Sensors

/// A specific force that never changes, in counts of `unit` / 65536 g.
struct Still: Motion, Equatable {
  var x: Int32
  var y: Int32
  var z: Int32
  /// 256 is 1/256 g, which an ADXL345 counts in; 32 is 1/2048 g, which is a whole number of counts of every MPU-6050.
  var unit: Int32 = 256
  var duration: Microseconds { .zero }
  /// What the driver has to make of it, clipped nowhere.
  var vector: Vector3 { Vector3(x: Q16(raw: x * unit), y: Q16(raw: y * unit), z: Q16(raw: z * unit)) }
  func specificForce(at time: Microseconds) -> Vector3 { vector }
}

/// What `body` threw; nil when it went through.
func sensorError(of body: () throws(SensorError) -> Void) -> SensorError? {
  do throws(SensorError) {
    try body()
    return nil
  } catch { return error }
}
