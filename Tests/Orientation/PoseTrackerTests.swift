import FixedPoint
import Orientation
import Testing

@Suite struct PoseTrackerTests {
  @Test(arguments: Pose.all)
  func `the first valid sample gives a pose at once`(pose: Pose) {
    var board = TrackedBoard()
    #expect(board.tracker.state == .unknown(.notYetSampled))
    board.play(for: 0.02) { _ in Force.at(rest: pose) }
    #expect(board.changes.map(\.change) == [change(.unknown(.notYetSampled), .known(pose))])
  }

  @Test
  func `each of the 30 ways from one pose to another is one change, after the dwell and not before`() {
    for from in Pose.all {
      for to in Pose.all where to != from {
        var board = TrackedBoard()
        board.play(for: 1) { _ in Force.at(rest: from) }
        board.play(for: 1) { _ in Force.at(rest: to) }
        #expect(board.changes.dropFirst().map(\.change) == [change(.known(from), .known(to))])
        // The first sample of the new pose comes at 1 s; with a dwell of 40 ms the third one settles it.
        #expect(board.changes.last.map { abs($0.time - 1.04) < 1e-9 } == true)
      }
    }
  }

  @Test(arguments: Pose.all)
  func `a pose that is held for less than the dwell leaves no trace`(from: Pose) {
    for to in Pose.all where to != from {
      var board = TrackedBoard()
      board.play(for: 1) { _ in Force.at(rest: from) }
      for _ in 0..<50 {
        board.play(for: 0.04) { _ in Force.at(rest: to) }
        board.play(for: 0.04) { _ in Force.at(rest: from) }
      }
      #expect(board.changes.count == 1)
    }
  }

  @Test
  func `dwell is real time: any sampling rate settles at the first sample after it`() {
    for period in [0.001, 0.005, 0.01, 0.025, 0.04, 0.1, 0.5] {
      var board = TrackedBoard()
      board.period = period
      board.play(for: 1) { _ in Force.at(rest: .portrait) }
      board.play(for: 2) { _ in Force.at(rest: .landscapeLeft) }
      let expected = 1 + (0.04 / period - 1e-9).rounded(.up) * period
      #expect(board.changes.last.map { abs($0.time - expected) < 1e-6 } == true, "at \(period) s")
    }
  }

  @Test(arguments: [0.0, 0.3, 0.59, 1.41, 3, 16])
  func `nothing new is decided while the magnitude is outside 0.6 to 1.4 g`(magnitude: Double) {
    var board = TrackedBoard()
    board.play(for: 1) { _ in Force.at(rest: .portrait) }
    board.play(for: 0.9) { _ in Force(x: magnitude) }
    #expect(board.changes.count == 1)
    #expect(board.pose == .portrait)
  }

  @Test
  func `a gate that stays closed ends in its reason, after the patience of 1 s, and a valid sample ends that`() {
    for (magnitude, reason) in [(0.1, UnknownReason.freeFall), (2, .accelerating)] {
      var board = TrackedBoard()
      board.play(for: 1) { _ in Force.at(rest: .faceUp) }
      board.play(for: 3) { _ in Force(z: magnitude) }
      board.play(for: 0.1) { _ in Force.at(rest: .landscapeLeft) }
      #expect(
        board.changes.dropFirst().map(\.change) == [
          change(.known(.faceUp), .unknown(reason)), change(.unknown(reason), .known(.landscapeLeft)),
        ])
      #expect(board.changes[1].time > 1.98 && board.changes[1].time <= 2.02)
    }
  }

  @Test
  func `before the first valid sample the reason is known at once`() {
    var board = TrackedBoard()
    board.play(for: 0.1) { _ in Force(x: 0.2) }
    #expect(board.tracker.state == .unknown(.freeFall))
    board.play(for: 0.1) { _ in Force(x: 1.9) }
    #expect(board.tracker.state == .unknown(.accelerating))
  }

  @Test
  func `a pose contradicted for 1 s by ever other candidates is ambiguous`() throws {
    var board = TrackedBoard()
    board.tracker = PoseTracker(try PoseTracker.Configuration(dwell: .milliseconds(500)))
    board.play(for: 1) { _ in Force.at(rest: .portrait) }
    board.play(for: 1.1) { $0.remainder(dividingBy: 0.4) < 0 ? .at(rest: .landscapeLeft) : .at(rest: .faceUp) }
    #expect(board.changes.dropFirst().first?.change == change(.known(.portrait), .unknown(.ambiguous)))
  }

  @Test
  func `a force that lies beyond a boundary by ever so little changes the pose after 1 s at the latest`() {
    for angle in [60.1, 60.5, 61, 62] {
      var board = TrackedBoard()
      board.play(for: 1) { _ in Force.held(at: 0) }
      board.play(for: 1.1) { _ in Force.held(at: angle) }
      #expect(board.pose == .landscapeRight, "at \(angle)°")
      board.play(for: 10) { _ in Force.held(at: 30.1) }
      #expect(board.pose == .landscapeRight)
    }
  }

  @Test
  func `a pause over 1 s makes the pose stale, and the next sample decides at once`() {
    var board = TrackedBoard()
    board.play(for: 1) { _ in Force.at(rest: .portrait) }
    let last = Instant(microseconds: 980_000)
    #expect(board.tracker.expire(at: last + .seconds(1)) == nil)
    let expired = board.tracker.expire(at: last + .seconds(1) + Microseconds(1))
    #expect(expired == change(.known(.portrait), .unknown(.stale)))
    #expect(board.tracker.expire(at: last + .seconds(9)) == nil)
    let next = board.tracker.step(Force.at(rest: .faceDown).vector, at: last + .seconds(9))
    #expect(next == change(.unknown(.stale), .known(.faceDown)))
  }

  @Test
  func `time that runs backwards keeps the pose and begins every dwell anew`() {
    var tracker = PoseTracker()
    let other = Force.at(rest: .landscapeLeft).vector
    _ = tracker.step(Force.at(rest: .portrait).vector, at: Instant(microseconds: 0))
    for round in 0..<100 {
      // Each round goes back to the same three instants, the last one 30 ms after the first.
      for time in [100_000, 115_000, 130_000] as [Int64] {
        #expect(tracker.step(other, at: Instant(microseconds: time)) == nil, "round \(round)")
      }
    }
    #expect(tracker.state == .known(.portrait))
  }

  @Test
  func `what was settled before a fault leaves no trace in what is decided after it`() {
    var board = TrackedBoard()
    board.play(for: 1) { _ in Force.held(at: 0, tilt: 62) }
    board.play(for: 1) { _ in Force.held(at: 90, tilt: 62) }
    #expect(board.pose == .landscapeRight)
    _ = board.tracker.fail()
    board.play(for: 2) { _ in Force.held(at: 0, tilt: 66.5) }
    #expect(board.pose == .faceUp)
  }

  @Test
  func `a fault gives the pose up, once, and the next sample decides anew`() {
    var tracker = PoseTracker()
    #expect(tracker.fail() == change(.unknown(.notYetSampled), .unknown(.fault)))
    #expect(tracker.fail() == nil)
    let force = Force.at(rest: .faceUp).vector
    let decided = tracker.step(force, at: Instant(microseconds: 0))
    #expect(decided == change(.unknown(.fault), .known(.faceUp)))
  }
}

func change(_ from: PoseState, _ to: PoseState) -> PoseChange? { PoseChange(from: from, to: to) }
