import BoardFile
import FixedPoint
import Foundation
import Gestures
import HAL
import Indication
import JSON
import Monitor
import Orientation
import Sensors
import Stream
import TestSupport
import Testing
import Text
import Vibration

/// The fields that `write` writes into a line, read by Foundation and by our own reader.
private func object(_ write: (inout JSONWriter) -> Void) throws -> [String: Any] {
  try unsafe read { line in unsafe ObjectWriter.line(into: line, write) }
}

/// The same for a function that writes a whole line and returns its length.
private func read(_ write: (UnsafeMutableBufferPointer<UInt8>) -> Int) throws -> [String: Any] {
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: ObjectWriter.longestLine) { memory, count in
    count = unsafe write(memory)
  }
  expect(bytes.last, equals: 0x0A, "\(bytes.count) bytes")
  expect(that: bytes.dropLast().allSatisfy { $0 >= 0x20 }, "\(bytes.count) bytes")
  _ = try JSONObject(bytes.span)
  return try require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
}

/// Each error that a sensor can throw, with the name of its kind.
private let errors: [(SensorError, String)] = [
  (.bus(.noAcknowledge), "noAcknowledge"), (.bus(.arbitrationLost), "arbitrationLost"), (.bus(.timedOut), "timedOut"),
  (.bus(.shortRead(expected: 14, received: 3)), "shortRead"), (.bus(.unsupported), "unsupported"),
  (.bus(.notPermitted), "notPermitted"), (.bus(.busy), "busy"), (.bus(.unavailable), "unavailable"),
  (.bus(.other(code: .min)), "otherBusFault"), (.unexpectedIdentity(found: 0x68, expected: 0xE5), "unexpectedIdentity"),
  (.configurationRejected(register: 0xFF, wrote: 0xFF, read: 0xFF), "configurationRejected"),
  (.configurationLost, "configurationLost"), (.resetTimedOut, "resetTimedOut"),
  (.rateTooHigh(busHertz: .max, highestHertz: .max), "rateTooHigh"),
  (.rateTooHigh(busHertz: 1, highestHertz: 1), "rateTooHigh"),
  (.frozen, "frozen"), (.stuckAtFullScale, "stuckAtFullScale"), (.weightless, "weightless"),
  (.configurationChanged(register: 0xFF, wrote: 0xFF, read: 0xFF), "configurationChanged"),
]

/// The counters, all set to `count`.
private func counters(_ count: UInt64) -> Counters {
  var counters = Counters()
  counters.samples = count
  counters.poseChanges = count
  counters.restarts = count
  counters.recoveries = count
  counters.lateSamples = count
  counters.lostSamples = count
  counters.shakes = count
  for kind in FaultKind.allCases { counters.faultKinds[kind] = count }
  let reasons: [WritableKeyPath<UnknownCounts, UInt64>] = [\.ambiguous, \.accelerating, \.freeFall, \.stale, \.fault]
  for reason in reasons { counters.unknown[keyPath: reason] = count }
  return counters
}

struct ObjectWriterTests {
  private let writer = ObjectWriter(
    start: Instant(microseconds: 0), sensor: SensorPlace(.mpu6050, at: MPU6050.alternateAddress))
  private let first = Instant(microseconds: 1_500_000)
  /// No instant takes more characters.
  private let last = Instant(microseconds: .min + 1)
  private let farthest = Microseconds(.min + 1)

  private func event(_ event: Event, _ code: LineCode = .leds, at instant: Instant? = nil) throws -> [String: Any] {
    let writer = ObjectWriter(start: writer.start, sensor: writer.sensor, code: code)
    return try object { writer.write(event, at: instant ?? last, to: &$0) }
  }

