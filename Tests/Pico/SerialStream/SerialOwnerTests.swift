import BoardFile
import Emulation
import FixedPoint
import HAL
import Monitor
import SerialStream
import Sensors
import TestSupport
import Testing
import Text

/// A line whose other end the test holds.
private final class Cable {
  var isConnected = true
  var toDevice: [UInt8] = []
  var toHost: [UInt8] = []
  /// How many more bytes the host takes.
  var room = Int.max
  var polls = 0

  /// The whole lines that have come.
  var lines: [String] {
    String(decoding: toHost, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }

  /// What each line is.
  var events: [String] {
    lines.map { line in
      line.components("\"event\":\"").dropFirst().first?.components("\"").first ?? line
    }
  }
}

private struct CablePipe: BytePipe {
  let cable: Cable
  var isConnected: Bool { cable.isConnected }
  mutating func read() -> UInt8? { cable.toDevice.isEmpty ? nil : cable.toDevice.removeFirst() }
  mutating func poll() { cable.polls += 1 }

  mutating func write(_ bytes: Span<UInt8>) -> Int {
    let count = min(bytes.count, cable.room)
    for index in 0..<count { cable.toHost.append(bytes[index]) }
    cable.room -= count
    return count
  }
}

extension String {
  fileprivate func components(_ separator: String) -> [String] {
    var (parts, rest) = ([String](), self[...])
    while let place = rest.firstRange(of: separator) {
      parts.append(String(rest[..<place.lowerBound]))
      rest = rest[place.upperBound...]
    }
    return parts + [String(rest)]
  }
}

/// An owner at one end of a cable, over an emulated ADXL345 that stands upright.
@safe
private struct Rig: ~Copyable {
  let cable = Cable()
  private let clock = VirtualClock()
  private var loop: Loop<ADXL345.Device<EmulatedBus>, NoLines, VirtualClock>
  private var owner: SerialOwner<CablePipe>
  private let memory: UnsafeMutableBufferPointer<UInt8>
  private var seen = Observation()

  init(plan: FaultPlan = .none, sleep: Sleep? = nil) {
    let bus = EmulatedBus.adxl345(moving: AttitudePath.hold(.portrait), by: clock, plan: plan)
    let sensor = ADXL345.Device(bus: bus)
    let configuration = Monitor.Configuration(period: .milliseconds(10), fullScale: sensor.fullScale, sleep: sleep)
    loop = Loop(sensor: sensor, bank: NoLines(), clock: clock, configuration: configuration)
    unsafe memory = .allocate(capacity: 3_328)
    unsafe memory.initialize(repeating: 0)
    owner = unsafe SerialOwner(
      .emulated, ShortText("test.ini"), identity: ShortText("test-1"), at: clock.now, over: CablePipe(cable: cable),
      in: memory)
  }

  deinit { unsafe memory.deallocate() }

  var isAsleep: Bool { loop.monitor.isAsleep }

  /// Takes `count` turns.
  mutating func turn(_ count: Int = 1) throws {
    for _ in 0..<count where try loop.turn(into: &seen) { owner.observe(&seen, of: &loop) }
  }

  /// Sends `text` and a line end, and serves the client.
  mutating func ask(_ text: String) {
    cable.toDevice += Array(text.utf8) + [0x0A]
    owner.serve(&loop)
  }

  mutating func serve() { owner.serve(&loop) }
}

struct SerialOwners {
  @Test static func `a client that comes gets a hello, and each that asks`() throws {
    var rig = Rig()
    rig.serve()
    expect(rig.cable.events, equals: ["hello"])
    rig.ask("")
    expect(rig.cable.events, equals: ["hello"])
    rig.ask("{\"query\":\"hello\"}")
    expect(rig.cable.events, equals: ["hello", "hello"])
    expect(rig.cable.lines[0], contains: "\"owner\":\"test-1\",\"board\":\"test.ini\",\"sensor\":\"adxl345\"")
    expect(rig.cable.lines[0], contains: "\"commands\":true")
  }

  @Test static func `half a line of the client before ends with the next line end`() {
    var rig = Rig()
    rig.cable.toDevice += Array("{\"quer".utf8)
    rig.serve()
    rig.ask("")
    expect(rig.cable.events, equals: ["hello", "error"])
    rig.ask("{\"query\":\"board\"}")
    expect(rig.cable.events, equals: ["hello", "error", "board"])
  }

