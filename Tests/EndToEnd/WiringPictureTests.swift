import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The picture of `plumb wiring`: that it is what the documentation shows, and that it can be followed.
@Suite struct WiringPictureTests {
  @Test(arguments: ["adxl345", "mpu6050"])
  func `the picture in the documentation is the one that the tool makes`(model: String) throws {
    let made = try Tool.run("wiring", "--board", Tool.board("raspberry-pi-\(model)"), "--format", "svg").output
    let path = URL(filePath: #filePath).appending(path: "../../../docs/wiring/raspberry-pi-\(model).svg").standardized
    // Make it anew: plumb wiring --force --board boards/raspberry-pi-….ini -o docs/wiring/raspberry-pi-….svg
    #expect(try String(contentsOf: path, encoding: .utf8) == made, "\(path.path) is not what the tool makes")
  }

  @Test
  func `it is XML without anything from outside, small, with names, pins and a dark variant`() throws {
    for board in WiringTests.boards {
      let picture = try picture(board)
      let parser = XMLParser(data: Data(picture.utf8))
      #expect(parser.parse(), "\(String(describing: parser.parserError))")
      #expect(picture.utf8.count < 40_000)
      #expect(!picture.replacing("http://www.w3.org/2000/svg", with: "").contains("http"))
      #expect(!picture.contains("href") && !picture.contains("<script") && !picture.contains("@import"))
      #expect(picture.contains("prefers-color-scheme:dark"))
      let pins =
        board.model == "adxl345"
        ? ["VCC", "GND", "CS", "INT1", "INT2", "SDO", "SDA", "SCL"]
        : ["VCC", "GND", "SCL", "SDA", "XDA", "XCL", "AD0", "INT"]
      for name in pins + WiringTests.poses { #expect(picture.contains(">\(name)</text>"), "\(name)") }
      for number in 1...40 { #expect(picture.contains(">\(number)</text>")) }
    }
  }

  @Test
  func `no two wires of LEDs meet, each ends in a height of its own, and wires of the sensor cross at most twice`()
    throws
  {
    for board in WiringTests.boards {
      let wires = try wires(in: picture(board))
      let right = wires.filter { $0.points.contains { $0.x > 405 } }
      #expect(right.count { $0.length > 0 } >= 7)
      for (index, wire) in right.enumerated() {
        for other in right[(index + 1)...] where other.kind != wire.kind {
          // All end at the rail, and there only.
          let meets = wire.crossings(with: other).filter { $0.x < 480 }
          #expect(meets.isEmpty, "\(board): \(wire.kind) meets \(other.kind) at \(meets)")
        }
      }
      let left = wires.filter { $0.points.allSatisfy { $0.x < 200 } && $0.points.count > 2 }
      var count = 0
      for (index, wire) in left.enumerated() {
        for other in left[(index + 1)...] { count += wire.crossings(with: other).count }
      }
      #expect(left.count == (board.model == "adxl345" ? 6 : 5))
      #expect(count <= 2, "\(board): \(count) crossings")
    }
  }

  private func picture(_ board: (model: String, address: String, gpios: [Int], activeLow: Bool)) throws -> String {
    let text = WiringTests.boardText(
      model: board.model, address: board.address, gpios: board.gpios, activeLow: board.activeLow)
    let result = try WiringTests.wiring(text, "--format", "svg")
    #expect(result.exitCode == 0, "\(result.errors)")
    return result.output
  }

  private struct Point: Equatable {
    var x: Int
    var y: Int
  }

  /// A wire in the picture, its rounded corners made square again.
  private struct Wire {
    var kind: String
    var points: [Point]

    var length: Int { zip(points, points.dropFirst()).map { abs($0.x - $1.x) + abs($0.y - $1.y) }.reduce(0, +) }

    /// Where level legs of one meet upright legs of the other.
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

  private func wires(in picture: String) throws -> [Wire] {
    try picture.split(separator: "\n").filter { $0.contains("class=\"wire ") }.map { line in
      let match = try unwrapped(line.firstMatch(of: /class="wire (\w+)" d="([^"]*)"/))
      // The corner of a curve is its first point, and its two ends lie on the legs.
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
