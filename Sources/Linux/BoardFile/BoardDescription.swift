public import FixedPoint
public import Gestures
public import HAL
public import Indication
public import Monitor
public import Orientation
internal import Sensors
public import Text
public import Vibration

/// A board: its sensor's address and configuration, and how its lines are used. The checked content of a board file.
///
/// Create one with `read(path:)` or `parse(_:)`; `emulated` is the board without hardware.
public struct BoardDescription: Equatable, Sendable {
  /// The I2C bus of the sensor, or the kernel in its place.
  public var bus: Bus
  /// The sensor.
  public var sensor: Sensor
  /// The output lines.
  public var lines: Lines
  /// The sensor of an emulated bus; ignored on a real bus.
  public var emulation: Emulation
  /// The gravity filter.
  public var gravity: GravityFilter.Configuration
  /// Where plumbd shares what it observes.
  public var share: Share
  /// How vibration is watched; nil for not at all.
  public var vibration: VibrationConfiguration?
  /// The attitude in which angles are zero.
  public var tare: Tare
  /// The vehicle to be levelled.
  public var vehicle: Vehicle
  /// What counts as a tap; nil if taps are not detected. ``setTaps(_:)`` changes it.
  public internal(set) var taps: TapDetector.Configuration?
  /// What counts as free fall; nil if it is not detected. ``setFreeFall(_:)`` changes it.
  public internal(set) var freeFall: FallDetector.Configuration?
  /// When the sensor sleeps until moved; nil for never.
  public var power: Power?
  /// How poses are decided; nil for the usual way with ``gravity``.
  public var poses: PoseTracker.Configuration?

  /// A description made of its parts.
  public init(
    bus: Bus, sensor: Sensor, lines: Lines, emulation: Emulation = Emulation(),
    gravity: GravityFilter.Configuration = .standard, share: Share = Share(), vibration: VibrationConfiguration? = nil,
    tare: Tare = .none, vehicle: Vehicle = Vehicle(),
    power: Power? = nil, poses: PoseTracker.Configuration? = nil
  ) {
    self.bus = bus
    self.sensor = sensor
    self.lines = lines
    self.emulation = emulation
    self.gravity = gravity
    self.share = share
    self.vibration = vibration
    self.tare = tare
    self.vehicle = vehicle
    self.power = power
    self.poses = poses
  }

  /// The board without hardware: `boards/emulated.ini`.
  public static var emulated: BoardDescription {
    BoardDescription(
      bus: .emulated, sensor: Sensor(address: ADXL345.address, configuration: SensorConfiguration(.adxl345)),
      lines: Lines(chip: ShortText("emulated"), offsets: [17, 27, 22, 23, 24, 25]))
  }

  /// The label of the GPIO chip to which the sensor's data-ready pin is wired: that of the lines, or that of a
  /// Raspberry Pi's header if the lines are emulated or a matrix.
  public var dataReadyChip: ShortText<32> {
    lines.isEmulated || lines.isMatrix ? ShortText("raspberry-pi") : lines.chip
  }

  /// The section that the board file would need for events of `group`; nil if they are detected.
  public func missingSection(for group: Event.Group) -> BoardSection? {
    switch group {
    case .vibration: vibration == nil ? .vibration : nil
    case .tap: taps == nil ? .taps : nil
    case .fall: freeFall == nil ? .freeFall : nil
    case .sleep: power == nil ? .power : nil
    case .pose, .sensor, .shake, .rest, .rotation: nil
    }
  }

  /// The groups of events that are not detected, because the board file does not have their section.
  public var undetected: Event.Groups {
    var groups = Event.Groups()
    for index in 0..<Event.Group.allCases.count {
      let group = Event.Group.allCases[index]
      if missingSection(for: group) != nil { groups.insert(group) }
    }
    return groups
  }

  /// The GPIO whose edges a program waits for, to sample or to wake; nil for none.
  public var awaitedLine: UInt32? { power == nil ? sensor.awaitedLine : sensor.dataReady }

