public import Indication
public import Orientation
public import Text

/// A section of a board file.
public enum BoardSection: UInt8, Equatable, Sendable {
  /// The bus.
  case i2c
  /// The sensor on it.
  case sensor
  /// The output lines.
  case lines
  /// The sensor of an emulated bus. Optional.
  case emulation
  /// The filter for gravity. Optional.
  case filter
  /// Where plumbd shares what it observes. Optional.
  case share
  /// What is watched of vibration. Optional.
  case vibration
  /// The attitude in which angles are zero. Optional.
  case tare
  /// The vehicle that is levelled. Optional.
  case level
  /// Taps, which are looked for where there is the section. Optional.
  case taps
  /// Free fall, which is looked for where there is the section. Optional.
  case freeFall
  /// When the sensor is left to watch for movement by itself. Optional.
  case power

  /// The number of sections; raw values are 0 up to this.
  public static var count: Int { 12 }

  /// Whether it is required.
  public var isRequired: Bool { self == .i2c || self == .sensor || self == .lines }

  /// The name as in the file.
  public var name: StaticString {
    switch self {
    case .i2c: "i2c"
    case .sensor: "sensor"
    case .lines: "lines"
    case .emulation: "emulation"
    case .filter: "filter"
    case .share: "share"
    case .vibration: "vibration"
    case .tare: "tare"
    case .level: "level"
    case .taps: "taps"
    case .freeFall: "free-fall"
    case .power: "power"
    }
  }

  /// Its keys, for a message, with a sensor of `model` and lines of `code`; nil if the file has not named them.
  func keys(with model: SensorModel?, _ code: LineCode?) -> StaticString {
    switch self {
    case .i2c: "bus"
    case .sensor:
      switch model {
      case .adxl345: "model, address, rate, range, mounting, offset, scale, data-ready, batch"
      case .mpu6050:
        """
        model, address, rate, range, mounting, offset, scale, data-ready, batch, unverified-parts, gyroscope-range, \
        gyroscope-bias, gyroscope-scale
        """
      case nil:
        """
        model, address, rate, range, mounting, offset, scale, data-ready, batch, and for an mpu6050 unverified-parts, \
        gyroscope-range, gyroscope-bias, gyroscope-scale
        """
      }
    case .lines: Self.lineKeys(of: code ?? .leds)
    case .emulation: "seed, offset-error, scale-error, mounting"
    case .filter: "gravity, time-constant"
    case .share: "socket, tcp, tcp-token-file, commands"
    case .vibration: "bands, busy, busy-time, quiet, quiet-time"
    case .tare: "up"
    case .level: "vehicle, wheelbase, track"
    case .taps: "threshold, duration, latency, window, axes, double"
    case .freeFall: "threshold, time"
    case .power: "still, leds"
    }
  }

  private static func lineKeys(of code: LineCode) -> StaticString {
    switch code {
    case .leds:
      """
      chip, code, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown, idle, active-low
      """
    case .oneHot:
      """
      chip, code, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown, valid, idle, \
      active-low
      """
    case .binary: "chip, code, valid, bit0, bit1, bit2, idle, active-low"
    }
  }
}

