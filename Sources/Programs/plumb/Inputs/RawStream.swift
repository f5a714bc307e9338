package import BoardFile
package import FixedPoint
import HAL
import FixedText
import LinuxHAL
import Monitor
import Orientation
package import PlumbStream
import PlumbViews
import Sensors
import Stream
package import StreamCodec
package import ToolOutput

/// The uncalibrated samples of an owner's sensor, in the sensor frame, and what happens to it meanwhile: at most 100 a
/// second, which is fast enough to follow a hand.
///
/// Times are those of the owner's clock. If the owner is gone, it reconnects until the program ends.
package struct RawStream: ~Copyable {
  /// What arrives next.
  package enum Arrival {
    /// A sample.
    case sample(Vector3, rotation: Vector3?, at: Instant)
    /// The sensor does not deliver, or the owner is gone, for this reason.
    case trouble(String)
    /// The sensor delivers again; says for how long it did not, and why.
    case recovery(String)
    /// A notice about the sensor.
    case notice(String)
    /// Samples were lost on the way.
    case gap
    /// Nothing arrived in this time.
    case silence
    /// A stop signal came.
    case stopped
  }

  package let address: StreamAddress
  /// The owner's first message.
  package let hello: StreamHello
  /// The owner's board, as far as the owner describes it.
  package let description: BoardDescription
  /// The sensor's mounting and calibration in the owner's board file.
  package private(set) var board: StreamBoard
  package let start: Instant
  private var client: StreamClient
  /// Identifies this run of the owner.
  package private(set) var owner: ShortText<64>
  private var thinning = Thinning()
  private let period: Microseconds
  /// The connection's first arrival, if the sensor already does not deliver.
  private var first: Arrival?

  /// How long an owner may take to answer.
  private static var patience: Microseconds { .seconds(5) }
  /// The lowest rate that can follow a hand.
  private static var leastRate: Int64 { 10_000 }

  /// Takes over stop signals, connects, and asks for the board.
  package init(_ address: StreamAddress, token: String? = nil) throws(ToolError) {
    try takeOverStopSignals()
    var client = StreamClient(address, token: token)
    let hello = try StreamSource.connect(&client, StreamSource.Settings())
    let description = try BoardDescription(hello, at: address)
    guard hello.rateInMillihertz >= Self.leastRate else {
      throw ToolError(
        .unavailable,
        "the owner at \(printable("\(address)")) reads its sensor less than \(Self.leastRate / 1_000) times a second, too slow "
          + "to follow a hand: set rate = 100 in its board file")
    }
    let board = try Self.board(of: &client, hello)
    do throws(StreamError) { try client.request(.samples(.raw)) } catch { throw ToolError(error) }
    self.client = client
    (self.address, self.hello, owner, self.description, self.board) = (address, hello, hello.owner, description, board)
    start = LinuxClock().now
    self.client.start = start - hello.time
    period = Microseconds(1_000_000_000 / hello.rateInMillihertz)
    first = Self.trouble(in: hello).map { .trouble($0) }
  }

  /// Why the sensor does not deliver, in words; nil if it does.
  private static func trouble(in hello: StreamHello) -> String? {
    hello.snapshot.silence.map { "\($0.message)" }
  }

  private static func board(of client: inout StreamClient, _ hello: StreamHello) throws(ToolError) -> StreamBoard {
    let owner = "the owner at \(printable("\(client.address)"))"
    do throws(StreamError) { try client.request(.board) } catch { throw ToolError(error) }
    let board = try answer(of: &client) { message throws(ToolError) -> StreamBoard? in
      switch message {
      case .board(let board): return board
      case .error:
        throw ToolError(
          .unavailable,
          "\(owner) (plumb \(printable(hello.version))) does not say how its sensor is mounted: update that plumb")
      default: return nil
      }
    }
    guard let board else { throw ToolError(.unavailable, "\(owner) does not respond") }
    return board
  }

  /// What `value` takes out of the answer of an owner; nil if none comes in time, or before a stop signal.
  private static func answer<Value>(
    of client: inout StreamClient, _ value: (StreamMessage) throws(ToolError) -> Value?
  ) throws(ToolError) -> Value? {
    let limit = LinuxClock().now + patience
    while LinuxClock().now < limit && StopSignals.received == nil {
      if let message = try receive(from: &client) {
        if let found = try value(message) { return found }
      } else {
        StreamSource.wait(for: &client, until: limit)
      }
    }
    return nil
  }

  /// What arrives next, or `silence` at `limit`.
  package mutating func next(until limit: Instant) throws(ToolError) -> Arrival {
    if let first = first.take() { return first }
    while StopSignals.received == nil {
      if let message = try Self.receive(from: &client) {
        if let arrival = try take(message) { return arrival }
      } else {
        guard LinuxClock().now < limit else { return .silence }
        StreamSource.wait(for: &client, until: limit)
      }
    }
    return .stopped
  }

  private static func receive(from client: inout StreamClient) throws(ToolError) -> StreamMessage? {
    do throws(StreamError) { return try client.receive() } catch { throw ToolError(error) }
  }

  private mutating func take(_ message: StreamMessage) throws(ToolError) -> Arrival? {
    switch message {
    case .raw(let measured, let instant):
      // At the rate of a local board, whatever the owner's.
      guard thinning.chooses(instant, every: .milliseconds(10), period: period) else { return nil }
      return .sample(measured.force, rotation: measured.rotation, at: instant)
    case .observed(let seen, let words): return seen.events[0].flatMap { Self.arrival(of: $0.event, words) }
    case .missed: return .gap
    case .bye, .reading, .error, .done: return nil
    case .board(let board):
      self.board = board
      return nil
    case .gone(let words): return .trouble("\(words); trying again")
    case .hello(let hello):
      guard hello.owner != owner else { return .gap }
      guard (hello.sensor, hello.address, hello.bus) == (self.hello.sensor, self.hello.address, self.hello.bus) else {
        throw ToolError(
          .unavailable, "the owner at \(printable("\(address)")) was restarted with another sensor; nothing was written"
        )
      }
      // Its time starts again, while this one continues.
      (owner, client.start) = (hello.owner, LinuxClock().now - hello.time)
      return Self.trouble(in: hello).map { .trouble($0) } ?? .gap
    }
  }

  private static func arrival(of event: Event, _ detail: Message?) -> Arrival? {
    let words = detail.map { printable($0) } ?? "the owner does not say why"
    switch event {
    case .trouble(.fault, _), .trouble(.stale, _), .gaveUp: return .trouble(words)
    case .recovered(_, let outage): return .recovery("after \(outage.tableText) s from: \(words)")
    case .notice: return .notice(words)
    default: return nil
    }
  }

  package var now: Instant { LinuxClock().now }

  /// The sensor and its owner, in words.
  package var greeting: String {
    "\(description.sensorPlace), from the owner at \(printable("\(address)"))"
  }
}

