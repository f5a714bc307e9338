import FixedPoint
import Orientation
import OrientationModels
import TestSupport
import Testing

struct InterfaceRotationTests {
  private typealias Input = (pose: Pose?, time: Int64)

  /// The rows of the state table, each played from the beginning with a rotation of 300 µs.
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
  static func `each row of the state table gives its reports: at rest, rotating, redirected, with a goal kept`(
    index: Int
  ) throws {
    let row = Self.rows[index]
    var interface = try RotatingInterface(mask: row.mask, duration: 300)
    for (input, told) in zip(row.inputs, row.told) {
      expect(interface.step(input.pose, at: input.time), equals: told, "\(row.title), at \(input.time)")
    }
    expect(row.inputs.count, equals: row.told.count)
  }

  @Test
  static func `with a duration of zero all four phases come at once and in order, for each pair`() throws {
    let poses: [Pose] = [.portrait, .portraitUpsideDown, .landscapeRight, .landscapeLeft]
    for from in poses.indices {
      for to in poses.indices where to != from {
        var interface = try RotatingInterface(duration: 0)
        _ = interface.step(poses[from], at: 0)
        let letters = RotatingInterface.letters
        expect(
          interface.step(poses[to], at: 0),
          equals: [
            .will(letters[from], letters[to], 0), .first, .second, .did(letters[from]),
          ])
        expect(interface.shown, equals: letters[to])
        expect(interface.rotation.nextChange, equals: nil)
      }
    }
  }

  @Test(arguments: [1, 2, 3, 299_999, 300_000, 60_000_000] as [Int64])
  static func `called only when due, it reports each phase on time, and 1 µs before nothing`(
    duration: Int64
  ) throws {
    let begin: Int64 = -17
    for pose in [Pose.portraitUpsideDown, .landscapeLeft, .landscapeRight] {
      var interface = try RotatingInterface(duration: duration)
      expect(interface.rotation.nextChange, equals: nil)
      var times = [(begin, interface.step(pose, at: begin))]
      while let next = interface.rotation.nextChange?.microseconds, times.count < 9 {
        if next - 1 > times.last?.0 ?? 0 { expect(empty: interface.step(pose, at: next - 1)) }
        times.append((next, interface.step(pose, at: next)))
      }
      let phases = times.flatMap { time, told in told.map { (time - begin, $0) } }
      let upright = try require(RotationModel.upright[pose])
      expect(phases.map(\.0), equals: [0, 0, duration / 2, duration])
      expect(phases.map(\.1), equals: [.will("P", upright, duration), .first, .second, .did("P")])
    }
  }

  @Test
  static func `an index beyond the last event has no event`() throws {
    let configuration = try InterfaceRotation.Configuration(duration: .zero)
    var rotation = InterfaceRotation(configuration)
    let events = rotation.step(.known(.landscapeLeft), at: Instant(microseconds: 0))
    expect(events.count, equals: RotationEvents.capacity)
    #expect(events[-1] == nil && events[4] == nil && events[3] == .didRotate(from: .portrait))
    expect(rotation.orientation, equals: .landscapeRight)
    expect(rotation.turn, equals: nil)
  }

  @Test
  static func `each phase and the redirection have the names of their cases`() {
    let events: [RotationEvent] = [
      .willRotate(from: .portrait, to: .landscapeLeft, duration: .zero), .firstHalf, .secondHalf,
      .didRotate(from: .portrait), .redirected(to: .portrait, remaining: .zero),
    ]
    expect(events.map { "\($0.name)" }, equals: ["willRotate", "firstHalf", "secondHalf", "didRotate", "redirected"])
  }

  @Test
  static func `a rotation in progress reports its goal and the time left`() throws {
    var interface = try RotatingInterface(duration: 300)
    _ = interface.step(.landscapeLeft, at: 0)
    _ = interface.step(.portraitUpsideDown, at: 100)
    let first = try require(interface.rotation.turn)
    expect((first.from, first.to), equals: (.portrait, .portraitUpsideDown))
    expect(first.remaining, equals: Microseconds(200))
    expect(that: !first.isPastHalf)
    _ = interface.step(.landscapeRight, at: 180)
    let second = try require(interface.rotation.turn)
    expect((second.from, second.to), equals: (.portrait, .portraitUpsideDown))
    expect(second.remaining, equals: Microseconds(120))
    expect(that: second.isPastHalf)
    expect(interface.rotation.orientation, equals: .portrait)
    expect(interface.rotation.goal, equals: .landscapeLeft)
  }
}

