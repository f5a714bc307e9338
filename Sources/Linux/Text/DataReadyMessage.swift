internal import Sensors

extension SensorModel {
  /// The message that the data-ready line of such a sensor, on the GPIO `offset`, shows no edges, or shows them again.
  package func message(isSilent: Bool, dataReady offset: UInt32) -> Message {
    guard isSilent else {
      return "data-ready on GPIO\(offset) works again: each sample is read as soon as it is ready"
    }
    return """
      no signal from data-ready on GPIO\(offset): check its wire to \(traits.interruptPin ?? "the interrupt pin") of the \
      sensor; until it works, samples are read by timer
      """
  }
}
