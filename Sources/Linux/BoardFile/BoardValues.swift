internal import FixedPoint
internal import HAL
internal import Indication
internal import Orientation
internal import Sensors
internal import Text

// The values of keys.
extension BoardDraft {
  /// Sets the property of `key`, or returns why `value` is invalid.
  mutating func set(_ key: BoardKey, to value: Text) throws(BoardFileError.Cause) {
    if key.namesLine || key == .dataReady { return try setLine(key, to: value) }
    switch key {
    case .bus: bus = try Self.bus(value)
    case .model: model = try Self.model(value)
    case .address: address = try Self.address(value, of: model)
    case .rate: try setRate(value)
    case .range: try setRange(value)
    case .unverifiedParts:
      guard model == .mpu6050 else { throw .foreignKey(.unverifiedParts) }
      guard let isYes = value.choice("yes", "no") else { throw .badValue(.unverifiedParts) }
      mpu6050.acceptsUnverifiedParts = isYes
    case .gyroscopeRange, .gyroscopeBias, .gyroscopeScale: try setGyroscope(key, to: value)
    case .mounting: mounting = try Self.mounting(value, of: key)
    case .offset: offset = try Self.vector(value, of: key, millionths: 2_000_000)
    case .scale: scale = try Self.scale(value, of: key)
    case .chip: chip = try Self.chip(value)
    case .idle:
      guard let isOn = value.choice("on", "off") else { throw .badValue(.idle) }
      isIdleOn = isOn
    case .code:
      guard let code = LineCode(named: value) else { throw .badValue(.code) }
      self.code = code
    case .seed, .offsetError, .scaleError, .emulatedMounting: try setEmulation(key, to: value)
    case .socket, .tcp, .tcpTokenFile, .commands: try setShare(key, to: value)
    case .bands, .busy, .busyTime, .quiet, .quietTime: try vibration.set(key, to: value)
    case .batch:
      guard let count = value.decimal(places: 0), BoardDescription.Sensor.batches.contains(count) else {
        throw .badValue(.batch)
      }
      batch = count
    case .up:
      guard let (x, y, z) = value.decimals(places: 6, isSigned: true), let tare = Tare(millionths: x, y, z) else {
        throw .badValue(key)
      }
      self.tare = tare
    case .vehicle, .wheelbase, .track: try setVehicle(key, to: value)
    case .tapThreshold, .tapDuration, .tapLatency, .tapWindow, .tapAxes, .tapDouble, .fallThreshold, .fallTime:
      try knocks.set(key, to: value)
    case .still:
      guard let milliseconds = value.decimal(places: 3), (1_000...86_400_000).contains(milliseconds) else {
        throw .badValue(.still)
      }
      still = .milliseconds(widened(milliseconds))
    case .leds:
      guard let isOn = value.choice("on", "off") else { throw .badValue(.leds) }
      keepsLEDs = isOn
    case .gravity:
      guard let filter = Filter(named: value) else { throw .badValue(.gravity) }
      self.filter = filter
    case .timeConstant:
      guard let milliseconds = value.decimal(places: 3), milliseconds <= 10_000 else { throw .badValue(.timeConstant) }
      gravity.timeConstant = .milliseconds(widened(milliseconds))
    default:
      guard let isYes = value.choice("yes", "no") else { throw .badValue(.activeLow) }
      isActiveLow = isYes
    }
  }

  private mutating func setShare(_ key: BoardKey, to value: Text) throws(BoardFileError.Cause) {
    switch key {
    case .socket:
      let path = ShortText<108>(cutting: value)
      guard value[0] == UInt8(ascii: "/"), !path.isCut else { throw .badValue(key) }
      share.socket = path
    case .tcp:
      guard let port = BoardDescription.Share.Port(value) else { throw .badValue(key) }
      share.port = port
    case .tcpTokenFile:
      let path = ShortText<128>(cutting: value)
      guard value[0] == UInt8(ascii: "/"), !path.isCut else { throw .badValue(key) }
      share.tokenFile = path
    default:
      guard let isYes = value.choice("yes", "no") else { throw .badValue(key) }
      share.allowsCommands = isYes
    }
  }

  private mutating func setVehicle(_ key: BoardKey, to value: Text) throws(BoardFileError.Cause) {
    if key == .vehicle {
      guard let isCar = value.choice("car", "caravan") else { throw .badValue(key) }
      vehicle.kind = isCar ? .car : .caravan
      return
    }
    guard let length = value.decimal, (100...20_000).contains(length) else { throw .badValue(key) }
    if key == .track { vehicle.track = length } else { vehicle.wheelbase = length }
  }

  /// Errors are upper limits, so they are rounded down.
  private mutating func setEmulation(_ key: BoardKey, to value: Text) throws(BoardFileError.Cause) {
    switch key {
    case .seed:
      guard let seed = value.wideDecimal else { throw .badValue(key) }
      emulation.seed = seed
    case .offsetError:
      guard let micrograms = value.decimal(places: 3), micrograms <= 200_000 else { throw .badValue(key) }
      emulation.offsetError = Q16(raw: saturated(widened(micrograms) &* 65_536 / 1_000_000))
    case .scaleError:
      guard let parts = value.decimal(places: 3), parts <= 10_000 else { throw .badValue(key) }
      emulation.scaleError = Q16(raw: saturated(widened(parts) &* 65_536 / 100_000))
    default: emulation.mounting = try Self.mounting(value, of: key)
    }
  }

