public import FixedPoint
public import Orientation
internal import JSON
internal import Monitor

/// One line of a stream, or what became of the connection.
///
/// `docs/output.md` describes the objects. `time` is in seconds since the owner began, exact to the microsecond.
public enum StreamMessage: Sendable {
  /// The first message of each connection, and the answer to ``StreamRequest/hello``: what the owner has, and what it
  /// knows now.
  case hello(StreamHello)
  /// Something happened.
  case event(StreamEvent)
  /// A sample that was asked for by ``StreamRequest/samples(_:)``.
  case sample(StreamSample)
  /// A sample in the sensor's own frame, uncalibrated, where ``StreamRequest/Samples/raw`` asked for it.
  case raw(time: Microseconds, force: Vector3, rotation: Vector3?)
  /// The counters that were asked for.
  case counters(StreamCounters, time: Microseconds)
  /// The vibration of a second, which ``StreamRequest/vibration(_:)`` asked for.
  case vibration(StreamVibration)
  /// The answer to ``StreamRequest/read``.
  case reading(StreamReading)
  /// The answer to ``StreamRequest/board``.
  case board(StreamBoard)
  /// So many lines are lost, because this client was slow, or the connection was interrupted.
  case missed(UInt64)
  /// The owner refuses a request, in its words.
  case error(String)
  /// The owner has done what a command asked for.
  case done(command: String)
  /// The owner ends, in its words; the connection is about to be closed.
  case bye(String)
  /// The connection is lost: why, in words. Nothing that came before holds any more. The client tries again.
  case gone(String)
}

/// What the owner of a sensor has, and what it knows at one moment.
public struct StreamHello: Equatable, Sendable {
  /// The version of the protocol.
  public var protocolVersion: Int
  /// The version of Plumb that the owner is.
  public var version: String
  /// This run of the owner: another one has another.
  public var owner: String
  /// The board file of the owner, or the name of its board.
  public var board: String
  /// The model of the sensor, as in a board file: `adxl345` or `mpu6050`.
  public var sensor: String
  /// The address of the sensor on its bus.
  public var address: UInt8
  /// The bus, such as `/dev/i2c-1`, or `emulated`.
  public var bus: String
  /// How often the owner takes a sample, in thousandths of a hertz.
  public var rateInMillihertz: Int64
  /// The largest force measured, g.
  public var rangeInG: Int
  /// The largest rate of rotation measured, °/s; nil without a gyroscope.
  public var gyroscopeRange: Int?
  /// The label of the GPIO chip of the lines, or `emulated`.
  public var chip: String
  /// What the lines show: `leds`, `one-hot` or `binary`.
  public var code: String
  /// Whether each line is on.
  public var lines: [Bool]
  /// Whether the owner does what a client on its Unix socket commands.
  public var allowsCommands: Bool
  /// The attitude in which the owner's angles are zero.
  public var tare: Tare
  /// Now.
  public var time: Microseconds
  /// The pose, or the reason for not knowing it.
  public var state: PoseState
  /// Since when that is so.
  public var since: Microseconds
  /// The last force, g; nil before the first sample.
  public var force: Vector3?
  /// Whether the board is still; nil while that is not known, and of an owner that does not say it.
  public var isStill: Bool?
  /// Whether its sensor watches for movement by itself: no samples come, and the pose stays.
  public var isAsleep: Bool
  /// Whether a machine works; nil where its vibration is not watched, and of an owner that does not say it.
  public var isBusy: Bool?
  /// How many events there have been.
  public var events: UInt64
  /// How many clients there are, this one included.
  public var clients: Int
  /// What has been counted.
  public var counters: StreamCounters
  /// The line, without its line feed.
  public var line: String
}

