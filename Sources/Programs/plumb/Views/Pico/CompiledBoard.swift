package import BoardFile
internal import FixedPoint
internal import Gestures
internal import HAL
internal import Indication
internal import Orientation
internal import Sensors

/// The board of a Pico as the Swift source that `make pico` compiles into its firmware: a function of its description,
/// so that a board file means the same on a Pico as on Linux.
package struct CompiledBoard {
  private let board: BoardDescription
  private let bus: PicoBus
  private let name: String

  /// The board that `name`, a file, describes; nil if it is not that of a Pico.
  package init?(_ board: BoardDescription, name: String) {
    guard let bus = board.picoBus else { return nil }
    (self.board, self.bus, self.name) = (board, bus, name)
  }

  /// The source.
  package var text: String {
    """
    // Made by plumb pico. Do not edit.
    \(["BoardFile", "FixedPoint", "FixedText", "Gestures", "HAL", "Indication", "Orientation", "Sensors"]
      .map { "internal import \($0)" }.joined(separator: "\n"))

    enum CompiledBoard {
      typealias Driver = \(driver)
      static var bus: PicoBus { PicoBus(\(bus.number), sda: \(bus.sda), scl: \(bus.scl)) }
      static var name: ShortText<128> { \(quoted(name)) }
      static var model: StaticString { "\(board.sensor.model.name)" }

      static var description: BoardDescription {
        var board = BoardDescription(
          bus: .pico(bus), sensor: sensor, lines: lines, gravity: \(gravity), tare: tare, power: \(power), poses: poses)
        board.setTaps(taps)
        board.setFreeFall(freeFall)
        return board
      }

      static var sensor: BoardDescription.Sensor {
        var configuration = SensorConfiguration(.\(board.sensor.model.name))
        configuration.millihertz = \(configuration.millihertz)
        configuration.acceptsUnverifiedParts = \(configuration.acceptsUnverifiedParts)
        _ = configuration.setRange(\(configuration.rangeInG))
        _ = configuration.setGyroscope(\(configuration.rangeInDegreesPerSecond.map { "\($0)" } ?? "nil"))
        var sensor = BoardDescription.Sensor(
          address: I2CAddress(fromDatasheet: \(board.sensor.address.rawValue)), configuration: configuration, mounting: mounting,
          calibration: calibration(\(arguments(board.sensor.calibration))),
          rotationCalibration: calibration(\(arguments(board.sensor.rotationCalibration))))
        sensor.setDataReady(\(board.sensor.dataReady.map { "\($0)" } ?? "nil"))
        return sensor
      }

      static var lines: BoardDescription.Lines {
        BoardDescription.Lines(
          chip: "\(BoardDescription.picoChip)", code: .\(code), offsets: [\(offsets)], isActiveLow: \(board.lines.isActiveLow))
      }

      static var tare: Tare { \(tare) }

      private static var mounting: Mounting {
        do throws(MountingError) {
          return try Mounting(x: .\(board.sensor.mounting.x), y: .\(board.sensor.mounting.y), z: .\(board.sensor.mounting.z))
        } catch {
          return .aligned
        }
      }

      private static func calibration(_ offset: (Int32, Int32, Int32), _ scale: (Int32, Int32, Int32)) -> Calibration {
        do throws(CalibrationError) {
          return try Calibration(
            offset: Vector3(x: Q16(raw: offset.0), y: Q16(raw: offset.1), z: Q16(raw: offset.2)),
            scale: Calibration.Scale(x: scale.0, y: scale.1, z: scale.2))
        } catch {
          return .none
        }
      }

      private static var poses: PoseTracker.Configuration? {
    \(poses)
      }

      private static var taps: TapDetector.Configuration? {
    \(taps)
      }

      private static var freeFall: FallDetector.Configuration? {
    \(freeFall)
      }
    }

    """
  }

  private var configuration: SensorConfiguration { board.sensor.configuration }

  /// The namespace of the driver, which is called as the model in board files, in capitals.
  private var driver: String { "\(board.sensor.model.name)".uppercased() }

  private var code: String {
    switch board.lines.code {
    case .leds: "leds"
    case .oneHot: "oneHot"
    case .binary: "binary"
    }
  }

  private var offsets: String { (0..<7).map { "\(board.lines.offsets[$0])" }.joined(separator: ", ") }

  /// Text as a literal of Swift, without control characters.
  private func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.map { scalar in
      (scalar == "\"" || scalar == "\\" ? "\\" : "") + String(scalar)
    }
    return "\"" + scalars.joined() + "\""
  }

  private func arguments(_ calibration: Calibration) -> String {
    let (offset, scale) = (calibration.offset, calibration.scale)
    return "(\(offset.x.raw), \(offset.y.raw), \(offset.z.raw)), (\(scale.x), \(scale.y), \(scale.z))"
  }

  private var gravity: String {
    switch board.gravity {
    case .lowPass(let filter): ".lowPass(\(source(filter)))"
    case .adaptive(let filter): ".adaptive(AdaptiveFilterConfiguration(\(source(filter.filter))))"
    case .fusion(let fusion):
      ".fusion(Fusion.Configuration(rateRange: Q16(raw: \(fusion.rateRange.raw)), forceRange: Q16(raw: \(fusion.forceRange.raw))))"
    }
  }

  private func source(_ filter: LowPass.Configuration) -> String {
    "LowPass.Configuration(timeConstant: Microseconds(\(filter.timeConstant.count)), longestGap: Microseconds(\(filter.longestGap.count)))"
  }

  private var tare: String {
    guard let up = board.tare.up else { return ".none" }
    // From 2^30 to millionths, as board files have them.
    let parts = [up.x, up.y, up.z].map { (part) -> Int64 in (Int64(part) * 1_000_000 + 1 << 29) >> 30 }
    return "Tare(millionths: \(parts[0]), \(parts[1]), \(parts[2])) ?? .none"
  }

  private var power: String {
    board.power.map { "BoardDescription.Power(still: Microseconds(\($0.still.count)), darkens: \($0.darkens))" }
      ?? "nil"
  }

  private var poses: String {
    guard let poses = board.poses else { return "    nil" }
    return checked(
      """
      PoseTracker.Configuration(
            leaveAngle: BinaryAngle(raw: \(poses.leaveAngle.raw)), faceEnterAngle: BinaryAngle(raw: \(poses.faceEnterAngle.raw)),
            faceLeaveAngle: BinaryAngle(raw: \(poses.faceLeaveAngle.raw)), dwell: Microseconds(\(poses.dwell.count)),
            evidence: Q16(raw: \(poses.evidence.raw)))
      """, "TrackerConfigurationError")
  }

  private var taps: String {
    guard let taps = board.taps else { return "    nil" }
    return checked(
      """
      TapDetector.Configuration(
            threshold: Q16(raw: \(taps.threshold.raw)), duration: Microseconds(\(taps.duration.count)),
            latency: Microseconds(\(taps.latency.count)), window: Microseconds(\(taps.window.count)),
            axes: Tap.Axes(bits: \(taps.axes.bits)), findsDoubleTaps: \(taps.findsDoubleTaps))
      """, "TapConfigurationError")
  }

  private var freeFall: String {
    guard let fall = board.freeFall else { return "    nil" }
    return checked(
      "FallDetector.Configuration(threshold: Q16(raw: \(fall.threshold.raw)), time: Microseconds(\(fall.time.count)))",
      "FallConfigurationError")
  }

  /// The expression, whose values have been checked by the reader of the file.
  private func checked(_ expression: String, _ error: String) -> String {
    "    do throws(\(error)) { return try \(expression) } catch { return nil }"
  }
}
