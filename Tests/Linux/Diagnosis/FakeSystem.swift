import BoardFile
import Diagnosis
import HAL
import IIO
import Sensors

/// A Raspberry Pi 4 without faults, until a test adds one.
struct FakeSystem: SystemView {
  var files: [String: [UInt8]] = [
    "/proc/device-tree/model": Array("Raspberry Pi 4 Model B Rev 1.4\0".utf8),
    "/proc/device-tree/aliases/i2c1": Array("/soc/i2c@7e804000\0".utf8),
    "/proc/device-tree/soc/i2c@7e804000/status": Array("okay\0".utf8),
    "/sys/bus/i2c/devices/i2c-1/name": Array("bcm2835 (i2c@7e804000)\n".utf8),
    "/sys/class/i2c-dev/i2c-1/dev": Array("89:1\n".utf8),
    // 100000, big-endian.
    "/sys/class/i2c-adapter/i2c-1/of_node/clock-frequency": [0x00, 0x01, 0x86, 0xA0],
    "/boot/firmware/config.txt": Array("dtparam=i2c_arm=on\n".utf8),
    "/proc/cmdline": Array("console=tty1 root=PARTUUID=1234-02 rootwait\n".utf8),
  ]
  var openings: [String: DeviceOpening] = ["/dev/i2c-1": .possible]
  var groups: [String: Membership] = ["i2c": .active, "gpio": .active]
  var chips: [Int32: ChipView] = [
    0: .chip(label: ShortText("pinctrl-bcm2711"), lineCount: 58),
    1: .chip(label: ShortText("raspberrypi-exp-gpio"), lineCount: 8),
  ]
  var holders: [UInt32: String] = [:]
  var places: [UInt8: PlaceView] = [0x53: .part(0xE5, of: .adxl345)]
  var device = DeviceView.usable(number: 0, hasBuffer: true)
  /// The addresses probed, in order.
  private(set) var asked: [UInt8] = []
  private(set) var linesAskedOf: Set<Int32> = []

  mutating func read(_ path: FilePath, into buffer: inout InlineArray<4096, UInt8>) -> FileReading {
    guard let content = files[path.description] else { return .absent }
    for (index, byte) in content.prefix(4_096).enumerated() { buffer[index] = byte }
    return .bytes(min(content.count, 4_096))
  }

  func opening(of path: FilePath) -> DeviceOpening { openings[path.description] ?? .absent }

  func membership(of group: StaticString) -> Membership { groups["\(group)"] ?? .noSuchGroup }

  func device(of sensor: BoardDescription.Sensor) -> DeviceView { device }

  func chip(_ number: Int32) -> ChipView { chips[number] ?? .absent }

  mutating func line(_ offset: UInt32, ofChip number: Int32) -> LineView {
    linesAskedOf.insert(number)
    guard let holder = holders[offset] else { return .free }
    return .held(by: ShortText(cutting: holder))
  }

  mutating func ask(_ place: I2CAddress, on bus: ShortText<64>) -> PlaceView {
    asked.append(place.rawValue)
    return bus == "/dev/i2c-1" ? places[place.rawValue] ?? .silent : .noBus(.unavailable)
  }

  mutating func write(_ text: String, to path: String) { files[path] = Array(text.utf8) }
}

extension PlaceView {
  /// The part with `identity`, as a probe finds it at an address of `model`.
  static func part(_ identity: UInt8, of model: SensorModel) -> PlaceView {
    guard let part = model.part(identity: identity) else { return .answer(.unknown(identity: identity)) }
    return .answer(part.admission == .refused ? .refused(part) : .usable(part))
  }
}

/// A board file's text for a real sensor on a real header.
func board(
  model: String = "adxl345", address: String = "0x53", rate: Int = 100, chip: String = "raspberry-pi",
  gpios: [Int] = [17, 27, 22, 23, 24, 25], bus: String = "/dev/i2c-1"
) throws -> BoardDescription {
  let poses = ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"]
  let text =
    "[i2c]\nbus = \(bus)\n[sensor]\nmodel = \(model)\naddress = \(address)\nrate = \(rate)\n[lines]\nchip = \(chip)\n"
    + zip(poses, gpios).map { "\($0) = \($1)\n" }.joined()
  return try BoardDescription.parse(Array(text.utf8).span)
}

let allAspects = (0..<UInt8(Aspect.count)).compactMap { Aspect(rawValue: $0) }

extension Diagnosis {
  init(_ board: BoardDescription, _ system: FakeSystem) {
    var system = system
    self.init(of: board, in: &system)
  }

  /// The identifiers of all findings, in order.
  var findings: [String] { allAspects.compactMap { self[$0].finding.map { "\($0.identifier)" } } }

  func words(of finding: Finding) -> String { message(of: finding).description + " | " + fix(of: finding).description }
}