  /// The bus in a word: `emulated`, the path, or `iio:` and the name of the kernel's device.
  public var busName: ShortText<64> {
    switch bus {
    case .emulated: "emulated"
    case .linux(let path): path
    case .pico(let pico): pico.name
    case .iio: "iio:\(sensor.device?.name ?? SensorPlace.Device())"
    }
  }

  /// The way to the sensor.
  public enum Bus: Equatable, Sendable {
    /// A bus inside the program, with an emulated sensor on it.
    case emulated
    /// A Linux bus, such as `/dev/i2c-1`.
    case linux(path: ShortText<64>)
    /// A controller of a Pico, whose firmware reads the sensor.
    case pico(PicoBus)
    /// The kernel's industrial I/O: a driver of the kernel runs the sensor, which is its `device`.
    case iio
  }

  /// The errors of the sensor on an emulated bus.
  public struct Emulation: Equatable, Sendable {
    /// The seed of the sensor's noise and errors; nil if the file has none.
    public var seed: UInt64?
    /// The largest error of an axis at 0 g, in g, at most 0.2; the seed determines each axis's error.
    public var offsetError: Q16
    /// The largest relative error of an axis's scale, at most 0.1; the seed determines each axis's error.
    public var scaleError: Q16
    /// The real mounting on the board; nil if it is `sensor.mounting`.
    public var mounting: Mounting?

    /// An emulation; the defaults are those of a board file: a perfect sensor.
    public init(
      seed: UInt64? = nil, offsetError: Q16 = .zero, scaleError: Q16 = .zero, mounting: Mounting? = nil
    ) {
      self.seed = seed
      self.offsetError = offsetError
      self.scaleError = scaleError
      self.mounting = mounting
    }
  }

  /// When the sensor sleeps until moved.
  public struct Power: Equatable, Sendable {
    /// How long it must have been still, 1 s to a day.
    public var still: Microseconds
    /// Whether all lines are off meanwhile.
    public var darkens: Bool

    /// After `still` at rest.
    public init(still: Microseconds, darkens: Bool = false) {
      self.still = still
      self.darkens = darkens
    }
  }

  /// Where plumbd serves a stream of what it observes.
  public struct Share: Equatable, Sendable {
    /// The path of a Unix socket; nil for none.
    public var socket: ShortText<108>?
    /// A TCP port; nil for none.
    public var port: Port?
    /// The file with the token: its first line, which TCP clients must send; nil for none.
    public var tokenFile: ShortText<128>?
    /// Whether clients on the Unix socket may send commands.
    public var allowsCommands: Bool

    /// A TCP port of this computer.
    public struct Port: Equatable, Sendable {
      /// An address of this computer, or localhost.
      public var host: ShortText<48>
      /// The number.
      public var number: UInt16

      /// Port `number` of `host`.
      public init(host: ShortText<48>, number: UInt16) {
        self.host = host
        self.number = number
      }
    }

    /// A stream; the defaults are those of a board file: none.
    public init(
      socket: ShortText<108>? = nil, port: Port? = nil, tokenFile: ShortText<128>? = nil, allowsCommands: Bool = false
    ) {
      self.socket = socket
      self.port = port
      self.tokenFile = tokenFile
      self.allowsCommands = allowsCommands
    }
  }

  /// A vehicle to be levelled.
  public struct Vehicle: Equatable, Sendable {
    /// Whether it has two wheels and a jockey wheel, or four wheels.
    public var kind: Kind
    /// From the axle to the jockey wheel or to the other axle, in mm; nil if unknown.
    public var wheelbase: Int32?
    /// From the left wheel to the right wheel, in mm; nil if unknown.
    public var track: Int32?

    /// A kind of vehicle.
    public enum Kind: UInt8, Equatable, Sendable {
      /// One axle, and a jockey wheel in front.
      case caravan
      /// Two axles.
      case car

      /// The name in a board file.
      public var name: StaticString { self == .car ? "car" : "caravan" }
    }

