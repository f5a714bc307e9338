import FixedPoint
import Orientation
import Testing

@Suite struct InterfaceRotationTests {
  private typealias Input = (pose: Pose?, time: Int64)

  /// The rows of the state table, each played from the beginning with a turn of 300 µs.
  private static let rows: [(title: String, mask: UInt8, inputs: [Input], told: [[Told]])] = [
    (
      "at rest, the same orientation", 15, [(.portrait, 0), (.portrait, 1_000)],
      [[], []]
    ),
    (
      "a whole turn", 15, [(.landscapeLeft, 0), (nil, 149), (nil, 150), (nil, 299), (nil, 300), (nil, 301)],
      [[.will("P", "R", 300), .first], [], [.second], [], [.did("P")], []]
    ),
    (
      "redirected in the first half", 15, [(.landscapeLeft, 0), (.landscapeRight, 100), (nil, 150), (nil, 300)],
      [[.will("P", "R", 300), .first], [.redirected("L", 200)], [.second], [.did("P")]]
    ),
    (
      "redirected twice, at last to where it began", 15,
      [(.landscapeLeft, 0), (.portraitUpsideDown, 1), (.portrait, 149), (nil, 300)],
      [[.will("P", "R", 300), .first], [.redirected("U", 299)], [.redirected("P", 151)], [.second, .did("P")]]
    ),
    (
      "at the half exactly it is too late to redirect", 15,
      [(.landscapeLeft, 0), (.landscapeRight, 150), (nil, 300), (nil, 450), (nil, 600)],
      [
        [.will("P", "R", 300), .first], [.second], [.did("P"), .will("R", "L", 300), .first], [.second], [.did("R")],
      ]
    ),
    (
      "a goal that comes back in the second half leaves no trace", 15,
      [(.landscapeLeft, 0), (nil, 150), (.portrait, 200), (.landscapeLeft, 250), (nil, 300), (nil, 900)],
      [[.will("P", "R", 300), .first], [.second], [], [], [.did("P")], []]
    ),
    (
      "at the end exactly the next turn begins in the same step", 15,
      [(.landscapeLeft, 0), (.portrait, 300)],
      [[.will("P", "R", 300), .first], [.second, .did("P"), .will("R", "P", 300), .first]]
    ),
    (
      "faces and unknown poses change nothing", 15,
      [(.landscapeRight, 0), (.faceUp, 10), (.faceDown, 20), (nil, 30), (.faceUp, 150), (.faceDown, 300), (nil, 900)],
      [[.will("P", "L", 300), .first], [], [], [], [.second], [.did("P")], []]
    ),
    (
      "an orientation that is not supported changes nothing", 0b1001,
      [(.portraitUpsideDown, 0), (.landscapeRight, 10), (.landscapeLeft, 20), (.landscapeRight, 30), (nil, 320)],
      [[], [], [.will("P", "R", 300), .first], [], [.second, .did("P")]]
    ),
    (
      "a long gap tells all that is due, and gives a kept goal its whole time", 15,
      [(.landscapeLeft, 0), (.landscapeRight, 200), (nil, 1_000_000), (nil, 1_000_149), (nil, Int64.max)],
      [
        [.will("P", "R", 300), .first], [.second], [.did("P"), .will("R", "L", 300), .first], [],
        [.second, .did("R")],
      ]
    ),
    (
      "time that runs backwards counts as no time", 15,
      [(.landscapeLeft, 0), (nil, 100), (nil, -5_000), (nil, -4_951), (nil, -4_950), (nil, -4_801), (nil, -4_800)],
      [[.will("P", "R", 300), .first], [], [], [], [.second], [], [.did("P")]]
    ),
    (
      "a difference that no counter holds counts as time backwards", 15,
      [
        (.landscapeLeft, Int64.min), (nil, Int64.max), (nil, Int64.max), (nil, Int64.min + 148), (nil, Int64.min + 300),
      ],
      [[.will("P", "R", 300), .first], [], [], [], [.second, .did("P")]]
    ),
  ]

