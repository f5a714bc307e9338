internal import FixedPoint
public import Indication
internal import Orientation
public import Sensors
public import Text

/// A section of a board file.
public enum BoardSection: UInt8, SettingsSection {
  /// The bus.
  case i2c
  /// The sensor on it.
  case sensor
  /// The output lines.
  case lines
  /// The gravity filter. Optional.
  case filter
  /// The sensor of an emulated bus. Optional.
  case emulation
  /// Where plumbd shares what it observes. Optional.
  case share
  /// How vibration is watched. Optional.
  case vibration
  /// The attitude in which angles are zero. Optional.
  case tare
  /// The vehicle to be levelled. Optional.
  case level
  /// Taps, which are detected if the section exists. Optional.
  case taps
  /// Free fall, which is detected if the section exists. Optional.
  case freeFall
  /// When the sensor sleeps until moved. Optional.
  case power
  /// How poses are decided. Optional.
  case poses

  /// Whether a file must have it.
  public var isRequired: Bool { self == .i2c || self == .sensor || self == .lines }

  /// The name in the file.
  public var name: StaticString {
    switch self {
    case .i2c: "i2c"
    case .sensor: "sensor"
    case .lines: "lines"
    case .filter: "filter"
    case .emulation: "emulation"
    case .share: "share"
    case .vibration: "vibration"
    case .tare: "tare"
    case .level: "level"
    case .taps: "taps"
    case .freeFall: "free-fall"
    case .power: "power"
    case .poses: "poses"
    }
  }
}

/// A key of a board file: the schema.
///
/// A new key takes a case here, a row in ``row`` and a line in `BoardDraft.set`, all in this file; a property of
/// `BoardDescription`, and of `BoardDraft` unless a structure there covers it; a row in
/// `docs/adding-a-board.md`, of which the manual is made; and one in the test's `BoardFileText` if its rule is in words.
public enum BoardKey: UInt8, SettingsKey, PoseKey {
  /// The I2C bus.
  case bus
  /// The sensor's model, address, rate, range and mounting.
  case model, address, rate, range, mounting
  /// That a driver of the kernel runs the sensor, and the name of its device.
  case part, device
  /// The sensor's calibration: the reading of each axis at 0 g, and the factor that corrects it.
  case offset, scale
  /// The GPIO of the sensor's data-ready pin.
  case dataReady
  /// How many samples are read from the sensor at a time.
  case batch
  /// Whether to use a part of the MPU-6050 family with unverified behaviour.
  case unverifiedParts
  /// The gyroscope's range, and its calibration: the reading of each axis at rest, and the factor that corrects it.
  case gyroscopeRange, gyroscopeBias, gyroscopeScale
  /// The label of the GPIO chip.
  case chip
  /// What the lines show.
  case code
  /// The GPIO of a pose, in the order of the poses.
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
  /// The GPIOs of the valid line and of the bits of the pose's number.
  case valid, bit0, bit1, bit2
  /// The levels of the lines at the end, and whether a low line counts as on.
  case idle, activeLow
  /// The brightness of a Sense HAT's matrix.
  case brightness
  /// The gravity filter, and its time constant.
  case gravity, timeConstant
  /// The seed of the emulated sensor's noise and errors, and the largest errors of its axes.
  case seed, offsetError, scaleError
  /// The emulated sensor's real mounting, if it differs from `mounting`.
  case emulatedMounting
  /// The stream's Unix socket and TCP port, the file with the token for the port, and whether commands are accepted.
  case socket, tcp, tcpTokenFile, commands
  /// The edges of the vibration bands; how strong and how long vibration must be for a machine to be busy, and quiet
  /// again.
  case bands, busy, busyTime, quiet, quietTime
  /// The direction that was up in the attitude in which angles are zero.
  case up
  /// The vehicle to be levelled, and the distances between its wheels.
  case vehicle, wheelbase, track
  /// A tap's threshold and longest duration, the latency and the window for a second one, the axes that count, and
  /// whether double taps are detected.
  case tapThreshold, tapDuration, tapLatency, tapWindow, tapAxes, tapDouble
  /// The threshold of free fall, and the shortest fall.
  case fallThreshold, fallTime
  /// How long the sensor must be still before it sleeps until moved, and whether the lines stay on meanwhile.
  case still, leds
  /// How far from its centre a pose in the plane is left; below which angle from the vertical a face is entered, and
  /// above which it is left; how long, and how clearly, a new pose must hold.
  case leaveAngle, faceEnter, faceLeave, dwell, evidence

