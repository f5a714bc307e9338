internal import FixedPoint
internal import HAL
internal import Orientation
internal import Sensors

// What the model of the sensor decides on.
extension BoardDraft {
  static func address(_ value: Text, of model: SensorModel?) throws(BoardFileError.Problem) -> I2CAddress {
    let number = value.hexadecimal ?? value.decimal
    let (usual, other) =
      model == .mpu6050
      ? (MPU6050.address, MPU6050.alternateAddress) : (ADXL345.address, ADXL345.alternateAddress)
    if number == Int32(usual.rawValue) { return usual }
    if number == Int32(other.rawValue) { return other }
    throw .badValue(.address)
  }

  mutating func setRate(_ value: Text) throws(BoardFileError.Problem) {
    guard let model, let rate = value.updateRate, rate <= model.highestRate else { throw .badValue(.rate) }
    self.rate = rate
  }

  mutating func setRange(_ value: Text) throws(BoardFileError.Problem) {
    guard let g = value.decimal else { throw .badValue(.range) }
    if model == .mpu6050 {
      guard let range = MPU6050.Range(g: g) else { throw .badValue(.range) }
      mpu6050.range = range
    } else {
      guard let range = ADXL345.Range(g: g) else { throw .badValue(.range) }
      adxl345.range = range
    }
  }

  /// Three numbers of g, each rounded to the nearest Q16.16.
  mutating func setOffset(_ value: Text) throws(BoardFileError.Problem) {
    guard let (x, y, z) = value.decimals(places: 6, isSigned: true),
      max(x.magnitude, max(y.magnitude, z.magnitude)) <= 2_000_000
    else { throw .badValue(.offset) }
    offset = Vector3(x: Q16(millionths: x), y: Q16(millionths: y), z: Q16(millionths: z))
  }

  /// Three factors, each rounded to the nearest Q2.30.
  mutating func setScale(_ value: Text) throws(BoardFileError.Problem) {
    guard let (x, y, z) = value.decimals(places: 6), max(x, max(y, z)) <= 1_999_000, min(x, min(y, z)) >= 500_000
    else { throw .badValue(.scale) }
    scale = Calibration.Scale(x: Self.factor(x), y: Self.factor(y), z: Self.factor(z))
  }

  /// Millionths as Q2.30.
  private static func factor(_ millionths: Int32) -> Int32 {
    saturated((widened(millionths) &<< 30 &+ 500_000) / 1_000_000)
  }

  /// What offset and scale make together; those have been judged when they came.
  var calibration: Calibration {
    do { return try Calibration(offset: offset, scale: scale) } catch { return .none }
  }
}

extension Q16 {
  /// Rounded to nearest, ties away from zero.
  init(millionths: Int32) { self.init(millionths, over: 1_000_000) }
}
