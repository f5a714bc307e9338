import Emulation
import FixedPoint
import Gestures
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// Shakes, rotation, fading lines and scrolling as the whole loop yields them, on an emulated board.
struct MovementTests {
  /// From portrait to `pose` at 2 s, instantly, and held there for 3 s.
  private static func turn(to pose: Pose) -> AttitudePath {
    AttitudePath([
      AttitudePath.Stop(.portrait, held: .seconds(2)), AttitudePath.Stop(attitude(of: pose), held: .seconds(3)),
    ])
  }

  private static func attitude(of pose: Pose) -> Attitude {
    switch pose {
    case .faceUp: Attitude(deviceAngle: .zero, tilt: .quarterTurn)
    case .faceDown: Attitude(deviceAngle: .zero, tilt: .zero - .quarterTurn)
    default: Attitude(deviceAngle: pose.deviceAngle, tilt: .zero)
    }
  }

  @Test(arguments: [Rig.Part.adxl345, .mpu6050(EmulatedMPU6050.Configuration())])
  static func `a shake is reported once, and keeps the pose`(_ part: Rig.Part) {
    let outcome = Rig(motion: Shake(), part: part, movement: Movement.Configuration()).run(for: .seconds(5))
    expect(outcome.events.count { $0.event == .shake }, equals: 1)
    expect(outcome.counters.shakes, equals: 1)
    expect(outcome.poses, equals: [.portrait])
  }

  @Test static func `without movement in the configuration no movement is reported`() {
    let shaken = Rig(motion: Shake()).run(for: .seconds(5))
    let turned = Rig(motion: Self.turn(to: .landscapeLeft)).run(for: .seconds(5))
    expect(shaken.events.count, equals: 1)
    expect(turned.events.count, equals: 2)
    expect(shaken.counters.shakes, equals: 0)
  }

  @Test static func `the four phases come on time, by the clock, between two upright poses`() throws {
    for duration in [Microseconds.zero, .milliseconds(7), .milliseconds(300), .milliseconds(1_003)] {
      var movement = Movement.Configuration()
      movement.rotation = try InterfaceRotation.Configuration(duration: duration)
      let outcome = Rig(motion: Self.turn(to: .landscapeLeft), movement: movement).run(for: .seconds(5))
      let phases = outcome.rotations
      let half = Microseconds(duration.count / 2)
      expect(
        phases.map(\.event),
        equals: [
          .willRotate(from: .portrait, to: .landscapeRight, duration: duration), .firstHalf, .secondHalf,
          .didRotate(from: .portrait),
        ])
      let begin = try require(phases.first).at
      expect(phases.map { $0.at - begin }, equals: [.zero, .zero, half, duration], "\(duration.count)")
      expect(any: outcome.events) { $0.at == begin && $0.event.isPose }
    }
  }

  @Test(arguments: [Pose.faceUp, .faceDown]) static func `lying on a face does not rotate the interface`(_ pose: Pose) {
    let outcome = Rig(motion: Self.turn(to: pose), movement: Movement.Configuration()).run(for: .seconds(5))
    expect(outcome.poses, equals: [.portrait, pose])
    expect(that: outcome.rotations.isEmpty)
  }

  @Test static func `a rotation in progress continues by the clock when the sensor falls silent`() throws {
    let gone = FaultPlan.When.during(.milliseconds(2_080)..<Microseconds.seconds(100))
    let outcome = Rig(
      motion: Self.turn(to: .landscapeRight), plan: [.init(.noAcknowledge, gone)], movement: Movement.Configuration()
    ).run(for: .seconds(4))
    let phases = outcome.rotations
    expect(phases.count, equals: 4)
    expect(outcome.finalState, equals: .unknown(.fault))
    try expect(require(phases.last).at - require(phases.first).at, equals: .milliseconds(300))
  }
}

extension MovementTests {
  @Test func `old and new line alternate until the interface has rotated, and each change is written once`() throws {
    let fading = Movement.Configuration(crossFades: true)
    let outcome = Rig(motion: Self.turn(to: .landscapeLeft), movement: fading).run(for: .seconds(5))
    let begin = try require(outcome.rotations.first).at
    let (old, new) = (Levels.oneHot(.portrait), Levels.oneHot(.landscapeLeft))
    let fade = CrossFade(over: .milliseconds(300))
    let shown = outcome.outputs.writes.filter { $0.instant >= begin }
    expect(shown.count, equals: 7)
    expect(shown.last?.levels, equals: new)
    for write in shown {
      expect(
        write.levels, equals: fade.showsNew(after: write.instant - begin) ? new : old, "\(write.instant.microseconds)")
    }
    expect(outcome.outputWrites, equals: 8)
  }