  @Test static func `a client that comes after another has asked for nothing`() throws {
    var rig = Rig()
    rig.ask("{\"samples\":\"all\"}")
    try rig.turn(10)
    expect(rig.cable.events.filter { $0 == "sample" }.count, isAtLeast: 5)
    rig.cable.isConnected = false
    rig.serve()
    rig.cable.toHost = []
    try rig.turn(5)
    expect(empty: rig.cable.toHost)
    rig.cable.isConnected = true
    rig.serve()
    try rig.turn(5)
    expect(rig.cable.events, equals: ["hello"])
  }

  @Test(arguments: [("\"all\"", 100), ("20", 20), ("0", 0)])
  static func `samples come as often as asked`(wish: String, count: Int) throws {
    var rig = Rig()
    try rig.turn(20)
    rig.ask("{\"samples\":\(wish)}")
    try rig.turn(100)
    expect(abs(rig.cable.events.filter { $0 == "sample" }.count - count), isAtMost: 1)
  }

  @Test static func `raw samples are in the sensor's frame`() throws {
    var rig = Rig()
    rig.ask("{\"samples\":\"raw\"}")
    try rig.turn(20)
    expect(rig.cable.events, contains: "raw")
    expect(rig.cable.events, lacks: "sample")
  }

  @Test static func `the next sample answers a query`() throws {
    var rig = Rig()
    try rig.turn(20)
    rig.ask("{\"query\":\"read\"}")
    rig.ask("{\"query\":\"read\"}")
    expect(rig.cable.events, lacks: "reading")
    try rig.turn(2)
    expect(rig.cable.events.filter { $0 == "reading" }.count, equals: 2)
  }

  @Test static func `a sensor that does not answer is the answer to a query`() throws {
    var rig = Rig(plan: FaultPlan([.init(.noAcknowledge, .always)]))
    try rig.turn(10)
    rig.ask("{\"query\":\"read\"}")
    expect(rig.cable.events.last, equals: "error")
  }

  @Test static func `a sleeping board answers a query at once, with the pose that it fell asleep in`() throws {
    var rig = Rig(sleep: Sleep(after: .seconds(2)))
    for _ in 0..<1_000 where !rig.isAsleep { try rig.turn() }
    expect(that: rig.isAsleep)
    rig.ask("{\"query\":\"read\"}")
    expect(rig.cable.events.last, equals: "reading")
    expect(rig.cable.lines.last ?? "", contains: "\"pose\":\"portrait\"")
    expect(that: rig.isAsleep)
  }

  @Test static func `counters come at their interval`() throws {
    var rig = Rig()
    rig.ask("{\"counters\":0.5}")
    try rig.turn(220)
    expect(rig.cable.events.filter { $0 == "counters" }.count, isIn: 3...4)
  }

  @Test static func `a tare is measured, announced and confirmed, and taken back`() throws {
    var rig = Rig()
    try rig.turn(20)
    rig.ask("{\"command\":\"tare\"}")
    try rig.turn(200)
    expect(rig.cable.events, contains: "done")
    expect(rig.cable.lines.last { $0.contains("hello") }, contains: "\"tare\":[")
    rig.ask("{\"command\":\"untare\"}")
    expect(rig.cable.events.filter { $0 == "done" }.count, equals: 2)
    expect(rig.cable.lines.last { $0.contains("hello") }, contains: "\"tare\":null")
  }

  @Test(arguments: [
    "nonsense", "{\"samples\":-1}", "{\"query\":\"x\"}", "{\"vibration\":true}", "{\"command\":\"reload\"}",
    String(repeating: "x", count: 600),
  ])
  static func `what cannot be done is an error`(request: String) {
    var rig = Rig()
    rig.serve()
    rig.ask(request)
    // As many bytes as the memory holds are read at a time.
    rig.serve()
    expect(rig.cable.events, equals: ["hello", "error"])
  }

  @Test static func `a client that does not read loses lines, which are counted`() throws {
    var rig = Rig()
    rig.ask("{\"samples\":\"all\"}")
    rig.cable.room = 0
    try rig.turn(200)
    rig.cable.room = .max
    try rig.turn(2)
    let missed = rig.cable.events.filter { $0 == "missed" }
    expect(missed.count, equals: 1)
    expect(rig.cable.events.last, equals: "sample")
  }

  @Test static func `a line is sent whole, however little the line takes at a time`() throws {
    var rig = Rig()
    rig.cable.room = 0
    rig.ask("{\"query\":\"board\"}")
    for _ in 0..<2_000 {
      rig.cable.room = 1
      rig.serve()
    }
    expect(rig.cable.events, equals: ["hello", "board"])
  }
}
