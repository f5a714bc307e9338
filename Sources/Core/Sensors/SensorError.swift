public import HAL

/// Why a sensor gave no trustworthy sample.
public enum SensorError: Error, Equatable, Sendable {
  /// The bus reported a fault.
  case bus(I2CFault)
  /// Another part, or none at all, responds at the address.
  case unexpectedIdentity(found: UInt8, expected: UInt8)
  /// A register did not keep what was written to it.
  case configurationRejected(register: UInt8, wrote: UInt8, read: UInt8)
  /// The part has lost its configuration while running, for example after a dip of its supply.
  case configurationLost
  /// A register does not hold what was written to it, although the part has not lost its supply: another program has
  /// configured it differently.
  case configurationChanged(register: UInt8, wrote: UInt8, read: UInt8)
  /// The part did not finish its reset in time.
  case resetTimedOut
  /// The output data rate is higher than the bus can follow: `highestHertz` is the highest at `busHertz`.
  case rateTooHigh(busHertz: UInt32, highestHertz: UInt32)
  /// The same sample came again and again, to the last bit: no real sensor is that quiet.
  case frozen
  /// An axis stayed at the end of its range.
  case stuckAtFullScale
  /// Hardly any force, for longer than a board can fall: the part uses another sensitivity, or does not measure at all.
  case weightless
}
