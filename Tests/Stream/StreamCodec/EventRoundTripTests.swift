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

private let start = Instant(microseconds: 1_000_000)
private let now = Instant(microseconds: 8_765_432)
private let force = Vector3(x: Q16(raw: -65_537), y: Q16(raw: 12_345), z: Q16(raw: .max))

/// Each fault, with distinct figures.
private let faults: [SensorError] = [
  .bus(.noAcknowledge), .bus(.arbitrationLost), .bus(.timedOut), .bus(.shortRead(expected: 14, received: 3)),
  .bus(.unsupported), .bus(.notPermitted), .bus(.busy), .bus(.unavailable), .bus(.other(code: .min)),
  .bus(.other(code: 121)), .unexpectedIdentity(found: 0x68, expected: 0xE5),
  .configurationRejected(register: 0x2C, wrote: 0xFF, read: 0), .configurationLost, .resetTimedOut,
  .rateTooHigh(busHertz: .max, highestHertz: 400), .frozen, .stuckAtFullScale, .weightless,
  .configurationChanged(register: 0x2C, wrote: 0x0A, read: 0x0C),
]

private let reasons = (0..<6).compactMap(UnknownReason.init(rawValue:))
private let orientations = (0..<UInt8(InterfaceOrientation.count)).compactMap(InterfaceOrientation.init(rawValue:))
private let poses = (0..<UInt8(Pose.count)).compactMap(Pose.init(rawValue:))

/// Each event, with every value it can carry.
private let events: [Event] =
  poses.flatMap { to in
    [Event.pose(from: nil, to: to, force: force)] + poses.map { .pose(from: $0, to: to, force: force) }
  } + [.pose(from: .portrait, to: .faceUp, force: nil)] + reasons.map { .trouble($0, cause: nil) }
  + faults.flatMap { fault -> [Event] in
    [
      .trouble(.fault, cause: fault), .recovered(from: fault, outage: Microseconds(1)),
      .gaveUp(cause: fault, outage: Microseconds(-7_200_000_001)),
    ]
  } + [.recovered(from: nil, outage: .zero), .gaveUp(cause: nil, outage: .seconds(1))]
  + [
    .notice(.compatiblePart(identity: 0)), .notice(.compatiblePart(identity: 0xFF)), .notice(.samplesLost(0)),
    .notice(.samplesLost(.max)), .notice(.staysAwake), .notice(.axesApart), .notice(nil), .busy(since: start),
    .quiet(since: Instant(microseconds: -3)), .freeFall(Microseconds(451_601)), .rotation(.firstHalf),
    .rotation(.secondHalf),
  ] + Event.Kind.allCases.compactMap(\.plain)
  + [Tap.Axis.x, .y, .z].flatMap { axis in
    [-1, 0, 1].flatMap { [Event.tap(Tap(axis, sign: $0)), .doubleTap(Tap(axis, sign: $0))] }
  }
  + orientations.flatMap { from in
    orientations.map { .rotation(.willRotate(from: from, to: $0, duration: Microseconds(300_001))) }
      + [.rotation(.didRotate(from: from)), .rotation(.redirected(to: from, remaining: Microseconds(1)))]
  }

