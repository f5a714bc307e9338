package import BoardFile
import CSupport
package import FixedPoint
import Gestures
import Glibc
import HAL
import Indication
import JSON
import LinuxHAL
package import Monitor
package import Orientation
package import PlumbStream
import PlumbViews
import Sensors
import Stream
import Text
package import ToolOutput
import Vibration

/// A board whose sensor another process owns: what that process's stream says, as observations.
///
/// Times are those of the owner's clock, counted from the first hello. While the owner is gone the pose is unknown: no old one
/// is shown as a present one. Ends with its time, with a stop signal, or with the owner where that is asked for.
package struct StreamSource: ObservationSource, ~Copyable {
  /// How a stream is observed.
  package struct Settings {
    /// After how long it ends; nil for never.
    package var duration: Microseconds?
    /// The samples that are asked for.
    package var samples: StreamRequest.Samples
    /// Whether it is for a view: the counters are asked for, and vibration where the owner watches it, each second, and five
    /// observations a second come even if nothing happens.
    package var counts: Bool
    /// Whether the vibration of each second is asked for.
    package var vibration: Bool
    /// Whether it ends when the owner ends in order.
    package var endsWithOwner: Bool

    package init(
      duration: Microseconds? = nil, samples: StreamRequest.Samples = .none, counts: Bool = false,
      vibration: Bool = false, endsWithOwner: Bool = false
    ) {
      (self.duration, self.samples, self.counts) = (duration, samples, counts)
      (self.vibration, self.endsWithOwner) = (vibration, endsWithOwner)
    }
  }

  /// Why no more observations come.
  package enum Ending {
    case over
    case stopped
    /// The owner has ended, in its words.
    case ownerEnded(String)
  }

  package let address: StreamAddress
  /// The board of the owner, as far as the owner describes it.
  package let description: BoardDescription
  /// What the owner said first.
  package let hello: StreamHello
  package let start: Instant
  package private(set) var ending: Ending?
  package private(set) var remark: OwnerRemark?
  private var client: StreamClient
  private let settings: Settings
  private let end: Instant?
  /// The attitude in which the owner's angles are zero.
  package private(set) var tare: Tare
  /// The run of the owner, and the instant of its time 0.
  private var owner: String
  private var origin: Instant {
    get { client.start }
    set { client.start = newValue }
  }
  /// Whether the owner is there.
  private var isConnected = true
  private var state = PoseState.unknown(.notYetSampled)
  /// Whether the board is still; nil while that is not known.
  private var isStill: Bool?
  private var hasGivenUp = false
  private var indicator = Indicator()
  /// What the filter makes of forces where the owner has no fusion.
  private var gravity = GravityFilter()
  private var figures = Figures()
  /// Events of this run of the owner so far; nil where lines were lost, so that it is not known.
  private var events: UInt64?
  private var tally: StreamTally
  /// When a view gets the next observation, whatever happens; nil for no view.
  private var nextTick: Instant?
  /// What is next before anything else is read.
  private var pending: Observation?

  /// What the last sample showed.
  private struct Figures {
    var position = TiltScroll.Position.start
    var steering = BinaryAngle.zero
    var attitude: Fusion.Attitude?
  }

  /// Takes over stop signals, connects, and waits for the owner's hello.
  package init(_ address: StreamAddress, token: String? = nil, _ settings: Settings = Settings()) throws(ToolError) {
    try takeOverStopSignals()
    var client = StreamClient(address, token: token)
    let hello = try Self.connect(&client, settings)
    description = try BoardDescription(hello, at: address)
    self.client = client
    (self.address, self.settings, self.hello) = (address, settings, hello)
    start = LinuxClock().now
    end = settings.duration.map { [start] in start + $0 }
    (owner, tare) = (hello.owner, hello.tare)
    tally = StreamTally(hello.counters)
    events = hello.events
    nextTick = settings.counts ? start : nil
    origin = start - hello.time
    pending = welcome(hello)
  }

  /// Connects, and waits for the owner's hello.
  package static func connect(
    _ client: inout StreamClient, _ settings: Settings
  ) throws(ToolError) -> StreamHello {
    do throws(StreamError) {
      if settings.samples != .none { try client.request(.samples(settings.samples)) }
      if settings.counts { try client.request(.counters(every: 1)) }
      if settings.vibration { try client.request(.vibration(true)) }
      while StopSignals.received == nil {
        if case .hello(let hello) = try client.receive() {
          if settings.counts && hello.isBusy != nil { try client.request(.vibration(true)) }
          return hello
        }
        wait(for: client, until: nil)
      }
    } catch {
      throw ToolError(error)
    }
    throw ToolError(.unavailable, "stopped before the owner at \(client.address) responded")
  }

  /// What the owner brings next; nil at the end. Events that a slow client has lost, and that an owner is gone, are remarks.
  package mutating func next() throws(ToolError) -> Observation? {
    remark = nil
    while ending == nil {
      guard StopSignals.received == nil else {
        ending = .stopped
        break
      }
      if let seen = pending.take() { return seen }
      if let end, LinuxClock().now > end {
        ending = .over
        break
      }
      if let message = try receive() {
        if let seen = take(message) { return seen }
        continue
      }
      if let seen = blink() { return seen }
      Self.wait(for: client, until: [end, indicator.nextChange, nextTick].compactMap(\.self).min())
    }
    return nil
  }

  private mutating func receive() throws(ToolError) -> StreamMessage? {
    do throws(StreamError) { return try client.receive() } catch { throw ToolError(error) }
  }

  /// Waits until the client has something to do, until `instant`, or until a signal comes.
  package static func wait(
    for client: borrowing StreamClient, until instant: Instant?, hearsSignals: Bool = true
  ) {
    var wait = client.milliseconds
    if let instant {
      let left = Int32(clamping: max(0, (instant - LinuxClock().now).count / 1_000 + 1))
      wait = wait < 0 ? left : min(wait, left)
    }
    var waits = [
      pollfd(fd: client.descriptor, events: Int16(client.waitsToWrite ? POLLIN | POLLOUT : POLLIN), revents: 0),
      pollfd(fd: hearsSignals ? csupport_signals_descriptor() : -1, events: Int16(POLLIN), revents: 0),
    ]
    unsafe poll(&waits, nfds_t(waits.count), wait)
  }

  /// Waits for the answer to `request`, and takes in what comes before it; nil where none comes within `patience`, or where
  /// the connection ends first.
  private mutating func answer(
    to request: StreamRequest, within patience: Microseconds = .seconds(2), _ isAnswer: (StreamMessage) -> Bool
  ) throws(ToolError) -> StreamMessage? {
    do throws(StreamError) { try client.request(request) } catch { return nil }
    let limit = LinuxClock().now + patience
    while LinuxClock().now < limit {
      if let message = try receive() {
        if isAnswer(message) { return message }
        _ = take(message)
        guard isConnected else { return nil }
      } else {
        Self.wait(for: client, until: limit, hearsSignals: false)
      }
    }
    return nil
  }

  /// Asks the owner for one fresh reading. Throws what the owner answers where its sensor delivers nothing.
  package mutating func read() throws(ToolError) -> FreshReading {
    let answer = try answer(to: .read) {
      switch $0 {
      case .reading, .error: true
      default: false
      }
    }
    switch answer {
    case .reading(let reading):
      return FreshReading(instant: instant(reading.time), force: reading.force, state: reading.state)
    case .error(let words): throw ToolError(.unavailable, "the owner at \(address): \(printable(words))")
    default: throw ToolError(.unavailable, "the owner at \(address) does not respond")
    }
  }

  /// Asks once more what the owner has counted, and ends the connection.
  package mutating func close() throws(ToolError) {
    if isConnected {
      let last = try answer(to: .hello) { if case .hello = $0 { true } else { false } }
      if case .hello(let hello) = last, hello.owner == owner { tally.take(hello.counters) }
    }
    client.end()
  }

  package var now: Instant { LinuxClock().now }

  /// What is watched: sensor, bus, rate and owner.
  package var title: String {
    "\(description.sensor.model.properName) at \(description.sensor.address.text) \(description.busWords), "
      + "\(description.sensor.rate.text) Hz, from \(printable("\(address)"))"
  }

  /// The owner and its sensor, in words.
  package var greeting: String { description.greeting(from: address) }

  /// The sensor, in words.
  package var sensorWords: String { description.sensorWords }

  package var wasStopped: Bool {
    if case .stopped = ending { return true }
    return false
  }

  /// What the owner has counted since the first hello.
  package var summary: Summary {
    Summary(
      duration: LinuxClock().now - start, counters: tally.counters, transactions: tally.transactions,
      outputWrites: tally.outputWrites)
  }

  package mutating func askForTare() -> String? {
    do throws(StreamError) {
      try client.request(.command("tare"))
      return "hold the board still for a second"
    } catch {
      return "zero is as it was: \(error.message)"
    }
  }

  /// Has the owner do `command`. Throws what it answers where it does not.
  package mutating func command(_ command: String) throws(ToolError) {
    // A tare takes some seconds where the board moves, and ten samples where they are seldom.
    let patience = Microseconds.seconds(6) + Microseconds(15_000_000_000 / max(1, hello.rateInMillihertz))
    let answer = try answer(to: .command(command), within: patience) {
      switch $0 {
      case .done, .error: true
      default: false
      }
    }
    switch answer {
    case .done: return
    case .error(let words): throw ToolError(.unavailable, "the owner at \(address): \(printable(words))")
    default: throw ToolError(.unavailable, "the owner at \(address) does not respond")
    }
  }

  package mutating func wantEachSample(_ isWanted: Bool) {
    do throws(StreamError) {
      try client.request(.samples(isWanted ? .all : settings.samples))
    } catch {
      // Asked for on the next connection.
    }
  }
}