/// A key of a board file.
public enum BoardKey: UInt8, Equatable, Sendable {
  /// The I2C bus.
  case bus
  /// The sensor's model, address, rate, range and mounting.
  case model, address, rate, range, mounting
  /// Whether to use a part of the MPU-6050 family with unverified behaviour.
  case unverifiedParts
  /// The range of the gyroscope, and its calibration: the reading of each axis at rest, and the factor that corrects it.
  case gyroscopeRange, gyroscopeBias, gyroscopeScale
  /// The sensor's calibration: the reading of each axis at 0 g, and the factor that corrects it.
  case offset, scale
  /// The label of the GPIO chip.
  case chip
  /// What the lines show.
  case code
  /// The GPIO of a pose.
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
  /// The GPIO of the valid line, and of the bits of the pose's number.
  case valid, bit0, bit1, bit2
  /// The levels of the lines at the end, and whether a low line is on.
  case idle, activeLow
  /// The seed of the emulated sensor's noise and errors, and the largest errors of its axes.
  case seed, offsetError, scaleError
  /// The real mounting of the emulated sensor, if it differs from `mounting`.
  case emulatedMounting
  /// The GPIO of the sensor's data-ready pin.
  case dataReady
  /// The filter for gravity, and its time constant.
  case gravity, timeConstant
  /// The Unix socket and the TCP port of the stream, the file of the token for the port, and whether commands are taken.
  case socket, tcp, tcpTokenFile, commands
  /// How many samples are taken from the sensor at a time.
  case batch
  /// The edges of the bands of vibration; from which strength on and how long a machine is busy, and quiet again.
  case bands, busy, busyTime, quiet, quietTime
  /// The direction that was up in the attitude in which angles are zero.
  case up
  /// The vehicle that is levelled, and how far its wheels are apart.
  case vehicle, wheelbase, track
  /// The threshold of a tap, its longest duration, the latency and the window of a second one, the axes that count, and
  /// whether there are double taps.
  case tapThreshold, tapDuration, tapLatency, tapWindow, tapAxes, tapDouble
  /// The threshold of free fall, and the shortest fall.
  case fallThreshold, fallTime
  /// After how long at rest the sensor is left to watch for movement by itself, and whether the lines stay on meanwhile.
  case still, leds

  /// The number of keys; raw values are 0 up to this.
  public static var count: Int { 57 }

  /// The key of the line of `pose`.
  public init(_ pose: Pose) {
    switch pose {
    case .portrait: self = .portrait
    case .portraitUpsideDown: self = .portraitUpsideDown
    case .landscapeLeft: self = .landscapeLeft
    case .landscapeRight: self = .landscapeRight
    case .faceUp: self = .faceUp
    case .faceDown: self = .faceDown
    }
  }

  /// The pose whose line the key names.
  public var pose: Pose? {
    switch self {
    case .portrait: .portrait
    case .portraitUpsideDown: .portraitUpsideDown
    case .landscapeLeft: .landscapeLeft
    case .landscapeRight: .landscapeRight
    case .faceUp: .faceUp
    case .faceDown: .faceDown
    default: nil
    }
  }

  /// The section where the key belongs.
  public var section: BoardSection {
    switch self {
    case .bus: .i2c
    case .model, .address, .rate, .range, .mounting, .unverifiedParts, .offset, .scale, .dataReady, .gyroscopeRange,
      .gyroscopeBias, .gyroscopeScale, .batch:
      .sensor
    case .seed, .offsetError, .scaleError, .emulatedMounting: .emulation
    case .gravity, .timeConstant: .filter
    case .socket, .tcp, .tcpTokenFile, .commands: .share
    case .bands, .busy, .busyTime, .quiet, .quietTime: .vibration
    case .up: .tare
    case .vehicle, .wheelbase, .track: .level
    case .tapThreshold, .tapDuration, .tapLatency, .tapWindow, .tapAxes, .tapDouble: .taps
    case .fallThreshold, .fallTime: .freeFall
    case .still, .leds: .power
    default: .lines
    }
  }

  /// The name as in the file.
  public var name: StaticString {
    if let pose { return pose.name }
    switch self {
    case .bus: return "bus"
    case .model: return "model"
    case .address: return "address"
    case .rate: return "rate"
    case .range: return "range"
    case .mounting, .emulatedMounting: return "mounting"
    case .unverifiedParts: return "unverified-parts"
    case .gyroscopeRange: return "gyroscope-range"
    case .gyroscopeBias: return "gyroscope-bias"
    case .gyroscopeScale: return "gyroscope-scale"
    case .offset: return "offset"
    case .scale: return "scale"
    case .chip: return "chip"
    case .code: return "code"
    case .valid: return "valid"
    case .bit0: return "bit0"
    case .bit1: return "bit1"
    case .bit2: return "bit2"
    case .idle: return "idle"
    case .dataReady: return "data-ready"
    case .seed: return "seed"
    case .offsetError: return "offset-error"
    case .scaleError: return "scale-error"
    case .gravity: return "gravity"
    case .timeConstant: return "time-constant"
    case .socket: return "socket"
    case .tcp: return "tcp"
    case .tcpTokenFile: return "tcp-token-file"
    case .commands: return "commands"
    case .batch: return "batch"
    case .bands: return "bands"
    case .busy: return "busy"
    case .busyTime: return "busy-time"
    case .quiet: return "quiet"
    case .quietTime: return "quiet-time"
    case .up: return "up"
    case .vehicle: return "vehicle"
    case .wheelbase: return "wheelbase"
    case .track: return "track"
    case .tapThreshold, .fallThreshold: return "threshold"
    case .tapDuration: return "duration"
    case .tapLatency: return "latency"
    case .tapWindow: return "window"
    case .tapAxes: return "axes"
    case .tapDouble: return "double"
    case .fallTime: return "time"
    case .still: return "still"
    case .leds: return "leds"
    default: return "active-low"
    }
  }