  /// What the schema says about the key. Limits of a number are in units of its last decimal place.
  public var row: SettingsRow<BoardSection> {
    switch self {
    case .bus:
      .init(
        .i2c, "bus",
        .words(
          "emulated, a device such as /dev/i2c-1 (at most 63 characters), or i2c0 or i2c1 of a Pico, such as i2c0 4 5"),
        .error)

    case .model: .init(.sensor, "model", .words("a model"), .error)
    case .part: .init(.sensor, "part", .words("iio, for a sensor that a driver of the kernel runs"), .other)
    case .device:
      .init(
        .sensor, "device",
        .words("the name or label of an IIO device, or such as iio:device0 (at most 31 characters)"), .other)
    case .address: .init(.sensor, "address", .words("an address of the model"), .error)
    case .rate: .init(.sensor, "rate", .number(1_000...1_000_000, places: 3, "Hz"), .value("100"))
    case .range: .init(.sensor, "range", .words("2, 4, 8 or 16 (g)"), .other)
    case .mounting: .init(.sensor, "mounting", Self.axes, .value("+x +y +z"))
    case .offset:
      .init(
        .sensor, "offset",
        .words("three numbers from -2 to 2 (g), at most 6 decimals, such as 0.0125 -0.03 0.1"), .value("0 0 0"))
    case .scale: .init(.sensor, "scale", Self.factors, .value("1 1 1"))
    case .dataReady: .init(.sensor, "data-ready", Self.pin, .other)
    case .batch: .init(.sensor, "batch", .whole(1...28, of: "samples", unit: ""), .value("1"))
    case .unverifiedParts: .init(.sensor, "unverified-parts", .decision, .value("no"))
    case .gyroscopeRange:
      .init(.sensor, "gyroscope-range", .words("250, 500, 1000 or 2000 (degrees per second)"), .value("2000"))
    case .gyroscopeBias:
      .init(
        .sensor, "gyroscope-bias",
        .words("three numbers from -40 to 40 (degrees per second), at most 6 decimals, such as 2.7 -0.6 1.8"),
        .value("0 0 0"))
    case .gyroscopeScale: .init(.sensor, "gyroscope-scale", Self.factors, .value("1 1 1"))

    case .chip:
      .init(
        .lines, "chip",
        .words(
          """
          emulated, raspberry-pi, sense-hat, emulated-sense-hat, rp2040, or the label of a GPIO chip (at most 31 \
          characters)
          """
        ), .error
      )
    case .code: .init(.lines, "code", .words("leds, one-hot or binary"), .value("leds"))
    case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown:
      .init(.lines, pose?.name ?? "", Self.pin, .error)
    case .valid: .init(.lines, "valid", Self.pin, .error)
    case .bit0: .init(.lines, "bit0", Self.pin, .error)
    case .bit1: .init(.lines, "bit1", Self.pin, .error)
    case .bit2: .init(.lines, "bit2", Self.pin, .error)
    case .idle: .init(.lines, "idle", .either("off", "on"), .value("off"))
    case .activeLow: .init(.lines, "active-low", .decision, .value("no"))
    case .brightness: .init(.lines, "brightness", .whole(1...31), .value("10"))

    case .gravity: .init(.filter, "gravity", .words("fusion, low-pass or adaptive"), .other)
    case .timeConstant: .init(.filter, "time-constant", .number(0...10_000, places: 3, "s"), .value("0.2"))

    case .seed: .init(.emulation, "seed", .words("a whole number from 0 to 18446744073709551615"), .other)
    case .offsetError: .init(.emulation, "offset-error", .number(0...200_000, places: 3, "mg"), .value("0"))
    case .scaleError: .init(.emulation, "scale-error", .number(0...10_000, places: 3, "%"), .value("0"))
    case .emulatedMounting: .init(.emulation, "mounting", Self.axes, .other)

    case .socket:
      .init(
        .share, "socket",
        .words("the absolute path of a Unix socket, such as /run/plumb/stream (at most 107 bytes)"), .other)
    case .tcp:
      .init(
        .share, "tcp",
        .words("an address of this computer and a port, such as localhost:7587 or 192.168.1.5:7587"), .other)
    case .tcpTokenFile:
      .init(.share, "tcp-token-file", .words("the absolute path of a file (at most 127 bytes)"), .other)
    case .commands: .init(.share, "commands", .decision, .value("no"))

    case .bands:
      .init(
        .vibration, "bands",
        .words(
          "two to nine frequencies from 0 to 500 (Hz), at most 3 decimals, each above the one before, such as 1 10 50"),
        .other)
    case .busy: .init(.vibration, "busy", Self.strength, .value("0.05"))
    case .busyTime: .init(.vibration, "busy-time", Self.day, .value("10"))
    case .quiet: .init(.vibration, "quiet", Self.strength, .other)
    case .quietTime: .init(.vibration, "quiet-time", Self.day, .value("120"))

    case .up:
      .init(
        .tare, "up",
        .words("three numbers from -1 to 1, the direction of up, of length 1, such as 0.02 -0.01 0.99975"),
        .other)

    case .vehicle: .init(.level, "vehicle", .either("caravan", "car"), .value("caravan"))
    case .wheelbase: .init(.level, "wheelbase", .whole(100...20_000, "mm"), .other)
    case .track: .init(.level, "track", .whole(100...20_000, "mm"), .other)

    case .tapThreshold: .init(.taps, "threshold", .number(625...159_375, places: 4, "g"), .value("3"))
    case .tapDuration: .init(.taps, "duration", .number(625...159_375, places: 3, "ms"), .value("20"))
    case .tapLatency: .init(.taps, "latency", .number(1_250...318_750, places: 3, "ms"), .value("80"))
    case .tapWindow: .init(.taps, "window", .number(1_250...318_750, places: 3, "ms"), .value("300"))
    case .tapAxes: .init(.taps, "axes", .words("one or more of x, y and z, such as x y z or z"), .value("x y z"))
    case .tapDouble: .init(.taps, "double", .decision, .value("yes"))

    case .fallThreshold: .init(.freeFall, "threshold", .number(625...9_375, places: 4, "g"), .value("0.375"))
    case .fallTime: .init(.freeFall, "time", .number(5_000...1_275_000, places: 3, "ms"), .value("100"))

    case .still: .init(.power, "still", .number(1_000...86_400_000, places: 3, "s"), .error)
    case .leds: .init(.power, "leds", .either("on", "off"), .value("on"))

    case .leaveAngle: .init(.poses, "leave-angle", .number(46_000...89_000, places: 3, "degrees"), .value("60"))
    case .faceEnter: .init(.poses, "face-enter", .number(1_000...88_000, places: 3, "degrees"), .value("25"))
    case .faceLeave: .init(.poses, "face-leave", .number(2_000...89_000, places: 3, "degrees"), .value("40"))
    case .dwell: .init(.poses, "dwell", .number(0...999, places: 3, "s"), .other)
    case .evidence: .init(.poses, "evidence", .number(0...10_000, places: 4, "g s"), .other)
    }
  }