struct InterfaceRotationConfigurationTests {
  /// Device pose, interface orientation, and the edge of the device at the top of the picture, as (x, y).
  private static let mirror: [(pose: Pose, orientation: InterfaceOrientation, name: String, top: [Double])] = [
    (.portrait, .portrait, "portrait", [0, 1]),
    (.portraitUpsideDown, .portraitUpsideDown, "portraitUpsideDown", [0, -1]),
    (.landscapeLeft, .landscapeRight, "landscapeRight", [1, 0]),
    (.landscapeRight, .landscapeLeft, "landscapeLeft", [-1, 0]),
  ]

  @Test
  static func `the interface mirrors the device: each orientation is upright in its pose, and in no face`() {
    for row in Self.mirror {
      expect(InterfaceOrientation(for: row.pose), equals: row.orientation)
      expect(row.orientation.pose, equals: row.pose)
      expect("\(row.orientation.name)", equals: row.name)
      // The top of the picture is where the pose's specific force points.
      expect(row.top, equals: [Force.at(rest: row.pose).x, Force.at(rest: row.pose).y])
    }
    expect(InterfaceOrientation(for: .faceUp), equals: nil)
    expect(InterfaceOrientation(for: .faceDown), equals: nil)
    expect(InterfaceOrientation.count, equals: 4)
    expect(InterfaceOrientation(rawValue: 4), equals: nil)
  }

  @Test
  static func `of all 256 masks the empty one and those with other bits are rejected, each with its reason`()
    throws
  {
    for bits in 0...255 as ClosedRange<UInt8> {
      let error = refusal { () throws(InterfaceRotationError) in _ = try SupportedOrientations(bits: bits) }
      expect(error, equals: bits == 0 ? .noOrientation : bits > 15 ? .unknownOrientation : nil)
    }
  }

  @Test
  static func `a mask contains what its bits say, and changes by one orientation`() throws {
    for bits in 1...15 as ClosedRange<UInt8> {
      let mask = try SupportedOrientations(bits: bits)
      for raw in 0...3 as ClosedRange<UInt8> {
        let orientation = try require(InterfaceOrientation(rawValue: raw))
        let bit: UInt8 = [1, 2, 4, 8][Int(raw)]
        expect(mask.contains(orientation), equals: bits & bit != 0)
        expect(mask.and(orientation).bits, equals: bits | bit)
        if bits == bit {
          let error = refusal { () throws(InterfaceRotationError) in _ = try mask.without(orientation) }
          expect(error, equals: .noOrientation)
          expect(mask, equals: SupportedOrientations(orientation))
        } else {
          try expect(mask.without(orientation).bits, equals: bits & ~bit)
        }
      }
      expect(mask.first.rawValue, equals: UInt8(bits.trailingZeroBitCount))
    }
    expect(SupportedOrientations.all.bits, equals: 0b1111)
    expect(SupportedOrientations.allButUpsideDown.bits, equals: 0b1101)
    expect(SupportedOrientations.landscape.bits, equals: 0b1100)
  }

  @Test
  static func `the standard configuration has all defaults: 300 ms, all orientations, from portrait`() throws {
    let configuration = try InterfaceRotation.Configuration()
    expect(configuration, equals: .standard)
    expect(configuration.duration, equals: Microseconds(300_000))
    expect(configuration.start, equals: .portrait)
    expect(configuration.supported.bits, equals: 15)
    expect(InterfaceRotation(), equals: InterfaceRotation(configuration))
  }

  @Test
  static func `an unsupported start is rejected; the default is the first supported orientation`() throws {
    for bits in 1...15 as ClosedRange<UInt8> {
      let mask = try SupportedOrientations(bits: bits)
      for raw in 0...3 as ClosedRange<UInt8> {
        let start = try require(InterfaceOrientation(rawValue: raw))
        let error = refusal { () throws(InterfaceRotationError) in
          _ = try InterfaceRotation.Configuration(supported: mask, start: start)
        }
        expect(error, equals: bits >> raw & 1 == 1 ? nil : .unsupportedStart)
      }
      let configuration = try InterfaceRotation.Configuration(supported: mask)
      expect(InterfaceRotation(configuration).orientation, equals: mask.first)
    }
  }

  @Test
  static func `a duration from 0 to 60 s is accepted, and any other rejected`() {
    let rows: [(Int64, InterfaceRotationError?)] = [
      (Int64.min, .duration), (-1, .duration), (0, nil), (1, nil), (60_000_000, nil), (60_000_001, .duration),
      (Int64.max, .duration),
    ]
    for (count, expected) in rows {
      let error = refusal { () throws(InterfaceRotationError) in
        _ = try InterfaceRotation.Configuration(duration: Microseconds(count))
      }
      expect(error, equals: expected, "\(count) µs")
    }
  }

  private static func refusal(_ make: () throws(InterfaceRotationError) -> Void) -> InterfaceRotationError? {
    do {
      try make()
      return nil
    } catch {
      return error
    }
  }
}

