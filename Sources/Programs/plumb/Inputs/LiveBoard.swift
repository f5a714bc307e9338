package import BoardFile
package import FixedPoint
import Gestures
import HAL
import IIO
import Indication
import JSON
import LinuxHAL
package import Monitor
import OpenBoard
package import Orientation
import PlumbViews
package import Sensors
import Stream
import Text
package import ToolOutput
import Vibration

/// A board whose sensor is read and whose lines are set in real or virtual time; both may be emulated.
///
/// It ends after its duration, with a stop signal, or when the sensor is given up: `ending` says which. Then call
/// `close()`.
package final class LiveBoard: ObservationSource {
  /// How a board is observed. The defaults are those of `plumb run`.
  package struct Settings {
    /// After how long it ends; nil for never.
    package var duration: Microseconds?
    /// Whether the board's lines are opened and set.
    package var usesLines: Bool
    /// Whether a sensor that already runs as it should is only read.
    package var adopts: Bool
    /// The alignment applied to samples; nil for the board file's.
    package var alignment: Alignment?
    package var faults: FaultPolicy
    /// How movement is detected; nil for no movement events.
    package var movement: Movement.Configuration?
    /// Whether the sensor sleeps until moved where the board file says so.
    package var sleeps: Bool
    /// Whether stop signals end it in an orderly way, instead of ending the program at once.
    package var hearsSignals: Bool
    /// How it is shared; nil if it is not.
    package var sharing: BoardSharing?

    package init(
      duration: Microseconds? = nil, usesLines: Bool = true, adopts: Bool = false, alignment: Alignment? = nil,
      faults: FaultPolicy = FaultPolicy(), movement: Movement.Configuration? = nil, sleeps: Bool = false,
      hearsSignals: Bool = true, sharing: BoardSharing? = nil
    ) {
      (self.duration, self.usesLines, self.adopts) = (duration, usesLines, adopts)
      (self.alignment, self.faults, self.movement) = (alignment, faults, movement)
      (self.sleeps, self.hearsSignals, self.sharing) = (sleeps, hearsSignals, sharing)
    }
  }

  /// Why there are no more observations.
  package enum Ending {
    case over
    case stopped
    case gaveUp(SensorError?, outage: Microseconds)
  }

  package let description: BoardDescription
  package let start: Instant
  package private(set) var ending: Ending?
  private var loop: Loop<SensorOrDevice<Batched<BoardSensor>>, BoardLines, LiveClock>
  /// The owner that shares the board; nil if it is not shared.
  private var owner: StreamOwner?
  private let end: Instant?
  private var silence = ReadySilence()
  /// The tare in progress that a user has asked for.
  private var capture: TareCapture?
  /// The result of a tare, or that the data-ready line is silent or works again, to be reported with an observation.
  package private(set) var remark: OwnerRemark?

  /// Takes over stop signals and opens everything that `board` names, which behaves as `emulated` if it is emulated.
  package init(_ board: BoardDescription, _ emulated: EmulatedBoard, _ settings: Settings = Settings())
    throws(ToolError)
  {
    if settings.hearsSignals { try takeOverStopSignals() }
    let clock = BoardClock(of: board, isFast: emulated.isFast)
    let start = clock.now
    // Before anything is opened, so that another owner is not disturbed.
    let owner = try settings.sharing?.owner(of: board, at: start)
    // A sensor that another program runs is only asked for samples; its data-ready line also belongs to that program.
    let sensor = try Self.sensor(of: board, emulated, clock, settings)
    let lines =
      settings.usesLines
      ? try openingBoard { () throws(BoardError) in try BoardLines(opening: board) } : BoardLines()
    // After the stream's sockets, because its clients also end this clock's waits.
    let live = settings.adopts ? LiveClock(clock) : try LiveClock(clock, waitingFor: board, emulated.wire)
    var configuration = Monitor.Configuration(
      board.suited(to: sensor), fullScale: sensor.fullScale, rotationFullScale: sensor.rotationFullScale,
      movement: settings.movement,
      sleeps: settings.sleeps)
    configuration.faults = settings.faults
    if settings.adopts { configuration.period = board.sensor.period }
    if let alignment = settings.alignment { configuration.pipeline.alignment = alignment }
    let vibration = try watchingVibration(of: board)
    description = board
    self.start = start
    end = settings.duration.map { [start] in start + $0 }
    loop = Loop(sensor: sensor, bank: lines, clock: live, configuration: configuration, vibration: vibration)
    self.owner = owner
    loop.horizon = end
    if settings.alignment == nil && board.tare != .none { loop.apply(board.tare) }
  }

  /// The sensor, or the kernel's device in its place, which nothing adopts: only one program can have its buffer.
  private static func sensor(
    of board: BoardDescription, _ emulated: EmulatedBoard, _ clock: BoardClock, _ settings: Settings
  ) throws(ToolError) -> SensorOrDevice<Batched<BoardSensor>> {
    if board.sensor.device != nil { return try openingDevice(of: board) }
    return SensorOrDevice(
      Batched(
        try BoardSensor(of: board, emulated, clock, adopts: settings.adopts, keepsSamples: true),
        size: settings.adopts ? 1 : Int(board.sensor.batch)))
  }

  /// Waits for the board's next task and performs it.
  ///
  /// Throws if the lines cannot be set, and if the bus is too slow for the rate, which retries cannot fix.
  package func next() throws(ToolError) -> Observation? {
    if ending != nil { return nil }
    if let end, loop.isIdle(until: end) {
      ending = .over
      return nil
    }
    guard let seen = try stoppableTurn() else {
      ending = .stopped
      return nil
    }
    for index in 0..<seen.events.count {
      switch seen.events[index]?.event {
      case .trouble(_, let cause?):
        if case .rateTooHigh = cause { throw ToolError(cause, of: description.sensor) }
      case .gaveUp(let cause, let outage): ending = .gaveUp(cause, outage: outage)
      default: break
      }
    }
    owner?.observe(seen, of: &loop)
    remark = tareRemark(seen.reading) ?? (seen.reading == nil ? nil : silenceRemark())
    return seen
  }

  /// What to report about the data-ready line after a good sample, if anything.
  private func silenceRemark() -> OwnerRemark? {
    guard let missed = loop.clock.missedEdges, let isSilent = silence.note(silence: missed.inARow) else {
      return nil
    }
    let words = "\(description.sensor.model.message(isSilent: isSilent, dataReady: description.sensor.dataReady ?? 0))"
    let object = JSONText.object("dataReady") { writer in
      writer.field("works", !isSilent)
      writer.field("detail", words)
    }
    return OwnerRemark(note: words, object: object)
  }

  /// Takes a sample, or its absence, into the tare that a user has asked for; returns its result.
  private func tareRemark(_ reading: Reading?) -> OwnerRemark? {
    switch capture?.step(reading?.force, at: reading?.instant ?? loop.clock.now) {
    case nil, .measuring: return nil
    case .tare(let tare):
      capture = nil
      zero(tare)
      return OwnerRemark(note: "this position is now zero")
    case .moved:
      capture = nil
      return OwnerRemark(note: "zero is unchanged: hold the board still, then press c again")
    }
  }

  private func zero(_ tare: Tare) {
    if owner == nil { loop.apply(tare) } else { owner?.zero(tare, &loop) }
  }

  /// Takes a turn; nil after a stop signal. Serves the stream's clients meanwhile.
  private func stoppableTurn() throws(ToolError) -> Observation? {
    // Virtual time does not wait, so it does not notice a signal.
    while StopSignals.received == nil {
      if let seen = try turn() { return seen }
      owner?.serve(&loop)
    }
    return nil
  }

  private func turn() throws(ToolError) -> Observation? {
    do { return try loop.turn() } catch { throw ToolError(error, of: description.lines) }
  }

  /// Sets the lines to their idle levels, and sends the stream's clients a last message.
  package func close() throws(ToolError) {
    let wasStopped = wasStopped
    owner?.end(wasStopped ? "the owner was stopped" : "the owner has ended")
    do throws(OutputFault) {
      if let first = description.lines.withdrawn(loop.monitor.levels) { try loop.bank.write(first) }
      try loop.bank.write(description.lines.idle)
    } catch {
      throw ToolError(error, of: description.lines)
    }
  }

  /// The error of a sensor that was given up; nil if it was not.
  package var error: ToolError? {
    guard case .gaveUp(let cause, let outage) = ending else { return nil }
    if let refusal { return refusal }
    return ToolError(.unavailable, Event.gaveUp(cause: cause, outage: outage).text(of: description.sensor, nil))
  }

  /// Whether a stop signal ended it.
  package var wasStopped: Bool {
    if case .stopped = ending { return true }
    return false
  }

  /// Whether the sensor was running already, and nothing was written to it.
  package var isAdopted: Bool { loop.sensor.isAdopted }

  /// Why a sensor that was to be adopted could be neither adopted nor started, because it has an owner; nil otherwise.
  package var refusal: ToolError? {
    loop.sensor.refusal.map {
      ToolError(.unavailable, "\($0); it can only be read with the same settings, such as --rate")
    }
  }

  /// The board's time, which is virtual if it is emulated and fast.
  package var now: Instant { loop.clock.now }

  package var summary: Summary {
    var summary = Summary(
      duration: loop.clock.now - start, counters: loop.monitor.counters,
      transactions: loop.sensor.transactions,
      outputWrites: loop.outputWrites)
    summary.gyroscope = Summary.Gyroscope(loop.monitor)
    summary.missedEdges = loop.clock.missedEdges?.inAll
    return summary
  }

  package func askForTare() -> String? {
    loop.monitor.wakeUp(at: loop.clock.now)
    if capture == nil { capture = TareCapture(at: loop.clock.now, period: description.sensor.pace) }
    return "hold the board still for a second"
  }

  package func undoTare() -> String? {
    capture = nil
    zero(description.tare)
    return Self.undone
  }

  /// The message about an undone tare.
  package static let undone = "zero is again as in the board file"

  package var takesTare: Bool { true }
}