  /// Whether a file with an LED for each pose must have it.
  public var isRequired: Bool { isRequired(with: .leds) }

  /// Whether its values depend on the sensor's model.
  var dependsOnModel: Bool {
    switch self {
    case .address, .rate, .range, .unverifiedParts, .gyroscopeRange, .gyroscopeBias, .gyroscopeScale: true
    default: false
    }
  }

  /// The allowed values with a sensor of `model`, for a message; with nil, those of any model.
  public func allowed(with model: SensorModel?) -> StaticString {
    switch self {
    case .bus: "emulated, or a device such as /dev/i2c-1 (at most 63 characters)"
    case .model: "adxl345 or mpu6050"
    case .address: Self.addresses(of: model)
    case .rate: Self.rates(of: model)
    case .range: "2, 4, 8 or 16 (g)"
    case .mounting, .emulatedMounting: "the sensor's axes along the board's X, Y and Z, such as +x +y +z or -y +x +z"
    case .offset: "three numbers from -2 to 2 (g), at most 6 decimals, such as 0.0125 -0.03 0.1"
    case .gyroscopeRange: "250, 500, 1000 or 2000 (degrees per second)"
    case .gyroscopeBias: "three numbers from -40 to 40 (degrees per second), at most 6 decimals, such as 2.7 -0.6 1.8"
    case .scale, .gyroscopeScale: "three numbers from 0.5 to 1.999, at most 6 decimals, such as 1.01 0.985 1"
    case .code: "leds, one-hot or binary"
    case .chip: "emulated, raspberry-pi, or the label of a GPIO chip (at most 31 characters)"
    case .idle: "off or on"
    case .leds: "on or off"
    case .still: "a number from 1 to 86400 (s), at most 3 decimals"
    case .activeLow, .unverifiedParts, .commands, .tapDouble: "yes or no"
    case .seed: "a whole number from 0 to 18446744073709551615"
    case .offsetError: "a number from 0 to 200 (mg), at most 3 decimals"
    case .scaleError: "a number from 0 to 10 (%), at most 3 decimals"
    case .gravity: Self.filters(of: model)
    case .timeConstant: "a number from 0 to 10 (s), at most 3 decimals"
    case .socket: "the absolute path of a Unix socket, such as /run/plumb/stream (at most 107 bytes)"
    case .tcp: "an address of this computer and a port, such as localhost:7587 or 192.168.1.5:7587"
    case .tcpTokenFile: "the absolute path of a file (at most 127 bytes)"
    case .batch: "a whole number of samples from 1 to 28"
    case .bands:
      "two to nine frequencies from 0 to 500 (Hz), at most 3 decimals, each above the one before, such as 1 10 50"
    case .busy, .quiet: "a number above 0 and up to 16 (g), at most 6 decimals"
    case .busyTime, .quietTime: "a number from 0 to 86400 (s), at most 3 decimals"
    case .up: "three numbers from -1 to 1, the direction of up, of length 1, such as 0.02 -0.01 0.99975"
    case .vehicle: "caravan or car"
    case .wheelbase, .track: "a whole number from 100 to 20000 (mm)"
    case .tapThreshold: "a number from 0.0625 to 15.9375 (g), at most 4 decimals"
    case .tapDuration: "a number from 0.625 to 159.375 (ms), at most 3 decimals"
    case .tapLatency, .tapWindow: "a number from 1.25 to 318.75 (ms), at most 3 decimals"
    case .tapAxes: "one or more of x, y and z, such as x y z or z"
    case .fallThreshold: "a number from 0.0625 to 0.9375 (g), at most 4 decimals"
    case .fallTime: "a number from 5 to 1275 (ms), at most 3 decimals"
    default: "a GPIO number from 4 to 27"
    }
  }