// A changed board file.
extension RawStream {
  /// Asks the owner to reread its board file. Returns why it did not, in words; nil if it did.
  package mutating func reload() throws(ToolError) -> String? {
    do throws(StreamError) { try client.request(.command("reload")) } catch { return error.message }
    let why = try Self.answer(of: &client) { message -> String?? in
      switch message {
      case .done: .some(nil)
      case .error(let words): printable(words)
      case .gone(let words): words.description
      default: nil
      }
    }
    if let why { return why }
    return StopSignals.received == nil ? "the owner does not respond" : "stopped before the owner responded"
  }

  /// Waits, at most 10 s, until the owner has `sensor`'s mounting and calibration. Returns whether it has.
  package mutating func awaitBoard(_ sensor: BoardDescription.Sensor) throws(ToolError) -> Bool {
    let limit = LinuxClock().now + .seconds(10)
    var asking = LinuxClock().now
    while LinuxClock().now < limit && StopSignals.received == nil {
      if LinuxClock().now >= asking {
        // Without a connection there is nothing to ask; a later one will do.
        do throws(StreamError) { try client.request(.board) } catch {}
        asking = LinuxClock().now + .milliseconds(200)
      }
      if let message = try Self.receive(from: &client) {
        if case .board(let board) = message, board.agrees(with: sensor) {
          self.board = board
          return true
        }
      } else {
        StreamSource.wait(for: &client, until: min(asking, limit))
      }
    }
    return false
  }
}

extension StreamBoard {
  /// Whether mounting and calibration equal those of `sensor`, to six decimals.
  fileprivate func agrees(with sensor: BoardDescription.Sensor) -> Bool {
    guard mounting == sensor.mounting, calibration.agrees(with: sensor.calibration) else { return false }
    return rotationCalibration.map { $0.agrees(with: sensor.rotationCalibration) } ?? true
  }
}

extension Calibration {
  fileprivate func agrees(with other: Calibration) -> Bool {
    offset == other.offset && scale.isNear(other.scale, within: 1_100)
  }
}

extension Calibration.Scale {
  /// Whether no factor differs by more than `limit`.
  package func isNear(_ other: Calibration.Scale, within limit: Int64) -> Bool {
    [(x, other.x), (y, other.y), (z, other.z)].allSatisfy { abs(Int64($0) - Int64($1)) <= limit }
  }
}
