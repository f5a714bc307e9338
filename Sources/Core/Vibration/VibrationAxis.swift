/// An axis of the board.
public enum VibrationAxis: UInt8, Equatable, Sendable {
  /// To the right.
  case x
  /// To the top.
  case y
  /// Out of the face.
  case z
}

/// Why vibration cannot be measured with these settings.
public enum VibrationError: Error, Equatable, Sendable {
  /// The number of bins must be 32, 64, 128, 256 or 512.
  case bins
  /// The period of the samples must be 200 µs…1 s.
  case period
  /// Bands must have two to nine edges, 0…2500 Hz, in ascending order.
  case edges
  /// The interval of reports must be 0.1…60 s.
  case interval
  /// The thresholds must be above 0, at most 16 g, and the one for `quiet` at most the one for `busy`.
  case threshold
  /// The times must be 0…24 h.
  case time
  /// Not enough memory.
  case memory
}
