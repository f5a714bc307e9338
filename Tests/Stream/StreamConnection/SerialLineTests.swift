import CConnect
import Foundation
import TestSupport
import Testing

/// A board on a serial line: the other end of a pseudo-terminal.
private final class FakeBoard {
  /// The board's end; -1 once it is unplugged.
  private(set) var descriptor: Int32
  /// The device of the computer.
  let path: String

  init() throws {
    descriptor = unsafe Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
    var (number, locked) = (0 as Int32, 0 as Int32)
    // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2).
    try unsafe require(
      that: ioctl(descriptor, 0x4004_5431, &locked) == 0 && ioctl(descriptor, 0x8004_5430, &number) == 0)
    path = "/dev/pts/\(number)"
  }

  deinit { unplug() }

  func unplug() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Sends `text`; returns how much of it fits.
  @discardableResult
  func send(_ text: String) -> Int {
    let bytes = Array(text.utf8)
    return unsafe max(0, write(descriptor, bytes, bytes.count))
  }

  /// The next `lines` lines, or what came of them within 60 s.
  func received(lines: Int) -> String {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var text = ""
    while text.utf8.count(where: { $0 == 0x0A }) < lines, unsafe poll(&request, 1, 60_000) == 1 {
      text += received() ?? ""
    }
    return text
  }

  /// What the client has sent so far; nil if it has closed the device.
  func received() -> String? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return count < 0 && errno == EIO ? nil : String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

extension Client {
  fileprivate convenience init(device path: String) { self.init(TestPlace(path: path, isSerial: true)) }
}

@Suite(.serialized) struct SerialLineTests {
  private static let hello = FakeOwner.hello()
  private static let greeting = "\n{\"samples\":0}\n{\"counters\":0}\n{\"query\":\"hello\"}\n"

  /// A board, and a client that has received its hello.
  private static func open(_ body: (Client, FakeBoard) throws -> Void) throws {
    let board = try FakeBoard()
    let client = Client(device: board.path)
    expect(client.next(), equals: nil)
    board.send(Self.hello + "\n")
    expect(client.next(), equals: Self.hello)
    try body(client, board)
  }

  /// Calls `body` with a folder that stands for /dev/serial/by-id.
  private static func withDevices(_ body: (String) throws -> Void) throws {
    try withShortFolder { folder in
      unsafe setenv("PLUMB_SERIAL", folder, 1)
      defer { unsafe unsetenv("PLUMB_SERIAL") }
      try body(folder)
    }
  }

  private static func link(_ name: String, to board: FakeBoard) throws {
    unsafe unlink(name)
    try unsafe require(that: symlink(board.path, name) == 0)
  }

  // The beginning.

  @Test static func `a client ends the requests before it, asks for a hello and begins with it, whatever came`() throws
  {
    let board = try FakeBoard()
    board.send("{\"event\":\"bye\"}\n" + Self.hello + "\n")
    // A line that no program has opened yet echoes: after the echo the text is there, at the other end.
    expect(board.received(lines: 2), contains: "bye")
    let client = Client(device: board.path)
    expect(client.next(), equals: nil)
    expect(client.connections, equals: 1)
    expect(board.received(lines: 4), equals: Self.greeting)
    // The rest of a line, bytes that are no text, and lines that are no hello.
    board.send("les\":12}}\n\u{0}\u{7F}é\u{1B}[2J\n[1]\n\n")
    board.send("{\"event\":\"sample\",\"t\":1}\n{\"event\":\"error\"}\n{\"ev\n")
    expect(client.next(), equals: nil)
    expect(that: !client.isOpen)
    board.send(Self.hello + "\n{\"t\":2,\"event\":\"shake\"}\n")
    expect(client.all(), equals: [Self.hello, "{\"t\":2,\"event\":\"shake\"}"])
  }

  @Test static func `a hello in parts is one hello, and one of another protocol is reported`() throws {
    let board = try FakeBoard()
    let client = Client(device: board.path)
    expect(client.next(), equals: nil)
    for byte in Self.hello + "\n" {
      expect(that: !client.isOpen)
      board.send(String(byte))
      _ = client.next()
    }
    expect(that: client.isOpen)
    let other = try FakeBoard()
    let second = Client(device: other.path)
    expect(second.next(), equals: nil)
    other.send(FakeOwner.hello(protocol: 2) + "\n")
    expect(try require(second.next()), contains: "speaks protocol 2")
  }

  @Test static func `a line without an end before the hello is discarded piece by piece, and does not delay the end`()
    throws
  {
    let board = try FakeBoard()
    let client = Client(device: board.path)
    expect(client.next(), equals: nil)
    expect(board.received(lines: 4), equals: Self.greeting)
    let piece = String(repeating: "x", count: 4_000)
    var sent = 0
    for _ in 0..<2_000 {
      sent += board.send(piece)
      expect(client.next(), equals: nil)
    }
    expect(sent, isAbove: 1_000_000)
    client.now += 12_000
    board.send(piece)
    let words = "gone: nothing at serial:\(board.path) responds as a board with Plumb's firmware (docs/pico.md)"
    expect(client.next(), equals: words)
    expect(board.received(), equals: nil)
  }

