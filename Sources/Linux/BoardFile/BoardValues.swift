internal import FixedPoint
internal import HAL
internal import Indication
internal import Orientation
internal import Sensors
internal import Text

// The parsers of values.
extension BoardDraft {
  /// GPIO0 and GPIO1 read the ID EEPROM of a HAT, GPIO2 and GPIO3 are the I2C bus; the header ends with GPIO27.
  mutating func setLine(_ key: BoardKey, to value: SettingsText) throws(BoardFileError.Cause) {
    guard let number = value.decimal else { throw .badValue(key) }
    guard number <= 27 else { throw .refused(.outOfRange(key)) }
    guard number >= 4 else { throw .refused(.reserved(key)) }
    let offset = UInt32(bitPattern: number)
    var others = BoardKey.all
    while let other = others.next(where: { gpios[$0] == offset }) {
      throw .refused(.taken(key, by: other, firstLine: line(of: other)))
    }
    gpios[key] = offset
  }

  static func bus(_ value: SettingsText) throws(BoardFileError.Cause) -> BoardDescription.Bus {
    if value == "emulated" { return .emulated }
    if let pico = PicoBus(value) { return .pico(pico) }
    let path = ShortText<64>(cutting: value)
    guard value[0] == UInt8(ascii: "/"), value.isWord, !path.isCut else { throw .badValue(.bus) }
    return .linux(path: path)
  }

  static func model(_ value: SettingsText) throws(BoardFileError.Cause) -> SensorModel {
    guard let model = SensorModel(named: value) else { throw .badValue(.model) }
    return model
  }

  /// Refuses a path: chips are found by label, because their numbers change between kernels.
  static func chip(_ value: SettingsText) throws(BoardFileError.Cause) -> ShortText<32> {
    let label = ShortText<32>(cutting: value)
    guard value[0] != UInt8(ascii: "/"), value.isWord, !label.isCut else { throw .badValue(.chip) }
    return label
  }

  static func mounting(_ value: SettingsText, of key: BoardKey) throws(BoardFileError.Cause) -> Mounting {
    var axes = InlineArray<3, SensorAxis>(repeating: .plusX)
    var position = 0
    for index in 0..<3 {
      while index > 0 && value.isBlank(at: position) { position &+= 1 }
      guard let axis = value.axis(at: position) else { throw .badValue(key) }
      axes[index] = axis
      position &+= 2
      guard position == value.count || value.isBlank(at: position) else { throw .badValue(key) }
    }
    guard position == value.count else { throw .badValue(key) }
    do {
      return try Mounting(x: axes[0], y: axes[1], z: axes[2])
    } catch {
      throw .refused(.impossibleMounting(error))
    }
  }

  /// Takes what has no model of ours: it has what an MPU-6050 has, in the widest range.
  mutating func setPart(_ value: SettingsText) throws(BoardFileError.Cause) {
    guard value == "iio" else { throw .badValue(.part) }
    (isIIO, bus, model, range) = (true, .iio, .mpu6050, 16)
    guard line(of: .bus) == 0 else { throw .refused(.foreignKey(.bus)) }
  }

  static func device(_ value: SettingsText) throws(BoardFileError.Cause) -> SensorPlace.Device {
    let name = SensorPlace.Device(cutting: value)
    guard value.isWord, !name.isCut else { throw .badValue(.device) }
    return name
  }

  static func address(_ value: SettingsText, of model: SensorModel?) throws(BoardFileError.Cause) -> I2CAddress {
    let number = value.hexadecimal ?? value.decimal
    let (low, high) = (model ?? .adxl345).traits.addresses
    if number == Int32(low.rawValue) { return low }
    if number == Int32(high.rawValue) { return high }
    throw .badValue(.address)
  }

  /// A range of the model, which is known by now.
  static func range(_ value: SettingsText, of model: SensorModel?) throws(BoardFileError.Cause) -> Int32 {
    guard let g = value.decimal, (model ?? .adxl345).traits.hasRange(g) else { throw .badValue(.range) }
    return g
  }

  static func gyroscopeRange(_ value: SettingsText, of model: SensorModel?) throws(BoardFileError.Cause) -> Int32 {
    guard let number = value.decimal, model?.traits.hasGyroscopeRange(number) == true else {
      throw .badValue(.gyroscopeRange)
    }
    return number
  }

  static func code(_ value: SettingsText) throws(BoardFileError.Cause) -> LineCode {
    guard let code = LineCode(named: value) else { throw .badValue(.code) }
    return code
  }

  static func filter(_ value: SettingsText) throws(BoardFileError.Cause) -> Filter {
    guard let filter = Filter(named: value) else { throw .badValue(.gravity) }
    return filter
  }

