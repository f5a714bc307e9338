import Emulation
import FixedPoint
import Foundation
import HAL
import Indication
import Monitor
import Orientation
import SenseHAT
import Sensors
import TestSupport
import Testing
import Text

/// A bus that sensor and matrix share, as two handles of /dev/i2c-1 do.
private final class SharedWires {
  private var bus: EmulatedBus

  init(_ bus: consuming EmulatedBus) { self.bus = bus }

  func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) { try bus.write(bytes, to: address) }

  func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress) throws(I2CFault) {
    try bus.writeRead(bytes, into: &buffer, at: address)
  }
}

private struct Handle: I2CBus {
  let wires: SharedWires

  mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    try wires.write(bytes, to: address)
  }

  mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)
  {
    try wires.writeRead(bytes, into: &buffer, at: address)
  }
}

/// The matrix on a bus that goes wrong as planned.
private struct Bench {
  let target = EmulatedLEDMatrix()
  let log = BusLog()
  let clock = VirtualClock()
  var plan = FaultPlan.none

  var bus: EmulatedBus {
    EmulatedBus(target, at: EmulatedLEDMatrix.address, plan: plan, log: log) { [clock] in clock.now }
  }

  func matrix(brightness: UInt8 = 10) throws(MatrixError) -> LEDMatrix<MatrixController<EmulatedBus>> {
    try LEDMatrix(checking: MatrixController(on: bus), brightness: brightness)
  }

  func isLit(_ column: Int, _ row: Int) -> Bool { target.pixel(column, row) != .init(0, 0, 0) }

  var drawn: String { drawing(isLit) }
}

struct LEDMatrixTests {
  private static let dark = drawing { _, _ in false }

  @Test(arguments: allPoses)
  static func `the controller shows the picture of a pose in one write, green, as bright as wanted`(_ pose: Pose) throws
  {
    let bench = Bench()
    var matrix = try bench.matrix(brightness: 7)
    expect(bench.target.frameWrites, equals: 1)
    expect(bench.drawn, equals: Self.dark)
    try matrix.write(.oneHot(pose))
    expect(bench.target.frameWrites, equals: 2)
    expect(Drawings.seen(in: pose, bench.isLit), equals: Drawings.of(pose))
    expect(bench.log.transactions.map(\.written.count), equals: [1, 193, 193])
    for column in 0..<8 {
      for row in 0..<8 where bench.isLit(column, row) {
        expect(bench.target.pixel(column, row), equals: .init(0, 7, 0))
      }
    }
  }

  @Test static func `trouble is red, and the same picture is not written again`() throws {
    let bench = Bench()
    var matrix = try bench.matrix()
    try matrix.write(.off)
    expect(bench.target.frameWrites, equals: 1)
    try matrix.write(.all)
    try matrix.write(.all)
    expect(bench.target.frameWrites, equals: 2)
    expect(bench.drawn, equals: Drawings.trouble)
    expect(bench.target.pixel(0, 0), equals: .init(10, 0, 0))
  }

  @Test static func `a fault at any one transaction is retried, and the picture arrives`() throws {
    for fault in 0..<4 {
      var bench = Bench()
      bench.plan = [.init(.timedOut, .transaction(fault))]
      var matrix = try bench.matrix()
      try matrix.write(.oneHot(.portrait))
      expect(bench.drawn, equals: Drawings.arrow, "fault at \(fault)")
      // Identity, dark, arrow; and one repeated if there was a fault among them.
      expect(bench.log.transactionCount, equals: fault < 3 ? 4 : 3)
    }
  }

  @Test static func `the picture of a pose that cannot be shown is a fault of the bank, after three tries`() throws {
    var bench = Bench()
    bench.plan = [.init(.noAcknowledge, .transactions(2..<5))]
    var matrix = try bench.matrix()
    expect(throws: OutputFault(code: 121)) { try matrix.write(.oneHot(.portrait)) }
    expect(bench.drawn, equals: Self.dark)
    expect(bench.log.transactionCount, equals: 5)
    // The bank does not believe that it was shown.
    try matrix.write(.oneHot(.portrait))
    expect(bench.drawn, equals: Drawings.arrow)
  }

  @Test static func `trouble that cannot be shown is not: the next picture is written, even the one before`() throws {
    var bench = Bench()
    bench.plan = [.init(.noAcknowledge, .transactions(3..<6))]
    var matrix = try bench.matrix()
    try matrix.write(.oneHot(.portrait))
    try matrix.write(.all)
    expect(bench.log.transactionCount, equals: 6)
    try matrix.write(.oneHot(.portrait))
    expect(bench.target.frameWrites, equals: 3)
    expect(bench.drawn, equals: Drawings.arrow)
  }

  @Test static func `nothing at 0x46, another part, and a bus at fault are told apart`() {
    var bench = Bench()
    bench.plan = [.init(.noAcknowledge, .always)]
    expect(error(of: bench), equals: .absent)
    bench.plan = [.init(.timedOut, .always)]
    expect(error(of: bench), equals: .fault(code: 110))
    bench.plan = .none
    bench.target.identity = 0x33
    expect(error(of: bench), equals: .other)
    expect(bench.target.frameWrites, equals: 0)
    // A BCM2835 may get bit 7 wrong, because the controller stretches the clock.
    bench.target.identity = 0xF3
    expect(error(of: bench), equals: nil)
  }

  private static func error(of bench: Bench) -> MatrixError? {
    do throws(MatrixError) {
      _ = try bench.matrix()
      return nil
    } catch {
      return error
    }
  }