  private static func addresses(of model: SensorModel?) -> StaticString {
    switch model {
    case .adxl345: "0x53 (SDO low) or 0x1D (SDO high)"
    case .mpu6050: "0x68 (AD0 low) or 0x69 (AD0 high)"
    case nil: "0x53 or 0x1D for an adxl345, 0x68 or 0x69 for an mpu6050"
    }
  }

  private static func filters(of model: SensorModel?) -> StaticString {
    switch model {
    case .adxl345: "low-pass or adaptive"
    case .mpu6050: "fusion, low-pass or adaptive"
    case nil: "low-pass or adaptive, and with an mpu6050 fusion"
    }
  }

  private static func rates(of model: SensorModel?) -> StaticString {
    switch model {
    case .adxl345: "a number from 1 to 800 (Hz), at most 3 decimals"
    case .mpu6050: "a number from 1 to 1000 (Hz), at most 3 decimals"
    case nil: "a number from 1 to 800 (Hz; up to 1000 for an mpu6050), at most 3 decimals"
    }
  }
}

// The keys for lines, and how they depend on the code.
extension BoardKey {
  /// The key of line `index` of `code`, 0 up to its count of lines.
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

  /// Whether lines of `code` have it.
  public func belongs(to code: LineCode) -> Bool {
    if pose != nil { return code != .binary }
    if self == .valid { return code != .leds }
    return !isBit || code == .binary
  }

  /// Whether a file with lines of `code` must have it.
  public func isRequired(with code: LineCode) -> Bool {
    switch self {
    case .bus, .model, .address, .chip: true
    default: namesLine && belongs(to: code)
    }
  }

  private var isBit: Bool { self == .bit0 || self == .bit1 || self == .bit2 }
}

// Reading names.
extension BoardSection {
  init?(index: Int) { self.init(rawValue: UInt8(truncatingIfNeeded: index)) }

  init?(named name: BoardDraft.Text) {
    for index in 0..<Self.count {
      guard let section = Self(index: index), name == section.name else { continue }
      self = section
      return
    }
    return nil
  }

  /// The section that was probably meant, if one is similar enough.
  init?(nearestTo text: ShortText<48>) {
    var best = 3
    var found: BoardSection?
    for index in 0..<Self.count {
      guard let section = BoardSection(index: index) else { continue }
      let distance = text.distance(to: section.name)
      if distance < best { (best, found) = (distance, section) }
    }
    guard let found else { return nil }
    self = found
  }
}

extension BoardKey {
  init?(index: Int) { self.init(rawValue: UInt8(truncatingIfNeeded: index)) }

  init?(named name: BoardDraft.Text, in section: BoardSection) {
    for index in 0..<Self.count {
      guard let key = Self(index: index), key.section == section, name == key.name else { continue }
      self = key
      return
    }
    return nil
  }

  /// The key that was probably meant, if one is similar enough (in another section, at most one letter different); of two
  /// equally similar keys, that of `section`.
  init?(nearestTo text: ShortText<48>, preferring section: BoardSection) {
    var best = 6
    var found: BoardKey?
    for index in 0..<Self.count {
      guard let key = BoardKey(index: index) else { continue }
      let letters = text.distance(to: key.name)
      guard key.section == section || letters <= 1 else { continue }
      let distance = 2 &* letters &+ (key.section == section ? 0 : 1)
      if distance < best { (best, found) = (distance, key) }
    }
    guard let found else { return nil }
    self = found
  }
}

extension LineCode {
  /// The code named `name` in board files.
  init?(named name: BoardDraft.Text) {
    for index in 0..<Self.count {
      guard let code = Self(rawValue: UInt8(truncatingIfNeeded: index)), name == code.name else { continue }
      self = code
      return
    }
    return nil
  }
}
