package import BoardFile
import CSupport
package import FixedPoint
import FixedText
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
package import StreamCodec
import Text
package import ToolOutput
import Vibration

/// A board whose sensor another process owns: that process's stream, as observations.
///
/// Times are those of the owner's clock, counted from the first hello. While the owner is gone the pose is unknown: an
/// old one is never shown as current. It ends after its duration, with a stop signal, or with the owner if requested.
///
/// An object, because the compiler checks each of the hundreds of fields of a non-copyable value wherever it is used.
package final class StreamSource: ObservationSource {
  /// How a stream is observed.
  package struct Settings {
    /// After how long it ends; nil for never.
    package var duration: Microseconds?
    /// The samples to request.
    package var samples: StreamRequest.Samples
    /// Whether it is for a view: requests the counters each second, and the vibration if the owner watches it, and
    /// yields five observations a second even if nothing happens.
    package var counts: Bool
    /// Whether to request the vibration of each second.
    package var vibration: Bool
    /// Whether it ends when the owner ends normally.
    package var endsWithOwner: Bool

    package init(
      duration: Microseconds? = nil, samples: StreamRequest.Samples = .none, counts: Bool = false,
      vibration: Bool = false, endsWithOwner: Bool = false
    ) {
      (self.duration, self.samples, self.counts) = (duration, samples, counts)
      (self.vibration, self.endsWithOwner) = (vibration, endsWithOwner)
    }
  }

  /// Why there are no more observations.
  package enum Ending {
    case over
    case stopped
    /// The owner has ended, for this reason.
    case ownerEnded(String)
  }

  package let address: StreamAddress
  /// The owner's board, as far as the owner describes it.
  package let description: BoardDescription
  /// The owner's first message.
  package let hello: StreamHello
  /// The line of that message.
  package let helloLine: String
  package let start: Instant
  package private(set) var ending: Ending?
  package private(set) var remark: OwnerRemark?
  private var client: StreamClient
  private let settings: Settings
  private let end: Instant?
  /// Identifies the run of the owner; and the instant of its time 0.
  private var owner: ShortText<64>
  private var origin: Instant {
    get { client.start }
    set { client.start = newValue }
  }
  /// Whether there is a connection to the owner.
  private var isConnected = true
  /// What is known about the board, with the owner's counters.
  private var snapshot = Snapshot.unknown
  private var hasGivenUp = false
  private var indicator = Indicator()
  /// Events of this run of the owner so far; nil if unknown because lines were lost.
  private var events: UInt64?
  private var tally: StreamTally
  /// When a view gets the next observation in any case; nil if this is not for a view.
  private var nextTick: Instant?
  /// The observation to return before anything else is read.
  private var pending: Observation?

  /// Takes over stop signals, connects, and waits for the owner's hello.
  package init(_ address: StreamAddress, token: String? = nil, _ settings: Settings = Settings()) throws(ToolError) {
    try takeOverStopSignals()
    var client = StreamClient(address, token: token)
    let hello = try Self.connect(&client, settings)
    description = try BoardDescription(hello, at: address)
    helloLine = client.line
    self.client = client
    (self.address, self.settings, self.hello) = (address, settings, hello)
    start = LinuxClock().now
    end = settings.duration.map { [start] in start + $0 }
    owner = hello.owner
    tally = StreamTally(hello.snapshot)
    events = hello.snapshot.events
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
          if settings.counts && hello.snapshot.isBusy != nil { try client.request(.vibration(true)) }
          return hello
        }
        wait(for: &client, until: nil)
      }
    } catch {
      throw ToolError(error)
    }
    throw stopped(before: client.address)
  }

  /// Waits for the owner's next observation; nil at the end. Events lost by a slow client, and the loss of the owner,
  /// are remarks.
  package func next() throws(ToolError) -> Observation? {
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
      Self.wait(for: &client, until: [end, indicator.nextChange, nextTick].compactMap(\.self).min())
    }
    return nil
  }

  private func receive() throws(ToolError) -> StreamMessage? {
    do throws(StreamError) { return try client.receive() } catch { throw ToolError(error) }
  }

  /// Waits until the client has something to do, until `instant`, or until a signal arrives.
  package static func wait(
    for client: inout StreamClient, until instant: Instant?, hearsSignals: Bool = true
  ) {
    let awaited = client.awaited()
    var wait = awaited.milliseconds
    if let instant {
      let left = Int32(clamping: max(0, (instant - LinuxClock().now).count / 1_000 + 1))
      wait = wait < 0 ? left : min(wait, left)
    }
    var waits = [
      pollfd(fd: awaited.descriptor, events: Int16(awaited.waitsToWrite ? POLLIN | POLLOUT : POLLIN), revents: 0),
      pollfd(fd: hearsSignals ? csupport_signals_descriptor() : -1, events: Int16(POLLIN), revents: 0),
    ]
    unsafe poll(&waits, nfds_t(waits.count), wait)
  }

  /// More lines than an owner's queue and the buffers of both systems hold.
  private static let mostLinesOnTheirWay: UInt64 = 20_000

  /// Waits for the answer to `request`, and takes the messages before it; nil if none arrives within `patience`, or the
  /// connection ends first. A stop signal ends the wait, unless the program `wasStopped` before. So do more lines than
  /// can be on their way: an owner that sends so many without an answer sends none.
  private func answer(
    to request: StreamRequest, within patience: Microseconds = .seconds(2), wasStopped: Bool = false,
    _ isAnswer: (StreamMessage) -> Bool
  ) throws(ToolError) -> StreamMessage? {
    do throws(StreamError) { try client.request(request) } catch { return nil }
    let limit = LinuxClock().now + patience
    let lines = client.lineCount
    while LinuxClock().now < limit && client.lineCount &- lines < Self.mostLinesOnTheirWay {
      guard wasStopped || StopSignals.received == nil else { throw Self.stopped(before: address) }
      if let message = try receive() {
        if isAnswer(message) { return message }
        _ = take(message)
        guard isConnected else { return nil }
      } else {
        Self.wait(for: &client, until: limit, hearsSignals: !wasStopped)
      }
    }
    return nil
  }

  /// What `value` takes out of the answer to `request`. Throws the owner's error, or that it does not respond.
  private func reply<Value>(
    to request: StreamRequest, within patience: Microseconds = .seconds(2), _ value: (StreamMessage) -> Value?
  ) throws(ToolError) -> Value {
    let answer = try answer(to: request, within: patience) {
      if case .error = $0 { true } else { value($0) != nil }
    }
    if let answer, let found = value(answer) { return found }
    guard case .error(let words) = answer else {
      throw ToolError(.unavailable, "the owner at \(address) does not respond")
    }
    throw ToolError(.unavailable, "the owner at \(address): \(printable(words))")
  }

  /// The error of a program that was stopped while it waited for an owner.
  static func stopped(before address: StreamAddress) -> ToolError {
    ToolError(.unavailable, "stopped before the owner at \(printable("\(address)")) responded")
  }

  /// Asks the owner for one fresh reading. Throws the owner's answer if its sensor delivers nothing.
  package func read() throws(ToolError) -> FreshReading {
    try reply(to: .read) { if case .reading(let fresh, _) = $0 { fresh } else { nil } }
  }

  /// Asks for the owner's counters once more, and ends the connection.
  package func close() throws(ToolError) {
    if isConnected {
      let last = try answer(to: .hello, wasStopped: StopSignals.received != nil) {
        if case .hello = $0 { true } else { false }
      }
      if case .hello(let hello) = last, hello.owner == owner { tally.take(hello.snapshot) }
    }
    client.end()
  }

  package var now: Instant { LinuxClock().now }

  /// The attitude in which the owner's angles are zero.
  package var tare: Tare { snapshot.tare }

  /// The owner and its sensor, in words.
  package var greeting: String { description.greeting(from: address) }

  /// The sensor, in words.
  package var sensorWords: String { description.sensorWords }

  package var wasStopped: Bool {
    if case .stopped = ending { return true }
    return false
  }

  /// The owner's counters since the first hello.
  package var summary: Summary {
    Summary(
      duration: LinuxClock().now - start, counters: tally.counters, transactions: tally.transactions,
      outputWrites: tally.outputWrites)
  }

  package func askForTare() -> String? {
    do throws(StreamError) {
      try client.request(.command("tare"))
      return "hold the board still for a second"
    } catch {
      return "zero is unchanged: \(error.message)"
    }
  }

  package func undoTare() -> String? {
    do throws(StreamError) {
      try client.request(.command("untare"))
      return nil
    } catch {
      return "zero is unchanged: \(error.message)"
    }
  }

  /// An owner takes commands only on its Unix socket, if at all.
  package var takesTare: Bool {
    if case .tcp = address { return false }
    return hello.allowsCommands
  }

  /// Makes the owner carry out `command`. Throws its answer if it does not.
  package func command(_ command: String) throws(ToolError) {
    // A tare takes some seconds if the board moves, and ten samples if they are rare.
    let patience = Microseconds.seconds(6) + Microseconds(15_000_000_000 / max(100, hello.rateInMillihertz))
    try reply(to: .command(command), within: patience) { if case .done = $0 { () } else { nil } }
  }

  package func wantEachSample(_ isWanted: Bool) {
    do throws(StreamError) {
      try client.request(.samples(isWanted ? .all : settings.samples))
    } catch {
      // Asked for on the next connection.
    }
  }
}

