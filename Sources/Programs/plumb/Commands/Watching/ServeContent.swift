import BoardFile
import FixedPoint
import Glibc
import JSON
import LinuxHAL
import Monitor
import Orientation
import PlumbViews
import Sensors
import Stream
import StreamCodec
import Text
import ToolInputs
import ToolOutput

/// What is shown, as the text that viewers get: made anew twenty times a second, once for all viewers.
struct ServeContent {
  private let board: BoardDescription
  private let title: String
  private let start: Instant
  private let mailbox: ServeMailbox
  /// Writes the objects of events and lines.
  private let objects: ObjectWriter
  private var latest = ServeMailbox.Update()
  private var attitude = BoardAttitude.upright
  private var last: Instant
  /// The present fault of the sensor, in words.
  private var trouble: String?
  /// When the counters were 0, in seconds since 1970.
  private var began: Double
  private(set) var history: History
  private(set) var events: EventRing
  /// What is shown now.
  private var shown: Scene?
  /// How long the loop had been silent at the last update, in s.
  private var age = 0.0
  /// The frames of this update, by the first slice of the history in each: viewers that keep up all get the same one.
  private var frames: [Int: [UInt8]] = [:]

  /// The number of slices of the history that a new or returning viewer gets: a minute and a half.
  private static let pastSlices = 900

  init(_ board: BoardDescription, _ title: String, start: Instant, _ mailbox: ServeMailbox) {
    self.board = board
    self.title = title
    self.start = start
    self.mailbox = mailbox
    objects = ObjectWriter(start: start, sensor: board.sensor.place, code: board.lines.code)
    last = start
    began = Self.clock(of: start)
    history = History(interval: max(0.1, Double(board.sensor.pace.count) / 1e6))
    events = EventRing(run: AccessToken.hexadecimal())
  }

  /// Takes in what has come since the last call.
  mutating func update(at now: Instant) {
    let certainty = latest.figures.snapshot.attitude?.certainty
    mailbox.collect(into: &latest)
    let seconds = Double((now - last).count) / 1e6
    last = now
    latest.figures.move(&attitude, after: seconds)
    let (pose, time) = (
      latest.figures.snapshot.state.pose.map { Int($0.rawValue) }, Double(latest.figures.elapsed.count) / 1e6
    )
    history.take(latest.extremes.map { Scene.Force($0.least) }, pose, at: time)
    history.take(latest.extremes.map { Scene.Force($0.greatest) }, pose, at: time)
    for event in latest.events { note(event) }
    if let note = latest.figures.clippingNote(after: certainty) {
      events.append(
        JSONText.object { writer in
          writer.field("t", note.time, places: 3)
          writer.field("event", "clipped")
          writer.field("weight", "trouble")
          writer.field("text", note.text)
        })
    }
    if latest.missed > 0 { events.append(EventRing.missed(latest.missed)) }
    shown = scene
    age = age(at: now)
    frames.removeAll(keepingCapacity: true)
  }

  private var scene: Scene { latest.figures.scene(of: board, title, attitude) }

  /// How long the loop has been silent, in s.
  private func age(at now: Instant) -> Double { Double(max(0, (now - start - latest.figures.elapsed).count)) / 1e6 }

  private var reason: String? {
    if case .unknown(let reason) = latest.figures.snapshot.state { return "\(reason.name)" }
    return nil
  }

