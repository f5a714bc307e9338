internal import FixedPoint
public import HAL

extension MPU6050.Device where Bus: ~Copyable {
  /// Measures how far the part's self-test moves each axis, and compares the result with the factory's figures; with
  /// the gyroscope on, for both sensors.
  ///
  /// The part must not move meanwhile. It takes about 1.5 s, during which `clock` sleeps. Measured at ±8 g, 200 Hz and
  /// 94 Hz (and ±250 °/s), 100 samples with the self-test off and 100 with it on; afterwards the part is configured as
  /// before, with a restarted FIFO.
  ///
  ///     read  0D -> factory codes     4 bytes, 3 in later parts
  ///     [configured for it, see `proceed()`]
  ///     read  3B -> 6 bytes, 100 times; read 37 -> 08, read 1C -> 10
  ///     write 1C F0
  ///     read  3B -> 6 bytes, 100 times; read 37 -> 08, read 1C -> F0
  ///     [configured as before]
  ///
  /// With the gyroscope on:
  ///
  ///     read  0D -> factory codes     4 bytes; 3 in later parts, whose gyroscope has 3 more from 00 on
  ///     [configured for it, see `proceed()`]
  ///     read  3B -> 14 bytes, 100 times; read 37 -> 08, read 1B -> 00 10
  ///     write 1B E0 F0
  ///     read  3B -> 14 bytes, 100 times; read 37 -> 08, read 1B -> E0 F0
  ///     [configured as before]
  ///
  /// Returns nil if a sleep was interrupted; in that case too the part is configured as before, but its samples have
  /// not settled: continue with ``proceed()``.
  ///
  /// - Throws: `configurationLost` (also before ``proceed()`` has returned nil), `configurationRejected` or `bus`; the
  ///   part must then be restarted.
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16, 27 and 28.
  public mutating func selfTest<Clock: MonotonicClock & ~Copyable>(
    clock: inout Clock
  ) throws(SensorError) -> MPU6050.SelfTest? { try test(part?.selfTestKind ?? .informative, by: &clock) }
}

extension MPU6050.Device: TrimmedSelfTest where Bus: ~Copyable {
  var selfTestConditions: MPU6050.Configuration {
    MPU6050.Configuration(
      rate: .hz200, range: .g8, filter: .hz94, gyroscope: configuration.usesGyroscope ? .dps250 : nil)
  }

  mutating func readTrims() throws(SensorError) -> InvenSense.SelfTestTrims {
    let kind = part?.selfTestKind ?? .informative
    var bytes = InlineArray<4, UInt8>(repeating: 0)
    try wire.read(kind == .factoryTrim ? 4 : 3, from: MPU6050.Register.selfTest, into: &bytes)
    let codes = MPU6050.selfTestCodes(bytes, kind)
    func ofForce(_ axis: Int) -> Int32 { MPU6050.factoryTrim(codes[axis], kind) }
    var trims = InvenSense.SelfTestTrims(force: [ofForce(0), ofForce(1), ofForce(2)])
    guard configuration.usesGyroscope else { return trims }
    // In the 6050 class the low bits of the same bytes.
    var rotationCodes: InlineArray<3, UInt8> = [bytes[0] & 0x1F, bytes[1] & 0x1F, bytes[2] & 0x1F]
    if kind == .informative { try wire.read(from: MPU6050.Register.gyroscopeSelfTest, into: &rotationCodes) }
    func ofRotation(_ axis: Int) -> Int32 { MPU6050.rotationTrim(rotationCodes[axis], kind, ofY: axis == 1) }
    trims.rotation = [ofRotation(0), ofRotation(1), ofRotation(2)]
    return trims
  }

  mutating func readWords() throws(SensorError) -> InlineArray<6, Int16> {
    var bytes = InlineArray<14, UInt8>(repeating: 0)
    try wire.read(configuration.usesGyroscope ? 14 : 6, from: MPU6050.Register.data, into: &bytes)
    func word(_ first: Int) -> Int16 { InvenSense.word(bytes[first], bytes[first &+ 1]) }
    // The temperature follows the force.
    return [word(0), word(2), word(4), word(8), word(10), word(12)]
  }

  mutating func turnSelfTestOn() throws(SensorError) {
    guard let part else { return }
    let scales = selfTestConditions.scaleBytes(of: part, selfTests: true)
    if configuration.usesGyroscope {
      try wire.write([MPU6050.Register.gyroscope, scales[0], scales[1]])
    } else {
      try wire.write(MPU6050.Register.accelerometer, scales[1])
    }
  }