  static func seed(_ value: SettingsText) throws(BoardFileError.Cause) -> UInt64 {
    guard let seed = value.wideDecimal else { throw .badValue(.seed) }
    return seed
  }

  static func absolutePath<let size: Int>(
    _ value: SettingsText, of key: BoardKey
  ) throws(BoardFileError.Cause) -> ShortText<size> {
    let path = ShortText<size>(cutting: value)
    guard value[0] == UInt8(ascii: "/"), !path.isCut else { throw .badValue(key) }
    return path
  }

  static func port(_ value: SettingsText) throws(BoardFileError.Cause) -> BoardDescription.Share.Port {
    guard let port = BoardDescription.Share.Port(value) else { throw .badValue(.tcp) }
    return port
  }

  static func tare(_ value: SettingsText) throws(BoardFileError.Cause) -> Tare {
    guard let (x, y, z) = value.decimals(places: 6, isSigned: true), let tare = Tare(millionths: x, y, z) else {
      throw .badValue(.up)
    }
    return tare
  }

  /// Three numbers, each of at most `limit` millionths in magnitude, rounded to the nearest Q16.16.
  static func vector(
    _ value: SettingsText, of key: BoardKey, millionths limit: UInt32
  ) throws(BoardFileError.Cause) -> Vector3 {
    guard let (x, y, z) = value.decimals(places: 6, isSigned: true),
      max(x.magnitude, max(y.magnitude, z.magnitude)) <= limit
    else { throw .badValue(key) }
    return Vector3(x: Q16(millionths: x), y: Q16(millionths: y), z: Q16(millionths: z))
  }

  /// Three factors, each rounded to the nearest Q2.30.
  static func scale(_ value: SettingsText, of key: BoardKey) throws(BoardFileError.Cause) -> Calibration.Scale {
    guard let (x, y, z) = value.decimals(places: 6), max(x, max(y, z)) <= 1_999_000, min(x, min(y, z)) >= 500_000
    else { throw .badValue(key) }
    return Calibration.Scale(x: factor(x), y: factor(y), z: factor(z))
  }

  /// Millionths as Q2.30.
  private static func factor(_ millionths: Int32) -> Int32 {
    saturated((widened(millionths) &<< 30 &+ 500_000) / 1_000_000)
  }

  /// Offset and scale together, both checked already.
  var calibration: Calibration { Self.calibration(offset, scale) }

  /// The same for the gyroscope.
  var rotationCalibration: Calibration { Self.calibration(gyroscopeBias, gyroscopeScale) }

  private static func calibration(_ offset: Vector3, _ scale: Calibration.Scale) -> Calibration {
    do { return try Calibration(offset: offset, scale: scale) } catch { return .none }
  }
}

extension BoardDescription.Share.Port {
  /// A host and a port separated by a colon; nil for any other text.
  fileprivate init?(_ text: SettingsText) {
    var colon = text.count
    while colon > 0 && text[colon] != UInt8(ascii: ":") { colon &-= 1 }
    var host = ShortText<48>()
    for index in 0..<colon { host.append(byte: text[index]) }
    var number = ShortText<8>()
    for index in (colon &+ 1)..<max(colon &+ 1, text.count) { number.append(byte: text[index]) }
    guard host.isWord, !host.isCut, !number.isCut, let port = number.decimal, (1...65_535).contains(port) else {
      return nil
    }
    self.init(host: host, number: UInt16(truncatingIfNeeded: port))
  }
}

extension BoardDraft.Filter {
  /// The filter that board files call `name`.
  fileprivate init?(named name: SettingsText) {
    if name == "low-pass" {
      self = .lowPass
    } else if name == "adaptive" {
      self = .adaptive
    } else if name == "fusion" {
      self = .fusion
    } else {
      return nil
    }
  }
}

extension Q16 {
  /// `millionths` / 10^6, rounded to nearest, ties away from zero.
  fileprivate init(millionths: Int32) { self.init(millionths, over: 1_000_000) }
}

extension ShortText {
  /// Whether the text is not empty and consists of printable ASCII without blanks.
  fileprivate var isWord: Bool {
    for index in 0..<count where !(0x21...0x7E).contains(self[index]) { return false }
    return count > 0
  }

  /// The half-axis at `index`: a sign, then x, y or z in either case.
  fileprivate func axis(at index: Int) -> SensorAxis? {
    let isNegative = self[index] == UInt8(ascii: "-")
    guard isNegative || self[index] == UInt8(ascii: "+") else { return nil }
    switch self[index &+ 1] | 0x20 {
    case UInt8(ascii: "x"): return isNegative ? .minusX : .plusX
    case UInt8(ascii: "y"): return isNegative ? .minusY : .plusY
    case UInt8(ascii: "z"): return isNegative ? .minusZ : .plusZ
    default: return nil
    }
  }
}
