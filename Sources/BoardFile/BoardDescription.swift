internal import Accelerometers
public import HAL
public import Orientation

/// A board: where its sensor is and how it is set up, and which line each pose has. What a board file says, checked.
///
/// Make one with `read(path:)` or `parse(_:)`; `emulated` is the one without hardware.
public struct BoardDescription: Equatable, Sendable {
  /// The I2C bus of the sensor.
  public var bus: Bus
  /// The sensor.
  public var sensor: Sensor
  /// The output lines.
  public var lines: Lines
  /// What an emulated bus has on it; as good as nothing where the bus is a real one.
  public var emulation: Emulation

  /// A description from its parts.
  public init(bus: Bus, sensor: Sensor, lines: Lines, emulation: Emulation = Emulation()) {
    self.bus = bus
    self.sensor = sensor
    self.lines = lines
    self.emulation = emulation
  }

  /// The board that needs no hardware: `boards/emulated.ini`.
  public static var emulated: BoardDescription {
    BoardDescription(
      bus: .emulated, sensor: Sensor(address: ADXL345.address, configuration: .adxl345(ADXL345.Configuration())),
      lines: Lines(chip: ShortText("emulated"), offsets: [17, 27, 22, 23, 24, 25]))
  }

  /// An I2C bus.
  public enum Bus: Equatable, Sendable {
    /// A bus inside the program, with an emulated sensor on it.
    case emulated
    /// A bus of Linux, such as `/dev/i2c-1`.
    case linux(path: ShortText<64>)
  }

  /// The output lines, one a pose.
  public struct Lines: Equatable, Sendable {
    /// The label of the GPIO chip, which tells it whatever its number; `emulated` for lines inside the program.
    public var chip: ShortText<32>
    /// The GPIO of each pose; the raw value of the pose is the index.
    public var offsets: InlineArray<6, UInt32>
    /// What the lines are set to when the program ends.
    public var idle: Levels
    /// Whether a line is on when its voltage is low.
    public var isActiveLow: Bool

    /// Lines; what is left out is as in a board file that leaves it out.
    public init(
      chip: ShortText<32>, offsets: InlineArray<6, UInt32>, idle: Levels = .off, isActiveLow: Bool = false
    ) {
      self.chip = chip
      self.offsets = offsets
      self.idle = idle
      self.isActiveLow = isActiveLow
    }

    /// Whether the lines are inside the program.
    public var isEmulated: Bool { chip == "emulated" }

    /// The GPIO of `pose`.
    public func offset(of pose: Pose) -> UInt32 { offsets[Int(truncatingIfNeeded: pose.rawValue)] }

    /// Whether both are the same in all.
    public static func == (a: Lines, b: Lines) -> Bool {
      for index in 0..<Pose.count where a.offsets[index] != b.offsets[index] { return false }
      return a.chip == b.chip && a.idle == b.idle && a.isActiveLow == b.isActiveLow
    }
  }
}