  @Test func `a pose has its angles and lines, in each code`() throws {
    let force = Vector3(x: Q16(raw: .min), y: Q16(raw: .max), z: Q16(raw: .min))
    let leds = try event(.pose(from: nil, to: .landscapeLeft, force: force), at: first)
    expect(leds["t"] as? Double, equals: 1.5)
    expect(leds["event"] as? String, equals: "pose")
    expect(leds["from"] as? String, equals: "unknown")
    expect(leds["to"] as? String, equals: "landscapeLeft")
    expect(leds["leds"] as? [Int], equals: [0, 0, 1, 0, 0, 0])
    expect(abs((leds["angle_deg"] as? Double ?? 0) - 45), isBelow: 0.001)
    let flat = try event(
      .pose(from: .portrait, to: .faceUp, force: Vector3(x: .zero, y: .zero, z: .one)), .binary)
    expect(that: flat["angle_deg"] is NSNull)
    expect(flat["roll_deg"] as? Double, equals: 0)
    expect(flat["code"] as? String, equals: "binary")
    expect(flat["lines"] as? [String: Int], equals: ["valid": 1, "bit0": 0, "bit1": 0, "bit2": 1])
    let upright = Vector3(x: .zero, y: .one, z: .zero)
    let oneHot = try event(.pose(from: .portraitUpsideDown, to: .portrait, force: upright), .oneHot)
    expect(that: oneHot["roll_deg"] is NSNull)
    expect((oneHot["lines"] as? [String: Int])?.count, equals: 7)
    expect((oneHot["lines"] as? [String: Int])?["portrait"], equals: 1)
  }

  @Test(arguments: errors.indices)
  func `trouble, recovery and give-up name the fault and describe it`(index: Int) throws {
    let (error, kind) = errors[index]
    let words = error.message(of: writer.sensor).description
    for event in [
      .trouble(.fault, cause: error), .recovered(from: error, outage: farthest),
      .gaveUp(cause: error, outage: farthest),
    ] as [Event] {
      let object = try self.event(event)
      expect(object["cause"] as? String, equals: kind)
      expect(object["detail"] as? String, equals: words)
    }
    let outage = try require(self.event(.recovered(from: error, outage: farthest))["outage_s"] as? Double)
    expect(abs(outage + 9_223_372_036_854.775807), isBelow: 0.01)
  }

  @Test(arguments: [.ambiguous, .accelerating, .freeFall, .stale, .fault] as [UnknownReason])
  func `trouble without a cause has the words of its reason`(reason: UnknownReason) throws {
    let trouble = try event(.trouble(reason, cause: nil), at: first)
    expect(trouble["reason"] as? String, equals: "\(reason.name)")
    expect(trouble["detail"] as? String, equals: "\(reason.message)")
    #expect(trouble["cause"] == nil && trouble.count == 4)
    let other = try object { json in
      writer.beginObject(
        of: .trouble(reason, cause: nil), at: first, detail: "the \"owner\" is gone", to: &json)
      json.endObject()
    }
    expect(other["detail"] as? String, equals: "the \"owner\" is gone")
    expect(other.count, equals: 4)
  }