// Messages.
extension StreamSource {
  /// The observation that `message` yields; nil for nothing to show.
  private func take(_ message: StreamMessage) -> Observation? {
    switch message {
    case .hello(let hello): return take(hello)
    case .observed(let seen, let words): return take(seen, words)
    case .missed(let count):
      events = nil
      remark = OwnerRemark(missed: count)
      return shown(Observation(snapshot))
    case .error(let words):
      let object = JSONText.object("error") { $0.field("detail", words.description) }
      remark = OwnerRemark(note: "the owner: \(words)", object: object)
      return shown(Observation(snapshot))
    case .done(let command):
      let words =
        switch command {
        case "tare": "this position is now zero"
        case "untare": LiveBoard.undone
        default: "the owner has carried out: \(command)"
        }
      remark = OwnerRemark(note: words, object: JSONText.object("done") { $0.field("command", command.description) })
      return shown(Observation(snapshot))
    case .bye(let words):
      if settings.endsWithOwner { ending = .ownerEnded(words.description) }
      return nil
    case .gone(let words): return lose(words.description)
    case .raw, .reading, .board: return nil
    }
  }

  /// Takes the hello of a new connection, or one in between as a sign of life.
  private func take(_ hello: StreamHello) -> Observation? {
    if hello.owner != owner {
      // Another run of the owner, whose time and counters start again.
      (owner, origin) = (hello.owner, LinuxClock().now - hello.time)
      tally.restart(hello.snapshot)
      events = hello.snapshot.events
      return welcome(hello)
    }
    tally.take(hello.snapshot)
    if let events, hello.snapshot.events > events { remark = OwnerRemark(missed: hello.snapshot.events - events) }
    events = hello.snapshot.events
    snapshot.tare = hello.snapshot.tare
    guard !isConnected || hello.snapshot.state != snapshot.state || remark != nil else { return nil }
    return welcome(hello)
  }