// Messages.
extension StreamSource {
  /// What `message` brings; nil for nothing to show.
  private mutating func take(_ message: StreamMessage) -> Observation? {
    switch message {
    case .hello(let hello): return take(hello)
    case .event(let event): return take(event)
    case .sample(let sample): return take(sample)
    case .vibration(let second): return take(second)
    case .counters(let counters, _):
      tally.take(counters)
      return observation(nil, nil)
    case .missed(let count):
      events = nil
      remark = OwnerRemark(missed: count)
      return observation(nil, nil)
    case .error(let words):
      let object = JSONText.object("error") { $0.field("detail", words) }
      remark = OwnerRemark(note: "the owner: \(words)", object: object)
      return observation(nil, nil)
    case .done(let command):
      let words = command == "tare" ? "this position is now zero" : "the owner has done: \(command)"
      remark = OwnerRemark(note: words, object: JSONText.object("done") { $0.field("command", command) })
      return observation(nil, nil)
    case .bye(let words):
      if settings.endsWithOwner { ending = .ownerEnded(words) }
      return nil
    case .gone(let words): return lose(words)
    case .raw, .reading, .board: return nil
    }
  }

  /// The instant of the owner's time `time`.
  private func instant(_ time: Microseconds) -> Instant { origin + time }

  /// The hello of another connection, or one in between, as a sign of life.
  private mutating func take(_ hello: StreamHello) -> Observation? {
    tare = hello.tare
    if hello.owner != owner {
      // Another run of the owner: its time and its counts begin anew.
      (owner, origin) = (hello.owner, LinuxClock().now - hello.time)
      tally.restart(hello.counters)
      events = hello.events
      gravity = GravityFilter()
      return welcome(hello)
    }
    tally.take(hello.counters)
    if let events, hello.events > events { remark = OwnerRemark(missed: hello.events - events) }
    events = hello.events
    guard !isConnected || hello.state != state || remark != nil else { return nil }
    return welcome(hello)
  }