  @Test static func `a hello that half a line has hidden is asked for again every 3 s, within 12 s`() throws {
    let board = try FakeBoard()
    let client = Client(device: board.path)
    expect(client.next(), equals: nil)
    expect(board.received(lines: 4), equals: Self.greeting)
    board.send("{\"event\":\"sam" + Self.hello + "\n")
    for _ in 0..<3 {
      expect(client.next(), equals: nil)
      expect(client.wait, equals: 3_000)
      expect(board.received(), equals: "")
      client.now += 3_000
      expect(client.next(), equals: nil)
      expect(board.received(lines: 1), equals: "{\"query\":\"hello\"}\n")
    }
    client.now += 2_999
    board.send(Self.hello + "\n")
    expect(client.next(), equals: Self.hello)
  }

  @Test(arguments: [1_023, 1_024, 1_025, 2_000, 2_500])
  static func `a hello that arrives together with a line that is too long is not lost`(length: Int) throws {
    let board = try FakeBoard()
    let client = Client(device: board.path)
    expect(client.next(), equals: nil)
    let text = String(repeating: "x", count: length) + "\n" + Self.hello + "\n{\"t\":2,\"event\":\"shake\"}\n"
    expect(board.send(text), equals: text.utf8.count)
    expect(client.all(), equals: [Self.hello, "{\"t\":2,\"event\":\"shake\"}"])
  }

  @Test static func `of endless lines before the hello 64 are discarded, then nothing once, without a wait`() throws {
    let board = try FakeBoard()
    let client = Client(device: board.path)
    expect(client.next(), equals: nil)
    expect(client.wait, equals: 3_000)
    board.send(String(repeating: "{}\n", count: 1_000))
    expect(client.next(), equals: nil)
    expect(client.wait, equals: 0)
    for _ in 0..<20 { expect(client.next(), equals: nil) }
    expect(client.wait, isAbove: 0)
    board.send(Self.hello + "\n")
    expect(client.next(), equals: Self.hello)
  }

  // The end.

  @Test static func `a board that is unplugged is gone at once, and is found again under another number`() throws {
    try withShortFolder { folder in
      let device = folder + "/usb-Plumb_Plumb_adxl345_1-if00"
      let (board, other) = (try FakeBoard(), try FakeBoard())
      try link(device, to: board)
      let client = Client(device: device)
      expect(client.next(), equals: nil)
      board.send(Self.hello + "\n{\"t\":1,\"ev")
      expect(client.next(), equals: Self.hello)
      board.unplug()
      expect(client.all(), equals: ["gone: the board at serial:\(device) was unplugged"])
      expect(client.descriptor, equals: -1)
      expect(that: !client.isOpen)
      unsafe unlink(device)
      let words = try require(client.nextTry())
      expect(words, contains: "gone: no board at serial:\(device): is it plugged in")
      try link(device, to: other)
      expect(client.nextTry(), equals: nil)
      expect(other.received(lines: 4), equals: Self.greeting)
      other.send(Self.hello + "\n")
      expect(client.all(), equals: [Self.hello])
    }
  }

  @Test static func `a board that says bye has ended, although the line stays open`() throws {
    try open { client, board in
      board.send("{\"t\":5,\"event\":\"bye\",\"detail\":\"stopped\"}\n")
      expect(client.all(), equals: ["gone: the owner at serial:\(board.path) has ended: stopped"])
    }
  }

  @Test static func `a board that is silent is asked after 2 s, and gone after 5 s`() throws {
    try open { client, board in
      expect(board.received(lines: 4), equals: Self.greeting)
      client.now += 2_000
      expect(client.next(), equals: nil)
      expect(board.received(lines: 1), equals: "{\"query\":\"hello\"}\n")
      client.now += 3_000
      expect(try require(client.next()), contains: "nothing came from the owner at serial:")
      expect(board.received(), equals: nil)
    }
  }

  @Test(arguments: ["garbage\n", String(repeating: "x", count: 1_024)])
  static func `after the hello a line that is broken or too long ends the connection`(text: String) throws {
    try open { client, board in
      board.send(text)
      expect(try require(client.next()), contains: "gone: the owner at serial:\(board.path) sent a line ")
    }
  }

  @Test static func `a board that does not read makes nothing wait`() throws {
    try open { client, _ in
      var count = 0
      while client.request("{\"query\":\"read\"}") && count < 100_000 { count += 1 }
      expect(that: client.waitsToWrite)
      expect(count, isBelow: 100_000)
    }
  }

  // Refusals.

