internal import Sensors

/// A board: where its sensor is and how it is set up, and what its lines say. What a board file says, checked.
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
}
