import FixedPoint
import FixedText
import Indication
import Monitor
import Orientation
import PlumbStream
import StreamCodec
import TestSupport
import Testing

/// The codec's tests cover what a line means; these, that a client gets it.
struct MessageTests {
  /// The message of `line`, which must be one.
  private static func message(_ line: String) throws -> StreamMessage {
    var reader = StreamReader()
    return try require(StreamMessage(line: line, &reader))
  }

  @Test static func `every force of a sample equals the owner's to the last bit`() throws {
    var random = SplitMix64(seed: 7)
    let ends: [Int32] = [.min, .min + 1, -65_537, -65_536, -1, 0, 1, 65_535, 65_536, .max - 1, .max]
    for raw in ends + (0..<2_000).map({ _ in Int32.random(in: -1_048_576...1_048_576, using: &random) }) {
      // As the owner writes it: six places, rounded to nearest.
      let millionths = (Int64(raw) * 1_000_000 + (raw < 0 ? -32_768 : 32_768)) / 65_536
      let rest = String(millionths.magnitude % 1_000_000)
      let text =
        (millionths < 0 ? "-" : "") + "\(millionths.magnitude / 1_000_000)."
        + String(repeating: "0", count: 6 - rest.count) + rest
      guard case .observed(let seen, nil) = try message(FakeOwner.sample(t: "1", x: text)) else {
        Issue.record("no sample: \(text)")
        return
      }
      expect(seen.reading?.force.x.raw, equals: raw, "\(text)")
    }
  }

  @Test static func `an event has its instant on the reader's clock, and the owner's words`() throws {
    let start = Instant(microseconds: 5_000_000)
    var reader = StreamReader(start: start)
    let line = "{\"t\":1,\"event\":\"quiet\",\"duration_s\":2.5,\"detail\":\"d\"}"
    guard case .observed(let seen, let words)? = try StreamMessage(line: line, &reader) else {
      Issue.record("no event")
      return
    }
    expect(seen.events[0], equals: Occurrence(at: start + .seconds(1), .quiet(since: start - .milliseconds(1_500))))
    expect(seen.events.count, equals: 1)
    expect(words, equals: "d")
    expect(seen.snapshot.isBusy, equals: false)
  }

  @Test static func `a repeated key has its last value`() throws {
    var reader = StreamReader()
    // The line of test_lines.py in Python, and of stream.test.mjs in JavaScript.
    let line =
      #"{"event":"shake","t":1,"event":"trouble","reason":"fault","re\u0061son":"stale","t":"x","t":2.5,"#
      + #""detail":{"a":1,"a":2},"detail":"last"}"#
    guard case .observed(let seen, let words)? = try StreamMessage(line: line, &reader) else {
      Issue.record("no event")
      return
    }
    expect(seen.events[0], equals: Occurrence(at: Instant(microseconds: 2_500_000), .trouble(.stale, cause: nil)))
    expect(seen.events.count, equals: 1)
    expect(words, equals: "last")
  }

  @Test static func `a hello describes the owner and its state`() throws {
    guard case .hello(let hello) = try message(FakeOwner.hello(pose: "freeFall")) else {
      Issue.record("no hello")
      return
    }
    expect(hello.protocolVersion, equals: 1)
    expect(hello.version, equals: "0.2.0")
    expect(hello.owner, equals: "1-1")
    expect(hello.board, equals: "b.ini")
    expect(hello.sensor, equals: "adxl345")
    expect(hello.address, equals: 0x53)
    expect(hello.bus, equals: "/dev/i2c-1")
    expect(hello.rateInMillihertz, equals: 100_000)
    expect(hello.rangeInG, equals: 16)
    expect(hello.gyroscopeRange, equals: nil)
    expect(hello.chip, equals: "raspberry-pi")
    expect(hello.code, equals: .leds)
    expect(hello.snapshot.levels.bits, equals: 1)
    expect(that: hello.allowsCommands)
    expect(hello.time.count, equals: 12_500_000)
    expect(hello.clients, equals: 1)
    let known = hello.snapshot
    expect(known.since.microseconds, equals: 3_200_000)
    expect(known.state, equals: .unknown(.freeFall))
    expect(known.events, equals: 3)
    expect(known.force?.y.raw, equals: 65_792)
    expect(known.tare, equals: .none)
    expect(known.counters.samples, equals: 1_000)
    expect(known.counters.faults, equals: 2)
    expect(known.transactions, equals: 1_010)
    expect(known.counters.faultKinds[.noAcknowledge], equals: 2)
  }

  @Test static func `answers and other messages have the owner's words`() throws {
    if case .missed(17) = try message("{\"event\":\"missed\",\"count\":17}") {} else { Issue.record("missed") }
    if case .error("ä") = try message("{\"event\":\"error\",\"detail\":\"\\u00e4\"}") {} else { Issue.record("error") }
    if case .bye("d") = try message("{\"event\":\"bye\",\"detail\":\"d\"}") {} else { Issue.record("bye") }
    if case .done("tare") = try message("{\"event\":\"done\",\"command\":\"tare\"}") {} else { Issue.record("done") }
    let reading =
      "{\"t\":3,\"event\":\"reading\",\"pose\":\"unknown\",\"reason\":\"freeFall\",\"detail\":\"d\",\"x\":0,\"y\":0,\"z\":0}"
    guard case .reading(let fresh, "d") = try message(reading) else {
      Issue.record("reading")
      return
    }
    expect(fresh.state, equals: .unknown(.freeFall))
    expect(fresh.force, equals: .zero)
  }

  @Test static func `an unknown kind is skipped, and so is an object without a kind`() throws {
    var reader = StreamReader()
    for line in ["{\"t\":1,\"event\":\"weather\"}", "{}"] {
      if try StreamMessage(line: line, &reader) != nil { Issue.record("a message: \(line)") }
    }
  }

  @Test(arguments: ["", "x", "[1]", "{\"event\":\"pose\"", "{\"event\":\"missed\"}"])
  static func `a line that is not an object, or lacks a field of its kind, is an error`(line: String) {
    let error = expect(throws: StreamError.self) { _ = try message(line) }
    expect(error?.kind, equals: .badProtocol)
  }
}
