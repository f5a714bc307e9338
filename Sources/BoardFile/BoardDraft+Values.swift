internal import FixedPoint
internal import HAL
internal import Indication
internal import Orientation
internal import Sensors

extension BoardDraft {
  /// Sets what `key` stands for, or says why `value` will not do.
  mutating func set(_ key: BoardKey, to value: Text) throws(BoardFileError.Problem) {
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
    case .mounting: mounting = try Self.mounting(value, of: key)
    case .offset: try setOffset(value)
    case .scale: try setScale(value)
    case .chip: chip = try Self.chip(value)
    case .idle:
      guard let isOn = value.choice("on", "off") else { throw .badValue(.idle) }
      isIdleOn = isOn
    case .code:
      guard let code = LineCode(named: value) else { throw .badValue(.code) }
      self.code = code
    case .seed, .offsetError, .scaleError, .emulatedMounting: try setEmulation(key, to: value)
    default:
      guard let isYes = value.choice("yes", "no") else { throw .badValue(.activeLow) }
      isActiveLow = isYes
    }
  }

  /// Errors are the greatest that there may be, so they are rounded down.
  private mutating func setEmulation(_ key: BoardKey, to value: Text) throws(BoardFileError.Problem) {
    switch key {
    case .seed:
      guard let seed = value.seed else { throw .badValue(key) }
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
  private mutating func setLine(_ key: BoardKey, to value: Text) throws(BoardFileError.Problem) {
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

  private static func bus(_ value: Text) throws(BoardFileError.Problem) -> BoardDescription.Bus {
    if value == "emulated" { return .emulated }
    let path = ShortText<64>(cutting: value)
    guard value[0] == UInt8(ascii: "/"), value.isWord, !path.isCut else { throw .badValue(.bus) }
    return .linux(path: path)
  }

  private static func model(_ value: Text) throws(BoardFileError.Problem) -> SensorModel {
    for index in 0..<SensorModel.count {
      guard let model = SensorModel(rawValue: UInt8(truncatingIfNeeded: index)), value == model.name else {
        continue
      }
      return model
    }
    throw .badValue(.model)
  }

  /// A path is refused: chips are found by their label, because their numbers have moved from kernel to kernel.
  private static func chip(_ value: Text) throws(BoardFileError.Problem) -> ShortText<32> {
    let label = ShortText<32>(cutting: value)
    guard value[0] != UInt8(ascii: "/"), value.isWord, !label.isCut else { throw .badValue(.chip) }
    return label
  }

  private static func mounting(_ value: Text, of key: BoardKey) throws(BoardFileError.Problem) -> Mounting {
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
}
