import BoardFile
import TestSupport
import Testing
import Text

struct PicoBoards {
  /// A board file of a Pico with the `bus`, the `chip`, the GPIO of the last pose, and more lines at the end.
  static func text(
    bus: String = "i2c0", chip: String = "rp2040", faceDown: String = "15", sensor: String = "", more: String = ""
  ) -> String {
    """
    [i2c]
    bus = \(bus)
    [sensor]
    model = adxl345
    address = 0x53
    \(sensor)
    [lines]
    chip = \(chip)
    portrait = 10
    portraitUpsideDown = 11
    landscapeLeft = 12
    landscapeRight = 13
    faceUp = 14
    faceDown = \(faceDown)
    \(more)
    """
  }

  static func parse(_ text: String) throws(BoardFileError) -> BoardDescription {
    try BoardDescription.parse(Array(text.utf8).span)
  }

  @Test(
    arguments: [
      ("i2c0", 0, 4, 5), ("i2c1", 1, 26, 27), ("i2c0 8 9", 0, 8, 9), ("i2c0 16   21", 0, 16, 21), ("i2c1 2 3", 1, 2, 3),
      ("i2c1 26 7", 1, 26, 7),
    ] as [(String, UInt32, UInt32, UInt32)])
  static func `a bus of a Pico has its usual pins, or those in the file`(
    bus: String, number: UInt32, sda: UInt32, scl: UInt32
  ) throws {
    let board = try Self.parse(Self.text(bus: bus))
    expect(board.picoBus, equals: PicoBus(number, sda: sda, scl: scl))
    expect(board.busName, equals: (number == 0 ? "i2c0" : "i2c1"))
  }

  @Test(arguments: [
    "i2c", "i2c2", "i2c0 4", "i2c0 5 4", "i2c0 6 7", "i2c1 4 5", "i2c0 4 5 6", "i2c0 4,5", "i2c00 4 5", "i2c0 24 25",
    "i2c0 4 123",
  ])
  static func `pins that the controller cannot have are refused`(bus: String) {
    let error = Self.refusal(Self.text(bus: bus))
    expect(error?.cause, equals: .badValue(.bus))
    expect(error?.line, equals: 2)
  }

  @Test static func `half of a Pico is refused`() {
    expect(Self.refusal(Self.text(chip: "raspberry-pi"))?.line, equals: 8)
    expect(Self.refusal(Self.text(chip: "raspberry-pi"))?.cause, equals: .refused(.picoChip))
    expect(Self.refusal(Self.text(bus: "/dev/i2c-1"))?.line, equals: 2)
    expect(Self.refusal(Self.text(bus: "/dev/i2c-1"))?.cause, equals: .refused(.picoBus))
    let words = "chip \"raspberry-pi\" with the bus of a Pico; allowed: rp2040"
    expect(Self.refusal(Self.text(chip: "raspberry-pi"))?.description.contains(words), equals: true)
    expect(
      Self.refusal(Self.text(bus: "/dev/i2c-1"))?.description.contains("allowed: i2c0 or i2c1, alone"), equals: true)
  }

  @Test(arguments: ["23", "24", "25"])
  static func `a GPIO that a Pico does not have on its edge is refused`(gpio: String) {
    let error = Self.refusal(Self.text(faceDown: gpio))
    expect(error?.line, equals: 14)
    expect(error?.cause, equals: .refused(.picoPin(.faceDown)))
    expect(error?.description.contains("is not free on a Pico"), equals: true)
  }

  @Test static func `a GPIO of the bus is refused`() {
    expect(Self.refusal(Self.text(faceDown: "5"))?.cause, equals: .refused(.picoPin(.faceDown)))
    expect(Self.refusal(Self.text(sensor: "data-ready = 4"))?.cause, equals: .refused(.picoPin(.dataReady)))
    expect(Self.refusal(Self.text(bus: "i2c1", faceDown: "5")), equals: nil)
  }

  @Test(arguments: [
    ("", "[share]\ntcp = localhost:7587", BoardKey.tcp, 16), ("", "[share]\nsocket = /run/x", .socket, 16),
    ("", "[vibration]\nbands = 1 10", .bands, 16), ("", "idle = on", .idle, 15), ("batch = 5", "", .batch, 6),
  ])
  static func `what a Pico does not have is refused`(sensor: String, more: String, key: BoardKey, line: Int32) {
    let error = Self.refusal(Self.text(sensor: sensor, more: more))
    expect(error?.cause, equals: .refused(.picoKey(key)))
    expect(error?.line, equals: line)
    let words = "key \"\(key.name)\" in [\(key.section.name)] does not apply to a Pico"
    expect(error?.description.contains(words), equals: true)
  }

  private static func refusal(_ text: String) -> BoardFileError? {
    do throws(BoardFileError) { _ = try parse(text) } catch { return error }
    return nil
  }
}
