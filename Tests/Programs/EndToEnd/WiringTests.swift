import Foundation
import TestSupport
import Testing

/// `plumb wiring`, against the board file and the tests' own table of the header.
struct WiringTests {
  /// The GPIOs in the order of pins 1 to 40; -1 for 3.3 V, -2 for 5 V, -3 for ground.
  static let header = [
    -1, -2, 2, -2, 3, -3, 4, 14, -3, 15, 17, 18, 27, -3, 22, 23, -1, 24, 10, -3, 9, 25, 11, 8, -3, 7, 0, 1, 5, -3, 6,
    12,
    13, -3, 19, 16, 26, 20, -3, 21,
  ]
  static let poses = ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"]

  static func boardText(model: String, address: String, gpios: [Int], activeLow: Bool = false) -> String {
    """
    [i2c]
    bus = /dev/i2c-1
    [sensor]
    model = \(model)
    address = \(address)
    [lines]
    chip = raspberry-pi
    active-low = \(activeLow ? "yes" : "no")

    """ + zip(poses, gpios).map { "\($0) = \($1)\n" }.joined()
  }

  /// Boards with all kinds of GPIOs: every allowed one is used by every pose at least once.
  static var boards: [(model: WiredModel, address: String, gpios: [Int], activeLow: Bool)] {
    let models = WiredModel.all.flatMap { model in model.addresses.map { (model, $0) } }
    return (0..<max(24, models.count)).map { turn in
      let gpios = (0..<6).map { 4 + (turn + $0 * [1, 5, 7, 11][turn % 4]) % 24 }
      return (models[turn % models.count].0, models[turn % models.count].1, gpios, turn / 4 % 2 == 1)
    }
  }

  static func wiring(_ text: String, _ arguments: String...) throws -> Tool {
    try withFile(named: "board.ini", content: Data(text.utf8)) {
      try Tool.run(arguments: ["wiring", "--board", $0] + arguments)
    }
  }

  @Test(arguments: WiredModel.all.map(\.name))
  static func `text, objects and picture say to follow the labels, and what shorts the supply`(model: String) throws {
    for format in ["text", "json", "svg"] {
      let text = try Tool.run("wiring", "--board", "raspberry-pi-\(model)", "--format", format).output
      // The picture has each line in a separate element.
      let words = text.replacing(/<[^>]*>/, with: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
      expect(words, contains: "The order of the pins differs between modules: follow the labels.")
      expect(words.contains("a wire from SDO to 3.3 V shorts the supply"), equals: model == "adxl345")
    }
  }

  @Test
  static func `every LED is at the pin of its GPIO, sensor pins are at their levels, and LEDs share a ground`()
    throws
  {
    for board in Self.boards {
      let text = Self.boardText(
        model: board.model.name, address: board.address, gpios: board.gpios, activeLow: board.activeLow)
      let result = try Self.wiring(text, "--format", "json")
      expect(result.exitCode, equals: 0, "\(result.errors)")
      let connections = try result.events("connection")
      for (pose, gpio) in zip(Self.poses, board.gpios) {
        let led = try unwrapped(connections.first { $0["pin"] as? String == pose })
        expect(led["gpio"] as? Int, equals: gpio)
        expect(Self.header[try unwrapped(led["header_pin"] as? Int) - 1], equals: gpio)
      }
      func level(_ name: String) throws -> Int? {
        let pin = try unwrapped(connections.first { $0["pin"] as? String == name })
        return (pin["header_pin"] as? Int).map { Self.header[$0 - 1] }
      }
      let pins = board.model.pins
      try expect(level(pins.supply), equals: -1)
      try expect(level("GND"), equals: -3)
      try expect(level("SDA"), equals: 2)
      try expect(level("SCL"), equals: 3)
      try expect(level("common"), equals: board.activeLow ? -1 : -3)
      for pin in pins.high { try expect(level(pin), equals: -1) }
      try expect(level(pins.select.pin), equals: board.address == pins.select.grounded ? -3 : -1)
      for pin in pins.open {
        expect(that: connections.contains { $0["pin"] as? String == pin })
        try expect(level(pin), equals: nil)
      }
      try checkSharing(connections)
    }
  }

  /// Only supply pins may have two wires, of which the header has two.
  private static func checkSharing(_ connections: [[String: Any]]) throws {
    var users: [Int: Int] = [:]
    for case let pin? in connections.map({ $0["header_pin"] as? Int }) { users[pin, default: 0] += 1 }
    for (pin, count) in users where count > 1 { expect(Self.header[pin - 1], equals: -1, "pin \(pin)") }
  }

  @Test
  static func `every line of text fits in 80 characters, and is ASCII without colour by default`()
    throws
  {
    for name in WiredModel.all.map({ "raspberry-pi-\($0.name)" }) + ["emulated"] {
      for locale in ["C", "C.UTF-8"] {
        let result = try Tool.run(
          arguments: ["wiring", "--board", Tool.board(name)], environment: ["LC_ALL": locale, "TERM": "xterm"])
        expect(result.exitCode, equals: 0, "\(result.errors)")
        expect(all: result.output.split(separator: "\n")) { $0.count <= 80 }
        expect(result.output, lacks: "\u{1B}")
        expect(result.output.utf8.allSatisfy { $0 < 0x80 }, equals: locale == "C")
      }
    }
  }

  @Test
  static func `on a terminal there is colour, unless NO_COLOR is set or the terminal is dumb`() throws {
    for (environment, hasColour) in [
      (["TERM": "xterm", "NO_COLOR": ""], true), (["TERM": "xterm", "NO_COLOR": "1"], false),
      (["TERM": "dumb", "NO_COLOR": ""], false),
    ] {
      let result = try Tool.run(
        arguments: [], launcher: ["/bin/sh", "-c", "script -qefc \"$0 wiring\" /dev/null"], environment: environment)
      expect(result.output.contains("\u{1B}["), equals: hasColour)
      expect(result.output, contains: "sensor VCC")
    }
  }

  @Test(arguments: WiredModel.all.map(\.name))
  static func `the tables in a shipped board file are those of its wiring`(model: String) throws {
    let file = Tool.board("raspberry-pi-\(model)")
    let comments = Set(
      try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
        $0.drop { $0 == "#" || $0 == " " }
      })
    let lines = try Tool.run("wiring", "--board", file).output.split(separator: "\n")
    let tables = lines.filter { $0.contains("   ") && !$0.contains("--") && !$0.hasPrefix(" ") }
    expect(tables.count, equals: 1 + (model == "lsm6ds" ? 9 : 8) + 1 + 6 + 1)
    for line in tables { expect(comments, contains: line, "not in the board file: \(line)") }
  }

