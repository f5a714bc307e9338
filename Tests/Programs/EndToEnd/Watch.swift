import Foundation

/// The results of `plumb watch` on its own terminal, as reported by `Tests/System/Terminal/on_terminal.py`.
struct Watch {
  /// The exit code, or the negative number of the signal that ended it.
  var exit: Int
  /// The action whose condition was not met; nil for none.
  var failed: String?
  /// Whether it reported that samples were missing, although no action stopped it: the computer stalled.
  var hasStalled: Bool
  /// The screens at the requested moments.
  var shots: [String]
  /// The screen after the end.
  var text: String
  /// Whether the terminal's modes are restored after the end.
  var hasModesBack: Bool
  /// Whether cursor, wrapping and main screen are restored after the end.
  var hasScreenBack: Bool
  /// Both, each time it was stopped.
  var stops: [Bool]
  /// The share of a core in percent, if measured.
  var shares: [Double]
  /// Codes that a plain terminal does not know.
  var unknownCodes: [String]
  var escapes: Int
  var colours: Int

  /// Runs the tool in `folder`, and performs `actions` on it; again if it failed after a stall of the computer, which
  /// adds events and hides others.
  static func run(
    _ actions: [String], size: (columns: Int, rows: Int) = (80, 24), arguments: [String] = [],
    environment: [String: String] = [:], folder: String = "/"
  ) throws -> Watch {
    var watch: Watch
    var runs = 0
    repeat {
      watch = try runOnce(actions, size: size, arguments: arguments, environment: environment, folder: folder)
      runs += 1
    } while watch.failed != nil && watch.hasStalled && runs < 3
    return watch
  }

  private static func runOnce(
    _ actions: [String], size: (columns: Int, rows: Int), arguments: [String], environment: [String: String],
    folder: String
  ) throws -> Watch {
    let script = URL(filePath: #filePath).appending(path: "../../../System/Terminal/on_terminal.py").standardized.path
    // A crash must not start a backtracer.
    let plain = [
      "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "", "SWIFT_BACKTRACE": "enable=no",
      "PYTHONDONTWRITEBYTECODE": "1",
    ]
    let python = ["/usr/bin/env", "-C", folder, "/usr/bin/python3", script]
    let launcher = python + ["\(size.columns)", "\(size.rows)"] + actions + ["--"]
    let result = try Tool.run(
      arguments: ["watch"] + arguments, launcher: launcher, environment: plain.merging(environment) { $1 })
    guard let report = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any] else {
      throw Missing()
    }
    return try Watch(report)
  }

  private init(_ report: [String: Any]) throws {
    exit = try unwrapped(report["exit"] as? Int)
    failed = report["failed"] as? String
    hasStalled = try unwrapped(report["stalled"] as? Bool)
    shots = try unwrapped(report["shots"] as? [String])
    text = try unwrapped(report["text"] as? String)
    hasModesBack = try unwrapped(report["modes_restored"] as? Bool)
    hasScreenBack = try Self.isOrdinary(report["screen"])
    stops = try unwrapped(report["stops"] as? [[String: Any]]).map { stop in
      try unwrapped(stop["modes_restored"] as? Bool) && Self.isOrdinary(stop["screen"])
    }
    shares = try unwrapped(report["cpu"] as? [Double])
    unknownCodes = try unwrapped(report["unknown_codes"] as? [String])
    escapes = try unwrapped(report["escapes"] as? Int)
    colours = try unwrapped(report["colours"] as? Int)
  }

  private static func isOrdinary(_ screen: Any?) throws -> Bool {
    try unwrapped(screen as? [String: Bool])
      == ["cursor": true, "wraps": true, "other_screen": false, "held": false, "mouse": false]
  }
}