/// Something that happened.
public struct StreamEvent: Equatable, Sendable {
  /// What can happen.
  public enum Kind: Equatable, Sendable {
    /// Another pose is known. `from` is nil for unknown; an angle is nil where it is undefined.
    case pose(from: Pose?, to: Pose, angle: BinaryAngle?, pitch: BinaryAngle, roll: BinaryAngle?)
    /// The pose is not known any more. `cause` is the name of the fault, as in `fault_kinds`; nil where there is none.
    case trouble(UnknownReason, cause: String?)
    /// The sensor delivers again, so long after the first fault.
    case recovery(outage: Microseconds, cause: String?)
    /// The owner has given the sensor up, so long after the first fault.
    case giveUp(outage: Microseconds, cause: String?)
    /// The sensor works, but deserves a word; `lostSamples` where that is how many samples were lost.
    case notice(lostSamples: UInt64?)
    /// The board is shaken.
    case shake
    /// The board has come to rest.
    case still
    /// The board moves after a rest.
    case moving
    /// The interface turns after the pose.
    case rotation(RotationEvent)
    /// A machine works, for so long already.
    case busy(duration: Microseconds)
    /// The machine is done, for so long already.
    case quiet(duration: Microseconds)
    /// The board is tapped along an axis, x, y or z: to the side to which it is pushed, 1 or -1; 0 where that is not known.
    case tap(axis: Character, sign: Int)
    /// The board is tapped twice.
    case doubleTap(axis: Character, sign: Int)
    /// The board has landed, after so long in free fall.
    case freeFall(Microseconds)
    /// The board has been at rest for long: its sensor watches for movement by itself, and no samples come.
    case asleep
    /// The board has moved, or may have: samples come again.
    case awake
  }

  /// What happened.
  public var kind: Kind
  /// When.
  public var time: Microseconds
  /// The owner's words for it; nil where it has none.
  public var detail: String?
  /// The line, without its line feed.
  public var line: String
}

/// A sample and what the owner made of it.
public struct StreamSample: Equatable, Sendable {
  /// When the sample was taken.
  public var time: Microseconds
  /// The specific force in the board's frame, calibrated, g: the owner's to the last bit.
  public var force: Vector3
  /// The rate of rotation in the board's frame, calibrated, with the gyroscope's bias, °/s: the owner's to the last bit; nil
  /// without a gyroscope.
  public var rotation: Vector3?
  /// Gravity by the fusion with the gyroscope, which the angles are of, g; nil without one, and of an owner that does not
  /// give it.
  public var gravity: Vector3?
  /// The pose after this sample; nil for unknown.
  public var pose: Pose?
  /// The steering angle.
  public var steering: BinaryAngle
  /// Where tilt has scrolled to, from left to right, 0 to 1.
  public var scrollX: Q16
  /// Where tilt has scrolled to, from top to bottom, 0 to 1.
  public var scrollY: Q16
  /// What the fusion with a gyroscope makes of it; nil without one.
  public var attitude: Attitude?
  /// The line, without its line feed.
  public var line: String

  /// How the board is held, by the fusion with the gyroscope.
  public struct Attitude: Equatable, Sendable {
    /// The direction of up in the board's frame, to six decimals.
    public var up: UnitVector
    /// The turn about the vertical since the start; nil near face down, where it means nothing.
    public var heading: BinaryAngle?
    /// The rate of rotation without the gyroscope's bias, °/s.
    public var rate: Vector3
    /// Whether the board is at rest.
    public var isStill: Bool
  }
}

/// How strong the vibration of the board was in a second.
public struct StreamVibration: Equatable, Sendable {
  /// When the second ended.
  public var time: Microseconds
  /// The root mean square of all axes together, g.
  public var total: Q16
  /// The root mean square of each axis, g.
  public var rms: Vector3
  /// How far each axis went from its mean at most, g.
  public var peak: Vector3
  /// The edges of the bands, Hz.
  public var edges: [Q16]
  /// The root mean square of all axes together in each band, g; nil where the owner does not know them yet.
  public var bands: [Q16]?
  /// The line, without its line feed.
  public var line: String
}

/// One fresh reading.
public struct StreamReading: Equatable, Sendable {
  /// When it was taken.
  public var time: Microseconds
  /// The pose that it shows, or the reason for not knowing it.
  public var state: PoseState
  /// The owner's words for that reason; nil for a pose.
  public var detail: String?
  /// The specific force in the board's frame, calibrated, g; with a gyroscope gravity.
  public var force: Vector3
}