  /// What the system clock showed at `instant`, in seconds since 1970.
  private static func clock(of instant: Instant) -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    let age = Double((LinuxClock().now - instant).count) / 1e6
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 - age
  }

  /// Whether the sensor is being read.
  func health(at now: Instant) -> SensorHealth {
    SensorHealth(age: sampleAge(at: now), period: period, cause: trouble)
  }

  private var period: Double { Double(board.sensor.pace.count) / 1e6 }

  /// How long ago the last sample came, in s.
  private func sampleAge(at now: Instant) -> Double? {
    latest.figures.sampled.map { Double(max(0, (now - start - $0).count)) / 1e6 }
  }

  /// The figures at `now`, for a monitoring system.
  mutating func metrics(viewers: Int, connections: UInt64, at now: Instant) -> Metrics {
    // A Raspberry Pi starts with an outdated time of day and gets the right one from the network.
    let began = Self.clock(of: start)
    if abs(began - self.began) > 1 { self.began = began }
    let sensor = board.sensor
    let subject = Metrics.Subject(
      version: Release.version.description, sensor: "\(sensor.modelName)", address: "\(sensor.address.text)",
      bus: board.busName.description,
      period: period)
    return Metrics(
      of: subject, scene, reason: reason, latest.figures.snapshot.counters,
      transactions: latest.figures.snapshot.transactions ?? 0,
      start: self.began, sampleAge: sampleAge(at: now), isRead: health(at: now).isRead, viewers: viewers,
      connections: connections)
  }

  private mutating func note(_ reported: ServeMailbox.ReportedEvent) {
    let (time, words) = (reported.occurrence.at - start, reported.remark?.detail)
    let occurrence = reported.occurrence
    switch occurrence.event {
    case .trouble(_, let cause?): trouble = words ?? cause.text(of: board.sensor)
    case .trouble(_, nil): trouble = words
    case .gaveUp(let cause, _): trouble = words ?? cause.text(of: board.sensor)
    case .pose, .recovered: trouble = nil
    default: break
    }
    let line =
      reported.remark?.line(at: time.secondsText)
      ?? objects.text(occurrence.event, at: occurrence.at, words, latest.figures.snapshot.tare)
    var note = board.note(occurrence, since: start, words)
    if note == nil {
      let time = Double((occurrence.at - start).count) / 1e6
      switch occurrence.event {
      case .pose(_, let to, _): note = Scene.Note(time, "\(to.words)", .remark)
      case .trouble(let reason, let cause):
        note = Scene.Note(
          time, words.map { "pose unknown: " + $0 } ?? "\(reason.sentence(cause, of: board.sensor.place))", .remark)
      default: break
      }
    }
    guard let note else { return }
    let weight: StaticString =
      switch note.weight {
      case .trouble: "trouble"
      case .relief: "relief"
      case .remark: "remark"
      }
    events.append(
      JSONText.extended(line) { writer in
        writer.field("weight", weight)
        writer.field("text", note.text)
      })
  }

  /// The present state as a JSON object, for scripts.
  var state: String {
    let notes = events.events(from: events.start(after: nil)).events
    return JSONText.object { writer in
      scene.writeSetting(to: &writer)
      writeFigures(to: &writer)
      writer.field(lines: latest.figures.snapshot.levels, in: objects.code)
      writer.beginArray("events")
      for note in notes { writer.element(json: note.json) }
      writer.endArray()
    } + "\n"
  }

  private func writeFigures(to writer: inout JSONWriter) {
    shown?.writeFigures(age: age, reason: reason, to: &writer)
  }

  /// The first message to a viewer.
  var greeting: String {
    let setting = JSONText.object { writer in
      scene.writeSetting(to: &writer)
      writer.field("run", events.run)
      writer.field("interval", history.interval, places: 4)
      history.write(from: history.last - Self.pastSlices + 1, limit: Self.pastSlices, to: &writer)
    }
    return ServerSentEvent.retry + ServerSentEvent.text("hello", setting)
  }

  /// The present figures, and the history since slice `first`.
  mutating func frame(from first: Int) -> [UInt8] {
    if let made = frames[first] { return made }
    let frame = JSONText.object { writer in
      writeFigures(to: &writer)
      history.write(from: first, limit: Self.pastSlices, to: &writer)
    }
    let made = Array(ServerSentEvent.text("frame", frame).utf8)
    frames[first] = made
    return made
  }
}