  private static var pin: SettingsRule { .words("a GPIO number from 4 to 27") }
  private static var axes: SettingsRule {
    .words("the sensor's axes along the board's X, Y and Z, such as +x +y +z or -y +x +z")
  }
  private static var factors: SettingsRule {
    .words("three numbers from 0.5 to 1.999, at most 6 decimals, such as 1.01 0.985 1")
  }
  private static var strength: SettingsRule { .words("a number above 0 and up to 16 (g), at most 6 decimals") }
  private static var day: SettingsRule { .number(0...86_400_000, places: 3, "s") }
}

// From a value to a property.
extension BoardDraft {
  /// Sets the property of `key`, or throws why `value` is invalid.
  mutating func set(_ key: BoardKey, to value: SettingsText) throws(BoardFileError.Cause) {
    switch key {
    case .bus: bus = try Self.bus(value)

    case .model: model = try Self.model(value)
    case .part: try setPart(value)
    case .device: device = try Self.device(value)
    case .address: address = try Self.address(value, of: model)
    case .rate: rate = UpdateRate(millihertz: try key.number(value, in: context))
    case .range: range = try Self.range(value, of: model)
    case .mounting: mounting = try Self.mounting(value, of: key)
    case .offset: offset = try Self.vector(value, of: key, millionths: 2_000_000)
    case .scale: scale = try Self.scale(value, of: key)
    case .batch: batch = try key.number(value)
    case .unverifiedParts: acceptsUnverifiedParts = try key.decision(value)
    case .gyroscopeRange: gyroscopeRange = try Self.gyroscopeRange(value, of: model)
    case .gyroscopeBias: gyroscopeBias = try Self.vector(value, of: key, millionths: 40_000_000)
    case .gyroscopeScale: gyroscopeScale = try Self.scale(value, of: key)

    case .chip: chip = try Self.chip(value)
    case .code: code = try Self.code(value)
    case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown, .valid, .bit0, .bit1,
      .bit2, .dataReady:
      try setLine(key, to: value)
    case .idle: isIdleOn = try !key.decision(value)
    case .activeLow: isActiveLow = try key.decision(value)
    case .brightness: brightness = UInt8(truncatingIfNeeded: try key.number(value))

    case .gravity: filter = try Self.filter(value)
    case .timeConstant: gravity.timeConstant = .milliseconds(widened(try key.number(value)))

    case .seed: emulation.seed = try Self.seed(value)
    // Errors are upper limits, so they are rounded down.
    case .offsetError: emulation.offsetError = Q16(raw: saturated(widened(try key.number(value)) &* 65_536 / 1_000_000))
    case .scaleError: emulation.scaleError = Q16(raw: saturated(widened(try key.number(value)) &* 65_536 / 100_000))
    case .emulatedMounting: emulation.mounting = try Self.mounting(value, of: key)

    case .socket: share.socket = try Self.absolutePath(value, of: key)
    case .tcp: share.port = try Self.port(value)
    case .tcpTokenFile: share.tokenFile = try Self.absolutePath(value, of: key)
    case .commands: share.allowsCommands = try key.decision(value)

    case .bands, .busy, .busyTime, .quiet, .quietTime: try vibration.set(key, to: value)

    case .up: tare = try Self.tare(value)

    case .vehicle: vehicle.kind = try key.decision(value) ? .caravan : .car
    case .wheelbase: vehicle.wheelbase = try key.number(value)
    case .track: vehicle.track = try key.number(value)

    case .tapThreshold, .tapDuration, .tapLatency, .tapWindow, .tapAxes, .tapDouble, .fallThreshold, .fallTime:
      try knocks.set(key, to: value)

    case .still: still = .milliseconds(widened(try key.number(value)))
    case .leds: keepsLEDs = try key.decision(value)

    case .leaveAngle, .faceEnter, .faceLeave, .dwell, .evidence: try poses.set(key, to: value)
    }
  }
}