/// How the sensor sits on its board, and what corrects it: what an owner's board file says of it now.
public struct StreamBoard: Equatable, Sendable {
  /// The board file of the owner, or the name of its board.
  public var name: String
  /// How the sensor sits on the board.
  public var mounting: Mounting
  /// What corrects the force, in the sensor's own frame. Scales are exact to 5e-7.
  public var calibration: Calibration
  /// What corrects the rotation, °/s, in the sensor's own frame; nil where no gyroscope is used.
  public var rotationCalibration: Calibration?
}

/// What an owner has counted since it began.
public struct StreamCounters: Equatable, Sendable {
  /// Samples that came and were not found implausible.
  public var samples: UInt64 = 0
  /// Changes to another pose.
  public var poseChanges: UInt64 = 0
  /// Faults of bus and sensor, each attempt by itself.
  public var faults: UInt64 = 0
  /// Times the sensor delivered again.
  public var recoveries: UInt64 = 0
  /// Samples that were late by a whole period or more.
  public var lateSamples: UInt64 = 0
  /// Samples that waited in the sensor and were lost.
  public var lostSamples: UInt64 = 0
  /// Shakes.
  public var shakes: UInt64 = 0
  /// Transactions on the bus.
  public var transactions: UInt64 = 0
  /// Writes to the lines.
  public var outputWrites: UInt64 = 0
  /// Times the bus was opened again.
  public var restarts: UInt64 = 0
  /// The temperature of the sensor's die, °C, to 0.1; nil where the owner does not measure it.
  public var temperature: Q16?
  /// Faults by their kind; kinds without any are left out.
  public var faultKinds: [String: UInt64] = [:]
  /// How often the pose became unknown, by the name of the reason; reasons without any are left out.
  public var unknown: [String: UInt64] = [:]

  /// All zero.
  public init() {}
}

// From lines.
extension StreamMessage {
  /// The message of `line`; nil for one of a kind that is not known here, which a client passes over.
  ///
  /// Throws ``StreamError/Kind/badProtocol`` for a line that is no object, or lacks what its kind has.
  public init?(line: String) throws(StreamError) {
    let object: JSONObject
    do throws(JSONError) { object = try JSONObject(line) } catch {
      throw StreamError(.badProtocol, "a line that is not JSON: \(printable(String(line.prefix(60))))")
    }
    try self.init(object, line: line)
  }

  /// The message of `object`, which `line` is.
  init?(_ object: JSONObject, line: String) throws(StreamError) {
    guard let kind = object["event"]?.string else { return nil }
    guard let message = Self.message(kind, object.value, line) else {
      guard Self.kinds.contains(kind) else { return nil }
      throw StreamError(.badProtocol, "a line that lacks something: \(printable(String(line.prefix(60))))")
    }
    self = message
  }

  /// What lines are called beside the events of a board.
  private static let others = [
    "hello", "sample", "raw", "counters", "vibration", "reading", "board", "missed", "error", "done", "bye",
  ]
  private static let kinds = Set(others + Event.Kind.allCases.map { "\($0.name)" })

  private static func message(_ kind: String, _ object: JSONValue, _ line: String) -> StreamMessage? {
    switch kind {
    case "hello": return StreamHello(object, line).map { .hello($0) }
    case "sample": return StreamSample(object, line).map { .sample($0) }
    case "raw":
      guard let time = object["t"]?.time, let force = object.force else { return nil }
      return .raw(time: time, force: force, rotation: object["rotation_dps"]?.vector)
    case "counters": return object["t"]?.time.map { .counters(StreamCounters(object), time: $0) }
    case "vibration": return StreamVibration(object, line).map { .vibration($0) }
    case "reading": return StreamReading(object).map { .reading($0) }
    case "board": return StreamBoard(object).map { .board($0) }
    case "missed": return object["count"]?.count.map { .missed($0) }
    case "error": return .error(object["detail"]?.string ?? "")
    case "done": return .done(command: object["command"]?.string ?? "")
    case "bye": return .bye(object["detail"]?.string ?? "")
    default: return StreamEvent(kind, object, line).map { .event($0) }
    }
  }
}