  /// GPIO0 and 1 read the ID EEPROM of a HAT, GPIO2 and 3 are the I2C bus; the header ends with GPIO27.
  private mutating func setLine(_ key: BoardKey, to value: Text) throws(BoardFileError.Cause) {
    guard let number = value.decimal else { throw .badValue(key) }
    guard number <= 27 else { throw .outOfRange(key) }
    guard number >= 4 else { throw .reserved(key) }
    let offset = UInt32(bitPattern: number)
    for index in 0..<BoardKey.count where gpios[index] == offset {
      guard let other = BoardKey(index: index) else { continue }
      throw .taken(key, by: other, firstLine: line(of: other))
    }
    gpios[Int(truncatingIfNeeded: key.rawValue)] = offset
  }

  private static func bus(_ value: Text) throws(BoardFileError.Cause) -> BoardDescription.Bus {
    if value == "emulated" { return .emulated }
    let path = ShortText<64>(cutting: value)
    guard value[0] == UInt8(ascii: "/"), value.isWord, !path.isCut else { throw .badValue(.bus) }
    return .linux(path: path)
  }

  private static func model(_ value: Text) throws(BoardFileError.Cause) -> SensorModel {
    for index in 0..<SensorModel.count {
      guard let model = SensorModel(rawValue: UInt8(truncatingIfNeeded: index)), value == model.name else {
        continue
      }
      return model
    }
    throw .badValue(.model)
  }

  /// A path is refused: chips are found by label, because their numbers change from kernel to kernel.
  private static func chip(_ value: Text) throws(BoardFileError.Cause) -> ShortText<32> {
    let label = ShortText<32>(cutting: value)
    guard value[0] != UInt8(ascii: "/"), value.isWord, !label.isCut else { throw .badValue(.chip) }
    return label
  }

  private static func mounting(_ value: Text, of key: BoardKey) throws(BoardFileError.Cause) -> Mounting {
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
      throw .impossibleMounting(error)
    }
  }

  private static func address(_ value: Text, of model: SensorModel?) throws(BoardFileError.Cause) -> I2CAddress {
    let number = value.hexadecimal ?? value.decimal
    let (low, high) = (model ?? .adxl345).addresses
    if number == Int32(low.rawValue) { return low }
    if number == Int32(high.rawValue) { return high }
    throw .badValue(.address)
  }

  private mutating func setRate(_ value: Text) throws(BoardFileError.Cause) {
    guard let model, let rate = UpdateRate(value), rate <= model.highestRate else { throw .badValue(.rate) }
    self.rate = rate
  }

  private mutating func setRange(_ value: Text) throws(BoardFileError.Cause) {
    guard let g = value.decimal else { throw .badValue(.range) }
    if model == .mpu6050 {
      guard let range = MPU6050.Range(g: g) else { throw .badValue(.range) }
      mpu6050.range = range
    } else {
      guard let range = ADXL345.Range(g: g) else { throw .badValue(.range) }
      adxl345.range = range
    }
  }

  private mutating func setGyroscope(_ key: BoardKey, to value: Text) throws(BoardFileError.Cause) {
    guard model == .mpu6050 else { throw .foreignKey(key) }
    switch key {
    case .gyroscopeBias: gyroscopeBias = try Self.vector(value, of: key, millionths: 40_000_000)
    case .gyroscopeScale: gyroscopeScale = try Self.scale(value, of: key)
    default:
      guard let number = value.decimal, let range = MPU6050.GyroscopeRange(degreesPerSecond: number) else {
        throw .badValue(key)
      }
      gyroscopeRange = range
    }
  }

  /// Three numbers, each at most `limit` millionths either way and rounded to the nearest Q16.16.
  private static func vector(
    _ value: Text, of key: BoardKey, millionths limit: UInt32
  ) throws(BoardFileError.Cause) -> Vector3 {
    guard let (x, y, z) = value.decimals(places: 6, isSigned: true),
      max(x.magnitude, max(y.magnitude, z.magnitude)) <= limit
    else { throw .badValue(key) }
    return Vector3(x: Q16(millionths: x), y: Q16(millionths: y), z: Q16(millionths: z))
  }

  /// Three factors, each rounded to the nearest Q2.30.
  private static func scale(_ value: Text, of key: BoardKey) throws(BoardFileError.Cause) -> Calibration.Scale {
    guard let (x, y, z) = value.decimals(places: 6), max(x, max(y, z)) <= 1_999_000, min(x, min(y, z)) >= 500_000
    else { throw .badValue(key) }
    return Calibration.Scale(x: factor(x), y: factor(y), z: factor(z))
  }

  /// Millionths as Q2.30.
  private static func factor(_ millionths: Int32) -> Int32 {
    saturated((widened(millionths) &<< 30 &+ 500_000) / 1_000_000)
  }

  /// Offset and scale together; both have been checked.
  var calibration: Calibration { Self.calibration(offset, scale) }

  /// The same of the gyroscope.
  var rotationCalibration: Calibration { Self.calibration(gyroscopeBias, gyroscopeScale) }

  private static func calibration(_ offset: Vector3, _ scale: Calibration.Scale) -> Calibration {
    do { return try Calibration(offset: offset, scale: scale) } catch { return .none }
  }
}

extension BoardDescription.Share.Port {
  /// The host and the port that are written with a colon between; nil for any other text.
  fileprivate init?(_ text: BoardDraft.Text) {
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
  fileprivate init?(named name: BoardDraft.Text) {
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
  /// Rounded to nearest, ties away from zero.
  fileprivate init(millionths: Int32) { self.init(millionths, over: 1_000_000) }
}

extension ShortText {
  /// True for the first word, false for the second, nil for any other text.
  func choice(_ yes: StaticString, _ no: StaticString) -> Bool? {
    self == yes ? true : self == no ? false : nil
  }

  /// Whether the text is not empty and all printable ASCII without blanks.
  fileprivate var isWord: Bool {
    for index in 0..<count where !(0x21...0x7E).contains(self[index]) { return false }
    return count > 0
  }

  /// The half-axis written at `index`: a sign and x, y or z in either case.
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