  @Test
  static func `a picture or table goes to a file whole, or is rejected with code 73`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let path = folder.appendingPathComponent("wiring.svg").path
    for more in [[], ["--force"]] {
      let result = try Tool.run(arguments: ["wiring", "-o", path] + more)
      expect(result.exitCode, equals: 0)
      expect(result.output, equals: "")
      expect(result.errors, equals: "")
    }
    let written = try String(contentsOfFile: path, encoding: .utf8)
    try expect(written, equals: Tool.run("wiring", "--format", "svg").output)
    try expect(FileManager.default.contentsOfDirectory(atPath: folder.path), equals: ["wiring.svg"])
    for bad in [folder.path, folder.path + "/none/wiring.svg", "/dev/full"] {
      let result = try Tool.run("wiring", "--format", "svg", "-o", bad)
      expect(result.exitCode, equals: 73)
      expect(that: result.errors.contains(bad))
    }
  }

  @Test
  static func `the ending of a name selects the format, and existing files need --force`()
    throws
  {
    let folder = try scratchFolder()
    defer { remove(folder) }
    for (name, format) in [("a.svg", "svg"), ("a.json", "json"), ("a.txt", "text")] {
      let path = folder.appendingPathComponent(name).path
      try expect(Tool.run("wiring", "-o", path).exitCode, equals: 0)
      let written = try String(contentsOfFile: path, encoding: .utf8)
      let plain = try Tool.run(arguments: ["wiring", "--format", format], environment: ["LC_ALL": "C"])
      expect(written, equals: plain.output)
      expect(that: !written.isEmpty)
      let again = try Tool.run("wiring", "-o", path, "--board", Tool.board("raspberry-pi-mpu6050"))
      expect(again.exitCode, equals: 73, "\(again.errors)")
      expect(again.errors, contains: "--force", "\(again.errors)")
      try expect(String(contentsOfFile: path, encoding: .utf8), equals: written)
    }
    for name in ["a.png", "a", "svg"] {
      let path = folder.appendingPathComponent(name).path
      let refused = try Tool.run("wiring", "-o", path)
      expect(refused.exitCode, equals: 64, "\(refused.errors)")
      expect(refused.errors, contains: ".svg, .json or .txt", "\(refused.errors)")
      expect(that: !FileManager.default.fileExists(atPath: path))
      // With an explicit format the file can have any name.
      try expect(Tool.run("wiring", "--format", "svg", "-o", path).exitCode, equals: 0)
    }
    try expect(Tool.run("wiring", "-o", "-").output, equals: Tool.run("wiring").output)
  }
}

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The picture of `plumb wiring` matches the documentation, and can be followed.
struct WiringPictureTests {
  @Test(arguments: WiredModel.all.map(\.name))
  static func `the picture in the documentation is the tool's`(model: String) throws {
    let made = try Tool.run("wiring", "--board", Tool.board("raspberry-pi-\(model)"), "--format", "svg").output
    let name = "../../../../docs/wiring/raspberry-pi-\(model).svg"
    let path = URL(filePath: #filePath).appending(path: name).standardized
    // To make it again: plumb wiring --force --board boards/raspberry-pi-….ini -o docs/wiring/raspberry-pi-….svg
    try expect(String(contentsOf: path, encoding: .utf8), equals: made, "\(path.path) is not what the tool makes")
  }

  @Test
  static func `it is small, self-contained XML with names, pins and a dark variant`() throws {
    for board in WiringTests.boards {
      let picture = try picture(board)
      let parser = XMLParser(data: Data(picture.utf8))
      expect(that: parser.parse(), "\(String(describing: parser.parserError))")
      expect(picture.utf8.count, isBelow: 40_000)
      expect(picture.replacing("http://www.w3.org/2000/svg", with: ""), lacks: "http")
      expect(that: !picture.contains("href"))
      expect(that: !picture.contains("<script"))
      expect(that: !picture.contains("@import"))
      expect(picture, contains: "prefers-color-scheme:dark")
      let pins = board.model.pins
      let names = [pins.supply, "GND", "SDA", "SCL", pins.select.pin] + pins.high + pins.open
      let poses = ["portrait", "upside down", "left down", "right down", "face up", "face down"]
      for name in names + poses { expect(picture, contains: ">\(name)</text>", "\(name)") }
      for number in 1...40 { expect(picture, contains: ">\(number)</text>") }
    }
  }

  @Test
  static func `no two LED wires meet, each has its own height, and sensor wires cross seldom`()
    throws
  {
    for board in WiringTests.boards {
      let wires = try wires(in: picture(board))
      let right = wires.filter { $0.points.contains { $0.x > 405 } }
      expect(right.count { $0.length > 0 }, isAtLeast: 7)
      for (index, wire) in right.enumerated() {
        for other in right[(index + 1)...] where other.kind != wire.kind {
          // All end at the rail, and only there.
          let meets = wire.crossings(with: other).filter { $0.x < 480 }
          expect(empty: meets, "\(board): \(wire.kind) meets \(other.kind) at \(meets)")
        }
      }
      let left = wires.filter { $0.points.allSatisfy { $0.x < 200 } && $0.points.count > 2 }
      var count = 0
      for (index, wire) in left.enumerated() {
        for other in left[(index + 1)...] { count += wire.crossings(with: other).count }
      }
      // The pins of some modules are in another order than those of the header.
      expect(left.count, equals: 5 + board.model.pins.high.count)
      let most = ["adxl345", "mpu6050"].contains(board.model.name) ? 2 : 5
      expect(count, isAtMost: most, "\(board): \(count) crossings")
    }
  }

  private static func picture(_ board: (model: WiredModel, address: String, gpios: [Int], activeLow: Bool)) throws
    -> String
  {
    let text = WiringTests.boardText(
      model: board.model.name, address: board.address, gpios: board.gpios, activeLow: board.activeLow)
    let result = try WiringTests.wiring(text, "--format", "svg")
    expect(result.exitCode, equals: 0, "\(result.errors)")
    return result.output
  }

  private struct Point: Equatable {
    var x: Int
    var y: Int
  }

  /// A wire in the picture, with its rounded corners made square.
  private struct Wire {
    var kind: String
    var points: [Point]

    var length: Int { zip(points, points.dropFirst()).map { abs($0.x - $1.x) + abs($0.y - $1.y) }.reduce(0, +) }

    /// Where horizontal segments of one meet vertical segments of the other.
    func crossings(with other: Wire) -> [Point] {
      func meet(_ a: Wire, _ b: Wire) -> [Point] {
        zip(a.points, a.points.dropFirst()).filter { $0.y == $1.y }.flatMap { start, end in
          zip(b.points, b.points.dropFirst()).filter { $0.x == $1.x }.compactMap { top, bottom in
            let isThere =
              (min(start.x, end.x)...max(start.x, end.x)).contains(top.x)
              && (min(top.y, bottom.y)...max(top.y, bottom.y)).contains(start.y)
            return isThere ? Point(x: top.x, y: start.y) : nil
          }
        }
      }
      return meet(self, other) + meet(other, self)
    }
  }

  private static func wires(in picture: String) throws -> [Wire] {
    try picture.split(separator: "\n").filter { $0.contains("class=\"wire ") }.map { line in
      let match = try unwrapped(line.firstMatch(of: /class="wire (\w+)" d="([^"]*)"/))
      // The corner of a curve is its first point, and its two ends are on the segments.
      let commands = match.2.matches(of: /([MLQHh])([0-9 -]*)/)
      var points: [Point] = []
      for command in commands {
        let numbers = command.2.split(separator: " ").compactMap { Int($0) }
        guard numbers.count >= 2 else { continue }
        points.append(Point(x: numbers[0], y: numbers[1]))
      }
      return Wire(kind: String(match.1), points: points)
    }
  }
}

/// The data-ready wire of a board file in `plumb wiring` and `plumb boards`.
struct DataReadyWiringTests {
  /// Calls `body` with the Raspberry Pi's board file of `model`, its data-ready pin on `gpio`.
  private static func withBoard<Result>(_ model: String, _ gpio: Int, _ body: (String) throws -> Result) throws
    -> Result
  {
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-\(model)"), encoding: .utf8)
    let changed = text.replacing("# data-ready = 26", with: "data-ready = \(gpio)")
    expect(changed, isNot: text)
    return try withFile(named: "board.ini", content: Data(changed.utf8), body)
  }

