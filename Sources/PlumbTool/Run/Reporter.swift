import ArgumentParser
import BoardFile
import FixedPoint
import Gestures
import HAL
import Indication
import Text
import Monitor
import Orientation
import Sensors

/// How results are written.
enum Format: String, ExpressibleByArgument, CaseIterable {
  /// For people.
  case text
  /// One object a line, for scripts.
  case json
}

/// Writes events and samples to standard output.
struct Reporter {
  var output: Output
  let format: Format
  let showing: Showing
  let start: Instant
  /// Who is meant by the words of a sensor's error.
  let sensor: BoardDescription.Sensor
  /// What the lines say.
  let code: LineCode
  /// When the next sample is due that is written because it shows what was asked for.
  private var nextRow: Instant

  /// Ten rows a second can still be read.
  private static var rowInterval: Microseconds { .milliseconds(100) }

  init(
    output: Output, format: Format, showing: Showing, start: Instant, sensor: BoardDescription.Sensor,
    code: LineCode = .leds
  ) {
    self.output = output
    self.format = format
    self.showing = showing
    self.start = start
    self.sensor = sensor
    self.code = code
    nextRow = start
  }

  /// Writes everything that one step of `monitor` brought.
  mutating func show(_ report: Monitor.Report, of monitor: borrowing Monitor) throws(Failure) {
    let levels = monitor.levels
    for index in 0..<report.events.count {
      guard let occurrence = report.events[index] else { break }
      let time = occurrence.at - start
      if let line = format == .json ? json(occurrence.event, levels, time) : text(occurrence.event, levels, time) {
        try output.line(line)
      }
    }
    guard let reading = report.reading, isDue(reading.instant) else { return }
    let time = reading.instant - start
    let figures = Figures(position: monitor.movement?.position ?? .start, steering: monitor.steeringAngle)
    try output.line(format == .json ? json(reading, figures, time) : text(reading, figures, levels, time))
  }

  /// What comes of a sample and those before it.
  struct Figures {
    var position: TiltScroll.Position
    var steering: BinaryAngle
  }

  /// Whether the sample of `instant` is to be written.
  private mutating func isDue(_ instant: Instant) -> Bool {
    if showing.samples { return true }
    guard showing.show.contains(where: \.isMeasured) && instant >= nextRow else { return false }
    nextRow = max(nextRow + Self.rowInterval, instant - Self.rowInterval)
    return true
  }

  /// What a reason for not knowing means, in words; the sensor's own words where it is at fault.
  func detail(_ reason: UnknownReason, _ cause: SensorError?) -> String {
    if let cause { return cause.text(of: sensor) }
    return reason.words
  }

  /// Where the window on what is scrolled is, in pixels; nil where no sizes are known.
  func pixels(_ position: TiltScroll.Position) -> TiltScroll.PixelOffset? {
    guard let content = showing.content, let viewport = showing.viewport else { return nil }
    return position.offset(of: content, in: viewport)
  }
}

extension UnknownReason {
  /// What the reason means, in words.
  var words: String { message.description }
}