  /// The pose in a hello, as an event.
  private func welcome(_ hello: StreamHello) -> Observation? {
    let before = snapshot.state
    (isConnected, hasGivenUp, snapshot) = (true, false, hello.snapshot)
    var seen = Observation(snapshot)
    if snapshot.state != before {
      let now = origin + hello.time
      switch snapshot.state {
      case .known(let pose):
        seen.add(Occurrence(at: now, .pose(from: before.pose, to: pose, force: snapshot.force)))
      case .unknown(.notYetSampled): break
      case .unknown(let reason): seen.add(Occurrence(at: now, .trouble(reason, cause: snapshot.cause)))
      }
    }
    return shown(seen)
  }

  /// Takes a step of the owner, with its `words` if there are any.
  private func take(_ seen: Observation, _ words: Message?) -> Observation? {
    snapshot = seen.snapshot
    if seen.events.count == 0 && seen.reading == nil && seen.vibration == nil {
      tally.take(snapshot)
    } else {
      remark = OwnerRemark(line: client.line, detail: words?.description)
    }
    seen.forEachEvent { occurrence in
      events? += 1
      switch occurrence.event {
      case .pose, .recovered: hasGivenUp = false
      case .gaveUp: hasGivenUp = true
      default: break
      }
    }
    return shown(seen)
  }

  /// The owner is gone: from now on nothing is known.
  private func lose(_ words: String) -> Observation? {
    isConnected = false
    let occurrence = Occurrence(at: LinuxClock().now, .trouble(.stale, cause: nil))
    snapshot.take(occurrence)
    (snapshot.attitude, snapshot.temperature) = (nil, nil)
    remark = OwnerRemark(detail: words + "; trying again")
    var seen = Observation(snapshot)
    seen.add(occurrence)
    return shown(seen)
  }

  /// Blinks the lines here as they blink at the owner, and keeps a view going.
  private func blink() -> Observation? {
    let now = LinuxClock().now
    let due = [indicator.nextChange, nextTick].compactMap(\.self).min()
    guard let due, now >= due else { return nil }
    if let nextTick, now >= nextTick { self.nextTick = now + .milliseconds(200) }
    return shown(Observation(snapshot))
  }

