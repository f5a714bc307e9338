public import FixedPoint

extension EmulatedMPU6050 {
  /// A member of the family like `specimen`.
  public convenience init(
    _ specimen: Specimen, of part: Part, motion: any Motion, seed: UInt64 = 1, now: @escaping () -> Instant
  ) {
    var configuration = Configuration(part)
    configuration.zeroGOffset = specimen.errors.zeroGOffset
    configuration.sensitivityError = specimen.errors.sensitivityError
    configuration.gyroscopeErrors = specimen.gyroscopeErrors
    configuration.gyroscopeErrors.sensitivityError = specimen.errors.sensitivityError
    configuration.selfHeating = specimen.selfHeating
    if !specimen.isNoisy {
      configuration.noiseMicrogPerRootHertz = 0
      configuration.gyroscopeNoiseMicrodegreesPerRootHertz = 0
    }
    if let defect = specimen.defect { configuration.spoil(by: defect) }
    self.init(motion: motion, configuration: configuration, seed: seed, now: now)
    angularRate = specimen.turn
    dieTemperature = specimen.temperature
  }
}

extension EmulatedMPU6050.Configuration {
  fileprivate mutating func spoil(by defect: SensorDefect) {
    if defect == .noCodes {
      selfTestCodes = EmulatedMPU6050.PerAxis(x: 0, y: 0, z: 0)
      gyroscopeSelfTestCodes = selfTestCodes
    }
    if defect == .deadGyroscope { gyroscopeSelfTestDeflection = .zero }
    // What the specimen's codes 16, 19 and 11 stand for, in g.
    var force = Vector3(x: Q16(2_291, over: 4_096), y: Q16(2_531, over: 4_096), z: Q16(1_941, over: 4_096))
    defect.spoil(&force)
    selfTestDeflection = force
  }
}
