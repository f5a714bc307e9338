internal import FixedPoint
internal import HAL
internal import Indication
internal import JSON
internal import Monitor
internal import Sensors
internal import StreamCodec
internal import StreamLines
internal import Text
internal import CWeb

/// Reads the lines of an owner's stream as they come over a serial line, and writes what they say.
///
/// Everything that a page gets has passed through the codec, so that no line from outside reaches it as it came.
struct LineReader {
  /// Whether a whole hello has come, and nothing broken after it.
  private(set) var isKnown = false
  private var reader = StreamReader()
  private var inbox: Inbox

  /// A reader that has read nothing.
  init() {
    let size = JSONObject.longestLine &+ 1
    let memory = unsafe cweb_memory(UInt32(truncatingIfNeeded: size))
    inbox = unsafe Inbox(
      UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: UInt8.self), count: size))
  }

  /// Forgets everything, as when the connection is lost.
  mutating func forget(_ view: inout BoardView) {
    inbox.clear()
    doubt(&view)
  }

  private mutating func doubt(_ view: inout BoardView) {
    isKnown = false
    reader.forget()
    view.forget()
  }

  /// Takes in one byte; a line that it ends is written as what it says.
  mutating func take(_ byte: UInt8, _ view: inout BoardView, to writer: inout JSONWriter) {
    _ = unsafe inbox.fill { room in
      unsafe room[0] = byte
      return 1
    }
    switch inbox.nextLine() {
    case .nothing: break
    case .tooLong: refuse("a line of more than 1024 bytes", &view, to: &writer)
    case .line(let length):
      let line = unsafe inbox.line(length)
      unsafe read(line, &view, to: &writer)
      inbox.dropLine(length)
    }
  }

  @inline(never)
  private mutating func read(_ line: UnsafeBufferPointer<UInt8>, _ view: inout BoardView, to writer: inout JSONWriter) {
    let object: JSONObject
    do throws(JSONError) { object = try unsafe JSONObject(line) } catch {
      return refuse("a line that is not an object of JSON", &view, to: &writer)
    }
    guard isKnown || object["event"]?.isString("hello") == true else { return }
    do throws(StreamLineError) {
      guard let message = try reader.read(object) else { return }
      show(message, object, &view, to: &writer)
    } catch {
      refuse("a line that lacks something, or has something invalid", &view, to: &writer)
    }
  }

  /// Says that a line is refused: from now on nothing is known. Before a hello, nothing was.
  private mutating func refuse(_ detail: StaticString, _ view: inout BoardView, to writer: inout JSONWriter) {
    guard isKnown else { return }
    doubt(&view)
    writer.beginObject()
    writer.field("event", "refused")
    writer.field("detail", detail)
    writer.endObject()
    writer.endLine()
  }

  @inline(never)
  private mutating func show(
    _ message: StreamMessage, _ object: JSONObject, _ view: inout BoardView, to writer: inout JSONWriter
  ) {
    switch message {
    case .hello(let hello): greet(hello, &view, to: &writer)
    case .observed(let seen, let words): observe(seen, words, object, &view, to: &writer)
    case .raw(let measured, let instant): view.objects.write(raw: measured, at: instant, to: &writer)
    case .reading(let fresh, _): view.objects.write(fresh, to: &writer)
    case .board(let board):
      begin("board", &writer)
      writer.fields(of: board, name: 128)
      writer.endObject()
    case .missed(let count): ObjectWriter.write(missed: count, to: &writer)
    case .error(let words): say("error", words, &writer)
    case .bye(let words): say("bye", words, &writer)
    case .done(let command):
      begin("done", &writer)
      writer.field("command", command)
      writer.endObject()
    // It comes from a client, not from a line.
    case .gone: return
    }
    writer.endLine()
  }

  private func begin(_ event: StaticString, _ writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("event", event)
  }

  private func say(_ event: StaticString, _ words: Message, _ writer: inout JSONWriter) {
    begin(event, &writer)
    writer.fields(words: words, atMost: 384)
    writer.endObject()
  }

  private mutating func greet(_ hello: StreamHello, _ view: inout BoardView, to writer: inout JSONWriter) {
    isKnown = true
    var place = view.objects.sensor
    var number: UInt8 = 0
    while let model = SensorModel(rawValue: number) {
      if hello.sensor == model.name { place.model = model }
      number &+= 1
    }
    if let address = I2CAddress(hello.address) { place.address = address }
    view.objects = ObjectWriter(start: reader.start, sensor: place, code: hello.code ?? .leds)
    view.objects.tare = hello.snapshot.tare
    view.seen = Observation(hello.snapshot)
    view.note(at: reader.start + hello.time)
    begin("hello", &writer)
    writer.fields(of: hello, from: reader.start, names: 128, hasKinds: true)
    writer.endObject()
  }

  private mutating func observe(
    _ seen: Observation, _ words: Message?, _ object: JSONObject, _ view: inout BoardView, to writer: inout JSONWriter
  ) {
    let time = object["t"]?.time ?? .zero
    view.seen = seen
    view.note(at: reader.start + time)
    if seen.events.count > 0 { return view.writeEvents(detail: words, to: &writer) }
    if let reading = seen.reading { return view.objects.write(reading, of: seen, to: &writer) }
    if let second = seen.vibration { return view.objects.write(second, to: &writer) }
    writer.beginObject()
    writer.field("t", seconds: time)
    writer.field("event", "counters")
    writer.fields(countersOf: seen.snapshot, hasKinds: true)
    writer.endObject()
  }
}
