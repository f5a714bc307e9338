public import FixedPoint

extension EmulatedMPU6050 {
  /// A value for each axis.
  public struct PerAxis<Value: Equatable & Sendable>: Equatable, Sendable {
    /// That of X.
    public var x: Value
    /// That of Y.
    public var y: Value
    /// That of Z.
    public var z: Value

    /// Three values.
    public init(x: Value, y: Value, z: Value) {
      self.x = x
      self.y = y
      self.z = z
    }
  }

  /// What this specimen is like; the defaults are a perfect one with the typical noise of its data sheet.
  public struct Configuration: Equatable, Sendable {
    /// Which member of the family it is.
    public var part: Part
    /// The accelerometer's noise density in µg/√Hz, 0…100000. Default 400, and 300 in the 6500 layout.
    ///
    /// The noise is this times the root of the filter's bandwidth: at 94 Hz and 400 µg/√Hz it is 3.9 mg.
    ///
    /// - Datasheet: MPU-6050 Product Specification Rev. 3.4, 6.2; MPU-6500 Product Specification Rev. 1.1, 3.2.
    public var noiseMicrogPerRootHertz: Int32
    /// The gyroscope's noise density in µ°/s per √Hz, 0…1000000. Default 5000, and 10000 in the 6500 layout.
    ///
    /// - Datasheet: MPU-6050 Product Specification Rev. 3.4, 6.1; MPU-6500 Product Specification Rev. 1.1, 3.1.
    public var gyroscopeNoiseMicrodegreesPerRootHertz: Int32
    /// What the axes read at 0 g, in g. Default 0; the data sheet allows ±0.05 g on X and Y, ±0.08 g on Z.
    public var zeroGOffset = Vector3.zero
    /// How much more than 1 g an axis reads at 1 g, in g. Default 0; the data sheet allows ±0.03.
    public var sensitivityError = Vector3.zero
    /// The reset values of the accelerometer's offset registers; the data are right with them. Default 0.
    public var factoryOffsets = PerAxis<Int16>(x: 0, y: 0, z: 0)
    /// The factory's self-test codes of the accelerometer; 0 is none. 5 bits, and 8 in the 6500 layout.
    public var selfTestCodes: PerAxis<UInt8>
    /// The factory's self-test codes of the gyroscope; 0 is none. 5 bits, and 8 in the 6500 layout.
    public var gyroscopeSelfTestCodes: PerAxis<UInt8>
    /// What the self-test bits add to the accelerometer's axes, in g; nil for exactly what the codes stand for.
    public var selfTestDeflection: Vector3?
    /// What the self-test bits add to the gyroscope's axes, in °/s; nil for exactly what the codes stand for.
    public var gyroscopeSelfTestDeflection: Vector3?
    /// How much faster than nominal the internal oscillator runs, in parts per million, ±500 000. Default 0.
    ///
    /// The data sheet allows ±50 000, and over temperature -150 000 to +100 000.
    public var internalOscillatorPartsPerMillion: Int32 = 0
    /// How much faster than nominal the gyroscope's PLL runs, in parts per million, ±500 000. Default 0.
    ///
    /// The data sheet allows ±10 000.
    public var pllPartsPerMillion: Int32 = 0
    /// How long DEVICE_RESET reads 1; nil for ever. Default 100 ms, the longest that the register map asks to wait.
    public var resetTime: Microseconds? = .milliseconds(100)
    /// Whether all data are always 0, as those of some clones are; everything else works. Default false.
    public var readsAllZero = false

    /// The defaults for a part.
    public init(_ part: Part = .mpu6050) {
      self.part = part
      let isOld = part.layout == .mpu6050
      noiseMicrogPerRootHertz = isOld ? 400 : 300
      gyroscopeNoiseMicrodegreesPerRootHertz = isOld ? 5_000 : 10_000
      selfTestCodes = isOld ? PerAxis(x: 16, y: 19, z: 11) : PerAxis(x: 102, y: 117, z: 95)
      gyroscopeSelfTestCodes = isOld ? PerAxis(x: 13, y: 15, z: 12) : PerAxis(x: 214, y: 201, z: 222)
    }
  }
}
