internal import Accelerometers
internal import HAL
internal import Orientation

extension BoardDraft {
  /// Sets what `key` stands for, or says why `value` will not do.
  mutating func set(_ key: BoardKey, to value: Text) throws(BoardFileError.Problem) {
    if let pose = key.pose { return try setLine(of: pose, key, to: value) }
    switch key {
    case .bus: bus = try Self.bus(value)
    case .model: guard value == "adxl345" else { throw .badValue(.model) }
    case .address: address = try Self.address(value)
    case .rate:
      guard let hertz = value.decimal, let rate = ADXL345.OutputDataRate(hertz: hertz) else { throw .badValue(.rate) }
      configuration.rate = rate
    case .range:
      guard let g = value.decimal, let range = ADXL345.Range(g: g) else { throw .badValue(.range) }
      configuration.range = range
    case .mounting: mounting = try Self.mounting(value)
    case .chip: chip = try Self.chip(value)
    case .idle:
      guard let isOn = value.choice("on", "off") else { throw .badValue(.idle) }
      idle = isOn ? Levels(bits: (1 &<< UInt32(Pose.count)) &- 1) : .off
    default:
      guard let isYes = value.choice("yes", "no") else { throw .badValue(.activeLow) }
      isActiveLow = isYes
    }
  }

  /// GPIO0 and 1 read the ID EEPROM of a HAT, GPIO2 and 3 are the I2C bus; the header ends with GPIO27.
  private mutating func setLine(of pose: Pose, _ key: BoardKey, to value: Text) throws(BoardFileError.Problem) {
    guard let number = value.decimal else { throw .badValue(key) }
    guard number <= 27 else { throw .outOfRange(key) }
    guard number >= 4 else { throw .reserved(key) }
    let offset = UInt32(bitPattern: number)
    for index in 0..<Pose.count where offsets[index] == offset {
      guard let other = Pose(rawValue: UInt8(truncatingIfNeeded: index)) else { continue }
      throw .taken(key, by: BoardKey(other), firstLine: line(of: BoardKey(other)))
    }
    offsets[Int(truncatingIfNeeded: pose.rawValue)] = offset
  }

  private static func bus(_ value: Text) throws(BoardFileError.Problem) -> BoardDescription.Bus {
    if value == "emulated" { return .emulated }
    let path = ShortText<64>(cutting: value)
    guard value[0] == UInt8(ascii: "/"), value.isWord, !path.isCut else { throw .badValue(.bus) }
    return .linux(path: path)
  }

  /// A path is refused: chips are found by their label, because their numbers have moved from kernel to kernel.
  private static func chip(_ value: Text) throws(BoardFileError.Problem) -> ShortText<32> {
    let label = ShortText<32>(cutting: value)
    guard value[0] != UInt8(ascii: "/"), value.isWord, !label.isCut else { throw .badValue(.chip) }
    return label
  }

  private static func address(_ value: Text) throws(BoardFileError.Problem) -> I2CAddress {
    let number = value.hexadecimal ?? value.decimal
    if number == Int32(ADXL345.address.rawValue) { return ADXL345.address }
    if number == Int32(ADXL345.alternateAddress.rawValue) { return ADXL345.alternateAddress }
    throw .badValue(.address)
  }

  private static func mounting(_ value: Text) throws(BoardFileError.Problem) -> Mounting {
    var axes = InlineArray<3, SensorAxis>(repeating: .plusX)
    var position = 0
    for index in 0..<3 {
      while index > 0 && value.isBlank(at: position) { position &+= 1 }
      guard let axis = value.axis(at: position) else { throw .badValue(.mounting) }
      axes[index] = axis
      position &+= 2
      guard position == value.count || value.isBlank(at: position) else { throw .badValue(.mounting) }
    }
    guard position == value.count else { throw .badValue(.mounting) }
    do {
      return try Mounting(x: axes[0], y: axes[1], z: axes[2])
    } catch {
      throw .impossibleMounting(error)
    }
  }
}

extension ShortText {
  /// The number that the text is, all decimal digits; the greatest number where it is larger.
  var decimal: Int32? { number(from: 0, radix: 10) }

  /// The number that the text is, with 0x before it; the greatest number where it is larger.
  var hexadecimal: Int32? {
    guard self[0] == UInt8(ascii: "0"), self[1] == UInt8(ascii: "x") else { return nil }
    return number(from: 2, radix: 16)
  }

  private func number(from start: Int, radix: Int32) -> Int32? {
    guard count > start else { return nil }
    var number: Int32 = 0
    for index in start..<count {
      guard let digit = Self.digit(self[index]), digit < radix else { return nil }
      // Clamped well below overflow: no value here needs so much.
      number = number > 0xFF_FFFF ? Int32.max : number &* radix &+ digit
    }
    return number
  }

  private static func digit(_ byte: UInt8) -> Int32? {
    switch byte {
    case 0x30...0x39: Int32(truncatingIfNeeded: byte &- 0x30)
    case 0x41...0x46: Int32(truncatingIfNeeded: byte &- 0x37)
    case 0x61...0x66: Int32(truncatingIfNeeded: byte &- 0x57)
    default: nil
    }
  }

  /// True for the first word, false for the second, nil for any other text.
  func choice(_ yes: StaticString, _ no: StaticString) -> Bool? {
    self == yes ? true : self == no ? false : nil
  }

  /// Whether the text is not empty and all printable ASCII without blanks.
  var isWord: Bool {
    for index in 0..<count where !(0x21...0x7E).contains(self[index]) { return false }
    return count > 0
  }

  func isBlank(at index: Int) -> Bool { self[index] == 0x20 || self[index] == 0x09 }

  /// The half-axis written at `index`: a sign and x, y or z in either case.
  func axis(at index: Int) -> SensorAxis? {
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
