import BoardFile
import Emulation
import FixedPoint
import HAL
import JSON
import Monitor
import Sensors
import Stream
import TestSupport
import Testing
import Text

/// An owner and the loop that it serves, over an emulated ADXL345 that stands upright.
private struct Rig: ~Copyable {
  private let clock = VirtualClock()
  private var loop: Loop<ADXL345.Device<EmulatedBus>, NoLines, VirtualClock>
  private var owner: StreamOwner
  private var seen = Observation()

  init(plan: FaultPlan = .none, sleep: Sleep? = nil, token: String? = nil, canReload: Bool = false) throws {
    var owner = try StreamOwner(
      .emulated, StreamOwner.Configuration(name: ShortText("b.ini"), allowsCommands: true, canReload: canReload),
      at: clock.now)
    if let token { try owner.useToken(ShortText(cutting: token)) }
    self.owner = owner
    let bus = EmulatedBus.adxl345(moving: AttitudePath.hold(.portrait), by: clock, plan: plan)
    let sensor = ADXL345.Device(bus: bus)
    let configuration = Monitor.Configuration(period: .milliseconds(10), fullScale: sensor.fullScale, sleep: sleep)
    loop = Loop(sensor: sensor, bank: NoLines(), clock: clock, configuration: configuration)
  }

  var isAsleep: Bool { loop.monitor.isAsleep }

  mutating func client(isLocal: Bool = true) -> Peer { Peer(of: &owner, isLocal: isLocal, at: clock.now) }

  /// Takes turns until the board sleeps, or `seconds` have passed.
  mutating func run(for seconds: Int64) throws {
    let end = clock.now + .seconds(seconds)
    while !isAsleep && clock.now < end {
      if try loop.turn(into: &seen) { owner.observe(seen, raw: nil, at: clock.now) }
    }
  }

  /// Lets `seconds` pass without a turn, as a wait does that a client ends.
  mutating func wait(_ seconds: Int64) {
    clock.advance(by: .seconds(seconds))
    owner.serve(&loop)
  }

  /// What `peer` gets for `line`.
  mutating func answer(to line: String, of peer: Peer) throws -> [String] {
    _ = try peer.lines()
    peer.put(line)
    owner.serve(&loop)
    return try peer.lines()
  }
}

struct OwnerLoopTests {
  @Test static func `a reload is refused by an owner that cannot read its board file again`() throws {
    var rig = try Rig()
    let refusal = try rig.answer(to: "{\"command\":\"reload\"}", of: rig.client())
    expect(refusal, equals: ["only plumbd can read its board file again"])
    var daemon = try Rig(canReload: true)
    expect(empty: try daemon.answer(to: "{\"command\":\"reload\"}", of: daemon.client()))
  }

  @Test static func `a sensor that is silent is the answer to a query, at once`() throws {
    var rig = try Rig(plan: FaultPlan([.init(.noAcknowledge, .always)]))
    try rig.run(for: 10)
    let answer = try rig.answer(to: "{\"query\":\"read\"}", of: rig.client())
    expect(answer.count, equals: 1)
    expect(answer.first ?? "", contains: "0x53")
  }

  @Test static func `a query that waits for a sample is answered when the sensor falls silent`() throws {
    var rig = try Rig(plan: FaultPlan([.init(.noAcknowledge, .during(.seconds(5) ..< .seconds(60)))]))
    try rig.run(for: 5)
    let peer = rig.client()
    expect(empty: try rig.answer(to: "{\"query\":\"read\"}", of: peer))
    try rig.run(for: 5)
    let errors = try peer.received().objects.filter { $0["event"]?.string == "error" }
    expect(errors.count, equals: 1)
    expect(errors.first?["detail"]?.string ?? "", contains: "0x53")
  }

  @Test static func `a sleeping board answers a query with the pose that it fell asleep in`() throws {
    var rig = try Rig(sleep: Sleep(after: .seconds(2)))
    try rig.run(for: 10)
    expect(that: rig.isAsleep)
    let peer = rig.client()
    for _ in 0..<3 { expect(try rig.answer(to: "{\"query\":\"read\"}", of: peer), equals: ["reading"]) }
    peer.put("{\"query\":\"read\"}")
    rig.wait(30)
    expect(try peer.received().objects.first?["pose"]?.string, equals: "portrait")
    expect(that: rig.isAsleep)
  }

  @Test static func `while a board sleeps, tokens are reminded of, counters sent and patience renewed by requests`()
    throws
  {
    var rig = try Rig(sleep: Sleep(after: .seconds(2)), token: "0123456789abcdef")
    try rig.run(for: 10)
    expect(that: rig.isAsleep)
    let local = rig.client()
    let remote = rig.client(isLocal: false)
    expect(empty: try rig.answer(to: "{\"counters\":5}", of: local))
    rig.wait(3)
    expect(try remote.lines(), equals: ["needs token"])
    expect(empty: try local.lines())
    rig.wait(8)
    expect(try remote.lines().last, equals: "end")
    expect(try local.lines(), equals: ["counters"])
    // More requests than an owner takes from one client between two samples.
    var answers: [String] = []
    for _ in 0..<100 { answers += try rig.answer(to: "{\"query\":\"hello\"}", of: local) }
    expect(answers.filter { $0 == "hello" }.count, equals: 100)
  }
}
