import ArgumentParser
import BoardFile
import Emulation
import FixedPoint
import JSON
import Orientation
import PlumbStream
import PlumbViews
import Sensors
import StreamCodec
import ToolInputs
import ToolOutput

/// `plumb calibrate`: finds a sensor's offsets and scales, and writes them into the board file.
struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Measures the errors of a board's sensor, and writes the correction to its board file.",
    usage: """
      plumb calibrate --board <file> [<options>]
      plumb calibrate --from <address> [--write] [<options>]
      """,
    discussion: """
      Hold the board still on each of its six faces for two seconds, in any order; plumb recognises each face. When \
      all six are done, plumb sets offset and scale in [sensor]; every other byte of the file stays as it is. A \
      calibration already in the file is ignored and replaced. Hold the faces straight: a tilt of 2° makes angles read \
      up to 0.03° wrong, and more than 5° is rejected.

      If the board uses the gyroscope of an MPU-6050, plumb also sets gyroscope-bias: what it reads while the faces \
      are held. With --turns, after the six faces, turn the board once round about each axis of the sensor, from a \
      straight edge back to it; plumb also sets gyroscope-scale. A turn that is 1° off makes an error of 0.3 %.

      With --from, the samples are those of an owner, such as plumbd on a Raspberry Pi that cannot run plumb. Then \
      plumb prints the lines for its board file, and what to do with them. With --write and unix:, it writes to \
      --board, and makes an owner that accepts commands read it again. With serial:, --board FILE is the board file of \
      which the firmware was made: plumb writes to it, and says how to build the firmware again.

      An emulated board turns on its own (--motion six-faces, with --turns full-turns).

      EXAMPLES:
        plumb calibrate --board my-board.ini
        plumb calibrate --board my-board.ini --turns
        plumb calibrate --from ssh:pi
        plumb calibrate --from serial:auto --board my-pico.ini

      EXIT CODES: 0 done, or stopped with Ctrl-C and nothing written; 64 wrong usage; 65 not all faces were held; 69 \
      bus or sensor not available; 73 board file cannot be written; 77 no permission; 78 bad board file
      """)

  @OptionGroup var options: HandsOnOptions

  @Flag(help: "After the six faces, also measure the gyroscope's scale by full turns about each axis.")
  var turns = false

  func validate() throws { try options.requireBoard(for: "calibration") }

  func run() throws {
    if let address = options.owner.from {
      return try reportingError { () throws(ToolError) in try calibrate(from: address) }
    }
    let editor = try options.editor(for: Self.self)
    let sensor = editor.board.sensor
    if turns && !sensor.configuration.usesGyroscope {
      UsageError.end(
        "--turns needs a board that uses a gyroscope: an MPU-6050 with [filter] gravity = fusion.", in: Self.self)
    }
    try reportingError { () throws(ToolError) in
      try options.run(editor, motion: turns ? .fullTurns : .sixFaces, trial: CalibrateWalk.change(to: .none, nil)) {
        CalibrateWalk(mounting: sensor.mounting, narrator: $0, gyroscopeRange: sensor.gyroscopeRange, turns: turns)
      }
    }
  }

  /// The same with an owner's samples.
  private func calibrate(from address: StreamAddress) throws(ToolError) {
    var session = try HandsOnStream(options, address)
    let (sensor, mounting) = (session.stream.description.sensor, session.stream.board.mounting)
    if turns && !sensor.configuration.usesGyroscope {
      throw ToolError(
        .usage,
        "--turns needs a sensor whose gyroscope is used: that of the owner, \(sensor.model.properName), is not")
    }
    try options.run(&session, trial: CalibrateWalk.change(to: .none, nil)) {
      CalibrateWalk(mounting: mounting, narrator: $0, gyroscopeRange: sensor.gyroscopeRange, turns: turns)
    }
  }
}

extension BoardDescription.Sensor {
  /// The end of the range of a gyroscope that is used, in °/s.
  fileprivate var gyroscopeRange: Int32? { configuration.rangeInDegreesPerSecond }
}

extension CalibrateWalk {
  var change: BoardEditor.Change? { result.map { Self.change(to: $0.calibration, gyroscope) } }

  /// The change that writes `calibration` and the results for the gyroscope into a board file.
  static func change(to calibration: Calibration, _ gyroscope: GyroscopeTurns?) -> BoardEditor.Change {
    var entries = [
      BoardText.Entry(key: "offset", value: calibration.offsetText.joined(separator: " ")),
      BoardText.Entry(key: "scale", value: calibration.scaleText.joined(separator: " ")),
    ]
    if let bias = gyroscope?.biasText {
      entries.append(BoardText.Entry(key: "gyroscope-bias", value: bias.joined(separator: " ")))
    }
    if let scale = gyroscope?.scaleText {
      entries.append(BoardText.Entry(key: "gyroscope-scale", value: scale.joined(separator: " ")))
    }
    return BoardEditor.Change(
      section: .sensor, entries: entries,
      comment: "Written by plumb calibrate for this sensor. After you replace the sensor, calibrate again."
    ) { expected, changed in
      let read = changed.sensor.calibration
      // Six decimals represent an offset exactly, and a scale to half a millionth: 537 of 2^30.
      guard read.offset == calibration.offset, read.scale.isNear(calibration.scale, within: 600) else { return }
      expected.sensor.calibration = read
      if gyroscope?.bias != nil { expected.sensor.rotationCalibration = changed.sensor.rotationCalibration }
    }
  }
}

extension GyroscopeTurns {
  /// The bias in °/s, as in a board file; nil if unknown.
  var biasText: [String]? { bias.map { bias in (0..<3).map { Self.text(bias[$0]) } } }

  /// The scales, as in a board file; nil until all axes have been turned.
  var scaleText: [String]? {
    let known = scales.compactMap(\.self)
    return known.count == 3 ? known.map(Self.text) : nil
  }

  private static func text(_ value: Double) -> String {
    decimalText(Int64((value * 1e6).rounded()), over: 1_000_000, places: 6)
  }

  /// Writes bias and scales.
  func write(to writer: inout JSONWriter) {
    let known = scales.compactMap(\.self)
    writer.field("gyroscope_bias_dps", bias.map { bias in (0..<3).map { bias[$0] } }, places: 6)
    writer.field("gyroscope_scale", known.count == 3 ? known : nil, places: 6)
  }
}

extension Calibration {
  /// The offsets in g, as in a board file.
  var offsetText: [String] { [offset.x, offset.y, offset.z].map { $0.text(places: 6) } }

  /// The scales, as in a board file.
  var scaleText: [String] {
    [scale.x, scale.y, scale.z].map { decimalText(Int64($0), over: 1 << 30, places: 6) }
  }

  /// Writes offsets and scales.
  func write(to writer: inout JSONWriter) {
    writer.field("offset_g", offset)
    writer.field("scale", scale)
  }
}
