import BoardFile
import Emulation
import FixedPoint
import Foundation
import HAL
import Monitor
import OpenBoard
import Orientation
import SenseHAT
import Sensors
import TestSupport
import Testing
import Text

/// The lines of a board that are a matrix.
struct MatrixLinesTests {
  private static let dark = Data(repeating: 0, count: 128)

  /// Calls `body` with lines behind a frame buffer, and what it reads the frame buffer with.
  private static func withLines(_ body: (consuming BoardLines, _ frame: () throws -> Data) throws -> Void) throws {
    try withShortFolder { folder in
      for part in ["graphics/fb0", "dev"] {
        try FileManager.default.createDirectory(atPath: "\(folder)/\(part)", withIntermediateDirectories: true)
      }
      try Data("RPi-Sense FB\n".utf8).write(to: URL(filePath: "\(folder)/graphics/fb0/name"))
      let file = URL(filePath: "\(folder)/dev/fb0")
      try Data(repeating: 0xAA, count: 128).write(to: file)
      let buffer = try FrameBuffer(
        classes: .init(cutting: "\(folder)/graphics"), devices: .init(cutting: "\(folder)/dev"))
      try body(BoardLines(LEDMatrix(buffer, brightness: 10))) { try Data(contentsOf: file) }
      try expect(Data(contentsOf: file), equals: Self.dark)
    }
  }

  @Test static func `a matrix is dark at the beginning and at the end`() throws {
    try withLines { lines, frame in
      var lines = lines
      try expect(frame(), equals: Self.dark)
      try lines.write(Levels(bits: 1))
      try expect(frame(), isNot: Self.dark)
    }
  }

  @Test static func `it is dark at the end of a loop, too`() throws {
    try withLines { lines, frame in
      let clock = VirtualClock()
      let sensor = ADXL345.Device(bus: EmulatedBus.adxl345(moving: NamedMotion.hold.motion, by: clock))
      var loop = Loop(sensor: sensor, bank: lines, clock: clock, period: .milliseconds(10))
      for _ in 0..<100 { _ = try loop.turn() }
      #expect(try frame() != Self.dark && loop.monitor.state == .known(.portrait))
    }
  }

  @Test static func `without an error to report, emulated lines open and take any levels`() throws {
    var board = BoardDescription.emulated
    board.lines.chip = ShortText(BoardDescription.Lines.emulatedMatrix)
    var lines = try BoardLines(opening: board)
    try lines.write(Levels(bits: 0b11_1111))
  }

  @Test static func `a matrix that is not there is an error that says so, and not a fault of the program`() throws {
    var board = BoardDescription.emulated
    board.lines.chip = "sense-hat"
    // On a computer with a HAT it would open.
    guard !FileManager.default.fileExists(atPath: "/sys/class/graphics/fb0") else { return }
    expect(throws: BoardError.matrix(.absent)) { _ = try BoardLines(opening: board) }
    board.bus = .linux(path: "/dev/i2c-99")
    let error = expect(throws: BoardError.self) { _ = try BoardLines(opening: board) }
    expect(error.map { "\($0)" }?.contains("/dev/i2c-99"), equals: true)
  }
}