  /// `seen` with what this program's lines would show, and with the counters so far.
  private func shown(_ seen: Observation) -> Observation {
    _ = indicator.show(
      isConnected ? snapshot.state : .unknown(.notYetSampled), hasGivenUp: hasGivenUp, at: LinuxClock().now,
      description.lines.indicator)
    var seen = seen
    (seen.snapshot.levels, seen.snapshot.counters) = (indicator.levels, tally.counters)
    (seen.snapshot.transactions, seen.snapshot.outputWrites) = (tally.transactions, tally.outputWrites)
    return seen
  }
}

/// What an owner has counted since this client connected, in all its runs together.
private struct StreamTally {
  private var first: Snapshot
  private var last: Snapshot
  private var past = Counters()
  private var pastTransactions: UInt64 = 0
  private var pastWrites: UInt64 = 0

  init(_ counted: Snapshot) { (first, last) = (counted, counted) }

  mutating func take(_ counted: Snapshot) { last = counted }

  /// Another run of the owner, whose counts are all new.
  mutating func restart(_ counted: Snapshot) {
    (past, pastTransactions, pastWrites) = (counters, transactions, outputWrites)
    (first, last) = (.unknown, counted)
  }

  var transactions: UInt64 { pastTransactions &+ (last.transactions ?? 0) &- (first.transactions ?? 0) }
  var outputWrites: UInt64 { pastWrites &+ (last.outputWrites ?? 0) &- (first.outputWrites ?? 0) }

  private static var counts: [WritableKeyPath<Counters, UInt64>] {
    [
      \.samples, \.poseChanges, \.restarts, \.recoveries, \.giveUps, \.notices, \.shakes, \.lateSamples, \.lostSamples,
    ]
  }

  var counters: Counters {
    var sum = past
    let (first, last) = (first.counters, last.counters)
    for count in Self.counts { sum[keyPath: count] &+= last[keyPath: count] &- first[keyPath: count] }
    // An owner leaves kinds out if they would make a line too long.
    for kind in FaultKind.allCases {
      sum.faultKinds[kind] &+= max(last.faultKinds[kind], first.faultKinds[kind]) - first.faultKinds[kind]
    }
    let (before, after) = (first.faultKinds.total, last.faultKinds.total)
    let named = sum.faultKinds.total &- past.faultKinds.total
    if after &- before > named { sum.faultKinds.others &+= after &- before &- named }
    sum.unknown.update { reason, count in
      count &+= max(last.unknown[reason], first.unknown[reason]) - first.unknown[reason]
    }
    return sum
  }
}

extension ToolError {
  /// The error that there is no stream.
  package init(_ error: StreamError) {
    let code: Code =
      switch error.kind {
      case .noPermission: .noPermission
      case .badAddress: .usage
      case .unreachable, .refused, .badProtocol: .unavailable
      }
    self.init(code, error.message)
  }
}

extension BoardDescription {
  /// The owner's board, as far as its hello describes it.
  package init(_ hello: StreamHello, at owner: StreamAddress) throws(ToolError) {
    // Behind a device of the kernel: see `Sensor.device`.
    let device = hello.sensor == "iio" ? SensorPlace.Device(cutting: hello.bus, from: 4) : nil
    guard let model = device == nil ? SensorModel(named: hello.sensor) : .mpu6050 else {
      throw ToolError(
        .unavailable,
        "the owner at \(owner) has a sensor that this program does not know, "
          + "\(printable(hello.sensor)): update this program")
    }
    var configuration = SensorConfiguration(model)
    _ = configuration.setRange(hello.rangeInG)
    _ = configuration.setGyroscope(hello.gyroscopeRange)
    let address = I2CAddress(hello.address) ?? model.traits.addresses.low
    var sensor = Sensor(address: address, configuration: configuration)
    sensor.device = device.map { Sensor.Device(name: $0) }
    if let rate = UpdateRate(millihertz: Int32(clamping: hello.rateInMillihertz)) { _ = sensor.setRate(rate) }
    self.init(
      bus: device != nil ? .iio : hello.bus == "emulated" ? .emulated : .linux(path: hello.bus), sensor: sensor,
      lines: Lines(chip: hello.chip, code: hello.code ?? .leds, offsets: InlineArray(repeating: 0)),
      gravity: configuration.usesGyroscope ? .fusion(Fusion.Configuration()) : .standard)
  }
}