  @Test static func `a device is for one program alone, until that has closed it`() throws {
    let board = try FakeBoard()
    let (first, second) = (Client(device: board.path), Client(device: board.path))
    expect(first.next(), equals: nil)
    expect(first.connections, equals: 1)
    expect(second.next(), equals: "gone: the board at serial:\(board.path) is in use by another program")
    first.end()
    expect(second.nextTry(), equals: nil)
    expect(second.connections, equals: 1)
  }

  @Test static func `a device that another program has for itself is in use, also for root`() throws {
    let board = try FakeBoard()
    let other = unsafe Glibc.open(board.path, O_RDWR | O_NOCTTY)
    try require(that: other >= 0)
    defer { close(other) }
    try require(that: ioctl(other, UInt(TIOCEXCL)) == 0)
    let client = Client(device: board.path)
    expect(client.next(), equals: "gone: the board at serial:\(board.path) is in use by another program")
  }

  @Test static func `what is no serial device is left alone`() throws {
    try withShortFolder { folder in
      try Data().write(to: URL(fileURLWithPath: folder + "/file"))
      try unsafe require(that: mkfifo(folder + "/pipe", 0o600) == 0)
      for path in [folder, folder + "/file", folder + "/pipe", "/dev/null"] {
        expect(Client(device: path).next(), equals: "gone: serial:\(path) is not a serial device")
      }
      let loop = folder + "/loop"
      try unsafe require(that: symlink(loop, loop) == 0)
      let words = try require(Client(device: loop).next())
      expect(words, hasPrefix: "gone: no connection to the board at serial:\(loop): ")
      expect(words, hasSuffix: "(errno \(ELOOP))")
    }
  }

  @Test static func `a device without permission names the group`() throws {
    let board = try FakeBoard()
    try unsafe require(that: chmod(board.path, 0) == 0)
    // Root may open everything, but not a thread of it that is another user for files.
    let symbol = unsafe try require(dlsym(nil, "setfsuid"))
    let becomeUser = unsafe unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)
    let user = becomeUser(getuid() == 0 ? 65_534 : getuid())
    defer { _ = becomeUser(uid_t(bitPattern: user)) }
    let words = try require(Client(device: board.path).next())
    expect(words, contains: "gone: no permission for the serial device serial:\(board.path): ")
    expect(words, contains: "sudo usermod -aG dialout $USER")
  }

  @Test static func `each other cause has its error`() {
    expect(csupport_connect_trouble(EPERM), equals: CSUPPORT_CONNECT_NOT_PERMITTED)
    for code in [ENOTDIR, ENXIO, ENODEV, EIO] {
      expect(csupport_connect_trouble(code), equals: CSUPPORT_CONNECT_NO_SOCKET)
    }
    expect(csupport_connect_trouble(EMFILE), equals: CSUPPORT_CONNECT_OTHER)
  }

  // The only board.

  @Test static func `the only board is found among other devices, and again when it returns`() throws {
    try withDevices { folder in
      let client = Client(device: "")
      let absent = "gone: no board at serial:: is it plugged in, by a cable with data lines, and out of BOOTSEL? "
      expect(try require(client.next()), contains: absent)
      let (board, other) = (try FakeBoard(), try FakeBoard())
      try link(folder + "/usb-Raspberry_Pi_Pico_1-if00", to: other)
      try link(folder + "/usb-Plumb_Plumb_adxl345_1-if00", to: board)
      expect(client.nextTry(), equals: nil)
      expect(client.connections, equals: 1)
      expect(board.received(lines: 4), equals: Self.greeting)
    }
  }

  @Test static func `of several boards none is taken, and all are named`() throws {
    try withDevices { folder in
      let boards = try (0..<3).map { _ in try FakeBoard() }
      for (index, board) in boards.enumerated() { try link("\(folder)/usb-Plumb_\(index)", to: board) }
      let words = try require(Client(device: "").next())
      for index in 0..<3 { expect(words, contains: "serial:\(folder)/usb-Plumb_\(index)") }
      expect(words, contains: "there are several; name one of them: ")
      for board in boards { expect(board.received(), equals: "") }
    }
  }

  @Test static func `without a folder of devices there is no board`() throws {
    unsafe setenv("PLUMB_SERIAL", "/nowhere", 1)
    defer { unsafe unsetenv("PLUMB_SERIAL") }
    expect(try require(Client(device: "").next()), contains: "gone: no board at ")
  }

  @Test static func `a client leaves the line raw, at 115,200 baud, and hangs up when it closes`() throws {
    try open { client, _ in
      var settings = termios()
      try unsafe require(that: tcgetattr(client.descriptor, &settings) == 0)
      expect(settings.c_lflag & UInt32(ECHO | ICANON | ISIG), equals: 0)
      expect(settings.c_oflag & UInt32(OPOST), equals: 0)
      expect(settings.c_cflag & UInt32(HUPCL), isNot: 0)
      expect(settings.c_cflag & UInt32(CSIZE), equals: UInt32(CS8))
      expect(unsafe cfgetospeed(&settings), equals: UInt32(B115200))
    }
  }
}
