import Emulation
import FixedPoint
import Orientation

/// A motion of the board as a sensor feels it that is mounted on the board in its own way.
struct MountedMotion: Motion {
  private let motion: any Motion
  private let mounting: Mounting

  init(_ motion: any Motion, on mounting: Mounting) {
    self.motion = motion
    self.mounting = mounting
  }

  var duration: Microseconds { motion.duration }

  func specificForce(at time: Microseconds) -> Vector3 { mounting.undone(on: motion.specificForce(at: time)) }
}
