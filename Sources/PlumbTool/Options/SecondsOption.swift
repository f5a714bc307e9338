import ArgumentParser
import FixedPoint

/// Spans of time on the command line, in seconds.
enum SecondsOption {
  /// Refuses what cannot be counted in microseconds.
  static func check(_ options: [(name: String, seconds: Double?)]) throws {
    for (name, seconds) in options {
      guard let seconds, !(seconds >= 1e-6 && seconds <= 1e9) else { continue }
      throw ValidationError("--\(name) takes a number of seconds from 0.000001 to 1000000000, not \(seconds).")
    }
  }

  /// The span of so many seconds.
  static func microseconds(_ seconds: Double) -> Microseconds { Microseconds(Int64((seconds * 1e6).rounded())) }
}
