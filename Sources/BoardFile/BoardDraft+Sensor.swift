internal import Accelerometers
internal import HAL

// What the model of the sensor decides on.
extension BoardDraft {
  static func address(_ value: Text, of model: BoardDescription.Model?) throws(BoardFileError.Problem) -> I2CAddress {
    let number = value.hexadecimal ?? value.decimal
    let (usual, other) =
      model == .mpu6050
      ? (MPU6050.address, MPU6050.alternateAddress) : (ADXL345.address, ADXL345.alternateAddress)
    if number == Int32(usual.rawValue) { return usual }
    if number == Int32(other.rawValue) { return other }
    throw .badValue(.address)
  }

  /// Sets the rate, and the filter of an MPU-6050 with it: the widest that lets nothing above half of the rate pass.
  mutating func setRate(_ value: Text) throws(BoardFileError.Problem) {
    guard let hertz = value.decimal, hertz >= 25 else { throw .badValue(.rate) }
    if model == .mpu6050 {
      guard let rate = MPU6050.SampleRate(hertz: hertz) else { throw .badValue(.rate) }
      mpu6050.rate = rate
      mpu6050.filter = Self.filter(below: hertz / 2)
    } else {
      guard let rate = ADXL345.OutputDataRate(hertz: hertz) else { throw .badValue(.rate) }
      adxl345.rate = rate
    }
  }

  private static func filter(below hertz: Int32) -> MPU6050.Filter {
    switch hertz {
    case 184...: .hz184
    case 94...: .hz94
    case 44...: .hz44
    case 21...: .hz21
    default: .hz10
    }
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
}
