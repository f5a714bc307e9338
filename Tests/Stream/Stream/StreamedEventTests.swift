import FixedPoint
import Foundation
import Gestures
import HAL
import JSON
import Monitor
import Orientation
import Sensors
import Stream
import StreamCodec
import TestSupport
import Testing
import Text

private let up = Vector3(x: .zero, y: .one, z: .zero)
private let start = Instant(microseconds: 0)

/// Events, and their lines for people.
private let examples: [(event: Event, words: String)] = [
  (.pose(from: nil, to: .landscapeLeft, force: up), "pose: landscape, left edge down"),
  (.trouble(.ambiguous, cause: nil), "pose unknown: the board is between poses"),
  (.trouble(.fault, cause: .weightless), "pose unknown: " + words(.weightless)),
  (.recovered(from: .frozen, outage: Microseconds(1_234_567)), "recovered after 1.23 s from: " + words(.frozen)),
  (.gaveUp(cause: .resetTimedOut, outage: .seconds(10)), "gave up after 10.00 s: " + words(.resetTimedOut)),
  (.notice(.samplesLost(3)), "notice: 3 samples were lost"),
  (.shake, "shake"), (.still, "still"), (.moving, "moving"),
  (
    .rotation(.willRotate(from: .portrait, to: .landscapeRight, duration: .milliseconds(300))),
    "interface rotation: portrait to landscape right, 0.30 s"
  ),
  (.rotation(.firstHalf), "interface rotation: first half"),
  (.rotation(.secondHalf), "interface rotation: second half"),
  (.rotation(.didRotate(from: .portrait)), "interface rotation: done, from portrait"),
  (
    .rotation(.redirected(to: .portraitUpsideDown, remaining: .milliseconds(50))),
    "interface rotation: redirected to portrait, upside down, 0.05 s remaining"
  ),
  (.busy(since: start), "busy: the machine vibrates"), (.quiet(since: start), "quiet: the machine is done"),
  (.tap(Tap(.x, sign: 1)), "tap: +x (on the left)"), (.tap(Tap(.y, sign: -1)), "tap: -y (on the top)"),
  (.doubleTap(Tap(.z, sign: 0)), "double tap: z (on the back or the face)"),
  (.freeFall(Microseconds(451_600)), "free fall: 0.45 s, 1 m"),
  (.asleep, "asleep until the board moves"), (.awake, "awake"),
]

/// An event of each kind; one that has no fields and no line above has the kind's own words.
private let events =
  examples
  + Event.Kind.allCases.compactMap(\.plain).filter { event in !examples.contains { $0.event == event } }
  .map { ($0, "\($0.words(of: sensor))") }

private let sensor = SensorPlace(.adxl345, at: ADXL345.address)

private func words(_ error: SensorError) -> String { error.message(of: sensor).description }

struct StreamedEventTests {
  @Test static func `there is an example of each kind`() {
    expect(empty: Set(Event.Kind.allCases).subtracting(events.map(\.event.kind)))
  }

  @Test(arguments: events.indices)
  static func `an event has its words`(index: Int) {
    let (event, wanted) = events[index]
    let line = event.sentence(of: sensor)
    expect(line.description, equals: wanted)
    expect(that: !line.isCut)
    expect(wanted, hasSuffix: event.words(of: sensor).description)
  }

  @Test static func `the owner's words replace those about a fault or a notice`() {
    for (event, _) in events where event.kind.group == .sensor {
      expect(event.words(of: sensor, detail: "its own words").description, hasSuffix: "its own words")
    }
  }

  @Test static func `each kind is found by its name, and has its own meaning`() {
    for kind in Event.Kind.allCases { expect(Event.Kind(ShortText<32>(kind.name)), equals: kind) }
    expect(Event.Kind(ShortText<32>("poses")), equals: nil)
    expect(Set(Event.Kind.allCases.map { "\($0.meaning)" }).count, equals: Event.Kind.allCases.count)
  }

  @Test(arguments: events.indices)
  static func `the line of an event has its name, and a client reads it, with or without words`(index: Int) throws {
    let occurrence = Occurrence(at: Instant(microseconds: 2_500_000), events[index].event)
    let writer = ObjectWriter(start: start, sensor: sensor)
    for hasWords in [true, false] {
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: ObjectWriter.longestLine) { memory, count in
        count = unsafe ObjectWriter.line(into: memory) { json in
          if hasWords { writer.write(occurrence, to: &json) } else { writer.write(wordless: occurrence, to: &json) }
        }
      }
      let line = String(decoding: bytes.dropLast(), as: UTF8.self)
      expect(line, contains: "\"event\":\"\(occurrence.event.kind.name)\"")
      expect(line.contains("detail"), equals: hasWords && occurrence.event.kind.group == .sensor)
      var reader = StreamReader()
      guard case .observed(let seen, let words)? = try reader.read(try JSONObject(line)) else {
        Issue.record("no event: \(line)")
        return
      }
      #expect(seen.events.count == 1 && seen.events[0] == occurrence && (hasWords || words == nil))
    }
  }
}
