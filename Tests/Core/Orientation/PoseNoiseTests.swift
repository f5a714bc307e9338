import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

/// The pose tracker with white noise on each axis: over the whole sphere, after every pose, at several rates.
struct PoseNoiseTests {
  static let seeds: [UInt64] = runsLongTests ? Array(1...8) : [1]

  /// Directions to hold still: over the sphere up to 75° of tilt, and close to every boundary.
  private static func directions(_ noise: inout Noise, count: Int) -> [Force] {
    (0..<count).map { index in
      let (side, turn) = (index & 4 == 0 ? 1.0 : -1, 90 * Double(index & 3))
      let edge = turn + (index & 8 == 0 ? 1 : -1) * noise.number(57...63)
      let anywhere = noise.number(-180...180)
      switch index / 16 % 5 {
      case 0: return .held(at: anywhere, tilt: noise.number(-75...75))
      case 1: return .held(at: anywhere, tilt: side * (90 - noise.number(22...28)))
      case 2: return .held(at: anywhere, tilt: side * (90 - noise.number(37...43)))
      case 3: return .held(at: edge, tilt: noise.number(-75...75))
      default: return .held(at: edge, tilt: side * (90 - noise.number(24...26)))
      }
    }
  }

  @Test(arguments: [(0.03, 1), (0.06, 2)], seeds)
  static func `put down from any pose and held for 60 s, it changes at most once, or twice at double noise`(
    _ figure: (deviation: Double, limit: Int), seed: UInt64
  ) {
    var noise = Noise(seed: seed &* 2 &+ UInt64(figure.limit))
    let settled = Pose.all.map { SettledBoard(at: .at(rest: $0)) }
    for (index, force) in Self.directions(&noise, count: runsLongTests ? 2_400 : 480).enumerated() {
      // One in seven begins without a pose: its first sample gives one, which does not count.
      let previous = index * 5 % 7
      var board = previous < 6 ? settled[previous] : SettledBoard(at: nil)
      if previous == 6 { board.step(noise.added(to: force, figure.deviation)) }
      let before = board.changes.count
      board.hold(force, for: 60, figure.deviation, &noise)
      if board.changes.count - before > figure.limit {
        Issue.record("\(force.device)°, \(force.inclination)° after \(previous): \(board.changes)")
      }
    }
  }

  @Test(arguments: seeds)
  static func `a pose is kept for 60 s one degree inside its region, at every tilt where the plane decides`(
    seed: UInt64
  ) {
    var noise = Noise(seed: seed &+ 500)
    for tilt in [-64.0, -62, -60, -40, 0, 20, 50, 61, 63, 64] {
      for pose in Pose.all where !pose.isFace {
        for side in [-59.0, 59] {
          let centre = pose == .portrait ? 0 : pose == .portraitUpsideDown ? 180 : pose == .landscapeLeft ? -90 : 90.0
          var board = SettledBoard(at: .at(rest: pose))
          board.hold(.held(at: centre + side, tilt: tilt), for: runsLongTests ? 60 : 20, 0.03, &noise)
          if !board.changes.isEmpty { Issue.record("\(pose) at \(side)°, tilt \(tilt)°: \(board.changes)") }
        }
      }
    }
  }

  @Test(arguments: seeds)
  static func `turned slowly back and forth, the dead band is 28° or more, at every tilt up to 62°`(seed: UInt64) {
    var noise = Noise(seed: seed &+ 600)
    for tilt in [-62.0, -50, 0, 30, 60, 62] {
      for speed in [1.0, 3, 10, 30] {
        for centre in [0.0, 90, 180, -90] {
          var board = SettledBoard(at: .held(at: centre, tilt: tilt))
          guard let start = board.pose, !start.isFace else {
            Issue.record("tilt \(tilt)° is a face")
            continue
          }
          let left = turn(&board, centre + 50, centre + 110, speed, tilt, &noise) { $0 != start }
          let entered = turn(&board, centre + 45, centre - 20, -speed, tilt, &noise) { $0 == start }
          expect(
            left - entered, isAtLeast: 28, "tilt \(tilt)°, \(speed)°/s, \(start): left \(left)°, entered \(entered)°")
        }
      }
    }
  }

  /// The angle at which the pose first meets `condition`, or the last angle if it never does.
  private static func turn(
    _ board: inout SettledBoard, _ from: Double, _ to: Double, _ speed: Double, _ tilt: Double, _ noise: inout Noise,
    until condition: (Pose?) -> Bool
  ) -> Double {
    var angle = from
    while (to - angle) * speed > 0 {
      board.step(noise.added(to: .held(at: angle, tilt: tilt), 0.03))
      if condition(board.pose) { return angle }
      angle += speed / 50
    }
    return speed > 0 ? -360 : 360
  }

  @Test(arguments: [(25.0, 0.31), (50, 0.30), (100, 0.29), (200, 0.285)], seeds)
  static func `a 90° turn of 0.3 s at 20° tilt is one event, soon, at any rate and offset between samples`(
    _ figure: (rate: Double, limit: Double), seed: UInt64
  ) {
    var noise = Noise(seed: seed &+ 700)
    for index in 0..<(runsLongTests ? 2_000 : 400) {
      let (centre, sign) = (90 * Double(index & 3), index & 4 == 0 ? 1.0 : -1)
      var board = SettledBoard(at: .held(at: centre, tilt: 20), rate: figure.rate)
      let start = board.time + noise.number(0...1) / figure.rate
      for _ in 0..<Int(1.5 * figure.rate) {
        let part = max(0, min(1, (board.time - start) / 0.3))
        board.step(noise.added(to: .held(at: centre + sign * 90 * part, tilt: 20), 0.03))
      }
      let times = board.changes.map { $0.time - start }
      if times.count != 1 || times[0] > figure.limit { Issue.record("\(figure.rate) Hz: \(times)") }
    }
  }

  @Test(arguments: [25.0, 50, 100, 200])
  static func `a shake of 5 Hz and 1.5 g leaves no pose across it, at any rate`(rate: Double) {
    var noise = Noise(seed: 800)
    for pose in Pose.all {
      for along in Pose.all where along != pose && along != pose.opposite {
        for _ in 0..<(runsLongTests ? 100 : 4) {
          let (phase, axis, rest) = (noise.number(0...(2 * .pi)), Force.at(rest: along), Force.at(rest: pose))
          var board = SettledBoard(at: rest, rate: rate)
          let start = board.time
          for _ in 0..<Int(3 * rate) {
            let motion = 1.5 * sin(2 * .pi * 5 * (board.time - start) + phase)
            let force = Force(x: rest.x + motion * axis.x, y: rest.y + motion * axis.y, z: rest.z + motion * axis.z)
            board.step(noise.added(to: force, 0.03))
          }
          board.hold(rest, for: 1, 0.03, &noise)
          if !board.changes.isEmpty { Issue.record("\(pose) along \(along) at \(rate) Hz: \(board.changes)") }
        }
      }
    }
  }
}
