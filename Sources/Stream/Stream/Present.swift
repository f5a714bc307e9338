internal import FixedPoint
internal import HAL
internal import Monitor
internal import Orientation
internal import Sensors

/// What is known of the board now: what a client is shown that has just come.
struct Present {
  /// What is known of the pose.
  private(set) var state = PoseState.unknown(.notYetSampled)
  /// Since when.
  private(set) var since: Instant
  /// Why the sensor is at fault; nil where it is not.
  private(set) var cause: SensorError?
  /// What the lines show.
  private(set) var levels = Levels.off
  /// The force of the last sample, g; nil before any, and while the sensor delivers nothing.
  private(set) var force: Vector3?
  /// Whether the board is still; nil while that is not known.
  private(set) var isStill: Bool?
  /// The temperature of the sensor's die with that sample, °C; nil where it is not measured.
  private(set) var temperature: Q16?
  /// Whether the sensor watches for movement by itself.
  private(set) var isAsleep = false
  /// Whether a machine works, where its vibration is watched.
  private(set) var isBusy = false
  /// How many events there were.
  private(set) var events: UInt64 = 0
  private(set) var counters = Counters()
  private(set) var transactions: UInt64?
  private(set) var outputWrites: UInt64?

  init(start: Instant) { since = start }

  /// Another board is observed from `now` on.
  mutating func forget(at now: Instant) {
    let events = events
    self = Present(start: now)
    self.events = events
  }

  /// Takes in one step.
  mutating func take(_ seen: Observation, outputWrites: UInt64?) {
    seen.forEachEvent { occurrence in
      events &+= 1
      switch occurrence.event {
      case .pose: (since, cause) = (occurrence.at, nil)
      case .trouble(_, let cause): (since, self.cause) = (occurrence.at, cause)
      case .asleep: isAsleep = true
      case .awake: isAsleep = false
      case .busy: isBusy = true
      case .quiet: isBusy = false
      default: break
      }
    }
    (state, levels, counters, isStill) = (seen.state, seen.levels, seen.counters, seen.isStill)
    (transactions, self.outputWrites) = (seen.transactions, outputWrites)
    if let reading = seen.reading {
      (force, temperature) = (reading.force, seen.temperature)
    } else if case .unknown(let reason) = state, reason == .fault || reason == .stale {
      (force, temperature) = (nil, nil)
    }
  }
}