  @Test func `each other event has its name and fields`() throws {
    let notice = try event(.notice(.compatiblePart(identity: 0x70)))
    expect(notice["event"] as? String, equals: "notice")
    expect(
      notice["detail"] as? String,
      equals: SensorNotice.compatiblePart(identity: 0x70).message(of: writer.sensor).description)
    #expect(notice["lost_samples"] == nil && notice["identity"] as? Int == 0x70 && notice.count == 5)
    let loss = try event(.notice(.samplesLost(.max)))
    expect(loss["event"] as? String, equals: "notice")
    expect(loss["lost_samples"] as? UInt32, equals: .max)
    expect(loss.count, equals: 5)
    expect(loss["detail"] as? String, equals: "4294967295 samples were lost")
    for kind in Event.Kind.allCases {
      guard let plain = kind.plain else { continue }
      let object = try self.event(plain)
      expect(object["event"] as? String, equals: "\(kind.name)")
      expect(object.count, equals: 2)
    }
    for (event, name) in [(.busy(since: first), "busy"), (.quiet(since: first), "quiet")] as [(Event, String)] {
      let object = try self.event(event)
      expect(object["event"] as? String, equals: name)
      expect(that: object["duration_s"] is Double)
      expect(object.count, equals: 3)
    }
    for (event, name) in [(.tap(Tap(.y, sign: -5)), "tap"), (.doubleTap(Tap(.y, sign: -1)), "doubleTap")]
      as [(Event, String)]
    {
      let object = try self.event(event)
      expect(object["event"] as? String, equals: name)
      expect(object["axis"] as? String, equals: "y")
      expect(object["sign"] as? Int, equals: -1)
      expect(object.count, equals: 4)
    }
    let fall = try event(.freeFall(Microseconds(451_600)))
    expect(fall["event"] as? String, equals: "freeFall")
    expect(fall["duration_s"] as? Double, equals: 0.4516)
    expect(fall.count, equals: 4)
    expect(fall["height_m"] as? Double, equals: 1)
    let (from, to) = (InterfaceOrientation.portraitUpsideDown, InterfaceOrientation.landscapeRight)
    let will = try event(.rotation(.willRotate(from: from, to: to, duration: farthest)))
    expect(will["phase"] as? String, equals: "willRotate")
    expect(will["from"] as? String, equals: "portraitUpsideDown")
    expect(will["to"] as? String, equals: "landscapeRight")
    expect(that: will["duration_s"] is Double)
    expect(will.count, equals: 6)
    let redirected = try event(.rotation(.redirected(to: to, remaining: farthest)))
    expect(redirected["to"] as? String, equals: "landscapeRight")
    expect(that: redirected["remaining_s"] is Double)
    expect(redirected.count, equals: 5)
    let did = try event(.rotation(.didRotate(from: from)))
    expect(did["phase"] as? String, equals: "didRotate")
    expect(did["from"] as? String, equals: "portraitUpsideDown")
    expect(did.count, equals: 4)
    for (phase, name) in [(.firstHalf, "firstHalf"), (.secondHalf, "secondHalf")] as [(RotationEvent, String)] {
      let object = try event(.rotation(phase))
      expect(object["phase"] as? String, equals: name)
      expect(object.count, equals: 3)
    }
  }

  /// A monitor's observation of `measured`, repeated so that the fusion has an attitude.
  private func observed(_ measured: Sensors.Measurement, tare: Tare = .none) throws -> (Reading, Observation) {
    let pipeline = Pipeline.Configuration(gravity: .fusion(Fusion.Configuration()))
    var monitor = Monitor(
      Monitor.Configuration(
        period: .milliseconds(10), fullScale: Q16(whole: 16), pipeline: pipeline, rotationFullScale: Q16(whole: 2_000)),
      at: writer.start)
    monitor.rest(by: tare)
    _ = monitor.started(settling: .zero, notice: nil, at: writer.start)
    var seen = monitor.sampled(measured, at: writer.start)
    for step in 1...5 {
      seen = monitor.sampled(measured, at: writer.start + .milliseconds(Int64(step) * 10))
    }
    return (try require(seen.reading), seen)
  }

  @Test func `a sample has all measured values, and fits in one line with extreme ones`() throws {
    let end = Q16(raw: -1_048_575)
    let measured = Measurement(
      force: Vector3(x: end, y: Q16(raw: 1_048_575), z: end),
      rotation: Vector3(x: Q16(raw: -131_071_999), y: Q16(raw: 131_071_999), z: Q16(raw: -131_071_999)),
      temperature: .one)
    let (reading, seen) = try observed(measured)
    expect(seen.snapshot.attitude, isNot: nil)
    var writer = ObjectWriter(start: Instant(microseconds: .max), sensor: writer.sensor, code: .oneHot)
    writer.relativeTo = .portraitUpsideDown
    writer.sizes = (TiltScroll.PixelSize(width: .max, height: .max), TiltScroll.PixelSize(width: 1, height: 1))
    let sample = try object { writer.write(reading, of: seen, to: &$0) }
    expect(sample["event"] as? String, equals: "sample")
    expect(that: sample["pose"] is String)
    expect(sample["x"] as? Double, equals: (Double(end.raw) / 65_536 * 1e6).rounded() / 1e6)
    for key in [
      "y", "z", "angle_deg", "level_deg", "relative_deg", "pitch_deg", "roll_deg", "inclination_deg", "steering_deg",
    ] {
      expect(that: sample[key] is Double, "\(key)")
    }
    for (key, count) in [
      ("scroll", 2), ("scroll_px", 2), ("up", 3), ("rate_dps", 3), ("bias_dps", 3), ("rotation_dps", 3),
      ("gravity", 3),
    ] {
      expect((sample[key] as? [Double])?.count, equals: count, "\(key)")
    }
    #expect(sample["heading_deg"] != nil && sample["still"] is Bool)
    let rotation = try require(sample["rotation_dps"] as? [Double])
    expect(rotation.map { Int(($0 * 65_536).rounded()) }, equals: [-131_071_999, 131_071_999, -131_071_999])
  }

