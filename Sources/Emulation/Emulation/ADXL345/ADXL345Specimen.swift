public import FixedPoint

extension EmulatedADXL345 {
  /// A part like `specimen`, except for what an ADXL345 does not have.
  public convenience init(
    _ specimen: Specimen, motion: any Motion, seed: UInt64 = 1, now: @escaping () -> Instant
  ) {
    var configuration = Configuration()
    configuration.zeroGOffset = specimen.errors.zeroGOffset
    configuration.sensitivityError = specimen.errors.sensitivityError
    if !specimen.isNoisy { configuration.noise = .zero }
    specimen.defect?.spoil(&configuration.selfTest)
    self.init(motion: motion, configuration: configuration, seed: seed, now: now)
  }
}