  /// The pose that a hello begins with, as an event.
  private mutating func welcome(_ hello: StreamHello) -> Observation? {
    isConnected = true
    let before = state
    (state, isStill) = (hello.state, hello.isStill)
    hasGivenUp = false
    let now = instant(hello.time)
    switch hello.state {
    case _ where hello.state == before: return observation(nil, nil)
    case .known(let pose):
      return observation(.init(at: now, .pose(from: before.pose, to: pose, force: hello.force)), nil)
    case .unknown(.notYetSampled): return observation(nil, nil)
    case .unknown(let reason): return observation(.init(at: now, .trouble(reason, cause: nil)), nil)
    }
  }

  private mutating func take(_ event: StreamEvent) -> Observation? {
    events? += 1
    remark = OwnerRemark(line: event.line, detail: event.detail)
    switch event.occurrence.event {
    case .pose(_, let to, _): (state, hasGivenUp) = (.known(to), false)
    case .trouble(let reason, _):
      state = .unknown(reason)
      if reason == .fault || reason == .stale { isStill = nil }
    case .recovered: hasGivenUp = false
    case .gaveUp: hasGivenUp = true
    case .still: isStill = true
    case .moving: isStill = false
    default: break
    }
    return observation(event.occurrence, nil)
  }

  private mutating func take(_ second: StreamVibration) -> Observation? {
    do throws(VibrationError) {
      var vibration = VibrationSecond(
        at: instant(second.time), total: second.total, rms: second.rms, peak: second.peak,
        try BandEdges(second.edges.span), hasBands: second.bands != nil)
      for (index, rms) in (second.bands ?? []).enumerated() { vibration.setRMS(rms, inBand: index) }
      remark = OwnerRemark(line: second.line)
      return observation(nil, nil, vibration)
    } catch {
      // The bands of a later version.
      return nil
    }
  }

