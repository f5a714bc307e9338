// The rest of a firmware's use of the core: the board's picture, its scrolling and its calibration.
internal import Plumb

/// An interface that rotates.
struct Picture {
  var rotation: InterfaceRotation

  init(_ rotation: InterfaceRotation) { self.rotation = rotation }

  /// Takes a pose; returns the number of its events, and one more in portrait.
  mutating func step(_ pose: PoseState, at now: Instant) -> UInt64 {
    let events = rotation.step(pose, at: now)
    var count: UInt64 = rotation.shown(at: now) == .portrait ? 1 : 0
    var index = 0
    while events[index] != nil {
      count &+= 1
      index &+= 1
    }
    return count
  }
}

/// Gestures of one sample, and its motion without gravity.
struct AdaptiveGestures {
  var lowPass = AdaptiveLowPass()
  var shake = ShakeDetector()
  var scroll = TiltScroll()

  mutating func step(_ force: Vector3, at now: Instant) -> Int32 {
    let motion = HighPass.motion(of: force, without: lowPass.step(force, at: now))
    let isShake = shake.step(force, motion: motion, at: now)
    let position = scroll.step(force, at: now)
    let offset = position.offset(
      of: TiltScroll.PixelSize(width: 640, height: 4_000), in: TiltScroll.PixelSize(width: 320, height: 240))
    if isShake { scroll.settle() }
    return offset.x &+ offset.y
  }
}

/// Six positions and two poses; returns the scale of X, or nil if they are insufficient.
func calibrated(_ calibration: inout SixPositionCalibration, _ force: Vector3, _ faceUp: Vector3, at now: Instant)
  -> Int32?
{
  guard case .complete = calibration.step(force, at: now) else { return nil }
  do throws(SixPositionError) {
    let result = try calibration.result()
    do throws(MountingFinderError) {
      let mounting = try MountingFinder.mounting(upright: force, faceUp: faceUp)
      return Alignment(result.calibration, mounting).applied(to: force).x.raw &+ result.after(.plusX).tilt.raw
    } catch { return nil }
  } catch { return nil }
}
