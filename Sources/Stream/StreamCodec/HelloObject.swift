public import FixedPoint
public import FixedText
internal import HAL
public import Indication
package import JSON
public import Monitor
internal import Orientation
internal import Sensors

/// What the owner of a sensor is, and what it knows at one moment.
public struct StreamHello: Equatable, Sendable {
  /// The version of the protocol.
  public var protocolVersion: UInt64 = 1
  /// The owner's version of Plumb.
  public var version: ShortText<24>
  /// Identifies this run of the owner; each run differs.
  public var owner: ShortText<64>
  /// The owner's board file, or its name for the board.
  public var board: ShortText<128>
  /// The model of the sensor, as in a board file: `adxl345` or `mpu6050`.
  public var sensor: ShortText<24>
  /// The address of the sensor on its bus.
  public var address: UInt8
  /// The bus, such as `/dev/i2c-1`, or `emulated`.
  public var bus: ShortText<64>
  /// The owner's sample rate, in thousandths of a hertz.
  public var rateInMillihertz: Int64
  /// The largest force that can be measured, in g.
  public var rangeInG: Int32
  /// The largest rate of rotation that can be measured, in °/s; nil without a gyroscope.
  public var gyroscopeRange: Int32?
  /// The label of the GPIO chip of the lines, or `emulated`.
  public var chip: ShortText<32>
  /// What the lines show; nil for an unknown code.
  public var code: LineCode?
  /// The groups of events that the owner does not detect; nil if it does not say.
  public var undetected: Event.Groups?
  /// Whether clients on the Unix socket may send commands.
  public var allowsCommands: Bool
  /// The present time, since the owner began.
  public var time: Microseconds
  /// What is known about the board. Not all of it is in a hello: gravity and scrolling come with samples.
  public var snapshot: Snapshot
  /// The number of clients, including this one.
  public var clients: UInt64

  /// The hello of an owner.
  package init(
    version: ShortText<24>, owner: ShortText<64>, board: ShortText<128>, sensor: ShortText<24>, address: UInt8,
    bus: ShortText<64>, rateInMillihertz: Int64, rangeInG: Int32, gyroscopeRange: Int32?, chip: ShortText<32>,
    code: LineCode?, undetected: Event.Groups?, allowsCommands: Bool, time: Microseconds, snapshot: Snapshot,
    clients: UInt64
  ) {
    (self.version, self.owner, self.board, self.sensor) = (version, owner, board, sensor)
    (self.address, self.bus, self.rateInMillihertz, self.rangeInG) = (address, bus, rateInMillihertz, rangeInG)
    (self.gyroscopeRange, self.chip, self.code, self.undetected) = (gyroscopeRange, chip, code, undetected)
    (self.allowsCommands, self.time, self.snapshot, self.clients) = (allowsCommands, time, snapshot, clients)
  }
}

extension JSONWriter {
  /// Writes the fields of `hello`, from an owner that began at `start`. Cuts each name to `length` bytes; the counters
  /// include kinds of faults and reasons if `hasKinds`.
  package mutating func fields(of hello: borrowing StreamHello, from start: Instant, names length: Int, hasKinds: Bool)
  {
    field("protocol", hello.protocolVersion)
    field("plumb", hello.version)
    field("owner", hello.owner)
    field("board", hello.board, atMost: length)
    field("sensor", hello.sensor)
    field("address", UInt32(truncatingIfNeeded: hello.address))
    field("bus", hello.bus, atMost: hello.bus == "emulated" ? 8 : length)
    field("rate_hz", decimal: hello.rateInMillihertz, over: 1_000, places: 3)
    field("range_g", hello.rangeInG)
    if let range = hello.gyroscopeRange {
      field("gyroscope_range_dps", range)
    } else {
      nullField("gyroscope_range_dps")
    }
    field("chip", hello.chip, atMost: length)
    let code = hello.code ?? .leds
    field("code", code.name)
    field("lines", hello.snapshot.levels, count: code.lineCount)
    if let undetected = hello.undetected { field(undetected: undetected) }
    field("commands", hello.allowsCommands)
    field("tare", hello.snapshot.tare.up)
    field("t", seconds: hello.time)
    fields(of: hello.snapshot, from: start)
    field("clients", hello.clients)
    beginObject("counters")
    fields(countersOf: hello.snapshot, hasKinds: hasKinds)
    endObject()
  }

  /// Writes the names of all kinds of event in `groups`.
  private mutating func field(undetected groups: Event.Groups) {
    beginArray("undetected")
    for index in 0..<Event.Kind.allCases.count {
      let kind = Event.Kind.allCases[index]
      if groups.contains(kind.group) { element(kind.name) }
    }
    endArray()
  }

  /// Writes what is known of a board, apart from its lines, its tare and its counters. Times count from `start`.
  package mutating func fields(of snapshot: borrowing Snapshot, from start: Instant) {
    field("pose", snapshot.state.wireName)
    if let cause = snapshot.cause { fields(of: cause) }
    field("since", seconds: snapshot.since - start)
    field(force: snapshot.force)
    field("still", snapshot.isStill)
    field("asleep", snapshot.isAsleep)
    field("busy", snapshot.isBusy)
    field("events", snapshot.events)
  }
}

extension StreamHello {
  /// The hello in `object`, from an owner that began at `start`; nil if something is missing.
  package init?(_ object: JSONObject, from start: Instant) {
    guard let time = object["t"]?.time, let state = PoseState(object["pose"]),
      let rate = object["rate_hz"]?.decimal(places: 3), rate > 0, let version = object["protocol"]?.count
    else { return nil }
    var snapshot = Snapshot(at: start + (object["since"]?.time ?? time))
    (snapshot.state, snapshot.cause, snapshot.force) = (state, SensorError(object), object.force)
    (snapshot.isStill, snapshot.isBusy) = (object["still"]?.bool, object["busy"]?.bool)
    (snapshot.isAsleep, snapshot.events) = (object["asleep"]?.bool ?? false, object["events"]?.count ?? 0)
    snapshot.tare = object.tare
    if let lines = object["lines"] { snapshot.levels = Levels(lines) }
    if let counters = object["counters"] { snapshot.take(counters: counters) }
    self.init(
      version: ShortText(object["plumb"]), owner: ShortText(object["owner"]), board: ShortText(object["board"]),
      sensor: ShortText(object["sensor"]), address: object["address"]?.byte ?? 0, bus: ShortText(object["bus"]),
      rateInMillihertz: rate, rangeInG: object["range_g"]?.whole ?? 0,
      gyroscopeRange: object["gyroscope_range_dps"]?.whole, chip: ShortText(object["chip"]),
      code: object["code"]?.named { (code: LineCode) in code.name },
      undetected: object["undetected"].map { Event.Groups($0) }, allowsCommands: object["commands"]?.bool ?? false,
      time: time, snapshot: snapshot, clients: object["clients"]?.count ?? 1)
    protocolVersion = version
  }
}

extension Event.Groups {
  /// The groups of the kinds that an array names. Unknown names, of a later version, are skipped.
  fileprivate init(_ names: JSONValue) {
    self.init()
    var index = 0
    while let name = names[index] {
      if let kind = name.named({ (kind: Event.Kind) in kind.name }) { insert(kind.group) }
      index &+= 1
    }
  }
}

extension Levels {
  /// The levels in an array of 0 and 1.
  fileprivate init(_ lines: JSONValue) {
    var bits: UInt32 = 0
    for index in 0..<32 {
      guard let level = lines[index] else { break }
      if level.count == 1 { bits |= 1 &<< UInt32(truncatingIfNeeded: index) }
    }
    self.init(bits: bits)
  }
}