  @Test func `a sample without a gyroscope has no fields of one`() throws {
    let (reading, seen) = try observed(Sensors.Measurement(force: Vector3(x: .zero, y: .one, z: .zero)))
    let sample = try object { writer.write(reading, of: seen, to: &$0) }
    expect(
      Set(sample.keys),
      equals: [
        "t", "event", "x", "y", "z", "pose", "angle_deg", "level_deg", "pitch_deg", "roll_deg", "inclination_deg",
        "steering_deg", "scroll", "gravity",
      ])
    expect(sample["pose"] as? String, equals: "portrait")
    expect(that: sample["roll_deg"] is NSNull)
  }

  @Test func `with a tare every angle of samples, readings and events counts from it; the force does not`() throws {
    let force = Vector3(x: Q16(3, over: 10), y: Q16(-8, over: 10), z: Q16(52, over: 100))
    let measured = Sensors.Measurement(force: force, rotation: .zero)
    let (reading, seen) = try observed(measured)
    let (_, tared) = try observed(measured, tare: try Tare(force))
    var writer = writer
    let plain = try object { writer.write(reading, of: seen, to: &$0) }
    writer.tare = tared.snapshot.tare
    let sample = try object { writer.write(reading, of: tared, to: &$0) }
    let fresh = try object { writer.write(FreshReading(reading), to: &$0) }
    let pose = try object {
      writer.write(.pose(from: nil, to: .portraitUpsideDown, force: force), at: first, to: &$0)
    }
    for angle in ["angle_deg", "level_deg", "pitch_deg", "roll_deg", "inclination_deg", "steering_deg"] {
      for object in [sample, fresh] + (pose[angle] == nil ? [] : [pose]) {
        expect(abs(try require(object[angle] as? Double)), isBelow: 0.02, "\(angle)")
      }
      expect(abs(try require(plain[angle] as? Double)), isAbove: 5, "\(angle)")
    }
    for key in ["x", "y", "z", "pose"] { expect("\(sample[key] ?? 0)", equals: "\(plain[key] ?? 1)") }
    expect(that: pose.keys.contains("roll_deg"))
    expect(sample.keys, equals: plain.keys)
  }

  @Test func `a raw sample has the sensor's own values`() throws {
    let end = Vector3(x: Q16(raw: .min), y: Q16(raw: .max), z: Q16(raw: .min))
    let raw = try object { writer.write(raw: Sensors.Measurement(force: end, rotation: end), at: last, to: &$0) }
    expect(raw["event"] as? String, equals: "raw")
    expect(raw["x"] as? Double, equals: -32_768)
    expect(raw["y"] as? Double, equals: 32_767.999985)
    expect(raw["rotation_dps"] as? [Double], equals: [-32_768, 32_767.999985, -32_768])
    let plain = try object { writer.write(raw: Sensors.Measurement(force: end), at: last, to: &$0) }
    #expect(plain["rotation_dps"] == nil && plain.count == 5)
  }

