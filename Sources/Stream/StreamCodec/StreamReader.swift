public import FixedPoint
internal import FixedText
package import JSON
public import Monitor
internal import Indication
internal import Orientation
internal import Sensors
internal import Vibration

/// Why a line cannot be read.
public enum StreamLineError: Error, Equatable, Sendable {
  /// It lacks something that its kind has, or has something invalid.
  case incomplete
}

/// Reads the lines of a stream, one after another, into the core's types, without a heap.
///
/// It keeps track of the board, so that each line yields the same ``Monitor/Observation`` as the step of the owner's
/// loop, as far as the stream carries it. Times count from ``start``.
public struct StreamReader: Sendable {
  /// The instant of the owner's time 0.
  public var start: Instant { didSet { snapshot.since = snapshot.since + (start - oldValue) } }
  /// What is known about the board.
  public private(set) var snapshot: Snapshot
  /// Identifies this run of the owner; and the code of its lines.
  private var owner = ShortText<64>()
  private var code: LineCode?
  /// Computes gravity from the forces of an older owner.
  private var gravity = GravityFilter()

  /// A reader that has read nothing.
  public init(start: Instant = Instant(microseconds: 0)) {
    self.start = start
    snapshot = Snapshot(at: start)
  }

  /// Forgets everything about the board, as when the connection is lost.
  package mutating func forget() {
    snapshot = Snapshot(at: start)
    gravity = GravityFilter()
  }

  /// The message in `object`; nil for an unknown kind, which a client skips.
  package mutating func read(_ object: JSONObject) throws(StreamLineError) -> StreamMessage? {
    guard let event = object["event"] else { return nil }
    if let kind = event.named({ (kind: Event.Kind) in kind.name }) { return try read(kind, object) }
    if event.isString("sample") { return try read(sample: object) }
    if event.isString("hello") { return try read(hello: object) }
    if event.isString("counters") {
      guard object["t"]?.time != nil else { throw .incomplete }
      snapshot.take(counters: object.value)
      return .observed(Observation(snapshot), words: nil)
    }
    if event.isString("vibration") {
      guard let second = VibrationSecond(object, from: start) else { throw .incomplete }
      var seen = Observation(snapshot)
      seen.vibration = second
      return .observed(seen, words: nil)
    }
    if event.isString("raw") {
      guard let instant = object.instant(from: start), let measured = Measurement(object) else { throw .incomplete }
      return .raw(measured, at: instant)
    }
    if event.isString("reading") {
      guard let fresh = FreshReading(object, from: start) else { throw .incomplete }
      return .reading(fresh, words: Self.words(object))
    }
    if event.isString("board") {
      guard let board = StreamBoard(object) else { throw .incomplete }
      return .board(board)
    }
    return try StreamMessage.answer(event, object)
  }

  private mutating func read(_ kind: Event.Kind, _ object: JSONObject) throws(StreamLineError) -> StreamMessage {
    guard let now = object.instant(from: start), let event = Event(kind, object, at: now) else { throw .incomplete }
    let occurrence = Occurrence(at: now, event)
    snapshot.take(occurrence)
    if case .pose(_, let pose, _) = event, let code { snapshot.levels = code.levels(of: pose) }
    var seen = Observation(snapshot)
    seen.add(occurrence)
    return .observed(seen, words: Self.words(object))
  }

  private mutating func read(sample object: JSONObject) throws(StreamLineError) -> StreamMessage {
    guard let reading = snapshot.take(sample: object, from: start, &gravity) else { throw .incomplete }
    var seen = Observation(snapshot)
    seen.reading = reading
    return .observed(seen, words: nil)
  }

  private mutating func read(hello object: JSONObject) throws(StreamLineError) -> StreamMessage {
    guard var found = StreamHello(object, from: start) else { throw .incomplete }
    if found.owner == owner {
      // What comes only with samples, which continue.
      (found.snapshot.position, found.snapshot.steering) = (snapshot.position, snapshot.steering)
      found.snapshot.attitude = snapshot.attitude
    } else {
      gravity = GravityFilter()
    }
    (owner, code, snapshot) = (found.owner, found.code, found.snapshot)
    return .hello(found)
  }

  private static func words(_ object: JSONObject) -> Message? {
    object["detail"].flatMap { $0.isString ? Message($0) : nil }
  }
}