/// Watches the vibration of `board`; nil if its file does not ask for it.
func watchingVibration(of board: BoardDescription) throws(ToolError) -> VibrationDetector? {
  do throws(VibrationError) { return try VibrationDetector(of: board) } catch {
    throw ToolError(.internal, "vibration cannot be measured: \(error)")
  }
}

/// Makes stop signals end every wait instead of the program, and a closed pipe too unless `ignoresBrokenPipe`. A second
/// call does nothing. `takesRequests`: SIGUSR1 is a request, as for a service.
package func takeOverStopSignals(
  ignoresBrokenPipe: Bool = false, takesRequests: Bool = false
) throws(ToolError) {
  do {
    try StopSignals.install(brokenPipe: ignoresBrokenPipe ? .ignored : .stops, takesRequests: takesRequests)
  } catch {
    throw ToolError(.internal, error.description)
  }
}

extension ToolError {
  /// The error that `sensor` delivers nothing for this reason.
  package init(_ error: SensorError, of sensor: BoardDescription.Sensor) {
    let code: Code =
      switch error {
      case .rateTooHigh: .configuration
      case .bus(.notPermitted): .noPermission
      default: .unavailable
      }
    self.init(code, error.text(of: sensor))
  }

  fileprivate init(_ fault: OutputFault, of lines: BoardDescription.Lines) {
    self.init(.unavailable, "the lines of \(lines.chip.description) cannot be set: \(systemText(fault.code))")
  }
}

extension SensorOrDevice where Sensor == Batched<BoardSensor> {
  /// Whether the sensor was running already, and nothing was written to it.
  fileprivate var isAdopted: Bool {
    switch sensor {
    case .some(let sensor): sensor.base.isAdopted
    case nil: false
    }
  }

  /// Why it could be neither adopted nor started.
  fileprivate var refusal: LinuxI2CError? {
    switch sensor {
    case .some(let sensor): sensor.base.refusal
    case nil: nil
    }
  }
}
