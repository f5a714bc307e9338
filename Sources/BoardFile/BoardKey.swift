public import Orientation

/// A section of a board file.
public enum BoardSection: UInt8, Equatable, Sendable {
  /// The bus.
  case i2c
  /// The sensor on it.
  case sensor
  /// The output lines.
  case lines

  /// How many sections there are; raw values are 0 up to this.
  public static var count: Int { 3 }

  /// The name as in the file.
  public var name: StaticString {
    switch self {
    case .i2c: "i2c"
    case .sensor: "sensor"
    case .lines: "lines"
    }
  }

  /// Its keys, for a message, with a sensor of `model`; nil where the file has not told that.
  func keys(with model: BoardDescription.Model?) -> StaticString {
    switch self {
    case .i2c: "bus"
    case .sensor:
      switch model {
      case .adxl345: "model, address, rate, range, mounting"
      case .mpu6050: "model, address, rate, range, mounting, unverified-parts"
      case nil: "model, address, rate, range, mounting, and of an mpu6050 unverified-parts"
      }
    case .lines:
      """
      chip, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown, idle, active-low
      """
    }
  }
}

/// A key of a board file.
public enum BoardKey: UInt8, Equatable, Sendable {
  /// The I2C bus.
  case bus
  /// The kind of sensor, its address, output data rate, range and mounting.
  case model, address, rate, range, mounting
  /// Whether a part of the MPU-6050 family is used of which only hearsay is known.
  case unverifiedParts
  /// The label of the GPIO chip.
  case chip
  /// The GPIO of a pose.
  case portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown
  /// What the lines are set to at the end, and whether low voltage means on.
  case idle, activeLow

  /// How many keys there are; raw values are 0 up to this.
  public static var count: Int { 16 }

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
    case .model, .address, .rate, .range, .mounting, .unverifiedParts: .sensor
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
    case .mounting: return "mounting"
    case .unverifiedParts: return "unverified-parts"
    case .chip: return "chip"
    case .idle: return "idle"
    default: return "active-low"
    }
  }

  /// Whether a file must have it.
  public var isRequired: Bool {
    switch self {
    case .rate, .range, .mounting, .unverifiedParts, .idle, .activeLow: false
    default: true
    }
  }

  /// Whether the model of the sensor decides on its values.
  var dependsOnModel: Bool {
    switch self {
    case .address, .rate, .range, .unverifiedParts: true
    default: false
    }
  }

  /// The values that are allowed with a sensor of `model`, for a message; nil for what any model allows.
  public func allowed(with model: BoardDescription.Model?) -> StaticString {
    switch self {
    case .bus: "emulated, or a device such as /dev/i2c-1 (at most 63 characters)"
    case .model: "adxl345 or mpu6050"
    case .address: Self.addresses(of: model)
    case .rate: Self.rates(of: model)
    case .range: "2, 4, 8 or 16 (g)"
    case .mounting: "the sensor's axes along the board's X, Y and Z, such as +x +y +z or -y +x +z"
    case .chip: "emulated, or the label of a GPIO chip such as pinctrl-bcm2835 (at most 31 characters)"
    case .idle: "off or on"
    case .activeLow, .unverifiedParts: "yes or no"
    default: "a GPIO number from 4 to 27"
    }
  }

  private static func addresses(of model: BoardDescription.Model?) -> StaticString {
    switch model {
    case .adxl345: "0x53 (SDO low) or 0x1D (SDO high)"
    case .mpu6050: "0x68 (AD0 low) or 0x69 (AD0 high)"
    case nil: "0x53 or 0x1D for an adxl345, 0x68 or 0x69 for an mpu6050"
    }
  }

  private static func rates(of model: BoardDescription.Model?) -> StaticString {
    switch model {
    case .adxl345: "25, 50, 100, 200, 400 or 800 (Hz)"
    case .mpu6050: "25, 40, 50, 100, 125, 200, 250, 500 or 1000 (Hz)"
    case nil: "25, 50, 100 or 200 (Hz), and others that depend on the model"
    }
  }
}
