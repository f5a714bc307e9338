internal import Sensors

extension SensorModel {
  /// The message that the data-ready line of such a sensor, on the GPIO `offset`, shows no edges, or shows them again.
  package func message(isSilent: Bool, dataReady offset: UInt32) -> Message {
    var text: Message = isSilent ? "no signal from data-ready on GPIO" : "data-ready on GPIO"
    text.append(decimal: Int32(truncatingIfNeeded: offset))
    guard isSilent else {
      text.append(" works again: each sample is read as soon as it is ready")
      return text
    }
    text.append(": check its wire to ")
    text.append(traits.interruptPin ?? "the interrupt pin")
    text.append(" of the sensor; until it works, samples are read by timer")
    return text
  }
}
