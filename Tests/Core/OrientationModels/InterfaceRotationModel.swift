import FixedPoint
package import Orientation

/// The reports of an interface, in words that share nothing with the code under test: `P`, `U`, `L` and `R` are the
/// interface orientations.
package enum Told: Equatable {
  case will(Character, Character, Int64)
  case first
  case second
  case did(Character)
  case redirected(Character, Int64)
}

/// A rotation as a script of phases with due times, on its own clock that never runs backwards.
package struct RotationModel {
  package let duration: Int64
  package let supported: Set<Character>
  package private(set) var shown: Character
  private var goal: Character
  private var target: Character
  private var script: [(due: Int64, phase: Told)] = []
  private var clock: Int64 = 0
  private var lastTime: Int64?

  package init(duration: Int64, supported: Set<Character>, start: Character) {
    self.duration = duration
    self.supported = supported
    shown = start
    goal = start
    target = start
  }

  /// When the next phase is due, on the caller's clock.
  package var nextTime: Int64? {
    guard let due = script.first?.due, let lastTime else { return nil }
    return lastTime + due - clock
  }

  package mutating func step(_ pose: Pose?, at time: Int64) -> [Told] {
    if let lastTime, time > lastTime { clock += time - lastTime }
    lastTime = time
    var told: [Told] = []
    perform(&told)
    if let pose, let wanted = RotationModel.upright[pose], supported.contains(wanted) { goal = wanted }
    if script.isEmpty, goal != shown {
      target = goal
      script = [
        (clock, .will(shown, goal, duration)), (clock, .first), (clock + duration / 2, .second),
        (clock + duration, .did(shown)),
      ]
      perform(&told)
    } else if script.first?.phase == .second, target != goal {
      target = goal
      told.append(.redirected(goal, script[1].due - clock))
    }
    return told
  }

  private mutating func perform(_ told: inout [Told]) {
    while let next = script.first, next.due <= clock {
      told.append(next.phase)
      if case .did = next.phase { shown = target }
      script.removeFirst()
    }
  }

  /// The interface orientation that is upright in a device pose: the mirror.
  package static let upright: [Pose: Character] = [
    .portrait: "P", .portraitUpsideDown: "U", .landscapeLeft: "R", .landscapeRight: "L",
  ]
}

/// An interface under test that responds in the words of the model.
package struct RotatingInterface {
  package static let letters: [Character] = ["P", "U", "L", "R"]
  package var rotation: InterfaceRotation

  /// `mask` as bits P, U, L, R from the lowest.
  package init(mask: UInt8 = 15, start: InterfaceOrientation? = nil, duration: Int64) throws(InterfaceRotationError) {
    rotation = InterfaceRotation(
      try InterfaceRotation.Configuration(
        supported: SupportedOrientations(bits: mask), start: start, duration: Microseconds(duration)))
  }

  package mutating func step(_ pose: Pose?, at time: Int64) -> [Told] {
    let events = rotation.step(pose.map { .known($0) } ?? .unknown(.ambiguous), at: Instant(microseconds: time))
    return (0..<events.count).compactMap { events[$0].map(told) }
  }

  private func told(_ event: RotationEvent) -> Told {
    switch event {
    case .willRotate(let from, let to, let duration): .will(letter(from), letter(to), duration.count)
    case .firstHalf: .first
    case .secondHalf: .second
    case .didRotate(let from): .did(letter(from))
    case .redirected(let to, let remaining): .redirected(letter(to), remaining.count)
    }
  }

  package var shown: Character { letter(rotation.orientation) }
}

package func letter(_ orientation: InterfaceOrientation) -> Character {
  switch orientation {
  case .portrait: "P"
  case .portraitUpsideDown: "U"
  case .landscapeLeft: "L"
  case .landscapeRight: "R"
  }
}

/// All poses, and none.
package let posesAndNone: [Pose?] = [
  .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown, nil,
]
