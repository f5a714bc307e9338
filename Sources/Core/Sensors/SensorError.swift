public import HAL

/// Why a sensor gave no sample that can be trusted.
public enum SensorError: Error, Equatable, Sendable {
  /// The bus reported a fault.
  case bus(I2CFault)
  /// Another part, or none at all, answers at the address.
  case unexpectedIdentity(found: UInt8, expected: UInt8)
  /// A register did not keep what was written to it.
  case configurationRejected(register: UInt8, wrote: UInt8, read: UInt8)
  /// The part has lost its configuration while it ran, as after a dip of its supply.
  case configurationLost
  /// A register does not hold what was written to it, in a part that has not lost its supply: another program has set
  /// it up otherwise.
  case configurationChanged(register: UInt8, wrote: UInt8, read: UInt8)
  /// The part did not come out of its reset in time.
  case resetTimedOut
  /// The output data rate is higher than the bus can follow: `highestHertz` is the highest at `busHertz`.
  case rateTooHigh(busHertz: UInt32, highestHertz: UInt32)
  /// The same sample came again and again, to the last bit: no real sensor is that quiet.
  case frozen
  /// An axis stayed at the end of its range.
  case stuckAtFullScale
  /// Hardly any force for longer than a board can fall: the part counts in other units, or not at all.
  case weightless
}