/// What a board file says that determines what is allowed.
public struct BoardContext: SettingsContext {
  /// The sensor's model; nil until the file names it.
  public var model: SensorModel?
  /// What the lines show; nil until the file names it.
  public var code: LineCode?
  /// Whether the lines are the matrix of a Sense HAT.
  public var isMatrix = false
  /// Whether a driver of the kernel runs the sensor; the model then stands for what such a sensor has.
  public var isIIO = false

  /// Nothing known yet.
  public init() {}

  init(model: SensorModel?, code: LineCode? = nil, isMatrix: Bool = false, isIIO: Bool = false) {
    (self.model, self.code, self.isMatrix, self.isIIO) = (model, code, isMatrix, isIIO)
  }
}

// What depends on the model and the code.
extension BoardKey {
  /// What messages call the file.
  public static var file: StaticString { "board file" }

  /// The allowed values, given the model that the file names.
  public func rule(in context: BoardContext) -> SettingsRule {
    guard self == .rate, let model = context.model else { return row.rule }
    return .number(1_000...model.traits.highestRate &* 1_000, places: 3, "Hz")
  }

  /// Whether sensors of the model, lines of the code, or a matrix have the key.
  public func applies(in context: BoardContext) -> Bool {
    if self == .brightness { return context.isMatrix }
    if section == .lines { return context.isMatrix ? self == .chip : belongs(to: context.code ?? .leds) }
    guard let traits = context.model?.traits else { return true }
    switch self {
    case .part, .device: return context.isIIO
    case .model, .address, .range, .dataReady, .batch, .unverifiedParts, .gyroscopeRange, .bus, .still, .leds:
      if context.isIIO { return false }
    default: break
    }
    switch self {
    case .dataReady: return traits.interruptPin != nil
    case .batch: return traits.keepsSamples
    case .unverifiedParts: return traits.hasRelatives
    case .gyroscopeRange, .gyroscopeBias, .gyroscopeScale: return traits.hasGyroscope
    default: return true
    }
  }