/// The object of `event`, as text.
private func text(_ event: Event, _ code: LineCode = .leds, detail: Message? = nil) -> String {
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1_024) { memory, count in
    var writer = unsafe JSONWriter(memory)
    writer.beginObject()
    writer.field("t", seconds: now - start)
    writer.field("event", event.kind.name)
    writer.fields(of: event, at: now, .none, code, detail: detail)
    writer.endObject()
    count = writer.isCut ? 0 : writer.count
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// The lines of all these events, for lines of any code.
let eventLines = ([.leds, .oneHot, .binary] as [LineCode]).flatMap { code in
  events.map { text($0, code, detail: $0.kind.group == .sensor ? "in \"words\"" : nil) }
}

/// The event of a line; nil if something is missing.
private func event(_ line: String) throws -> Event? {
  let object = try JSONObject(line)
  let kind = try require(object["event"]?.named { (kind: Event.Kind) in kind.name })
  return Event(kind, object, at: now)
}

struct EventRoundTripTests {
  @Test static func `there is an event of each kind, and a fault of each kind`() {
    expect(empty: Set(Event.Kind.allCases).subtracting(events.map(\.kind)))
    expect(empty: Set(FaultKind.allCases).subtracting(faults.map(\.kind)))
  }

  @Test(arguments: [.leds, .oneHot, .binary] as [LineCode])
  static func `an event is read as written, for any lines`(code: LineCode) throws {
    for written in events {
      let line = text(written, code, detail: "in \"words\"")
      try expect(event(line), equals: written, "\(line)")
    }
  }

  @Test static func `a kind without fields is recognised by its name`() throws {
    for kind in Event.Kind.allCases {
      let read = try event("{\"event\":\"\(kind.name)\"}")
      expect(read, equals: kind == .notice ? .notice(nil) : kind.plain, "\(kind)")
      if let plain = kind.plain { expect(plain.kind, equals: kind) }
    }
  }

  /// As owners of 0.1 wrote: a pose without force, a fault without figures, a notice without kind.
  @Test(arguments: [
    (
      "{\"event\":\"pose\",\"from\":\"unknown\",\"to\":\"faceUp\",\"angle_deg\":null,\"pitch_deg\":45,\"roll_deg\":-90}",
      Event.pose(from: nil, to: .faceUp, force: nil)
    ),
    (
      "{\"event\":\"trouble\",\"reason\":\"fault\",\"cause\":\"timedOut\",\"detail\":\"d\"}",
      .trouble(.fault, cause: .bus(.timedOut))
    ),
    (
      "{\"event\":\"trouble\",\"reason\":\"fault\",\"cause\":\"unexpectedIdentity\",\"detail\":\"d\"}",
      .trouble(.fault, cause: nil)
    ),
    ("{\"event\":\"recovery\",\"outage_s\":0.25,\"detail\":\"d\"}", .recovered(from: nil, outage: .milliseconds(250))),
    ("{\"event\":\"give-up\",\"outage_s\":2,\"cause\":\"possessed\"}", .gaveUp(cause: nil, outage: .seconds(2))),
    ("{\"event\":\"notice\",\"detail\":\"d\"}", .notice(nil)),
    ("{\"event\":\"notice\",\"lost_samples\":7,\"detail\":\"d\"}", .notice(.samplesLost(7))),
  ])
  static func `fields that an older owner lacks or a later one adds are not made up`(line: String, wanted: Event) throws
  {
    try expect(event(line), equals: wanted)
  }

  @Test(arguments: [
    "\"event\":\"pose\"", "\"event\":\"pose\",\"to\":\"sideways\"", "\"event\":\"trouble\"",
    "\"event\":\"trouble\",\"reason\":\"portrait\"", "\"event\":\"recovery\",\"outage_s\":1e30", "\"event\":\"busy\"",
    "\"event\":\"tap\",\"axis\":\"zx\",\"sign\":1", "\"event\":\"tap\",\"axis\":\"z\",\"sign\":2",
    "\"event\":\"tap\",\"axis\":\"z\",\"sign\":4294967296", "\"event\":\"tap\",\"axis\":\"z\"",
    "\"event\":\"rotation\",\"phase\":\"spin\"",
    "\"event\":\"rotation\",\"phase\":\"willRotate\",\"from\":\"portrait\",\"to\":\"portrait\"",
    "\"event\":\"rotation\",\"phase\":\"redirected\",\"remaining_s\":1", "\"event\":\"freeFall\",\"duration_s\":true",
  ])
  static func `an object that lacks a field is not an event`(fields: String) throws {
    try expect(event("{\(fields)}"), equals: nil)
  }

  @Test(arguments: [
    "\"cause\":\"shortRead\",\"expected\":3000000000,\"received\":1",
    "\"cause\":\"unexpectedIdentity\",\"found\":256,\"expected\":0",
    "\"cause\":\"configurationRejected\",\"register\":1,\"wrote\":2",
    "\"cause\":\"rateTooHigh\",\"bus_hz\":4294967296,\"highest_hz\":1",
    "\"cause\":\"otherBusFault\",\"errno\":\"5\"", "\"cause\":17",
  ])
  static func `a fault with impossible figures is unknown`(fields: String) throws {
    try expect(event("{\"event\":\"trouble\",\"reason\":\"fault\",\(fields)}"), equals: .trouble(.fault, cause: nil))
  }
}

struct CounterRoundTripTests {
  @Test static func `counters are read as written`() throws {
    var random = SplitMix64(seed: 3)
    for round in 0..<50 {
      func number() -> UInt64 { round == 0 ? .max : UInt64.random(in: 0...(1 << UInt64(round / 2)), using: &random) }
      var written = Snapshot.unknown
      var counters = Counters()
      (counters.samples, counters.poseChanges, counters.restarts) = (number(), number(), number())
      (counters.recoveries, counters.giveUps, counters.notices) = (number(), number(), number())
      (counters.shakes, counters.lateSamples, counters.lostSamples) = (number(), number(), number())
      for kind in FaultKind.allCases { counters.faultKinds[kind] = number() / 2 }
      counters.unknown.update { _, count in count = number() }
      (written.counters, written.force, written.temperature) = (counters, .zero, Q16(whole: -40))
      if round % 2 == 0 { (written.transactions, written.outputWrites) = (number(), number()) }
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1_024) { memory, count in
        var writer = unsafe JSONWriter(memory)
        writer.beginObject()
        writer.fields(countersOf: written, hasKinds: true)
        writer.endObject()
        count = writer.isCut ? 0 : writer.count
      }
      // The largest numbers of all kinds do not fit; an owner then leaves the kinds out.
      guard !bytes.isEmpty else {
        expect(round, equals: 0)
        continue
      }
      var read = Snapshot.unknown
      read.take(counters: try JSONObject(bytes.span).value)
      read.force = .zero
      expect(read, equals: written)
    }
  }
}