extension StreamHello {
  /// Nil where something is missing.
  fileprivate init?(_ object: JSONValue, _ line: String) {
    guard let time = object["t"]?.time, let state = PoseState(stream: object["pose"]?.string),
      let rate = object["rate_hz"]?.decimal(places: 3), rate > 0, let version = object["protocol"]?.count
    else { return nil }
    func whole(_ key: StaticString) -> Int? { object[key]?.count.map { Int(clamping: $0) } }
    func text(_ key: StaticString) -> String { object[key]?.string ?? "" }
    (self.time, self.state, self.line, rateInMillihertz) = (time, state, line, rate)
    (protocolVersion, self.version) = (Int(clamping: version), text("plumb"))
    (owner, board, sensor) = (text("owner"), text("board"), text("sensor"))
    (bus, chip, code) = (text("bus"), text("chip"), text("code"))
    address = UInt8(clamping: whole("address") ?? 0)
    (rangeInG, gyroscopeRange) = (whole("range_g") ?? 0, whole("gyroscope_range_dps"))
    lines = object["lines"]?.elements?.map { $0.count == 1 } ?? []
    allowsCommands = object["commands"]?.bool ?? false
    tare = object["tare"]?.millionths.flatMap { Tare(millionths: $0.x, $0.y, $0.z) } ?? .none
    since = object["since"]?.time ?? time
    force = object.force
    isStill = object["still"]?.bool
    isAsleep = object["asleep"]?.bool ?? false
    isBusy = object["busy"]?.bool
    events = object["events"]?.count ?? 0
    clients = whole("clients") ?? 1
    counters = object["counters"].map { StreamCounters($0) } ?? StreamCounters()
  }
}

extension StreamEvent {
  /// Nil where something is missing.
  fileprivate init?(_ name: String, _ object: JSONValue, _ line: String) {
    guard let time = object["t"]?.time, let kind = Self.kind(name, object) else { return nil }
    (self.kind, self.time, self.line) = (kind, time, line)
    detail = object["detail"]?.string
  }

  private static func kind(_ name: String, _ object: JSONValue) -> Kind? {
    let cause = object["cause"]?.string
    switch name {
    case "pose":
      guard let to = Pose(stream: object["to"]?.string), let pitch = object["pitch_deg"]?.angle else { return nil }
      return .pose(
        from: Pose(stream: object["from"]?.string), to: to, angle: object["angle_deg"]?.angle, pitch: pitch,
        roll: object["roll_deg"]?.angle)
    case "trouble": return UnknownReason(stream: object["reason"]?.string).map { .trouble($0, cause: cause) }
    case "recovery": return object["outage_s"]?.time.map { .recovery(outage: $0, cause: cause) }
    case "give-up": return object["outage_s"]?.time.map { .giveUp(outage: $0, cause: cause) }
    case "notice": return .notice(lostSamples: object["lost_samples"]?.count)
    case "shake": return .shake
    case "still": return .still
    case "moving": return .moving
    case "asleep": return .asleep
    case "awake": return .awake
    case "rotation": return rotation(object).map { .rotation($0) }
    case "busy": return object["duration_s"]?.time.map { .busy(duration: $0) }
    case "quiet": return object["duration_s"]?.time.map { .quiet(duration: $0) }
    case "tap": return tap(object).map { .tap(axis: $0.axis, sign: $0.sign) }
    case "doubleTap": return tap(object).map { .doubleTap(axis: $0.axis, sign: $0.sign) }
    case "freeFall": return object["duration_s"]?.time.map { .freeFall($0) }
    default: return nil
    }
  }

  private static func tap(_ object: JSONValue) -> (axis: Character, sign: Int)? {
    guard let name = object["axis"]?.string, let axis = "xyz".first(where: { String($0) == name }),
      let sign = object["sign"]?.decimal(places: 0), (-1...1).contains(sign)
    else { return nil }
    return (axis, Int(sign))
  }