  /// Whether its values, or its existence, depend on the sensor's model.
  var dependsOnModel: Bool {
    switch self {
    case .address, .rate, .range: true
    case .part: false
    // What there is of these depends on their code, or on a matrix.
    case _ where section == .lines: false
    default: !isOfEveryModel
    }
  }

  private var isOfEveryModel: Bool {
    var models = SensorModel.all
    return models.next(where: { !applies(in: BoardContext(model: $0)) }) == nil
  }

  private var isOfSomeModels: Bool {
    var models = SensorModel.all
    return !isOfEveryModel && models.next(where: { applies(in: BoardContext(model: $0)) }) != nil
  }

  /// The allowed values with a sensor of `model`, for a message; with nil, those with any model.
  public func allowed(with model: SensorModel?) -> SettingsMessage { allowed(in: BoardContext(model: model)) }

  /// Appends the allowed values with the file's model; those with any model if the file has not named it.
  public func appendAllowed(in context: BoardContext, to text: inout SettingsMessage) {
    switch self {
    case .model: Self.appendModels(to: &text)
    case .address: Self.appendAddresses(of: context.model, to: &text)
    case .rate where context.model == nil: Self.appendRates(to: &text)
    case .range where context.model != nil: Self.append(ranges: context.model?.traits.ranges, "g", to: &text)
    case .gyroscopeRange where context.model != nil:
      Self.append(ranges: context.model?.traits.gyroscopeRanges, "degrees per second", to: &text)
    case .gravity: Self.appendFilters(of: context.model, to: &text)
    default: text.append(allowed: rule(in: context))
    }
  }

  private static func appendModels(to text: inout SettingsMessage) {
    var models = SensorModel.all
    while let model = models.next() {
      if model.rawValue > 0 { text.append(Int(model.rawValue) == SensorModel.count &- 1 ? " or " : ", ") }
      text.append(model.name)
    }
  }

