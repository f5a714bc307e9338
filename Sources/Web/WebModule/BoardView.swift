internal import CWeb
internal import FixedPoint
internal import HAL
internal import Indication
internal import JSON
internal import Monitor
internal import Orientation
internal import StreamCodec
internal import StreamLines
internal import Text
internal import Vibration

/// What a page sees of a board: the last step, and what is known after it, as the objects of docs/output.md.
struct BoardView {
  /// Writes the objects.
  var objects: ObjectWriter
  /// The last step.
  var seen = Observation()
  /// The time of the last step.
  private(set) var time = Instant(microseconds: 0)
  /// The last sample; nil while the sensor delivers none.
  private(set) var reading: Reading?
  /// The vibration of the last second.
  private(set) var vibration: VibrationSecond?

  /// The view of a board with `sensor`.
  init(of sensor: SensorPlace, code: LineCode) {
    objects = ObjectWriter(start: Instant(microseconds: 0), sensor: sensor, code: code)
  }

  /// Takes in that ``seen`` is the result of a step at `now`.
  mutating func note(at now: Instant) {
    time = now
    if let reading = seen.reading { self.reading = reading }
    if seen.snapshot.force == nil { reading = nil }
    if let second = seen.vibration { vibration = second }
  }

  /// Forgets the last step and what it showed.
  mutating func forget() {
    seen = Observation(.unknown)
    (reading, vibration) = (nil, nil)
  }
}

/// Writes lines of JSON into the memory for text. Returns their length in bytes.
func writingText(_ body: (inout JSONWriter) -> Void) -> Int32 {
  let text = unsafe UnsafeMutableBufferPointer(
    start: cweb_text(), count: CWEB_TEXT_SIZE)
  var writer = unsafe JSONWriter(text)
  body(&writer)
  return Int32(truncatingIfNeeded: writer.isCut ? 0 : writer.count)
}

extension BoardView {
  /// Writes a line for each event of the last step, with its words; `detail` are those of an owner elsewhere.
  func writeEvents(detail: Message? = nil, to writer: inout JSONWriter) {
    for index in 0..<seen.events.count {
      guard let occurrence = seen.events[index] else { return }
      objects.beginObject(of: occurrence.event, at: occurrence.at, detail: detail, to: &writer)
      writer.field("words", occurrence.event.words(of: objects.sensor, detail: detail))
      writer.endObject()
      writer.endLine()
    }
  }

  /// Writes the last sample; nothing if there is none.
  func writeReading(to writer: inout JSONWriter) {
    guard let reading else { return }
    objects.write(reading, of: seen, to: &writer)
    writer.endLine()
  }

  /// Writes the vibration of the last second; nothing if none is measured.
  func writeVibration(to writer: inout JSONWriter) {
    guard let vibration else { return }
    objects.write(vibration, to: &writer)
    writer.endLine()
  }

  /// Writes what is known now.
  func writeSnapshot(to writer: inout JSONWriter) {
    let snapshot = seen.snapshot
    writer.beginObject()
    writer.field("t", seconds: time - objects.start)
    switch snapshot.state {
    case .known(let pose): writer.field("words", pose.words)
    case .unknown(let reason):
      writer.field("words", snapshot.cause?.message(of: objects.sensor) ?? ShortText(reason.message))
    }
    writer.fields(of: snapshot, from: objects.start)
    writer.field("lines", snapshot.levels, count: objects.code.lineCount)
    writer.field("tare", snapshot.tare.up)
    writer.beginObject("counters")
    writer.fields(countersOf: snapshot, hasKinds: true)
    writer.endObject()
    writer.endObject()
    writer.endLine()
  }
}

/// Writes the names and words of everything that can be known or happen, as one object.
func writeVocabulary(to writer: inout JSONWriter) {
  writer.beginObject()
  writer.field("version", Release.version)
  writer.beginArray("poses")
  for number in 0..<UInt8(truncatingIfNeeded: Pose.count) {
    guard let pose = Pose(rawValue: number) else { break }
    writer.beginObject()
    writer.field("name", pose.name)
    writer.field("words", pose.words)
    writer.field("shortWords", pose.shortWords)
    writer.field("meaning", pose.meaning)
    writer.endObject()
  }
  writer.endArray()
  writer.beginArray("reasons")
  var number: UInt8 = 0
  while let reason = UnknownReason(rawValue: number) {
    writer.beginObject()
    writer.field("name", reason.name)
    writer.field("words", reason.message)
    writer.endObject()
    number &+= 1
  }
  writer.endArray()
  writer.beginArray("events")
  for index in 0..<Event.Kind.allCases.count { writer.element(Event.Kind.allCases[index].name) }
  writer.endArray()
  writer.beginArray("faults")
  for index in 0..<FaultKind.allCases.count { writer.element(FaultKind.allCases[index].name) }
  writer.endArray()
  writer.endObject()
  writer.endLine()
}
