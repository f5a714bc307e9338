import HAL
import Monitor
import Sensors

/// A sensor's errors by kind, and whether lost configurations were detected in time and only with a cause.
final class Tally {
  private(set) var samples = 0
  private(set) var errors = 0
  /// In the order of the properties below; the last one is for all other kinds.
  private var counts = InlineArray<13, UInt64>(repeating: 0)

  /// How often the part has lost its supply and bytes were corrupted so far, according to the bus.
  var disturbances: () -> (losses: Int, corruptions: Int) = { (0, 0) }
  /// How many samples a lost configuration may go undetected: those between two checks.
  var samplesUntilNoticed = 0
  /// Lost configurations undetected for longer, and those reported without a cause.
  private(set) var swallowed = 0
  private(set) var unexplained = 0
  private var before = (losses: 0, corruptions: 0)
  private var lossesAtStart = 0
  private var samplesSinceLoss: Int?

  /// Everything is configured again: earlier losses no longer matter.
  func willStart() {
    before = disturbances()
    lossesAtStart = before.losses
    samplesSinceLoss = nil
  }

  func willSample() { before = disturbances() }

  func countSample() {
    samples += 1
    let now = disturbances()
    if now.losses > before.losses { samplesSinceLoss = samplesSinceLoss ?? 0 }
    guard let count = samplesSinceLoss else { return }
    if count >= samplesUntilNoticed { swallowed += 1 }
    samplesSinceLoss = count + 1
  }

  private func explain(_ error: SensorError) {
    let now = disturbances()
    switch error {
    case .configurationLost, .configurationRejected:
      if now.losses == lossesAtStart && now.corruptions == before.corruptions { unexplained += 1 }
    default: if now.losses > before.losses { samplesSinceLoss = samplesSinceLoss ?? 0 }
    }
  }

  /// Counts `error` and returns it.
  func count(_ error: SensorError) -> SensorError {
    errors += 1
    explain(error)
    let kind =
      switch error {
      case .bus(.noAcknowledge): 0
      case .bus(.arbitrationLost): 1
      case .bus(.timedOut): 2
      case .bus(.shortRead): 3
      case .bus(.unsupported): 4
      case .bus(.notPermitted): 5
      case .bus(.busy): 6
      case .bus(.unavailable): 7
      case .bus(.other): 8
      case .unexpectedIdentity: 9
      case .configurationRejected: 10
      case .configurationLost: 11
      default: 12
      }
    counts[kind] += 1
    return error
  }

  /// How often a kind was thrown.
  var noAcknowledge: UInt64 { counts[0] }
  var arbitrationLost: UInt64 { counts[1] }
  var timedOut: UInt64 { counts[2] }
  var shortRead: UInt64 { counts[3] }
  var busy: UInt64 { counts[6] }
  var unavailable: UInt64 { counts[7] }
  var otherBusFault: UInt64 { counts[8] }
  var configurationLost: UInt64 { counts[11] }

  /// The counter in which the monitor differs; nil for none.
  ///
  /// Faults that it found in the samples themselves were not thrown, and those samples it did not count.
  func difference(from counters: Counters) -> String? {
    let kinds = counters.faultKinds
    let counted = [
      kinds[.noAcknowledge], kinds[.arbitrationLost], kinds[.timedOut], kinds[.shortRead], kinds[.unsupported],
      kinds[.notPermitted], kinds[.busy], kinds[.unavailable], kinds[.otherBusFault], kinds[.unexpectedIdentity],
      kinds[.configurationRejected], kinds[.configurationLost],
      kinds[.resetTimedOut] + kinds[.rateTooHigh],
    ]
    let thrown = counts.indices.map { counts[$0] }
    if counted != thrown { return "counted \(counted), thrown \(thrown)" }
    let implausible = kinds[.frozen] + kinds[.stuckAtFullScale] + kinds[.weightless]
    guard counters.faults == UInt64(errors) + implausible, counters.samples + implausible == UInt64(samples) else {
      return "\(counters), but \(errors) thrown and \(samples) samples"
    }
    return nil
  }
}