  @Test(arguments: [ADXL345.OutputDataRate.hz100, .hz12_5])
  func `a line of a fade changes when it is due, not with the next sample`(_ rate: ADXL345.OutputDataRate) throws {
    let fading = Movement.Configuration(crossFades: true)
    let outcome = Rig(motion: Self.turn(to: .landscapeLeft), rate: rate, movement: fading).run(for: .seconds(5))
    let begin = try require(outcome.rotations.first).at
    let fade = CrossFade(over: .milliseconds(300))
    var due: [Microseconds] = []
    while let next = fade.nextFlip(after: due.last ?? .zero) { due.append(next) }
    expect(due.count, equals: 7)
    expect(outcome.outputs.writes.filter { $0.instant > begin }.map { $0.instant - begin }, equals: due)
  }

  @Test(arguments: [false, true])
  func `a monitor wants a turn between samples only while lines fade`(_ fades: Bool)
    throws
  {
    var monitor = Monitor(
      Monitor.Configuration(
        period: .milliseconds(100), fullScale: Q16(whole: 16), movement: Movement.Configuration(crossFades: fades)),
      at: at(0))
    _ = monitor.started(settling: .zero, at: at(0))
    for sample in 0..<40 as Range<Int64> {
      let isTurned = sample >= 10
      let force = Vector3(
        x: isTurned ? .one : Q16(raw: Int32(sample)), y: isTurned ? Q16(raw: Int32(sample)) : .one, z: .zero)
      let report = monitor.sampled(Measurement(force: force), at: at(sample * 100))
      let isTurning = (0..<report.events.count).contains {
        if case .rotation(.willRotate) = report.events[$0]?.event { true } else { false }
      }
      guard isTurning else { continue }
      let next = monitor.next.at - at(sample * 100)
      expect(
        next,
        equals: fades ? try require(CrossFade(over: .milliseconds(300)).nextFlip(after: .zero)) : .milliseconds(100))
      return
    }
    Issue.record("the board has not turned")
  }

  @Test(arguments: [Pose.faceUp, .landscapeLeft])
  func `lines do not fade from an unknown pose, nor to a face`(_ pose: Pose) {
    let fading = Movement.Configuration(crossFades: true)
    let start = Rig(motion: AttitudePath.hold(Self.attitude(of: pose)), movement: fading).run(for: .seconds(2))
    expect(start.outputs.writes.map(\.levels), equals: [.oneHot(pose)])
    let face = Rig(motion: Self.turn(to: .faceDown), movement: fading).run(for: .seconds(5))
    expect(face.outputs.writes.map(\.levels), equals: [.oneHot(.portrait), .oneHot(.faceDown)])
  }

  @Test func `a face that comes in the middle of a fade is shown at once`() {
    let path = AttitudePath([
      AttitudePath.Stop(.portrait, held: .seconds(2)),
      AttitudePath.Stop(Self.attitude(of: .landscapeRight), held: .milliseconds(180)),
      AttitudePath.Stop(Self.attitude(of: .faceUp), held: .seconds(3)),
    ])
    let outcome = Rig(motion: path, movement: Movement.Configuration(crossFades: true)).run(for: .seconds(5))
    expect(outcome.poses, equals: [.portrait, .landscapeRight, .faceUp])
    let entered = outcome.events.last { $0.event.isPose }?.at
    expect(outcome.outputs.writes.last?.levels, equals: .oneHot(.faceUp))
    expect(outcome.outputs.writes.last?.instant, equals: entered)
    expect(outcome.rotations.last?.event, equals: .didRotate(from: .portrait))
  }
}

extension Rig.Outcome {
  /// The phases of the interface's rotations, and their times.
  var rotations: [(at: Instant, event: RotationEvent)] {
    events.compactMap { if case .rotation(let phase) = $0.event { ($0.at, phase) } else { nil } }
  }
}

extension Event {
  fileprivate var isPose: Bool { if case .pose = self { true } else { false } }
}
