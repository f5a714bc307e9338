import Foundation

/// A test's own board file, in its own folder.
struct BoardCopy {
  let folder: URL
  var path: String { folder.appendingPathComponent("board.ini").path }

  init(_ text: String) throws {
    folder = try scratchFolder()
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  /// The present contents of the file.
  var bytes: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: path)) } }
  var text: String { get throws { String(decoding: try bytes, as: UTF8.self) } }

  /// The present value of `key`, which only one section has.
  func value(of key: String) throws -> String? {
    let values = try text.split(whereSeparator: \.isNewline).compactMap { line -> String? in
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == key else { return nil }
      return parts[1].trimmingCharacters(in: .whitespaces)
    }
    return values.count == 1 ? values[0] : nil
  }

  /// The names of all files in the folder, including hidden ones.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() } }

  /// An emulated board: `sensor` and `emulation` are lines of those sections.
  static func emulated(_ model: String, sensor: String = "", emulation: String = "") -> String {
    """
    [i2c]
    bus = emulated
    [sensor]
    model = \(model)
    address = \(model == "adxl345" ? "0x53" : "0x68")
    \(sensor)
    [emulation]
    \(emulation)
    [lines]
    chip = emulated
    portrait = 17
    portraitUpsideDown = 27
    landscapeLeft = 22
    landscapeRight = 23
    faceUp = 24
    faceDown = 25

    """
  }

  /// A board on a bus of Linux.
  static func real(_ model: String) -> String {
    emulated(model).replacing("bus = emulated", with: "bus = /dev/i2c-1").replacing("[emulation]\n", with: "")
  }

  /// A sensor with the errors that the data sheets allow, and more.
  static func uncalibrated(_ model: String, seed: Int = 1, mounting: String? = nil) -> String {
    emulated(
      model, sensor: mounting.map { "mounting = \($0)" } ?? "",
      emulation: "seed = \(seed)\noffset-error = 80\nscale-error = 3")
  }

  /// Runs `plumb COMMAND --board FILE --speed fast` with more arguments.
  func run(_ command: String, _ more: String..., launcher: [String] = []) throws -> Tool {
    try Tool.run(arguments: [command, "--board", path, "--speed", "fast"] + more, launcher: launcher)
  }

  /// What `plumb run` reads of a board held in one pose.
  struct Face {
    var pose: String
    /// The error of the mean of 2 s, in degrees.
    var tilt: Double
    /// Whether every sample was in this pose.
    var isTold: Bool
  }

  /// The six poses, in the order of the motion `six-faces`, which holds each for 3 s and then turns for 0.8 s, 22 s
  /// in all. Of each hold, the 2 s from 0.5 s on count.
  var faces: [Face] {
    get throws {
      let ups: [(pose: String, up: [Double])] = [
        ("portrait", [0, 1, 0]), ("landscapeLeft", [1, 0, 0]), ("portraitUpsideDown", [0, -1, 0]),
        ("landscapeRight", [-1, 0, 0]), ("faceUp", [0, 0, 1]), ("faceDown", [0, 0, -1]),
      ]
      let result = try run("run", "--motion", "six-faces", "--samples", "--format", "json")
      guard result.exitCode == 0 else { throw Missing() }
      var samples: [[Substring]] = ups.map { _ in [] }
      for line in result.lines where line.end(of: #""event":"sample""#) != nil {
        let time = try unwrapped(line.number("t"))
        let isHeld = (0.5..<2.5).contains(time.truncatingRemainder(dividingBy: 3.8))
        if isHeld && time < 22 { samples[Int(time / 3.8)].append(line) }
      }
      return try zip(ups, samples).map { try Self.face($0.pose, up: $0.up, $1) }
    }
  }

  private static func face(_ pose: String, up: [Double], _ samples: [Substring]) throws -> Face {
    guard samples.count > 150 else { throw Missing() }
    let sum = try ["x", "y", "z"].map { axis in
      try samples.reduce(0) { try $0 + unwrapped($1.number(axis)) } / Double(samples.count)
    }
    let along = zip(sum, up).reduce(0) { $0 + $1.0 * $1.1 }
    let length = sum.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return Face(
      pose: pose, tilt: acos(max(-1, min(1, along / length))) * 180 / .pi,
      isTold: samples.allSatisfy { $0.end(of: "\"pose\":\"\(pose)\"") != nil })
  }
}
