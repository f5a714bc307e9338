import FixedPoint
import HAL
import Indication
import Orientation

/// An indicator behind a reference, so that expectations can show something on it.
final class Panel {
  private var indicator: Indicator

  var levels: Levels { indicator.levels }
  var nextChange: Instant? { indicator.nextChange }

  init() { indicator = Indicator() }

  /// A copy, to try another sequence on.
  init(_ other: Panel) { indicator = other.indicator }

  func show(
    _ state: PoseState, hasGivenUp: Bool = false, at milliseconds: Int64,
    _ configuration: Indicator.Configuration = Indicator.Configuration()
  ) -> Bool {
    indicator.show(
      state, hasGivenUp: hasGivenUp, at: Instant(microseconds: milliseconds * 1_000), configuration)
  }
}

/// The instant `milliseconds` after the origin.
func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1_000) }