  @Test(arguments: rows.indices)
  func `each row of the state table is told as written: it is at rest, turns, is redirected, or keeps a goal`(
    index: Int
  ) throws {
    let row = Self.rows[index]
    var interface = try RotatingInterface(mask: row.mask, duration: 300)
    for (input, told) in zip(row.inputs, row.told) {
      #expect(interface.step(input.pose, at: input.time) == told, "\(row.title), at \(input.time)")
    }
    #expect(row.inputs.count == row.told.count)
  }

  @Test
  func `with a duration of zero all four phases come at once and in order, for each pair of orientations`() throws {
    let poses: [Pose] = [.portrait, .portraitUpsideDown, .landscapeRight, .landscapeLeft]
    for from in poses.indices {
      for to in poses.indices where to != from {
        var interface = try RotatingInterface(duration: 0)
        _ = interface.step(poses[from], at: 0)
        let letters = RotatingInterface.letters
        #expect(
          interface.step(poses[to], at: 0) == [
            .will(letters[from], letters[to], 0), .first, .second, .did(letters[from]),
          ])
        #expect(interface.shown == letters[to] && interface.rotation.nextChange == nil)
      }
    }
  }

  @Test(arguments: [1, 2, 3, 299_999, 300_000, 60_000_000] as [Int64])
  func `called only at the instants it asks for, it tells each phase at its time, and 1 µs before that nothing`(
    duration: Int64
  ) throws {
    let begin: Int64 = -17
    for pose in [Pose.portraitUpsideDown, .landscapeLeft, .landscapeRight] {
      var interface = try RotatingInterface(duration: duration)
      #expect(interface.rotation.nextChange == nil)
      var times = [(begin, interface.step(pose, at: begin))]
      while let next = interface.rotation.nextChange?.microseconds, times.count < 9 {
        if next - 1 > times.last?.0 ?? 0 { #expect(interface.step(pose, at: next - 1).isEmpty) }
        times.append((next, interface.step(pose, at: next)))
      }
      let phases = times.flatMap { time, told in told.map { (time - begin, $0) } }
      let upright = try #require(RotationModel.upright[pose])
      #expect(phases.map(\.0) == [0, 0, duration / 2, duration])
      #expect(phases.map(\.1) == [.will("P", upright, duration), .first, .second, .did("P")])
    }
  }

  @Test
  func `an event beyond the last is none`() throws {
    let configuration = try InterfaceRotation.Configuration(duration: .zero)
    var rotation = InterfaceRotation(configuration)
    let events = rotation.step(.known(.landscapeLeft), at: Instant(microseconds: 0))
    #expect(events.count == RotationEvents.capacity)
    #expect(events[-1] == nil && events[4] == nil && events[3] == .didRotate(from: .portrait))
    #expect(rotation.orientation == .landscapeRight && rotation.turn == nil)
  }

  @Test
  func `each phase and the redirection has the name that its case has`() {
    let events: [RotationEvent] = [
      .willRotate(from: .portrait, to: .landscapeLeft, duration: .zero), .firstHalf, .secondHalf,
      .didRotate(from: .portrait), .redirected(to: .portrait, remaining: .zero),
    ]
    #expect(events.map { "\($0.name)" } == ["willRotate", "firstHalf", "secondHalf", "didRotate", "redirected"])
  }

  @Test
  func `until it is over a turn says where it leads and how much is left`() throws {
    var interface = try RotatingInterface(duration: 300)
    _ = interface.step(.landscapeLeft, at: 0)
    _ = interface.step(.portraitUpsideDown, at: 100)
    let first = try #require(interface.rotation.turn)
    #expect((first.from, first.to) == (.portrait, .portraitUpsideDown))
    #expect(first.remaining == Microseconds(200) && !first.isPastHalf)
    _ = interface.step(.landscapeRight, at: 180)
    let second = try #require(interface.rotation.turn)
    #expect((second.from, second.to) == (.portrait, .portraitUpsideDown))
    #expect(second.remaining == Microseconds(120) && second.isPastHalf)
    #expect(interface.rotation.orientation == .portrait && interface.rotation.goal == .landscapeLeft)
  }
}