  private mutating func take(_ sample: StreamSample) -> Observation? {
    remark = OwnerRemark(line: sample.line)
    let now = instant(sample.time)
    if let pose = sample.pose { state = .known(pose) }
    figures.position = TiltScroll.Position(x: sample.scrollX, y: sample.scrollY)
    figures.steering = sample.steering
    isStill = sample.attitude?.isStill ?? isStill
    figures.attitude = sample.attitude.map { Fusion.Attitude($0, rotation: sample.rotation) }
    let filtered = sample.gravity ?? sample.attitude?.up.vector
    let reading = Reading(
      instant: now, force: sample.force, rotation: sample.rotation,
      gravity: filtered ?? gravity.step(sample.force, at: now), isFused: filtered != nil, steering: sample.steering,
      state: state)
    return observation(nil, reading)
  }

  /// The owner is gone: from now on nothing is known.
  private mutating func lose(_ words: String) -> Observation? {
    isConnected = false
    (state, isStill) = (.unknown(.stale), nil)
    figures.attitude = nil
    remark = OwnerRemark(detail: words + "; trying again")
    return observation(Occurrence(at: LinuxClock().now, .trouble(.stale, cause: nil)), nil)
  }

  /// Where the lines blink at the owner, they blink here; and a view goes on.
  private mutating func blink() -> Observation? {
    let now = LinuxClock().now
    let due = [indicator.nextChange, nextTick].compactMap(\.self).min()
    guard let due, now >= due else { return nil }
    if let nextTick, now >= nextTick { self.nextTick = now + .milliseconds(200) }
    return observation(nil, nil)
  }

  private mutating func observation(
    _ occurrence: Occurrence?, _ reading: Reading?, _ vibration: VibrationSecond? = nil
  ) -> Observation {
    _ = indicator.show(
      isConnected ? state : .unknown(.notYetSampled), hasGivenUp: hasGivenUp, at: LinuxClock().now,
      Indicator.Configuration(code: description.lines.code))
    var snapshot = Snapshot(at: start)
    (snapshot.state, snapshot.levels, snapshot.counters) = (state, indicator.levels, tally.counters)
    (snapshot.position, snapshot.steering, snapshot.attitude) = (figures.position, figures.steering, figures.attitude)
    (snapshot.isStill, snapshot.temperature) = (isStill, isConnected ? tally.temperature : nil)
    (snapshot.transactions, snapshot.tare) = (tally.transactions, tare)
    var seen = Observation(snapshot)
    if let occurrence { seen.add(occurrence) }
    (seen.reading, seen.vibration) = (reading, vibration)
    return seen
  }
}

/// What an owner has counted since a client came: of all its runs together.
private struct StreamTally {
  private var first: StreamCounters
  private var last: StreamCounters
  private var past = Counters()
  private var pastTransactions: UInt64 = 0
  private var pastWrites: UInt64 = 0

  init(_ counters: StreamCounters) { (first, last) = (counters, counters) }

  mutating func take(_ counters: StreamCounters) { last = counters }

  /// Another run of the owner, all of which counts.
  mutating func restart(_ counters: StreamCounters) {
    (past, pastTransactions, pastWrites) = (self.counters, transactions, outputWrites)
    (first, last) = (StreamCounters(), counters)
  }

