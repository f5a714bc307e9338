import FixedPoint
import FixedText
import Gestures
import HAL
import Indication
import JSON
import Monitor
import Orientation
import Sensors
import StreamCodec
import TestSupport
import Testing
import Vibration

private let start = Instant(microseconds: 1_000_000)
private let now = Instant(microseconds: 9_876_543)

/// The line of an object named `name`, at `now`.
private func line(_ name: StaticString, at instant: Instant? = now, _ body: (inout JSONWriter) -> Void) -> String {
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1_024) { memory, count in
    var writer = unsafe JSONWriter(memory)
    writer.beginObject()
    if let instant { writer.field("t", seconds: instant - start) }
    writer.field("event", name)
    body(&writer)
    writer.endObject()
    count = writer.isCut ? 0 : writer.count
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// A reader's message for the last of these lines.
private func read(_ lines: String...) throws -> StreamMessage? {
  var reader = StreamReader(start: start)
  var found: StreamMessage?
  for line in lines { found = try reader.read(try JSONObject(line)) }
  return found
}

/// A reader's observation for the line of a step.
private func observation(_ lines: String...) throws -> Observation {
  var reader = StreamReader(start: start)
  var found: Observation?
  for line in lines {
    if case .observed(let seen, _)? = try reader.read(try JSONObject(line)) { found = seen }
  }
  return try require(found)
}

/// The largest difference of a component, in units of Q16.16.
private func distance(_ a: Vector3, _ b: Vector3) -> UInt32 {
  max((a.x.raw - b.x.raw).magnitude, (a.y.raw - b.y.raw).magnitude, (a.z.raw - b.z.raw).magnitude)
}

private func vector(_ random: inout SplitMix64, _ range: ClosedRange<Int32>) -> Vector3 {
  func component() -> Q16 { Q16(raw: Int32.random(in: range, using: &random)) }
  return Vector3(x: component(), y: component(), z: component())
}

struct SampleRoundTripTests {
  /// A monitor's observations of a board that is turned and shaken.
  private func observations(fused isFused: Bool) -> [Observation] {
    var random = SplitMix64(seed: isFused ? 5 : 4)
    let pipeline = Pipeline.Configuration(gravity: isFused ? .fusion(Fusion.Configuration()) : .standard)
    var monitor = Monitor(
      Monitor.Configuration(
        period: .milliseconds(10), fullScale: Q16(whole: 16), pipeline: pipeline, movement: Movement.Configuration(),
        rotationFullScale: isFused ? Q16(whole: 2_000) : nil), at: start)
    _ = monitor.started(settling: .zero, at: start)
    return (0..<600).map { index in
      let place = index / 100 % 3
      let held = Vector3(
        x: place == 0 ? .one : .zero, y: place == 1 ? .one : .zero, z: place == 2 ? .one : .zero)
      let noise = vector(&random, index % 100 < 80 ? -300...300 : -120_000...120_000)
      let force = Vector3(
        x: Q16(raw: held.x.raw + noise.x.raw), y: Q16(raw: held.y.raw + noise.y.raw),
        z: Q16(raw: held.z.raw + noise.z.raw))
      let rotation = isFused ? vector(&random, index % 100 < 80 ? -9_000...9_000 : -9_000_000...9_000_000) : nil
      return monitor.sampled(
        Measurement(force: force, rotation: rotation), at: start + .milliseconds(Int64(index) * 10))
    }
  }

  @Test(arguments: [false, true])
  func `a sample equals the owner's to the last bit, except for the documented rounding`(isFused: Bool) throws {
    var known = 0
    for seen in observations(fused: isFused) {
      guard let written = seen.reading, written.change == nil && written.expired == nil else { continue }
      let text = line("sample", at: written.instant) { $0.fields(of: written, seen.snapshot, .none, relativeTo: nil) }
      let again = try observation(text)
      expect(again.reading, equals: written, "\(text)")
      expect(again.snapshot.state, equals: written.state)
      expect(again.snapshot.force, equals: written.force)
      expect(again.snapshot.position.x, equals: seen.snapshot.position.x)
      expect(again.snapshot.position.y, equals: seen.snapshot.position.y)
      known += written.state.pose == nil ? 0 : 1
      let (mine, theirs) = (again.snapshot.attitude, seen.snapshot.attitude)
      expect(mine == nil, equals: theirs == nil)
      if let mine, let theirs {
        expect(mine.rate, equals: theirs.rate)
        expect(mine.bias, equals: theirs.bias)
        expect(mine.certainty, equals: theirs.certainty)
        expect(mine.isStill, equals: theirs.isStill)
        expect((mine.heading == nil), equals: (theirs.heading == nil))
        expect(distance(mine.up.vector, theirs.up.vector), isAtMost: 1)
        if let (a, b) = mine.heading.flatMap({ a in theirs.heading.map { (a, $0) } }) {
          // 0.00005° for the four places, and half a unit of Q16.16.
          expect((a - b).magnitude, isAtMost: 700)
        }
      }
      // Values are rounded once: a relay changes nothing any more.
      let relayed = line("sample", at: written.instant) {
        $0.fields(of: again.reading ?? written, again.snapshot, .none, relativeTo: nil)
      }
      expect(relayed, equals: text)
    }
    expect(known, isAbove: 200)
  }

  @Test func `a tare and a reference pose change only angles`() throws {
    let seen = try require(observations(fused: false).last { $0.reading?.change == nil })
    let written = try require(seen.reading)
    let tare = try Tare(Vector3(x: Q16(3, over: 10), y: Q16(-8, over: 10), z: Q16(52, over: 100)))
    let text = line("sample", at: written.instant) {
      $0.fields(of: written, seen.snapshot, tare, relativeTo: .landscapeLeft)
    }
    expect(text, contains: "\"relative_deg\":")
    try expect(observation(text).reading, equals: written)
  }

  /// As owners of 0.1 wrote: no gravity, no certainty, no reason.
  @Test func `an older owner's gravity comes from the fusion, or is filtered here`() throws {
    let plain =
      "{\"t\":1,\"event\":\"sample\",\"x\":0,\"y\":0,\"z\":1,\"pose\":\"unknown\",\"steering_deg\":12.5,\"scroll\":[0.25,0.5]"
    let trouble = "{\"t\":0.5,\"event\":\"trouble\",\"reason\":\"accelerating\",\"detail\":\"d\"}"
    let seen = try observation(trouble, plain + "}")
    let reading = try require(seen.reading)
    expect(reading.state, equals: .unknown(.accelerating))
    expect(that: !reading.isFused)
    expect(reading.gravity.z, equals: .one)
    expect(reading.angles.steering, equals: BinaryAngle(degrees: Q16(25, over: 2)))
    expect(seen.snapshot.attitude, equals: nil)
    expect(seen.snapshot.position, equals: TiltScroll.Position(x: Q16(1, over: 4), y: Q16(1, over: 2)))
    let fused = try observation(
      plain
        + ",\"up\":[0,0.6,-0.8],\"heading_deg\":null,\"rate_dps\":[1,-2.5,0],\"still\":true,\"rotation_dps\":[1.5,-2.5,0]}"
    )
    let attitude = try require(fused.snapshot.attitude)
    expect(attitude.certainty, equals: .still)
    expect(attitude.heading, equals: nil)
    expect(fused.snapshot.isStill, equals: true)
    expect(attitude.bias, equals: Vector3(x: Q16(1, over: 2), y: .zero, z: .zero))
    expect(fused.reading?.isFused, equals: true)
    expect(fused.reading?.gravity, equals: attitude.up.vector)
    // Before any report there is no reason.
    try expect(observation(plain + "}").reading?.state, equals: .unknown(.notYetSampled))
  }
}

struct ObjectRoundTripTests {
  @Test func `raw measurements are read as written`() throws {
    var random = SplitMix64(seed: 1)
    for index in 0..<500 {
      let written = Measurement(
        force: vector(&random, .min ... .max), rotation: index % 2 == 0 ? vector(&random, .min ... .max) : nil)
      let text = line("raw") { $0.fields(of: written) }
      guard case .raw(let measured, let instant)? = try read(text) else {
        Issue.record("no raw sample: \(text)")
        return
      }
      expect(measured, equals: written)
      expect(instant, equals: now)
    }
  }

  @Test func `a fresh reading is read as written, with the owner's words`() throws {
    let states =
      (0..<6).compactMap(UnknownReason.init(rawValue:)).map { PoseState.unknown($0) }
      + (0..<6).compactMap(Pose.init(rawValue:)).map { .known($0) }
    for state in states {
      let written = FreshReading(
        instant: now, force: Vector3(x: Q16(raw: .min), y: Q16(raw: 77), z: Q16(raw: .max)), state: state)
      let text = line("reading") { $0.fields(of: written, .none, detail: state.pose == nil ? "why" : nil) }
      guard case .reading(let fresh, let words)? = try read(text) else {
        Issue.record("no reading: \(text)")
        return
      }
      expect(fresh, equals: written)
      expect(words?.description, equals: (state.pose == nil ? "why" : nil))
    }
  }

  @Test func `the vibration of a second is read as written`() throws {
    var random = SplitMix64(seed: 2)
    for count in 2...9 {
      let list = (0..<Int32(count)).map { Q16(raw: $0 * 17_654_321 + 3) }
      let edges = try BandEdges(list.span)
      for hasBands in [false, true] {
        var written = VibrationSecond(
          at: now, total: Q16(raw: 1_234), rms: vector(&random, 0...99_999), peak: vector(&random, 0...999_999), edges,
          hasBands: hasBands)
        if hasBands { for index in 0..<edges.count { written.setRMS(Q16(raw: Int32(index) * 999 + 1), inBand: index) } }
        try expect(observation(line("vibration") { $0.fields(of: written) }).vibration, equals: written)
      }
    }
  }

  @Test func `mounting and calibration are read as written`() throws {
    let (one, half): (Int32, Int32) = (0x4000_0000, 0x2000_0000)
    let offset = Vector3(x: Q16(raw: 1_311), y: Q16(raw: -655), z: .zero)
    let calibration = try Calibration(
      offset: offset, scale: Calibration.Scale(x: one, y: one - half / 2, z: one + half / 2))
    let rotation = try Calibration(offset: offset, scale: Calibration.Scale(x: one, y: one, z: one))
    let mountings = allMountings
    expect(mountings.count, equals: 24)
    for (index, mounting) in mountings.enumerated() {
      let written = StreamBoard(
        name: "b.ini", mounting: mounting, calibration: calibration,
        rotationCalibration: index % 2 == 0 ? nil : rotation)
      let text = line("board") { $0.fields(of: written, name: 128) }
      guard case .board(let board)? = try read(text) else {
        Issue.record("no board: \(text)")
        return
      }
      expect(board, equals: written, "\(text)")
    }
  }

  /// Every mounting of a sensor on a board.
  private var allMountings: [Mounting] {
    let axes = (0..<6).compactMap(SensorAxis.init(rawValue:))
    var mountings: [Mounting] = []
    for x in axes {
      for y in axes {
        for z in axes {
          do throws(MountingError) { mountings.append(try Mounting(x: x, y: y, z: z)) } catch {
            // Not three different axes, or mirrored.
          }
        }
      }
    }
    return mountings
  }

  private func hello(_ index: Int) -> StreamHello {
    var snapshot = Snapshot(at: start + .seconds(Int64(index)))
    let states: [PoseState] = [.known(.faceDown), .unknown(.fault), .unknown(.notYetSampled), .known(.portrait)]
    snapshot.state = states[index % 4]
    if snapshot.silence != nil { snapshot.cause = .unexpectedIdentity(found: 3, expected: 0xE5) }
    let code = LineCode(rawValue: UInt8(index % 3)) ?? .leds
    snapshot.levels = snapshot.state.pose.map { code.levels(of: $0) } ?? .off
    if index % 4 != 2 { snapshot.force = Vector3(x: Q16(raw: -1), y: Q16(raw: 65_537), z: Q16(raw: Int32(index))) }
    snapshot.isStill = [nil, true, false][index % 3]
    snapshot.isBusy = [false, nil, true][index % 3]
    snapshot.isAsleep = index % 5 == 0
    if index % 2 == 1 { snapshot.tare = Tare(millionths: 0, 600_000, -800_000) ?? .none }
    snapshot.events = UInt64(index)
    snapshot.counters.samples = 1_000
    snapshot.counters.faultKinds[.timedOut] = UInt64(index)
    snapshot.counters.unknown.stale = 2
    if index % 3 == 0 { (snapshot.transactions, snapshot.outputWrites) = (5, 6) }
    if snapshot.force != nil, index % 2 == 0 { snapshot.temperature = Q16(whole: 21) }
    var undetected = Event.Groups()
    for group in Event.Group.allCases where index % (2 + Int(group.rawValue)) == 0 { undetected.insert(group) }
    return StreamHello(
      version: "0.1.0", owner: "1-2", board: "b \"ä\".ini", sensor: "mpu6050", address: 0x69, bus: "/dev/i2c-1",
      rateInMillihertz: 99_999, rangeInG: 16, gyroscopeRange: index % 2 == 0 ? nil : 2_000, chip: "raspberry-pi",
      code: code, undetected: index % 7 == 6 ? nil : undetected, allowsCommands: index % 2 == 0, time: .seconds(100),
      snapshot: snapshot, clients: UInt64(index))
  }

  @Test(arguments: 0..<24)
  func `a hello is read as written`(index: Int) throws {
    let written = hello(index)
    let text = line("hello", at: nil) { $0.fields(of: written, from: start, names: 128, hasKinds: true) }
    guard case .hello(let read)? = try read(text) else {
      Issue.record("no hello: \(text)")
      return
    }
    expect(read, equals: written, "\(text)")
  }

  @Test func `faults count even if an owner leaves out their kinds, or they are unknown here`() throws {
    let written = hello(7)
    let text = line("hello", at: nil) { $0.fields(of: written, from: start, names: 128, hasKinds: false) }
    guard case .hello(let read)? = try read(text) else {
      Issue.record("no hello: \(text)")
      return
    }
    #expect(read.snapshot.counters.faults == 7 && read.snapshot.counters.faultKinds[.timedOut] == 0)
    expect(read.snapshot.counters.faultKinds.others, equals: 7)
  }

  @Test func `counters stay until the next ones`() throws {
    var written = Snapshot.unknown
    (written.force, written.temperature, written.counters.samples) = (.zero, Q16(whole: -3), 12)
    let seen = try observation(line("counters") { $0.fields(countersOf: written, hasKinds: true) })
    expect(seen.snapshot.counters, equals: written.counters)
    expect(seen.snapshot.temperature, equals: Q16(whole: -3))
    expect(seen.events.count, equals: 0)
    expect(seen.reading, equals: nil)
    expect(seen.vibration, equals: nil)
  }

  @Test func `the state carries over from line to line`() throws {
    let pose = "{\"t\":3,\"event\":\"pose\",\"from\":\"unknown\",\"to\":\"faceUp\",\"x\":0,\"y\":0,\"z\":1}"
    let seen = try observation(
      line("hello", at: nil) { $0.fields(of: hello(1), from: start, names: 9, hasKinds: true) }, pose,
      "{\"t\":4,\"event\":\"still\"}", "{\"t\":5,\"event\":\"asleep\"}")
    #expect(seen.events.count == 1 && seen.events[0] == Occurrence(at: start + .seconds(5), .asleep))
    expect(seen.snapshot.state, equals: .known(.faceUp))
    expect(seen.snapshot.since, equals: start + .seconds(3))
    expect(seen.snapshot.isStill, equals: true)
    expect(that: seen.snapshot.isAsleep)
    expect(seen.snapshot.events, equals: 4)
    expect(seen.snapshot.levels, equals: LineCode.oneHot.levels(of: .faceUp))
    expect(seen.snapshot.cause, equals: nil)
    expect(seen.snapshot.tare, equals: Tare(millionths: 0, 600_000, -800_000))
  }

  @Test func `unknown objects are skipped`() throws {
    if try read("{\"t\":1,\"event\":\"weather\"}") != nil { Issue.record("weather") }
    if try read("{}") != nil { Issue.record("nothing") }
  }

  /// A line of each object other than events, and of the variants that an owner writes.
  static func lines() throws -> [String] {
    let attitude = Fusion.Attitude(
      up: UnitVector(x: 0, y: 0x4000_0000, z: 0), heading: BinaryAngle(degrees: Q16(whole: 12)),
      rate: .zero, bias: .zero, isStill: true, certainty: .still)
    var snapshot = Snapshot.unknown
    snapshot.attitude = attitude
    let force = Vector3(x: .zero, y: .one, z: .zero)
    let reading = Reading(
      instant: now, force: force, rotation: force, gravity: force, isFused: true, steering: nil,
      state: .known(.portrait))
    let fused = line("sample") { $0.fields(of: reading, snapshot, .none, relativeTo: nil) }
    let tests = ObjectRoundTripTests()
    let hellos = (0..<24).map { index in
      line("hello", at: nil) { $0.fields(of: tests.hello(index), from: start, names: 128, hasKinds: true) }
    }
    return try tests.examples().map(\.line) + [fused] + hellos
  }

  /// The line of an object as written, and whether a message read from it equals the original.
  private typealias Example = (line: String, isSame: (StreamMessage) -> Bool)

  /// An example of each object other than events.
  private func examples() throws -> [Example] {
    let (hello, gravity) = (hello(7), Vector3(x: .zero, y: Q16(raw: 7), z: .one))
    let reading = Reading(
      instant: now, force: gravity, rotation: nil, gravity: gravity, isFused: false, steering: nil,
      state: .unknown(.accelerating))
    let raw = Measurement(force: gravity, rotation: gravity)
    let fresh = FreshReading(instant: now, force: gravity, state: .unknown(.ambiguous))
    let edges = [Q16.zero, Q16.one]
    let second = VibrationSecond(
      at: now, total: .one, rms: gravity, peak: gravity, try BandEdges(edges.span), hasBands: true)
    let board = StreamBoard(
      name: "b", mounting: try require(allMountings.last), calibration: .none, rotationCalibration: nil)
    func step(_ isSame: @escaping (Observation) -> Bool) -> (StreamMessage) -> Bool {
      { if case .observed(let seen, words: nil) = $0 { isSame(seen) } else { false } }
    }
    return [
      (
        line("hello", at: nil) { $0.fields(of: hello, from: start, names: 128, hasKinds: true) },
        { if case .hello(hello) = $0 { true } else { false } }
      ),
      (
        line("sample") { $0.fields(of: reading, .unknown, .none, relativeTo: nil) },
        step { $0.reading == reading }
      ),
      (line("raw") { $0.fields(of: raw) }, { if case .raw(raw, at: now) = $0 { true } else { false } }),
      (line("vibration") { $0.fields(of: second) }, step { $0.vibration == second }),
      (
        line("counters") { $0.fields(countersOf: hello.snapshot, hasKinds: true) },
        step { $0.snapshot.counters == hello.snapshot.counters }
      ),
      (
        line("reading") { $0.fields(of: fresh, .none, detail: "why") },
        { if case .reading(fresh, words: "why"?) = $0 { true } else { false } }
      ),
      (
        line("board") { $0.fields(of: board, name: 128) },
        { if case .board(board) = $0 { true } else { false } }
      ),
      (
        line("done", at: nil) { $0.fields(done: "tare") },
        { if case .done(command: "tare") = $0 { true } else { false } }
      ),
      (
        line("error", at: nil) { $0.fields(words: "ä \"b\"", atMost: 384) },
        { if case .error("ä \"b\"") = $0 { true } else { false } }
      ),
      (line("missed", at: nil) { $0.fields(missed: .max) }, { if case .missed(.max) = $0 { true } else { false } }),
      (
        line("bye", at: nil) { $0.fields(words: "d", atMost: 384) },
        { if case .bye("d") = $0 { true } else { false } }
      ),
    ]
  }

  @Test func `each object of the documentation is read as written`() throws {
    let table = try require(
      SettingsPage.text("docs/stream.md").firstMatch(of: /\| event \| when \| fields \|\n((\|.*\n)+)/))
    var ofPage: Set<String> = []
    for row in table.1.split(separator: "\n") {
      let kinds = row.split(separator: "|").first ?? ""
      ofPage.formUnion(kinds.matches(of: /`([A-Za-z-]+)`/).map { String($0.1) })
    }
    var read: Set<String> = []
    for (line, isSame) in try examples() {
      var reader = StreamReader(start: start)
      let object = try JSONObject(line)
      let found = try require(reader.read(object))
      expect(that: isSame(found), "\(line)")
      read.insert(try require(object["event"]?.string))
    }
    // Events have their own suite, which covers each kind.
    expect(ofPage.subtracting(Event.Kind.allCases.map { "\($0.name)" }), equals: read)
  }

  @Test(arguments: [
    "\"event\":\"pose\",\"t\":1,\"to\":\"sideways\"", "\"event\":\"sample\",\"t\":1,\"x\":1e9,\"y\":0,\"z\":0",
    "\"event\":\"missed\"", "\"event\":\"hello\",\"protocol\":1", "\"event\":\"shake\"",
    "\"event\":\"shake\",\"t\":1e30",
    "\"event\":\"raw\",\"t\":1,\"x\":1", "\"event\":\"reading\",\"t\":1,\"x\":0,\"y\":0,\"z\":0,\"pose\":\"on\"",
    "\"event\":\"board\",\"mounting\":\"+x +x +z\",\"offset_g\":[0,0,0],\"scale\":[1,1,1]",
    "\"event\":\"board\",\"mounting\":\"+x +y +z\",\"offset_g\":[0,0,0],\"scale\":[1,1]", "\"event\":\"counters\"",
    "\"event\":\"vibration\",\"t\":3,\"rms_g\":0.5",
    "\"event\":\"vibration\",\"t\":3,\"rms_g\":0.5,\"axes_rms_g\":[1,2,3],\"axes_peak_g\":[1,2,3],\"edges_hz\":[1],\"bands_g\":null",
    "\"event\":\"vibration\",\"t\":3,\"rms_g\":0.5,\"axes_rms_g\":[1,2,3],\"axes_peak_g\":[1,2,3],\"edges_hz\":[1,2],\"bands_g\":[1,2]",
    "\"event\":\"vibration\",\"t\":3,\"rms_g\":0.5,\"axes_rms_g\":[1,2,3],\"axes_peak_g\":[1,2,3],\"edges_hz\":[1,2],\"bands_g\":[\"x\"]",
  ])
  func `a line that lacks a field of its kind is an error`(fields: String) throws {
    expect(throws: StreamLineError.incomplete) { try read("{\(fields)}") }
  }
}

struct ForeignTextTests {
  /// C0, DEL and C1 as escapes and unescaped, and their neighbours: e with an acute accent, U+00A0, U+2028.
  private static let hostile = #"a\u001b[2Jb\r\nc\u0000d\u009b1me\u007f"# + "\u{9B}\u{7F}\u{85}é\u{A0}\u{20AC}"
  private static let shown = "a?[2Jb??c?d?1me????é\u{A0}\u{20AC}"

  @Test(arguments: ["error", "bye", "trouble", "notice"])
  func `an owner's words have no control characters`(kind: String) throws {
    let object = #"{"t":1,"event":"\#(kind)","reason":"fault","outage_s":1,"detail":"\#(Self.hostile)"}"#
    switch try read(object) {
    case .error(let words), .bye(let words): expect(words.description, equals: Self.shown)
    case .observed(_, let words), .reading(_, let words): expect(words?.description, equals: Self.shown)
    default: Issue.record("no words")
    }
  }

  @Test func `an owner's names have no control characters`() throws {
    let name = #"\u001b]0;x\u0007\n"#
    let names = ["plumb", "owner", "board", "sensor", "bus", "chip"].map { #""\#($0)":"\#(name)""# }.joined(
      separator: ",")
    let line = #"{"event":"hello","protocol":1,\#(names),"rate_hz":100,"t":1,"pose":"portrait"}"#
    guard case .hello(let hello)? = try read(line) else { throw NoHello() }
    for text in [
      hello.version.description, hello.owner.description, hello.board.description, hello.sensor.description,
      hello.bus.description, hello.chip.description,
    ] { expect(text, equals: "?]0;x??") }
    guard case .done(let command)? = try read(#"{"event":"done","command":"\#(name)"}"#) else { throw NoHello() }
    expect(command.description, equals: "?]0;x??")
  }

  private struct NoHello: Error {}
}