  private static func appendAddresses(of model: SensorModel?, to text: inout SettingsMessage) {
    if let traits = model?.traits {
      text.append("\(traits.addresses.low) (\(traits.addressPin) low) or ")
      return text.append("\(traits.addresses.high) (\(traits.addressPin) high)")
    }
    var models = SensorModel.all
    while let model = models.next() {
      if model.rawValue > 0 { text.append(", ") }
      text.append("\(model.traits.addresses.low) or \(model.traits.addresses.high) for \(model.article) \(model.name)")
    }
  }

  /// Appends the rates of the slowest model, and how high those of the others go.
  private static func appendRates(to text: inout SettingsMessage) {
    var least = Int32.max
    var models = SensorModel.all
    while let model = models.next() { least = min(least, model.traits.highestRate) }
    text.append("a number from 1 to \(least) (Hz")
    models = SensorModel.all
    while let model = models.next(where: { $0.traits.highestRate > least }) {
      text.append("; up to \(model.traits.highestRate) for \(model.article) \(model.name)")
    }
    text.append("), at most 3 decimals")
  }

  /// Appends the values of `ranges` that are not 0.
  private static func append<let count: Int>(
    ranges: InlineArray<count, Int32>?, _ unit: StaticString, to text: inout SettingsMessage
  ) {
    guard let ranges else { return }
    var last = count &- 1
    while last > 0 && ranges[last] == 0 { last &-= 1 }
    for index in 0...last {
      if index > 0 { text.append(index == last ? " or " : ", ") }
      text.append("\(ranges[index])")
    }
    text.append(" (\(unit))")
  }

  private static func appendFilters(of model: SensorModel?, to text: inout SettingsMessage) {
    guard let model else { return text.append("low-pass or adaptive, and with a gyroscope fusion") }
    text.append(model.traits.hasGyroscope ? "fusion, low-pass or adaptive" : "low-pass or adaptive")
  }

  /// Appends the keys of `section`. Without a model, first the keys that every model has, then those that some have.
  public static func appendKeys(of section: BoardSection, in context: BoardContext, to text: inout SettingsMessage) {
    guard section == .sensor && context.model == nil else {
      return appendKeys(of: section, to: &text) { $0.applies(in: context) }
    }
    appendKeys(of: section, to: &text) { $0.isOfEveryModel }
    text.append("; with some models ")
    appendKeys(of: section, to: &text) { $0.isOfSomeModels }
  }
}

// The keys for lines, and how they depend on the code.
extension BoardKey {
  /// The key of line `index` of `code`, from 0 to its line count - 1.
  public init(line index: Int, of code: LineCode) {
    let first: BoardKey
    switch (code, index) {
    case (.leds, _): first = .portrait
    case (_, 0): self = .valid; return
    case (.oneHot, _): first = .portrait
    case (.binary, _): first = .bit0
    }
    let place = UInt8(truncatingIfNeeded: code == .leds ? index : index &- 1)
    self = BoardKey(rawValue: first.rawValue &+ place) ?? .valid
  }

  /// Whether its value is the GPIO of a line.
  public var namesLine: Bool { pose != nil || self == .valid || isBit }

  /// Whether lines of `code` have the key.
  public func belongs(to code: LineCode) -> Bool {
    if pose != nil { return code != .binary }
    if self == .valid { return code != .leds }
    return !isBit || code == .binary
  }

  /// Whether a file with one LED per pose must have it.
  public var isRequired: Bool { isRequired(with: .leds) }

  /// Whether a file with lines of `code` must have it.
  public func isRequired(with code: LineCode) -> Bool {
    guard case .error = row.absence else { return false }
    return section.isRequired && belongs(to: code)
  }

  private var isBit: Bool { self == .bit0 || self == .bit1 || self == .bit2 }
}

extension LineCode {
  /// The code that board files call `name`.
  init?(named name: SettingsText) {
    for index in 0..<Self.count {
      guard let code = Self(rawValue: UInt8(truncatingIfNeeded: index)), name == code.name else { continue }
      self = code
      return
    }
    return nil
  }
}