  // GPIO and header pin, in both rows, with and without a neighbouring LED wire.
  @Test(arguments: [
    ("adxl345", "INT1", 26, 37), ("adxl345", "INT1", 18, 12), ("adxl345", "INT1", 16, 36), ("mpu6050", "INT", 4, 7),
    ("mpu6050", "INT", 20, 38),
  ])
  static func `the sensor's pin is shown with its GPIO, as text, picture and objects`(
    model: String, name: String, gpio: Int, pin: Int
  ) throws {
    try withBoard(model, gpio) { board in
      let text = try Tool.run("wiring", "--board", board).output
      #expect(text.contains("\(pin)  GPIO\(gpio)") || text.contains("\(pin)   GPIO\(gpio)"))
      expect(that: text.contains("sensor \(name)"))
      expect(that: text.contains("data ready: high when a sample is ready"))
      let json = try Tool.run("wiring", "--board", board, "--format", "json")
      let wire = try unwrapped(try json.events("connection").first { $0["pin"] as? String == name })
      expect(wire["gpio"] as? Int, equals: gpio)
      expect(wire["header_pin"] as? Int, equals: pin)
      let svg = try Tool.run("wiring", "--board", board, "--format", "svg").output
      expect(that: svg.contains("class=\"wire ready\""))
      expect(that: svg.contains("pin \(pin), GPIO\(gpio)"))
      expect(that: svg.contains("not connected: "))
      expect(that: !svg.contains("not connected: \(name),"))
      let summary = try Tool.run("boards", board)
      expect(summary.output, contains: "data-ready           GPIO\(gpio)")
      expect(summary.output, contains: "header pin \(pin)")
      try expect(Tool.run("boards", board, "--format", "json").objects.first?["data_ready"] as? Int, equals: gpio)
    }
  }

  @Test static func `a board without the wire shows none`() throws {
    let board = Tool.board("raspberry-pi-adxl345")
    try expect(Tool.run("wiring", "--board", board, "--format", "svg").output, lacks: "ready")
    try expect(Tool.run("boards", board).output, lacks: "data-ready")
    try expect(that: Tool.run("boards", board, "--format", "json").objects.first?["data_ready"] is NSNull)
  }
}