  mutating func check(_ conditions: MPU6050.Configuration, selfTests: Bool) throws(SensorError) {
    guard let part else { return }
    let scales = conditions.scaleBytes(of: part, selfTests: selfTests)
    guard try wire.read(MPU6050.Register.interruptPin) == conditions.pinByte else { throw .configurationLost }
    guard conditions.usesGyroscope else {
      guard try wire.read(MPU6050.Register.accelerometer) == scales[1] else { throw .configurationLost }
      return
    }
    let isSame = try wire.difference(from: scales, at: MPU6050.Register.gyroscope) == nil
    guard isSame else { throw .configurationLost }
  }
}

extension MPU6050 {
  /// The result of a self-test: how far it moved each axis, and how far it should have.
  public typealias SelfTest = InvenSense.SelfTest

  /// The codes of SELF_TEST_X, _Y, _Z and _A: in the 6050 class, three high bits from one and two low bits from the
  /// other.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16, where XA_TEST is X[7:5] above A[5:4], and so on.
  package static func selfTestCodes(_ bytes: InlineArray<4, UInt8>, _ kind: SelfTestKind) -> InlineArray<3, UInt8> {
    switch kind {
    case .informative: [bytes[0], bytes[1], bytes[2]]
    case .factoryTrim:
      [
        (bytes[0] &>> 5) &<< 2 | bytes[3] &>> 4 & 3, (bytes[1] &>> 5) &<< 2 | bytes[3] &>> 2 & 3,
        (bytes[2] &>> 5) &<< 2 | bytes[3] & 3,
      ]
    }
  }

  /// The factory trim for a code in LSB at ±8 g; 0 for code 0.
  ///
  /// 6050 class, codes 1 to 31: 4096 · 0.34 · (0.92 / 0.34)^((code - 1) / 30), rounded to nearest. Later parts: 2620 /
  /// 4 · 1.01^(code - 1), with an error of at most 0.53.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16.
  /// - Source: for later parts published drivers that cite an application note of InvenSense.
  package static func factoryTrim(_ code: UInt8, _ kind: SelfTestKind) -> Int32 {
    switch kind {
    case .factoryTrim: Int32(truncatingIfNeeded: factoryTrims[Int(code & 0x1F)])
    case .informative: InvenSense.forceTrim(code)
    }
  }

  /// The factory trim for a code of the gyroscope in LSB at ±250 °/s; 0 for code 0.
  ///
  /// 6050 class, codes 1 to 31: 25 · 131 · 1.046^(code - 1), rounded to nearest, and negative for Y. Later parts: 2620
  /// · 1.01^(code - 1), with an error of at most 0.53.
  ///
  /// - Datasheet: RM-MPU-6000A rev. 4.2, registers 13 to 16.
  /// - Source: for later parts published drivers that cite an application note of InvenSense.
  package static func rotationTrim(_ code: UInt8, _ kind: SelfTestKind, ofY: Bool = false) -> Int32 {
    switch kind {
    case .factoryTrim:
      let trim = Int32(truncatingIfNeeded: rotationTrims[Int(code & 0x1F)])
      return ofY ? 0 &- trim : trim
    case .informative: return InvenSense.rotationTrim(code)
    }
  }

  private static let factoryTrims: InlineArray<32, UInt16> = [
    0, 1_393, 1_440, 1_488, 1_538, 1_590, 1_644, 1_699,
    1_757, 1_816, 1_877, 1_941, 2_006, 2_074, 2_144, 2_216,
    2_291, 2_368, 2_448, 2_531, 2_616, 2_704, 2_795, 2_890,
    2_987, 3_088, 3_192, 3_300, 3_411, 3_526, 3_645, 3_768,
  ]

  private static let rotationTrims: InlineArray<32, UInt16> = [
    0, 3_275, 3_426, 3_583, 3_748, 3_920, 4_101, 4_289,
    4_487, 4_693, 4_909, 5_135, 5_371, 5_618, 5_877, 6_147,
    6_430, 6_725, 7_035, 7_358, 7_697, 8_051, 8_421, 8_809,
    9_214, 9_638, 10_081, 10_545, 11_030, 11_537, 12_068, 12_623,
  ]
}
