import Bridge
import CBridge
import Emulation
import FixedPoint
import Glibc
import HAL
import TestSupport
import Testing

/// A journal's path in its own folder, which is removed with it.
private final class Folder {
  let path: String
  var journal: String { path + "/journal" }

  init() throws {
    var template = Array("/tmp/plumb-bridge-XXXXXX".utf8CString)
    try unsafe require(that: mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    unsafe unlink(journal)
    unsafe rmdir(path)
  }

  /// The journal's lines.
  func lines() -> [String] { text().split(separator: "\n").map(String.init) }

  func text() -> String {
    let file = unsafe fopen(journal, "r")
    guard let file = unsafe file else { return "" }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  func write(_ text: String) {
    guard let file = unsafe fopen(journal, "w") else { return }
    defer { unsafe fclose(file) }
    unsafe fputs(text, file)
  }
}

/// A separate process on the bus: it knows the others only from the journal.
private struct Process: ~Copyable {
  private var bus: SharedBus

  init(_ folder: Folder, _ clock: VirtualClock, _ text: String = sensors) throws(BridgeError) {
    bus = try SharedBus(text, journal: folder.journal) { clock.now }
  }

  mutating func write(_ bytes: [UInt8], to target: I2CAddress = address) throws(I2CFault) {
    try bus.write(bytes.span, to: target)
  }

  mutating func read(_ register: UInt8, _ count: Int, at target: I2CAddress = address) throws(I2CFault) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    var span = buffer.mutableSpan
    try bus.writeRead([register].span, into: &span, at: target)
    return buffer
  }
}

private let sensors = "adxl345@0x53=0.5,-0.25,1 noise=no; mpu6050@0x68=0,0,1"

/// Why no process can join; nil if it can.
private func refusal(_ folder: Folder, _ clock: VirtualClock, _ text: String = sensors) -> String? {
  do throws(BridgeError) {
    _ = try Process(folder, clock, text)
    return nil
  } catch { return error.description }
}

private func fault(_ work: () throws(I2CFault) -> Void) -> I2CFault? {
  do throws(I2CFault) { try work() } catch { return error }
  return nil
}

/// The process that has locked `byte` of the file at `path`, as another one sees it; nil for none.
private func holder(of path: String, _ byte: Int) -> pid_t? {
  var lock = flock()
  (lock.l_type, lock.l_start, lock.l_len) = (Int16(F_WRLCK), byte, 1)
  // Asks for an open file description, which conflicts with the locks of this process too. The file stays open:
  // closing it would release all locks that the process has on it.
  let file = unsafe open(path, O_RDWR)
  // F_OFD_GETLK is 36.
  guard unsafe fcntl(file, 36, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
  return lock.l_pid
}

struct `A bus of several processes` {
  @Test func `a process finds the sensors as the others have left them`() throws {
    let folder = try Folder()
    let clock = VirtualClock(startingAt: Instant(microseconds: 5_000_000))
    var first = try Process(folder, clock)
    try first.write([0x31, 0x0B])
    try first.write([0x2D, 0x08])
    clock.advance(by: .milliseconds(12))
    var second = try Process(folder, clock)
    try expect(second.read(0x2C, 6), equals: [0x0A, 0x08, 0x00, 0x00, 0x82, 0x0B])
    // 0.5, -0.25 and 1 g at 256 counts per g.
    try expect(second.read(0x32, 6), equals: [0x80, 0x00, 0xC0, 0xFF, 0x00, 0x01])
    try second.write([0x1D, 0x77])
    try expect(first.read(0x1D, 1), equals: [0x77])
    var third = try Process(folder, clock)
    try expect(third.read(0x1D, 1), equals: [0x77])
  }

  @Test func `a sensor was powered up when the first process came`() throws {
    let folder = try Folder()
    let clock = VirtualClock()
    _ = try Process(folder, clock)
    clock.advance(by: .seconds(3))
    var late = try Process(folder, clock)
    try late.write([0x2D, 0x08])
    clock.advance(by: .milliseconds(10))
    try expect(late.read(0x30, 1), equals: [0x02])
    clock.advance(by: .milliseconds(2))
    try expect(late.read(0x30, 1), equals: [0x82])
  }

  @Test func `the journal is a trace, including faults and the address pointer`() throws {
    let folder = try Folder()
    let clock = VirtualClock(startingAt: Instant(microseconds: 1_500_000))
    let absent = EmulatedADXL345.alternateAddress
    var first = try Process(folder, clock)
    try first.write([0x00])
    expect(fault { () throws(I2CFault) in try first.write([0x2D, 0x08], to: absent) }, equals: .noAcknowledge)
    expect(fault { () throws(I2CFault) in _ = try first.read(0x00, 2, at: absent) }, equals: .noAcknowledge)
    var second = try Process(folder, clock)
    try expect(second.read(0x00, 1), equals: [0xE5])
    expect(
      folder.lines(),
      equals: [
        "# 1500000 plumb bridge: \(sensors)", "    1.500000  S | 53+W | 00 | P",
        "    1.500000  S | 1D+W | 2D 08 | ! noAcknowledge",
        "    1.500000  S | 1D+W | 00 | Sr | 1D+R | ?? ?? | ! noAcknowledge",
        "    1.500000  S | 53+W | 00 | Sr | 53+R | E5 | P",
      ])
  }

  @Test func `a journal of other sensors, another start or another format is rejected`() throws {
    let folder = try Folder()
    let clock = VirtualClock(startingAt: Instant(microseconds: 1_000_000))
    _ = try Process(folder, clock)
    expect(refusal(folder, clock), equals: nil)
    try expect(require(refusal(folder, clock, "adxl345@0x53=0,0,1")), contains: "that is not this bus")
    try expect(require(refusal(folder, VirtualClock())), contains: "from before this machine was started")
    folder.write("something else\n")
    try expect(require(refusal(folder, clock)), contains: "\"something else\": that is not this bus")
  }

  @Test(arguments: [("E5", "E6"), ("S |", "T |"), ("| P", "| ! timedOut")])
  func `a journal that does not repeat is a fault, without a transaction`(old: String, new: String) throws {
    let folder = try Folder()
    let clock = VirtualClock()
    var first = try Process(folder, clock)
    try expect(first.read(0x00, 1), equals: [0xE5])
    let lines = folder.lines()
    try #require(lines.count == 2)
    let edited = String(lines[1].split(separator: old, omittingEmptySubsequences: false).joined(separator: new))
    folder.write("\(lines[0])\n\(edited)\n")
    var second = try Process(folder, clock)
    expect(fault { () throws(I2CFault) in _ = try second.read(0x00, 1) }, equals: .other(code: 5))
    expect(folder.lines().count, equals: 2)
  }

  @Test func `an unfinished line counts as not written`() throws {
    let folder = try Folder()
    let clock = VirtualClock()
    var first = try Process(folder, clock)
    try first.write([0x1D, 0x11])
    let whole = folder.text()
    folder.write(whole + "    0.000000  S | 53+W | 1D" + String(repeating: " 00", count: 100))
    var second = try Process(folder, clock)
    try expect(second.read(0x1D, 1), equals: [0x11])
    expect(folder.text(), equals: whole + "    0.000000  S | 53+W | 1D | Sr | 53+R | 11 | P\n")
    try expect(first.read(0x1D, 1), equals: [0x11])
  }

  @Test func `a byte of the bus is locked for all processes of a journal, and for none without one`() throws {
    let folder = try Folder()
    let clock = VirtualClock()
    var byte = flock()
    (byte.l_type, byte.l_start, byte.l_len) = (Int16(F_WRLCK), 0x53, 1)
    let owner = try SharedBus(sensors, journal: folder.journal) { clock.now }
    try owner.control(&byte, asks: false)
    let alone = try SharedBus(sensors) { clock.now }
    try alone.control(&byte, asks: false)
    let child = try require(holder(of: folder.journal, 1 << 40 + 0x53))
    expect(child, equals: getpid())
    byte.l_type = Int16(F_UNLCK)
    try owner.control(&byte, asks: false)
    expect(holder(of: folder.journal, 1 << 40 + 0x53), equals: nil)
    try alone.control(&byte, asks: true)
    expect(byte.l_type, equals: Int16(F_UNLCK))
    // The journal's own lock is a different one.
    byte.l_type = Int16(F_WRLCK)
    try owner.control(&byte, asks: false)
    var guest = try Process(folder, clock)
    try expect(guest.read(0x00, 1), equals: [0xE5])
  }

  @Test func `noise is that of the part, unless a sensor is described without noise`() throws {
    func samples(_ text: String) throws -> Set<[UInt8]> {
      let clock = VirtualClock()
      var bus = try SharedBus(text) { clock.now }
      try bus.write([0x2D, 0x08].span, to: address)
      return try Set(
        (0..<50).map { _ in
          clock.advance(by: .milliseconds(10))
          var bytes = [UInt8](repeating: 0, count: 6)
          var span = bytes.mutableSpan
          try bus.writeRead([0x32].span, into: &span, at: address)
          return bytes
        })
    }
    try expect(samples("adxl345@0x53=0,0,1").count, isAbove: 5)
    try expect(samples("adxl345@0x53=0,0,1 noise=yes"), equals: samples("adxl345@0x53=0,0,1"))
    try expect(samples("adxl345@0x53=0,0,1 noise=no").count, isAtMost: 2)
  }

  @Test func `time never runs backwards for the sensors`() throws {
    let folder = try Folder()
    let ahead = VirtualClock(startingAt: Instant(microseconds: 10_000))
    let behind = VirtualClock(startingAt: Instant(microseconds: 9_000))
    _ = try Process(folder, VirtualClock())
    var first = try Process(folder, ahead)
    var second = try Process(folder, behind)
    try first.write([0x00])
    try expect(second.read(0x00, 1), equals: [0xE5])
    expect(folder.lines().last, equals: "    0.010000  S | 53+W | 00 | Sr | 53+R | E5 | P")
  }
}
