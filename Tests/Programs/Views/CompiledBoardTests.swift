import BoardFile
import PlumbViews
import TestSupport
import Testing

/// What `plumb pico` prints; that it means the same as the board file is tested with the firmware (`make test-pico`).
struct CompiledBoardTests {
  /// Where the source has a property under another name.
  private static let renamed = [
    "rangeInG": "setRange(", "rangeInDegreesPerSecond": "setGyroscope(", "signalsDataReady": "setDataReady(",
    "dataReady": "setDataReady(", "model": "SensorConfiguration(.", "fall": "setFreeFall(", "taps": "setTaps(",
    "freeFall": "setFreeFall(",
  ]

  /// What a Pico does not have: its board file is refused with the keys for it, or they do not apply to its lines.
  private static let foreign: Set = [
    "emulation", "share", "vibration", "vehicle", "batch", "device", "idle", "brightness",
  ]

  @Test static func `it has every property of a board, unless a Pico has no such thing`() throws {
    let text = try SettingsPage.text("boards/pico-mpu6050.ini")
    let board = try BoardDescription.parse(Array(text.utf8).span)
    let source = try require(CompiledBoard(board, name: "a board")).text
    let parts: [Any] = [board, board.sensor, board.sensor.configuration, board.lines]
    let properties = parts.flatMap { Mirror(reflecting: $0).children.compactMap(\.label) }
    expect(properties.count, isAtLeast: 30)
    for property in properties where !Self.foreign.contains(property) {
      expect(source, contains: Self.renamed[property] ?? property)
    }
    expect(Self.foreign.union(Self.renamed.keys).subtracting(properties), equals: [])
  }

  @Test static func `a name with quotes, backslashes or control characters stays one literal`() throws {
    let text = try SettingsPage.text("boards/pico-mpu6050.ini")
    let board = try BoardDescription.parse(Array(text.utf8).span)
    let source = try require(CompiledBoard(board, name: #"a "b\(c)"# + "\n\u{7F}d.ini")).text
    expect(source, contains: #"{ "a \"b\\(c)d.ini" }"#)
  }
}