struct InterfaceRotationCrossFadeTests {
  /// The orientation shown in each sixteenth of a rotation: `.` old, `#` new.
  private static let parts = Array("...#...#.###.###")

  private static func drawing(_ duration: Int64, from first: Int64, through last: Int64) -> String {
    let fade = CrossFade(over: Microseconds(duration))
    return String((first...last).map { fade.showsNew(after: Microseconds($0)) ? "#" : "." })
  }

  @Test
  static func `old and new alternate: first mostly old, then mostly new, and only new from the end on`() {
    expect(drawing(16, from: -3, through: 18), equals: "......#...#.###.######")
    expect(drawing(32, from: -1, through: 33), equals: ".......##......##..######..########")
    expect(drawing(0, from: -2, through: 1), equals: "..##")
    expect(drawing(1, from: -2, through: 1), equals: "...#")
  }

  @Test
  static func `each microsecond of any rotation up to 200 µs, and of the standard one, shows its sixteenth`() {
    for duration in Array(1...200 as ClosedRange<Int64>) + [300_000] {
      let fade = CrossFade(over: Microseconds(duration))
      let wrong = (0..<duration).filter { elapsed in
        fade.showsNew(after: Microseconds(elapsed)) != (Self.parts[Int(elapsed * 16 / duration)] == "#")
      }
      expect(empty: wrong, "\(duration) µs")
    }
  }

  @Test
  static func `the next flip is when the picture changes next, and none follows once the new one stays`() {
    for duration in 0...100 as ClosedRange<Int64> {
      let fade = CrossFade(over: Microseconds(duration))
      for elapsed in -5...duration + 3 {
        let shown = fade.showsNew(after: Microseconds(elapsed))
        let next = (elapsed...duration + 3).first { fade.showsNew(after: Microseconds($0)) != shown }
        let told = fade.nextFlip(after: Microseconds(elapsed))?.count
        expect(told, equals: next, "\(elapsed) of \(duration) µs")
      }
    }
  }

  @Test
  static func `a duration out of range is clamped, and no time stops the program`() {
    expect(CrossFade(over: Microseconds(Int64.min)).duration, equals: .zero)
    expect(CrossFade(over: Microseconds(Int64.max)).duration, equals: .seconds(60))
    let longest = CrossFade(over: .seconds(60))
    expect(that: !longest.showsNew(after: Microseconds(Int64.min)))
    expect(that: longest.showsNew(after: Microseconds(Int64.max)))
    expect(longest.nextFlip(after: Microseconds(Int64.min)), equals: Microseconds(11_250_000))
    expect(longest.nextFlip(after: Microseconds(Int64.max)), equals: nil)
    expect(that: !longest.showsNew(after: Microseconds(11_249_999)))
    expect(that: longest.showsNew(after: Microseconds(11_250_000)))
  }

  @Test
  static func `the lamps of a rotating interface follow the cross-fade, even past an overdue end`() throws {
    var interface = try RotatingInterface(duration: 160)
    func lamps(_ times: some Sequence<Int64>) -> String {
      String(times.map { letter(interface.rotation.shown(at: Instant(microseconds: $0))) })
    }
    expect(lamps([0, 1_000]), equals: "PP")
    _ = interface.step(.landscapeLeft, at: 1_000)
    let middles = stride(from: 1_005 as Int64, to: 1_180, by: 10)
    expect(lamps(middles), equals: "PPPRPPPRPRRRPRRRRR")
    expect(lamps([0, 999, 1_159, 1_160, Int64.max]), equals: "PPRRR")
    _ = interface.step(.landscapeRight, at: 1_040)
    expect(lamps(middles.dropFirst(4)), equals: "PPPLPLLLPLLLLL")
    _ = interface.step(.portrait, at: 1_050)
    expect(lamps(middles.dropFirst(5)), equals: "PPPPPPPPPPPPP")
    expect(interface.rotation.nextFlip(after: Instant(microseconds: 1_050)), equals: nil)
    _ = interface.step(.portrait, at: 1_160)
    expect(lamps([0, 1_160, 2_000]), equals: "PPP")
  }

  @Test
  static func `looking only at each next flip misses no change of the lamps`() throws {
    var interface = try RotatingInterface(duration: 160)
    _ = interface.step(.landscapeLeft, at: -40)
    _ = interface.step(.landscapeLeft, at: -20)
    var flips: [Int64] = []
    var now = Instant(microseconds: -20)
    while let next = interface.rotation.nextFlip(after: now), flips.count < 20 {
      expect(interface.rotation.shown(at: next), isNot: interface.rotation.shown(at: next - Microseconds(1)))
      flips.append(next.microseconds + 40)
      now = next
    }
    expect(flips, equals: [30, 40, 70, 80, 90, 120, 130])
  }
}