  @Test func `a reading has the pose or the reason`() throws {
    let force = Vector3(x: Q16(raw: .min), y: Q16(raw: .min), z: Q16(raw: .min))
    let known = try object {
      writer.write(FreshReading(instant: last, force: force, state: .known(.portraitUpsideDown)), to: &$0)
    }
    expect(known["event"] as? String, equals: "reading")
    expect(known["pose"] as? String, equals: "portraitUpsideDown")
    expect(that: known["reason"] is NSNull)
    expect(that: known["detail"] is NSNull)
    expect(known.count, equals: 14)
    let unknown = try object {
      writer.write(FreshReading(instant: first, force: .zero, state: .unknown(.freeFall)), to: &$0)
    }
    expect(unknown["pose"] as? String, equals: "unknown")
    expect(unknown["reason"] as? String, equals: "freeFall")
    expect(that: unknown["angle_deg"] is NSNull)
    expect(that: unknown["roll_deg"] is NSNull)
    expect(unknown["t"] as? Double, equals: 1.5)
  }

  @Test func `each kind of fault is counted by the name of its error`() throws {
    for (error, kind) in errors { expect("\(error.kind.name)", equals: kind) }
    var kinds: Set<String> = []
    var sum: UInt64 = 0
    counters(3).faultKinds.forEachPositive { kind, count in
      kinds.insert("\(kind)")
      sum += count
    }
    expect(kinds, equals: Set(errors.map(\.1)))
    expect(kinds.count, equals: FaultKind.allCases.count)
    expect(sum, equals: 3 * UInt64(kinds.count))
    var reasons: [String] = []
    counters(1).unknown.forEachPositive { reason, _ in reasons.append("\(reason)") }
    expect(reasons, equals: ["ambiguous", "accelerating", "freeFall", "stale", "fault"])
    FaultCounts().forEachPositive { kind, _ in Issue.record("\(kind) did not come") }
  }
}

struct HelloTests {
  private let writer = ObjectWriter(
    start: Instant(microseconds: 0), sensor: SensorPlace(.adxl345, at: ADXL345.address), code: .oneHot)

  private var board: BoardDescription {
    var board = BoardDescription.emulated
    board.bus = .linux(path: ShortText(cutting: "/dev/i2c-1"))
    board.lines = BoardDescription.Lines(chip: "raspberry-pi", code: .oneHot, offsets: [1, 2, 3, 4, 5, 6, 7])
    return board
  }

  private func owner(_ name: String) -> OwnerDescription {
    OwnerDescription(
      identity: "123-456", name: ShortText(cutting: name), board: board, period: Microseconds(10_000))
  }

  private func snapshot(_ count: UInt64, _ state: PoseState = .known(.landscapeLeft)) -> Snapshot {
    var snapshot = Snapshot(at: Instant(microseconds: 3_200_000))
    (snapshot.state, snapshot.levels) = (state, Levels(bits: 0b1001))
    snapshot.force = Vector3(x: .one, y: .zero, z: .zero)
    (snapshot.events, snapshot.counters) = (count, counters(count))
    (snapshot.transactions, snapshot.outputWrites) = (count, count)
    return snapshot
  }

  private func hello(_ owner: OwnerDescription, _ snapshot: Snapshot, clients: Int = 3, at now: Instant? = nil) throws
    -> [String: Any]
  {
    try unsafe read { line in
      unsafe writer.hello(
        owner, snapshot, clients: clients, allowsCommands: true, at: now ?? Instant(microseconds: 12_340_000),
        into: line)
    }
  }

