internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import Text
internal import Monitor
internal import Orientation
internal import Sensors

extension Monitor.Report {
  /// Tells everything that the step brought, a line each, and the service manager how things stand.
  func tell(of sensor: BoardDescription.Sensor) {
    for index in 0..<events.count {
      guard let event = events[index]?.event else { return }
      event.tell(of: sensor)
    }
  }

  /// The rate that the board file asks for and the bus cannot follow: the one error that no patience cures.
  var incurable: SensorError? {
    for index in 0..<events.count {
      if case .trouble(_, let cause?) = events[index]?.event, case .rateTooHigh = cause { return cause }
    }
    return nil
  }
}

extension Event {
  fileprivate func tell(of sensor: BoardDescription.Sensor) {
    var line = Line()
    switch self {
    case .pose(_, let pose, _):
      line.append("pose ")
      line.append(pose.name)
      line.say()
      line.tellStatus()
    case .trouble(let reason, let cause):
      line.append("no pose: ")
      line.append(reason.name)
      line.append(": ")
      if let cause {
        line.append(cause.message(of: sensor.place))
      } else {
        line.append(reason.message)
      }
      line.say(reason == .fault || reason == .stale ? CSUPPORT_WARNING : CSUPPORT_INFORMATION)
      line.tellStatus()
    case .recovered(let cause, let outage):
      line.appendOutage("recovered after ", outage, " s from: ", cause, of: sensor)
      line.say(CSUPPORT_NOTICE)
    case .gaveUp(let cause, let outage):
      line.appendOutage("given up after ", outage, " s: ", cause, of: sensor)
      line.say(CSUPPORT_ERROR)
    case .notice(let notice):
      line.append("notice: ")
      line.append(notice.message(of: sensor.place))
      line.say(CSUPPORT_NOTICE)
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

  /// Tells the service manager that things stand as the line says.
  fileprivate func tellStatus() {
    var status = Line("STATUS=")
    status.append(self)
    status.notify()
  }
}