  private static func rotation(_ object: JSONValue) -> RotationEvent? {
    let (from, to) = (
      InterfaceOrientation(stream: object["from"]?.string), InterfaceOrientation(stream: object["to"]?.string)
    )
    switch object["phase"]?.string {
    case "willRotate":
      guard let from, let to, let duration = object["duration_s"]?.time else { return nil }
      return .willRotate(from: from, to: to, duration: duration)
    case "firstHalf": return .firstHalf
    case "secondHalf": return .secondHalf
    case "didRotate": return from.map { .didRotate(from: $0) }
    case "redirected":
      guard let to, let remaining = object["remaining_s"]?.time else { return nil }
      return .redirected(to: to, remaining: remaining)
    default: return nil
    }
  }
}

extension StreamSample {
  /// Nil where something is missing.
  fileprivate init?(_ object: JSONValue, _ line: String) {
    guard let time = object["t"]?.time, let force = object.force else { return nil }
    (self.time, self.force, self.line) = (time, force, line)
    rotation = object["rotation_dps"]?.vector
    gravity = object["gravity"]?.vector
    pose = Pose(stream: object["pose"]?.string)
    steering = object["steering_deg"]?.angle ?? .zero
    let scroll = object["scroll"]
    scrollX = scroll?[0]?.q16 ?? .zero
    scrollY = scroll?[1]?.q16 ?? .zero
    guard let x = object["up"]?[0]?.unit, let y = object["up"]?[1]?.unit, let z = object["up"]?[2]?.unit,
      let rate = object["rate_dps"]?.vector
    else { return }
    attitude = Attitude(
      up: UnitVector(x: x, y: y, z: z), heading: object["heading_deg"]?.angle, rate: rate,
      isStill: object["still"]?.bool ?? false)
  }
}

extension StreamVibration {
  /// Nil where something is missing.
  fileprivate init?(_ object: JSONValue, _ line: String) {
    guard let time = object["t"]?.time, let total = object["rms_g"]?.q16, let rms = object["axes_rms_g"]?.vector,
      let peak = object["axes_peak_g"]?.vector, let edges = object["edges_hz"]?.numbers, edges.count >= 2
    else { return nil }
    (self.time, self.total, self.rms, self.peak) = (time, total, rms, peak)
    (self.edges, self.line) = (edges, line)
    guard let bands = object["bands_g"], !bands.isNull else { return }
    guard let figures = bands.numbers, figures.count == edges.count - 1 else { return nil }
    self.bands = figures
  }
}

extension StreamReading {
  /// Nil where something is missing.
  fileprivate init?(_ object: JSONValue) {
    let reason = object["reason"]?.string
    guard let force = object.force, let state = PoseState(stream: reason ?? object["pose"]?.string) else { return nil }
    (self.force, self.state) = (force, state)
    time = object["t"]?.time ?? .zero
    detail = object["detail"]?.string
  }
}

extension StreamBoard {
  /// Nil where something is missing or cannot be.
  fileprivate init?(_ object: JSONValue) {
    guard let mounting = Mounting(stream: object["mounting"]?.string),
      let calibration = Calibration(offset: object["offset_g"]?.vector, scale: object["scale"])
    else { return nil }
    (name, self.mounting, self.calibration) = (object["board"]?.string ?? "", mounting, calibration)
    rotationCalibration = Calibration(offset: object["gyroscope_bias_dps"]?.vector, scale: object["gyroscope_scale"])
  }
}

extension Calibration {
  /// Of the offset and the three factors in `scale`; nil where one is missing, or what no calibration has.
  fileprivate init?(offset: Vector3?, scale: JSONValue?) {
    guard let offset, let scale, let x = scale[0]?.factor, let y = scale[1]?.factor, let z = scale[2]?.factor else {
      return nil
    }
    do throws(CalibrationError) {
      self = try Calibration(offset: offset, scale: Scale(x: x, y: y, z: z))
    } catch {
      return nil
    }
  }
}

extension Mounting {
  /// Of three axes as in a board file.
  fileprivate init?(stream text: String?) {
    let axes = (text ?? "").split(separator: " ").compactMap { SensorAxis(stream: $0) }
    guard axes.count == 3 else { return nil }
    do throws(MountingError) { self = try Mounting(x: axes[0], y: axes[1], z: axes[2]) } catch { return nil }
  }
}