  @Test func `hello describes the owner, the board and the state`() throws {
    let hello = try hello(owner("/etc/plumb/board.ini"), snapshot(7))
    let texts = [
      "event": "hello", "plumb": "\(Release.version)", "owner": "123-456", "board": "/etc/plumb/board.ini",
      "sensor": "adxl345",
      "bus": "/dev/i2c-1", "chip": "raspberry-pi", "code": "one-hot", "pose": "landscapeLeft",
    ]
    for (key, text) in texts { expect(hello[key] as? String, equals: text, "\(key)") }
    let numbers = [
      "protocol": 1, "address": 83, "rate_hz": 100, "range_g": 16, "t": 12.34, "since": 3.2, "x": 1, "y": 0, "z": 0,
      "events": 7,
      "clients": 3,
    ]
    for (key, number) in numbers { expect(hello[key] as? Double, equals: number, "\(key)") }
    expect(that: hello["gyroscope_range_dps"] is NSNull)
    expect(hello["commands"] as? Bool, equals: true)
    expect(that: hello["tare"] is NSNull)
    expect(hello["asleep"] as? Bool, equals: false)
    expect(hello["lines"] as? [Int], equals: [1, 0, 0, 1, 0, 0, 0])
    let counters = try require(hello["counters"] as? [String: Any])
    expect(counters["samples"] as? Int, equals: 7)
    expect(counters["faults"] as? Int, equals: 126)
    expect((counters["fault_kinds"] as? [String: Int])?.count, equals: 18)
    expect((counters["unknown"] as? [String: Int])?["stale"], equals: 7)
    expect(that: hello["still"] is NSNull)
    var resting = snapshot(7)
    resting.isStill = false
    try expect(self.hello(owner("b.ini"), resting)["still"] as? Bool, equals: false)
    expect(that: hello["busy"] is NSNull)
    resting.isBusy = true
    try expect(self.hello(owner("b.ini"), resting)["busy"] as? Bool, equals: true)
    expect(hello.count, equals: 28)
    expect(counters.count, equals: 14)
    expect(counters["lost_samples"] as? Int, equals: 7)
  }

  @Test(
    arguments: [(1_507_328, 23), (-1, 0), (-3_279, -0.1), (5_573_836, 85), (.min + 1, -32_768)] as [(Int32, Double)])
  func `the counters have the temperature of the die to a tenth`(raw: Int32, expected: Double) throws {
    var snapshot = snapshot(7)
    snapshot.temperature = Q16(raw: raw)
    let hello = try hello(owner("b.ini"), snapshot)
    let within = try require(hello["counters"] as? [String: Any])
    expect(within["temperature_c"] as? Double, equals: expected)
    let counters = try unsafe read { line in
      unsafe writer.counters(snapshot, clients: 1, missed: 0, at: Instant(microseconds: 0), into: line)
    }
    expect(counters["temperature_c"] as? Double, equals: expected)
  }

  @Test func `an unknown pose is its reason, and a missing force is null`() throws {
    var snapshot = snapshot(0, .unknown(.accelerating))
    (snapshot.force, snapshot.transactions, snapshot.outputWrites) = (nil, nil, nil)
    let hello = try hello(owner("emulated"), snapshot)
    expect(hello["pose"] as? String, equals: "accelerating")
    expect(that: hello["x"] is NSNull)
    expect(that: hello["z"] is NSNull)
    let counters = try require(hello["counters"] as? [String: Any])
    #expect((counters["fault_kinds"] as? [String: Int])?.isEmpty == true && counters["transactions"] == nil)
  }

  /// The largest numbers, and names whose every byte takes six.
  @Test(arguments: [0, 9, 9_999, 99_999_999, 10_000_000_000_000_000_000] as [UInt64])
  func `hello fits: with large numbers, long names are cut first`(count: UInt64) throws {
    var owner = owner(String(repeating: "\u{1}", count: 127))
    owner.identity = ShortText(cutting: String(repeating: "9", count: 47))
    owner.board.bus = .linux(path: ShortText(cutting: String(repeating: "\u{2}", count: 63)))
    owner.board.lines.chip = ShortText(cutting: String(repeating: "\u{3}", count: 31))
    owner.period = Microseconds(999_999)
    owner.tare = try require(Tare(millionths: -577_350, -577_350, -577_350))
    var snapshot = snapshot(count)
    snapshot.force = Vector3(x: Q16(raw: -1), y: Q16(raw: .min + 1), z: Q16(raw: .min + 1))
    snapshot.since = Instant(microseconds: .min + 1)
    snapshot.temperature = Q16(raw: .min + 1)
    let hello = try hello(owner, snapshot, clients: .max, at: Instant(microseconds: .min + 1))
    expect((hello["board"] as? String)?.allSatisfy { $0 == "\u{1}" }, equals: true)
    let counters = try require(hello["counters"] as? [String: Any])
    expect(counters["samples"] as? UInt64, equals: count)
    expect(counters["restarts"] as? UInt64, equals: count)
    expect(hello["events"] as? UInt64, equals: count)
    expect(hello["owner"] as? String, equals: String(repeating: "9", count: 47))
    let hasKinds = counters["fault_kinds"] != nil && counters["unknown"] != nil
    expect(hasKinds, equals: count == 0, "\(count)")
  }

