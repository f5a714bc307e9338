import BoardFile
import Diagnosis
import Emulation
import FixedPoint
import HAL
import JSON
import PlumbViews
import Sensors
import ToolInputs
import ToolOutput

/// What `plumb doctor` finds about the gyroscope of a board that uses one. It only reads, and only from a sensor that
/// runs as the board file says: any other one could not be read without writing to it.
enum DoctorGyroscope {
  case emulated
  /// The sensor itself has an error.
  case skipped(because: Aspect)
  case notRunning
  case judged(GyroscopeCheck.Verdict)
  /// It could not be read.
  case failed(SensorError)

  /// The outcome for `diagnosis`; nil if the board uses no gyroscope.
  init?(after diagnosis: Diagnosis) throws(ToolError) {
    let board = diagnosis.board
    guard board.sensor.configuration.usesGyroscope, board.sensor.device == nil else { return nil }
    switch diagnosis[.identity] {
    case .emulated: self = .emulated
    case .passed: self = try Self.read(board)
    case .skipped(let cause): self = .skipped(because: cause)
    case .absent, .found, .unknown: self = .skipped(because: .identity)
    }
  }

  /// Reads a second of samples.
  private static func read(_ board: BoardDescription) throws(ToolError) -> DoctorGyroscope {
    let emulated = EmulatedBoard(motion: .hold, isFast: true)
    let clock = BoardClock(of: board, isFast: true)
    var sensor = try BoardSensor(of: board, emulated, clock, owns: false)
    do throws(SensorError) {
      guard try sensor.adopt() else { return .notRunning }
      var check = GyroscopeCheck()
      let period = max(board.sensor.period, .milliseconds(10))
      let start = clock.now
      var next = start
      while next - start < max(.seconds(1), Microseconds(period.count * 50)) {
        guard clock.sleep(until: next) else { break }
        let measured = try sensor.measure()
        if let rotation = measured.rotation { check.take(measured.force, rotation) }
        next = next + period
      }
      return .judged(check.verdict)
    } catch {
      return .failed(error)
    }
  }

  static let identifier = "gyroscope"
  static let title = "the gyroscope"

  /// What is wrong, and how to fix it; nil if nothing is.
  private func finding(of board: BoardDescription, _ option: String) -> (problem: String, detail: String, fix: String)?
  {
    let fix = "plumb selftest\(option)  # stop other users of the sensor first"
    switch self {
    case .judged(.frozen):
      return ("gyroscope.frozen", "the gyroscope repeats the same reading, without any noise", fix)
    case .judged(.biased(let bias)):
      let words =
        "the gyroscope reads \(Self.text(bias)) deg/s at rest; the data sheet allows 20 deg/s on each axis"
      return ("gyroscope.bias", words, fix)
    case .failed(let error):
      return ("gyroscope.fault", "the gyroscope cannot be read: \(error.text(of: board.sensor))", fix)
    default: return nil
    }
  }

  /// Why it was not checked; nil if it was.
  private var omission: (identifier: String, words: String)? {
    switch self {
    case .skipped(let cause): (cause.identifier.description, "needs \(cause.title)")
    case .notRunning:
      ("not-running", "the sensor is not running with the settings of the board file, and doctor only reads")
    case .judged(.moving): ("moving", "the board moves")
    case .judged(.tooFew): ("too-few-samples", "too few samples")
    default: nil
    }
  }

  /// The rows for people: the outcome, and what follows from it; none of one that is emulated.
  func text(
    of board: BoardDescription, _ style: TextStyle, option: String, lines: (String, String) -> [String]
  ) -> [String] {
    if let finding = finding(of: board, option) {
      let mark = style.coloured(style.mark("!", "warn"), 33)
      let arrow = "      " + style.mark("→ ", "-> ")
      return ["  \(mark) \(Self.title)"] + wrapped(finding.detail.capitalisedFirst + ".", to: 74).map { "      " + $0 }
        + lines(finding.fix, arrow).map { style.coloured($0, 96) }
    }
    if let omission {
      let mark = style.coloured(style.mark("·", "-   "), 90)
      return wrapped("\(Self.title): not checked: \(omission.words)", to: 74).enumerated().map { index, line in
        index == 0 ? "  \(mark) \(line)" : "      " + line
      }
    }
    guard case .judged(.passed(let bias)) = self else { return [] }
    return ["  \(style.coloured(style.mark("✓", "ok  "), 32)) \(Self.title): \(Self.text(bias)) deg/s at rest"]
  }

  /// The object for scripts.
  func json(of board: BoardDescription, option: String) -> String {
    JSONText.object("check") { writer in
      writer.field("check", Self.identifier)
      writer.field("title", Self.title)
      if let finding = finding(of: board, option) {
        writer.field("outcome", "warning")
        writer.field("problem", finding.problem)
        writer.field("detail", finding.detail)
        writer.field("fix", finding.fix)
      } else if let omission {
        writer.field("outcome", "skipped")
        writer.field("because", omission.identifier)
      } else if case .judged(.passed(let bias)) = self {
        writer.field("outcome", "passed")
        writer.field("bias_dps", bias, places: 2)
      } else {
        writer.field("outcome", "emulated")
      }
    }
  }

  private static func text(_ bias: Vector3) -> String {
    [bias.x, bias.y, bias.z].map { $0.text(places: 2) }.joined(separator: " ")
  }
}