extension SensorAxis {
  fileprivate init?(stream name: Substring) {
    guard let axis = (0..<6).compactMap(SensorAxis.init(rawValue:)).first(where: { "\($0.name)" == name }) else {
      return nil
    }
    self = axis
  }
}

extension StreamCounters {
  fileprivate init(_ object: JSONValue) {
    func count(_ key: StaticString) -> UInt64 { object[key]?.count ?? 0 }
    func counts(_ key: StaticString) -> [String: UInt64] {
      let fields = object[key]?.fields ?? []
      return Dictionary(fields.map { ($0.key, $0.value.count ?? 0) }) { $1 }
    }
    (samples, poseChanges, faults) = (count("samples"), count("pose_changes"), count("faults"))
    (recoveries, lateSamples, shakes) = (count("recoveries"), count("late_samples"), count("shakes"))
    lostSamples = count("lost_samples")
    (transactions, outputWrites, restarts) = (count("transactions"), count("output_writes"), count("restarts"))
    temperature = object["temperature_c"]?.q16
    (faultKinds, unknown) = (counts("fault_kinds"), counts("unknown"))
  }
}

// Figures. Q16.16 has steps of 1.5e-5: six decimals are exact.
extension JSONValue {
  /// The numbers of an array; nil for anything else.
  fileprivate var numbers: [Q16]? {
    guard let elements else { return nil }
    let numbers = elements.compactMap(\.q16)
    return numbers.count == elements.count ? numbers : nil
  }

  /// Seconds; nil beyond 30,000 years.
  fileprivate var time: Microseconds? {
    decimal(places: 6).flatMap { $0.magnitude < 1 << 60 ? Microseconds($0) : nil }
  }

  /// A component of a unit vector, Q2.30.
  fileprivate var unit: Int32? {
    guard let value = decimal(places: 6), value.magnitude <= 1_000_001 else { return nil }
    return Int32(clamping: (value << 30) / 1_000_000)
  }

  /// A factor of a calibration, Q2.30.
  fileprivate var factor: Int32? {
    guard let value = decimal(places: 6), (0..<2_000_000).contains(value) else { return nil }
    return Int32(exactly: ((value << 30) + 500_000) / 1_000_000)
  }

  /// An angle in degrees.
  fileprivate var angle: BinaryAngle? { q16.map { BinaryAngle(degrees: $0) } }

  /// Three numbers.
  fileprivate var vector: Vector3? {
    guard let x = self[0]?.q16, let y = self[1]?.q16, let z = self[2]?.q16 else { return nil }
    return Vector3(x: x, y: y, z: z)
  }

  /// The fields `x`, `y` and `z`.
  fileprivate var force: Vector3? {
    guard let x = self["x"]?.q16, let y = self["y"]?.q16, let z = self["z"]?.q16 else { return nil }
    return Vector3(x: x, y: y, z: z)
  }
}

// Names.
extension Pose {
  fileprivate init?(stream name: String?) {
    let found = (0..<UInt8(Pose.count)).compactMap(Pose.init(rawValue:)).first { "\($0.name)" == name }
    guard let found else { return nil }
    self = found
  }
}

extension UnknownReason {
  fileprivate init?(stream name: String?) {
    let found = (0..<6).compactMap(UnknownReason.init(rawValue:)).first { "\($0.name)" == name }
    guard let found else { return nil }
    self = found
  }
}

extension PoseState {
  /// Of the name of a pose, or of the reason for not knowing it.
  fileprivate init?(stream name: String?) {
    if let pose = Pose(stream: name) {
      self = .known(pose)
    } else if let reason = UnknownReason(stream: name) {
      self = .unknown(reason)
    } else {
      return nil
    }
  }
}

extension InterfaceOrientation {
  fileprivate init?(stream name: String?) {
    let found = (0..<UInt8(InterfaceOrientation.count)).compactMap(InterfaceOrientation.init(rawValue:))
      .first { "\($0.name)" == name }
    guard let found else { return nil }
    self = found
  }
}