  @Test func `hello names the events that the owner does not detect, if there is room`() throws {
    var owner = owner("b.ini")
    let idle = Snapshot.unknown
    try expect(
      self.hello(owner, idle)["undetected"] as? [String],
      equals: ["busy", "quiet", "tap", "doubleTap", "freeFall", "asleep", "awake"])
    owner.board.vibration = VibrationConfiguration()
    owner.board.power = BoardDescription.Power(still: .seconds(60))
    try expect(self.hello(owner, idle)["undetected"] as? [String], equals: ["tap", "doubleTap", "freeFall"])
    let full = try hello(owner, snapshot(7))
    expect(that: full["undetected"] == nil)
    expect(full["board"] as? String, equals: "b.ini")
  }

  @Test func `hello has the direction of up at which angles are zero`() throws {
    var owner = owner("b.ini")
    owner.board.tare = try require(Tare(millionths: 20_000, -10_000, 999_750))
    let fresh = OwnerDescription(identity: "1-1", name: owner.name, board: owner.board, period: owner.period)
    try expect(hello(fresh, snapshot(7))["tare"] as? [Double], equals: [0.02, -0.01, 0.99975])
  }

  @Test func `a name is not cut within a character`() throws {
    var snapshot = snapshot(999)
    snapshot.counters.unknown = UnknownCounts()
    let name = String(repeating: "é", count: 63)
    let hello = try hello(owner("x" + name), snapshot)
    let board = try require(hello["board"] as? String)
    expect(board.first, equals: "x")
    expect(that: board.dropFirst().allSatisfy { $0 == "é" })
    expect(board.count, isBelow: 64)
  }

  @Test(arguments: [7, 10_000_000_000_000_000_000] as [UInt64])
  func `counters fit, with the kinds only if there is room`(count: UInt64) throws {
    var snapshot = snapshot(count)
    snapshot.temperature = Q16(raw: .min + 1)
    let counters = try unsafe read { line in
      unsafe writer.counters(
        snapshot, clients: .max, missed: .max, at: Instant(microseconds: .min + 1), into: line)
    }
    expect(counters["event"] as? String, equals: "counters")
    expect(counters["samples"] as? UInt64, equals: count)
    expect(counters["missed"] as? UInt64, equals: .max)
    expect(counters["clients"] as? Int, equals: .max)
    expect(counters["fault_kinds"] != nil, equals: count == 7)
  }

  @Test func `objects about the stream itself fit`() throws {
    let missed = try unsafe read { line in unsafe ObjectWriter.missed(.max, into: line) }
    expect(missed["event"] as? String, equals: "missed")
    expect(missed["count"] as? UInt64, equals: .max)
    expect(missed.count, equals: 2)
    let done = try unsafe read { line in unsafe ObjectWriter.done("tare", into: line) }
    expect(done["event"] as? String, equals: "done")
    expect(done["command"] as? String, equals: "tare")
    let plain = String(repeating: "w", count: 383)
    let bye = try unsafe read { line in unsafe ObjectWriter.words("bye", Message(cutting: plain), into: line) }
    expect(bye["event"] as? String, equals: "bye")
    expect(bye["detail"] as? String, equals: plain)
    let worst = String(repeating: "\u{1}", count: 383)
    let error = try unsafe read { line in unsafe ObjectWriter.words("error", Message(cutting: worst), into: line) }
    expect(error["event"] as? String, equals: "error")
    expect(error["detail"] as? String, equals: String(worst.prefix(160)))
  }
}
