public import Orientation

extension UnknownReason {
  /// What the reason means, in plain words.
  public var message: StaticString {
    switch self {
    case .notYetSampled: "no sample has come yet"
    case .ambiguous: "the board is between poses"
    case .accelerating: "more than gravity acts on the board (over 1.4 g)"
    case .freeFall: "less than gravity acts on the board (under 0.6 g)"
    case .stale: "no sample came for too long"
    case .fault: "the sensor is at fault"
    }
  }
}
