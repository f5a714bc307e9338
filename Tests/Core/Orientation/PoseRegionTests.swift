import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

/// Where each pose is kept and where it is entered, over the whole sphere, after every other pose.
struct PoseRegionTests {
  /// A board that was in `previous` and is held at `force`, without noise, until nothing changes any more.
  private static func outcome(_ previous: SettledBoard, _ force: Force) -> SettledBoard {
    var board = previous
    board.hold(force, for: 1.4)
    return board
  }

  @Test(arguments: Pose.all)
  static func `over the whole sphere a pose is kept exactly inside its region and left outside, in one change`(
    previous: Pose
  ) {
    let settled = SettledBoard(at: .at(rest: previous), rate: 25)
    for force in Force.sphere(step: runsLongTests ? 0.5 : 2.5) {
      let entered = Pose.faces.first { $0 != previous && force.entry($0) > 0 }
      let margins = [force.inside(previous)] + Pose.faces.filter { $0 != previous }.map { force.entry($0) }
      // On a boundary either result is right.
      if margins.contains(where: { abs($0) < 0.05 }) { continue }
      let board = Self.outcome(settled, force)
      let isKept = force.inside(previous) > 0 && entered == nil
      let found = String(describing: board.pose)
      if isKept {
        if !board.changes.isEmpty { Issue.record("\(previous) at \(force.device)°, \(force.inclination)° is \(found)") }
      } else if board.changes.count != 1 || !isRight(board.pose, entered, force) {
        Issue.record(
          "after \(previous), \(force.device)°, \(force.inclination)° is \(found), \(board.changes.count) changes")
      }
    }
  }

  /// A face inside its cone, otherwise the nearest upright pose, or either of two equally near.
  private static func isRight(_ pose: Pose?, _ face: Pose?, _ force: Force) -> Bool {
    guard let pose else { return false }
    return face.map { $0 == pose } ?? (!pose.isFace && force.inside(pose) >= 14.9)
  }

  @Test
  static func `in the plane the dead band is 30° wide at every tilt, at each of the four boundaries`() {
    let step = 0.25
    for tilt in stride(from: -64.0, through: 64, by: runsLongTests ? 1 : 8) {
      for (a, b, centre) in [
        (Pose.portrait, Pose.landscapeRight, 45.0), (.landscapeRight, .portraitUpsideDown, 135),
        (.portraitUpsideDown, .landscapeLeft, -135), (.landscapeLeft, .portrait, -45),
      ] {
        // `a` is on the side of smaller angles. The dead band is where both are kept.
        let (first, second) = (SettledBoard(at: .at(rest: a), rate: 25), SettledBoard(at: .at(rest: b), rate: 25))
        let both = stride(from: centre - 25, through: centre + 25, by: step).filter { angle in
          let force = Force.held(at: angle, tilt: tilt)
          return Self.outcome(first, force).pose == a && Self.outcome(second, force).pose == b
        }
        let width = (both.last ?? 0) - (both.first ?? 0)
        expect(width, isAtLeast: 30 - 2 * step, "\(a) and \(b) at tilt \(tilt)°: \(width)°")
        expect(width, isAtMost: 30 + 2 * step, "\(a) and \(b) at tilt \(tilt)°: \(width)°")
        expect(Double(both.count - 1) * step, equals: width, "\(a) and \(b) at tilt \(tilt)°: not in one piece")
      }
    }
  }

  @Test
  static func `both faces have a 15° dead band at every device angle, against every upright pose`() {
    let step = 0.25
    for face in Pose.faces {
      let sign = face == .faceUp ? 1.0 : -1
      for device in stride(from: -180.0, to: 180, by: runsLongTests ? 1 : 7.5) {
        for neighbour in Pose.all where !neighbour.isFace && Force.held(at: device).inside(neighbour) > 1 {
          let (up, beside) = (
            SettledBoard(at: .at(rest: face), rate: 25), SettledBoard(at: .at(rest: neighbour), rate: 25)
          )
          let both = stride(from: 15.0, through: 50, by: step).filter { inclination in
            let force = Force.held(at: device, tilt: sign * (90 - inclination))
            return Self.outcome(up, force).pose == face && Self.outcome(beside, force).pose == neighbour
          }
          let width = (both.last ?? 0) - (both.first ?? 0)
          expect(width, isAtLeast: 15 - 2 * step, "\(face) and \(neighbour) at \(device)°: \(width)°")
          expect(width, isAtMost: 15 + 2 * step, "\(face) and \(neighbour) at \(device)°: \(width)°")
          expect(
            Double(both.count - 1) * step, equals: width, "\(face) and \(neighbour) at \(device)°: not in one piece")
        }
      }
    }
  }
}
