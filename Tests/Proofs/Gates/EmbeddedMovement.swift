// The rest of a firmware's use of the core: what moves a board's picture, its pages and its calibration.
internal import Plumb

/// An interface that turns, and two readers of what it tells.
struct Picture {
  var rotation: InterfaceRotation
  var log = EventLog<RotationEvent, 12, 2>()
  var reader: EventLog<RotationEvent, 12, 2>.Cursor

  init(_ rotation: InterfaceRotation) throws(EventLogError) {
    self.rotation = rotation
    reader = try log.open()
  }

  /// Takes a pose in; returns how many events were told or missed since the last.
  mutating func step(_ pose: PoseState, at now: Instant) throws(EventLogError) -> UInt64 {
    let events = rotation.step(pose, at: now)
    var index = 0
    while let event = events[index] {
      log.append(event)
      index &+= 1
    }
    var told: UInt64 = rotation.shown(at: now) == .portrait ? 1 : 0
    while let reading = try log.next(reader) {
      switch reading {
      case .missed(let count): told &+= count
      case .element: told &+= 1
      }
    }
    return told
  }
}

/// Gestures of one sample, and what is left of it without gravity.
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

/// What a monitor tells two observers, one of which goes; returns how many events the other has read.
func observed(_ monitor: inout Monitor) throws(EventLogError) -> UInt64 {
  let (first, second) = (try monitor.observe(), try monitor.observe())
  try monitor.dismiss(first)
  var told: UInt64 = 0
  while let reading = try monitor.next(for: second) {
    if case .element(let occurrence) = reading { told &+= occurrence.event == .shake ? 2 : 1 }
  }
  monitor.scroll(to: .start)
  return told
}

/// Six positions and two poses; returns the scale of X, or nil where they do not do.
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
