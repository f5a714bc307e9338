internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import Monitor
internal import Orientation
internal import Sensors
internal import Text

extension Monitor.Report {
  /// Prints everything that the step brought, a line each, and notifies the service manager of the state.
  func print(of sensor: BoardDescription.Sensor) {
    for index in 0..<events.count {
      guard let event = events[index]?.event else { return }
      event.print(of: sensor)
    }
  }

  /// The rate that the board file asks for and the bus cannot follow: the one error that does not pass.
  var lastingError: SensorError? {
    for index in 0..<events.count {
      if case .trouble(_, let cause?) = events[index]?.event, case .rateTooHigh = cause { return cause }
    }
    return nil
  }
}

extension Event {
  fileprivate func print(of sensor: BoardDescription.Sensor) {
    var line = LogLine()
    switch self {
    case .pose(_, let pose, _):
      line.append("pose: ")
      line.append(pose.words)
      line.print()
      line.notifyStatus()
    case .trouble(let reason, let cause):
      line.append(reason.sentence(cause, of: sensor.place))
      line.print(reason == .fault || reason == .stale ? CSUPPORT_WARNING : CSUPPORT_INFORMATION)
      line.notifyStatus()
    case .recovered(let cause, let outage):
      line.appendOutage("recovered after ", outage, " s from: ", cause, of: sensor)
      line.print(CSUPPORT_NOTICE)
    case .gaveUp(let cause, let outage):
      line.appendOutage("gave up after ", outage, " s: ", cause, of: sensor)
      line.print(CSUPPORT_ERROR)
    case .notice(let notice):
      line.append("notice: ")
      line.append(notice.message(of: sensor.place))
      line.print(CSUPPORT_NOTICE)
    default: break
    }
  }
}

extension ShortText where capacity == 1000 {
  fileprivate mutating func appendOutage(
    _ before: StaticString, _ outage: Microseconds, _ between: StaticString, _ cause: SensorError,
    of sensor: BoardDescription.Sensor
  ) {
    append(before)
    append(outage.count.magnitude, over: 1_000_000, places: 2)
    append(between)
    append(cause.message(of: sensor.place))
  }

  /// Sends the line to the service manager as the state.
  fileprivate func notifyStatus() {
    var status = LogLine("STATUS=")
    status.append(self)
    status.notify()
  }
}

extension Counters {
  /// The counters in one line; faults by kind where there were any.
  func line(transactions: UInt64, outputWrites: UInt64) -> LogLine {
    var line = LogLine("counters:")
    line.append(samples, "samples")
    line.append(transactions, "transactions", ",")
    line.append(poseChanges, "pose changes", ",")
    line.append(faults, "faults", ",")
    line.append(restarts, "restarts", ",")
    line.append(recoveries, "recoveries", ",")
    line.append(lateSamples, "late samples", ",")
    line.append(outputWrites, "output writes", ",")
    guard faults > 0 else { return line }
    line.append("; faults:")
    line.append(faultKinds)
    return line
  }
}

extension ShortText where capacity == 1000 {
  /// Adds how many samples were taken by time, because the data-ready line showed no edge.
  mutating func append(missedEdges count: UInt64) { append(count, "waits without data-ready", ";") }
}

extension ShortText {
  fileprivate mutating func append(_ count: UInt64, _ name: StaticString, _ before: StaticString = "") {
    append(before)
    append(" ")
    append(decimal: count)
    append(" ")
    append(name)
  }

  fileprivate mutating func append(_ kinds: FaultCounts) {
    appendPositive(kinds.noAcknowledge, "noAcknowledge")
    appendPositive(kinds.arbitrationLost, "arbitrationLost")
    appendPositive(kinds.timedOut, "timedOut")
    appendPositive(kinds.shortRead, "shortRead")
    appendPositive(kinds.unsupported, "unsupported")
    appendPositive(kinds.notPermitted, "notPermitted")
    appendPositive(kinds.busy, "busy")
    appendPositive(kinds.unavailable, "unavailable")
    appendPositive(kinds.otherBusFault, "otherBusFault")
    appendPositive(kinds.unexpectedIdentity, "unexpectedIdentity")
    appendPositive(kinds.configurationRejected, "configurationRejected")
    appendPositive(kinds.configurationLost, "configurationLost")
    appendPositive(kinds.resetTimedOut, "resetTimedOut")
    appendPositive(kinds.rateTooHigh, "rateTooHigh")
    appendPositive(kinds.frozen, "frozen")
    appendPositive(kinds.stuckAtFullScale, "stuckAtFullScale")
    appendPositive(kinds.weightless, "weightless")
  }

  private mutating func appendPositive(_ count: UInt64, _ name: StaticString) {
    if count > 0 { append(count, name) }
  }
}

/// Reports once that the data-ready line shows no edges while the sensor gives samples, and once that it does again.
struct DataReadyReport {
  private enum Reported {
    case nothing, silence, edges
  }

  private var reported = Reported.nothing

  /// As many samples without an edge before them are no accident.
  private static var patience: UInt32 { 8 }

  /// Takes a good sample of `board`, before which `silence` waits in a row ended without an edge.
  mutating func note(silence: UInt32, of board: BoardDescription) {
    switch reported {
    case .nothing where silence >= Self.patience: reported = .silence
    case .silence where silence == 0: reported = .edges
    default: return
    }
    guard let offset = board.sensor.dataReady else { return }
    var line = LogLine(reported == .edges ? "data-ready on GPIO" : "no signal from data-ready on GPIO")
    line.append(decimal: Int32(truncatingIfNeeded: offset))
    if reported == .edges {
      line.append(" works again: each sample is read as soon as it is ready")
      return line.print(CSUPPORT_NOTICE)
    }
    line.append(": check its wire to ")
    line.append(board.sensor.model == .adxl345 ? "INT1" : "INT")
    line.append(" of the sensor; until it works, samples are read by timer")
    line.print(CSUPPORT_WARNING)
  }
}