    /// A vehicle; the defaults are those of a board file.
    public init(kind: Kind = .caravan, wheelbase: Int32? = nil, track: Int32? = nil) {
      (self.kind, self.wheelbase, self.track) = (kind, wheelbase, track)
    }
  }

  /// The output lines.
  public struct Lines: Equatable, Sendable {
    /// The label of the GPIO chip, whose number may change; `raspberry-pi` for the header of any model, `emulated` for
    /// emulated lines, `sense-hat` and `emulated-sense-hat` for the matrix of a Sense HAT.
    public var chip: ShortText<32>
    /// What the lines show.
    public var code: LineCode
    /// The GPIO of each of the code's lines, in the order of `Levels`; 0 beyond `count`.
    public var offsets: InlineArray<7, UInt32>
    /// The levels of the lines after the program has ended. A valid line is off then.
    public var idle: Levels
    /// Whether a line is on when its voltage is low.
    public var isActiveLow: Bool
    /// The brightness of a matrix, 1 to 31.
    public var brightness = usualBrightness

    /// The brightness of a matrix whose file does not give it.
    static var usualBrightness: UInt8 { 10 }

    /// Lines with an LED for each pose; the defaults are those of a board file.
    public init(
      chip: ShortText<32>, offsets: InlineArray<6, UInt32>, idle: Levels = .off, isActiveLow: Bool = false
    ) {
      var all = InlineArray<7, UInt32>(repeating: 0)
      for index in 0..<6 { all[index] = offsets[index] }
      self.init(chip: chip, code: .leds, offsets: all, idle: idle, isActiveLow: isActiveLow)
    }

    /// Lines of any code; the defaults are those of a board file.
    public init(
      chip: ShortText<32>, code: LineCode, offsets: InlineArray<7, UInt32>, idle: Levels = .off,
      isActiveLow: Bool = false
    ) {
      self.chip = chip
      self.code = code
      self.offsets = offsets
      self.idle = idle
      self.isActiveLow = isActiveLow
    }

    /// The number of lines: the first ones of `offsets`.
    public var count: Int { code.lineCount }

    /// The levels to set before the idle levels when the lines are at `levels`, so that the valid line goes off before
    /// the others change; nil if it is off already.
    public func withdrawn(_ levels: Levels) -> Levels? {
      let rest = levels.without(code.valid)
      return rest == levels ? nil : rest
    }

    /// Whether the lines are emulated.
    public var isEmulated: Bool { chip == "emulated" || chip == Self.emulatedMatrix }

    /// Whether the lines are the matrix of a Sense HAT, which has no GPIOs: `offsets` are 0.
    public var isMatrix: Bool { Self.isMatrix(chip) }

    static func isMatrix(_ chip: ShortText<32>) -> Bool { chip == "sense-hat" || chip == emulatedMatrix }

    /// The chip of an emulated matrix.
    public static var emulatedMatrix: StaticString { "emulated-sense-hat" }

    /// How the lines show a state. Nothing blinks on a matrix: it is red for a fault and dark for other unknown poses.
    public var indicator: Indicator.Configuration {
      isMatrix
        ? Indicator.Configuration(slowHalfPeriod: .zero, fastHalfPeriod: .zero, flash: .zero)
        : Indicator.Configuration(code: code)
    }

    /// The key that names line `index`, 0..<`count`.
    public func key(of index: Int) -> BoardKey { BoardKey(line: index, of: code) }

    /// The GPIO of the line of `pose`; nil if poses do not have one line each.
    public func offset(of pose: Pose) -> UInt32? {
      if isMatrix { return nil }
      for index in 0..<count where key(of: index) == BoardKey(pose) { return offsets[index] }
      return nil
    }

    /// Whether all properties are equal.
    public static func == (a: Lines, b: Lines) -> Bool {
      for index in 0..<7 where a.offsets[index] != b.offsets[index] { return false }
      return a.chip == b.chip && a.code == b.code && a.idle == b.idle && a.isActiveLow == b.isActiveLow
        && a.brightness == b.brightness
    }
  }
}