  @Test static func `on the sensor's bus a loop writes one frame a change, and none while nothing changes`() throws {
    let clock = VirtualClock()
    let target = EmulatedLEDMatrix()
    let sensor = EmulatedMPU6050(motion: NamedMotion.tumble.motion) { clock.now }
    // The sensor is out of reach for a while, in the middle of a pose.
    let outage = Microseconds.milliseconds(5_200)..<Microseconds.milliseconds(6_200)
    let plan: FaultPlan = [.init(.noAcknowledge, .during(outage), at: EmulatedMPU6050.address)]
    var bus = EmulatedBus(sensor, at: EmulatedMPU6050.address, plan: plan) { clock.now }
    bus.attach(target, at: EmulatedLEDMatrix.address)
    let wires = SharedWires(bus)
    let matrix = try LEDMatrix(checking: MatrixController(on: Handle(wires: wires)), brightness: 10)
    let device = MPU6050.Device(bus: Handle(wires: wires))
    let configuration = Monitor.Configuration(
      period: .milliseconds(10), fullScale: device.fullScale,
      indicator: .init(slowHalfPeriod: .zero, fastHalfPeriod: .zero, flash: .zero))
    var loop = Loop(sensor: device, bank: matrix, clock: clock, configuration: configuration)
    var pictures = [Self.dark]
    var states: [PoseState] = []
    let end = clock.now + NamedMotion.tumble.motion.duration
    while clock.now < end {
      _ = try loop.turn()
      let drawn = drawing { target.pixel($0, $1) != .init(0, 0, 0) }
      if drawn != pictures.last {
        pictures.append(drawn)
        states.append(loop.monitor.state)
      }
      expect(MatrixPicture(loop.monitor.levels).isRed, equals: loop.monitor.state == .unknown(.fault))
    }
    expect(target.frameWrites, equals: pictures.count)
    expect(pictures.count(where: { $0 == Drawings.trouble }), equals: 1)
    expect(Set(states.compactMap(\.pose)).count, equals: 6)
    for (picture, state) in zip(pictures.dropFirst(), states) {
      let lit = picture.split(separator: "\n").map { Array($0) }
      if let pose = state.pose {
        expect(Drawings.seen(in: pose) { lit[$1][$0] == "#" }, equals: Drawings.of(pose))
      }
    }
  }
}

struct FrameBufferTests {
  /// A folder like /sys/class/graphics and one like /dev, with two frame buffers.
  private static func withFolders(_ body: (FrameBuffer.Folder, FrameBuffer.Folder, _ frame: String) throws -> Void)
    throws
  {
    try withShortFolder { folder in
      let files = FileManager.default
      for (number, name) in [(0, "vc4drmfb"), (1, "RPi-Sense FB")] {
        try files.createDirectory(atPath: "\(folder)/graphics/fb\(number)", withIntermediateDirectories: true)
        try Data("\(name)\n".utf8).write(to: URL(filePath: "\(folder)/graphics/fb\(number)/name"))
      }
      try files.createDirectory(atPath: "\(folder)/dev", withIntermediateDirectories: true)
      let frame = "\(folder)/dev/fb1"
      try Data(repeating: 0xAA, count: 128).write(to: URL(filePath: frame))
      try body(.init(cutting: "\(folder)/graphics"), .init(cutting: "\(folder)/dev"), frame)
    }
  }

  private static func pixels(_ picture: MatrixPicture, _ brightness: UInt8) -> Data {
    let bytes = picture.pixels(brightness: brightness)
    return Data(bytes.indices.map { bytes[$0] })
  }

  @Test static func `the frame buffer is found by its name, and every picture replaces all of it`() throws {
    try withFolders { classes, devices, frame in
      let buffer = try FrameBuffer(classes: classes, devices: devices)
      expect(buffer.number, equals: 1)
      var matrix = try LEDMatrix(buffer, brightness: 20)
      try expect(Data(contentsOf: URL(filePath: frame)), equals: Data(repeating: 0, count: 128))
      for pose in allPoses {
        try matrix.write(.oneHot(pose))
        try expect(Data(contentsOf: URL(filePath: frame)), equals: pixels(.pose(pose), 20))
      }
      try matrix.write(.all)
      try expect(Data(contentsOf: URL(filePath: frame)), equals: pixels(.trouble, 20))
      // Nothing is written while nothing changes.
      try Data(repeating: 0x55, count: 128).write(to: URL(filePath: frame), options: [])
      try matrix.write(.all)
      try expect(Data(contentsOf: URL(filePath: frame)), equals: Data(repeating: 0x55, count: 128))
    }
  }

  @Test static func `no such frame buffer, and one that cannot be opened, are told apart`() throws {
    try withFolders { classes, devices, frame in
      let files = FileManager.default
      try files.removeItem(atPath: frame)
      expect(throws: MatrixError.frameBuffer(number: 1, code: 2)) {
        _ = try FrameBuffer(classes: classes, devices: devices)
      }
      expect(throws: MatrixError.absent) { _ = try FrameBuffer(classes: devices, devices: devices) }
    }
  }

  @Test static func `messages say what to do, and permission is a case of its own`() {
    let refused = MatrixError.frameBuffer(number: 1, code: 13)
    expect(that: refused.isPermission)
    expect(refused.description, contains: "usermod -aG video")
    let broken = MatrixError.frameBuffer(number: 1, code: 5)
    expect(that: !broken.isPermission)
    expect(broken.description, contains: "/dev/fb1")
    expect(MatrixError.absent.description, contains: "0x46")
    expect(that: !MatrixError.absent.isPermission)
    expect(MatrixError.held.description, contains: "modprobe")
    for error in [.absent, refused, broken, .held, .other, .fault(code: 121)] as [MatrixError] {
      expect(that: !error.message.isCut)
    }
  }
}