  var temperature: Q16? { last.temperature }
  var transactions: UInt64 { pastTransactions &+ last.transactions &- first.transactions }
  var outputWrites: UInt64 { pastWrites &+ last.outputWrites &- first.outputWrites }

  var counters: Counters {
    var sum = past
    func count(_ path: KeyPath<StreamCounters, UInt64>) -> UInt64 { last[keyPath: path] &- first[keyPath: path] }
    sum.samples &+= count(\.samples)
    sum.poseChanges &+= count(\.poseChanges)
    sum.recoveries &+= count(\.recoveries)
    sum.lateSamples &+= count(\.lateSamples)
    sum.lostSamples &+= count(\.lostSamples)
    sum.shakes &+= count(\.shakes)
    sum.restarts &+= count(\.restarts)
    for kind in FaultKind.allCases {
      sum.faultKinds[kind] &+= Self.difference(last.faultKinds["\(kind.name)"], first.faultKinds["\(kind.name)"])
    }
    sum.unknown.update { reason, count in
      count &+= Self.difference(last.unknown["\(reason.name)"], first.unknown["\(reason.name)"])
    }
    return sum
  }

  /// An owner leaves kinds out where there would be too many for a line.
  private static func difference(_ last: UInt64?, _ first: UInt64?) -> UInt64 {
    max(last ?? 0, first ?? 0) - (first ?? 0)
  }
}

extension ToolError {
  /// What it means that there is no stream.
  package init(_ error: StreamError) {
    self.init(error.kind == .noPermission ? .noPermission : .unavailable, error.message)
  }
}

extension BoardDescription {
  /// The board of an owner, as far as its hello describes it.
  package init(_ hello: StreamHello, at owner: StreamAddress) throws(ToolError) {
    guard let model = SensorModel(named: hello.sensor) else {
      throw ToolError(
        .unavailable,
        "the owner at \(owner) has a sensor that this program does not know, "
          + "\(printable(hello.sensor)): update this program")
    }
    var configuration = SensorConfiguration(model)
    _ = configuration.setRange(Int32(clamping: hello.rangeInG))
    _ = configuration.setGyroscope(hello.gyroscopeRange.map { Int32(clamping: $0) })
    let address = I2CAddress(hello.address) ?? model.traits.addresses.low
    var sensor = Sensor(address: address, configuration: configuration)
    if let rate = UpdateRate(millihertz: Int32(clamping: hello.rateInMillihertz)) { _ = sensor.setRate(rate) }
    let code = (0..<UInt8(LineCode.count)).compactMap(LineCode.init(rawValue:)).first { "\($0.name)" == hello.code }
    self.init(
      bus: hello.bus == "emulated" ? .emulated : .linux(path: ShortText(cutting: hello.bus)), sensor: sensor,
      lines: Lines(
        chip: ShortText(cutting: hello.chip), code: code ?? .leds, offsets: InlineArray(repeating: 0)),
      gravity: configuration.usesGyroscope ? .fusion(Fusion.Configuration()) : .standard)
  }
}

extension BoardDescription {
  /// The owner at `address` and its sensor, in words.
  package func greeting(from address: StreamAddress) -> String {
    "\(sensorWords); from the owner at \(printable("\(address)"))"
  }

  /// The sensor, in words.
  package var sensorWords: String {
    "\(sensor.model.properName) at \(sensor.address.text) \(busWords), \(sensor.rate.text) Hz, "
      + "±\(sensor.configuration.rangeInG) g"
  }

  /// Where the sensor is, in words.
  package var busWords: String {
    switch bus {
    case .emulated: "(emulated)"
    case .linux(let path): "on \(path.description)"
    }
  }
}

extension Fusion.Attitude {
  /// What an owner's fusion says of a sample.
  fileprivate init(_ attitude: StreamSample.Attitude, rotation: Vector3?) {
    self.init(
      up: attitude.up, heading: attitude.heading, rate: attitude.rate,
      bias: rotation?.subtracting(attitude.rate) ?? .zero, isStill: attitude.isStill,
      certainty: attitude.isStill ? .still : .moving)
  }
}
