import BoardFile
import FixedPoint
import Foundation
import Orientation
import TestSupport
import Testing

struct UnreadableFiles {
  /// The message about the file `name` after `make`, read with the rights of the test or without root's.
  private static func message(_ name: String, asRoot: Bool = true, _ make: (URL) throws -> Void) throws -> String {
    try withTemporaryFolder { folder in
      try make(folder.appending(path: name))
      let path = folder.appending(path: name).path
      let error = try require((asRoot ? outcome(path: path) : withoutRoot { outcome(path: path) }).failure)
      return "\(error.exitCode) \(error.description(file: name))"
    }
  }

  @Test static func `a missing file is named`() throws {
    try expect(message("a.ini") { _ in }, equals: "78 a.ini: no such board file")
    let below = try message("a.ini/b.ini") { try Data().write(to: $0.deletingLastPathComponent()) }
    expect(below, equals: "78 a.ini/b.ini: no such board file")
    expect(outcome(path: "").failure?.cause, equals: .missingFile)
  }

  @Test static func `a directory is not a board`() throws {
    let text = try message("a") { try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false) }
    expect(text, equals: "78 a: a directory, not a board file")
  }

  @Test static func `an empty file is not a board`() throws {
    let text = try message("a") { try Data().write(to: $0) }
    expect(text, equals: "78 a: empty board file; required: the sections [i2c], [sensor] and [lines]")
    expect(outcome(path: "/dev/null").failure?.cause, equals: .empty)
  }

  @Test static func `a large file is rejected before it is read`() throws {
    let tooLarge = "78 a: too large for a board file; allowed: at most 64 KiB"
    try expect(message("a") { try Data(repeating: 0x0A, count: 10 << 20).write(to: $0) }, equals: tooLarge)
    try expect(message("a") { try Data(repeating: 0x0A, count: 65_537).write(to: $0) }, equals: tooLarge)
    try expect(message("a") { try Data(repeating: 0x0A, count: 65_536).write(to: $0) }, hasPrefix: "78 a: empty")
    // A device has no size and no end.
    expect(outcome(path: "/dev/zero").failure?.cause, equals: .tooLarge)
  }

  static let notText: [([UInt8], String)] = [
    ([0x7F, 0x45, 0x4C, 0x46, 0x02, 0x00], "0x7F"), ([0x5B, 0x69, 0x00], "0x00"), ([0xFF, 0xFE, 0x5B, 0x00], "0xFF"),
    ([0xC0, 0x80], "0xC0"), ([0xED, 0xA0, 0x80], "0xED"), ([0xF4, 0x90, 0x80, 0x80], "0xF4"), ([0xE2, 0x82], "0xE2"),
    ([0xE9, 0x0A], "0xE9"), ([0x61, 0x0D, 0x62], "0x0D"), ([0x80], "0x80"),
  ]

  @Test(arguments: notText)
  static func `bytes that are not text are rejected`(_ bytes: [UInt8], found: String) throws {
    let text = try message("a") { try Data(Array("# text\n\n".utf8) + bytes).write(to: $0) }
    expect(text, equals: "78 a:3: not a text file, byte \(found); allowed: text in UTF-8")
  }

  @Test static func `every character of Unicode is text`() throws {
    for value in UInt32(0x80)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      if value > 0x3000 && value % 97 != 0 && value & 0xFFF > 1 { continue }
      expect(outcome("# \(scalar)").failure?.cause, equals: .empty, "\(value)")
    }
  }

  @Test static func `a named pipe without a writer does not block`() throws {
    try expect(message("a") { unsafe mkfifo($0.path, 0o600) }, hasPrefix: "78 a: empty board file")
  }

  @Test static func `a pipe with a writer is waited for`() throws {
    let pipe = Pipe()
    let reading = pipe.fileHandleForReading.fileDescriptor
    let writing = dup(pipe.fileHandleForWriting.fileDescriptor)
    try pipe.fileHandleForWriting.close()
    let isWritten = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) {
      let file = FileHandle(fileDescriptor: writing, closeOnDealloc: true)
      file.write(Data(BoardFileText.whole.utf8.prefix(100)))
      Thread.sleep(forTimeInterval: 0.05)
      file.write(Data(BoardFileText.whole.utf8.dropFirst(100)))
      isWritten.signal()
    }
    let result = outcome(path: "/proc/self/fd/\(reading)")
    // Closing the pipe before would end the tests with SIGPIPE.
    isWritten.wait()
    try pipe.fileHandleForReading.close()
    try expect(result.get(), equals: outcome(BoardFileText.whole).get())
  }

  @Test static func `any other error has its error number`() throws {
    // The start of a process's memory is not mapped: EIO.
    expect(outcome(path: "/proc/self/mem").failure?.cause, equals: .unreadable(code: 5))
  }

  @Test static func `a file without permission has its own exit code`() throws {
    let text = try message("a", asRoot: false) { file in
      try Data(BoardFileText.whole.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: file.path)
    }
    expect(text, equals: "77 a: no permission to read this board file")
  }
}

/// Runs `body` without root's right to read every file.
///
/// On Linux each thread has its own user for file access, so concurrent tests keep theirs. Swift does not import
/// setfsuid, so it is looked up.
private func withoutRoot<Value>(_ body: () -> Value) -> Value {
  guard geteuid() == 0, let symbol = unsafe dlsym(nil, "setfsuid") else { return body() }
  let setUser = unsafe unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)
  _ = setUser(65_534)
  defer { _ = setUser(0) }
  return body()
}

struct MutatedFiles {
  /// Breaks `bytes` in one random way.
  private static func mutate(_ bytes: inout [UInt8], with random: inout SplitMix64) {
    let at = Int.random(in: 0...bytes.count, using: &random)
    let end = min(bytes.count, at + Int.random(in: 0...12, using: &random))
    switch Int.random(in: 0..<7, using: &random) {
    case 0: bytes.removeSubrange(at..<end)
    case 1: bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...bytes.count, using: &random))
    case 2: bytes.insert(Array("\n\r\t =:;#[]+-0123x\u{FEFF}".utf8).randomElement(using: &random) ?? 0, at: at)
    case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
    case 4: if at < bytes.count { bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    case 5: bytes.insert(contentsOf: [UInt8](repeating: 0x61, count: Int.random(in: 0...400, using: &random)), at: at)
    default: bytes.removeSubrange(at...)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>, ["adxl345", "mpu6050"])
  static func `mutated files give a board or an error in plain words`(seed: UInt64, model: String) throws {
    breakMany(try require(BoardFileText.boards[model]), seed)
    // These have every key.
    breakMany(try require(BoardFileText.emulatedBoards[model]), seed + 100)
  }

  private static func breakMany(_ lines: [String], _ seed: UInt64) {
    let whole = BoardFileText.text(lines)
    var random = SplitMix64(seed: seed)
    var boards = 0
    for _ in 0..<2_000 {
      var bytes = Array(whole.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, with: &random) }
      switch outcome(bytes: bytes) {
      case .success(let board):
        boards += 1
        expect(that: isPossible(board))
      case .failure(let error):
        expect(that: isPlain(error, lines: bytes.lineFeeds + 1), "\(bytes)")
      }
    }
    // Otherwise the mutations would be too coarse to test anything but the first line.
    expect(boards, isAbove: 20)
  }

  @Test static func `random bytes are not a board`() {
    var random = SplitMix64(seed: 99)
    for count in 0..<2_000 {
      let bytes = (0..<count % 300).map { _ in UInt8.random(in: 0...255, using: &random) }
      expect(outcome(bytes: bytes).failure.map { isPlain($0, lines: 300) }, equals: true)
    }
  }

  private static func isPossible(_ board: BoardDescription) -> Bool {
    let pins = (0..<Pose.count).map { board.lines.offsets[$0] }
    return Set(pins).count == 6 && pins.allSatisfy { (4...27).contains($0) } && board.lines.chip.count > 0
      && isPossible(board.sensor) && isPossible(board.emulation)
      && (board.bus == .emulated || board.emulation == BoardDescription.Emulation())
  }

  /// At most 2 g; from 0.5 to 1.999 times 2^30; from 1 ms to 1 s.
  private static func isPossible(_ sensor: BoardDescription.Sensor) -> Bool {
    let (offset, scale) = (sensor.calibration.offset, sensor.calibration.scale)
    return [offset.x, offset.y, offset.z].allSatisfy { abs(Int($0.raw)) <= 131_072 }
      && [scale.x, scale.y, scale.z].allSatisfy { (536_870_912...2_146_409_906).contains($0) }
      && (1_000...1_000_000).contains(sensor.period.count)
  }

  /// At most 200 mg and 10 %.
  private static func isPossible(_ emulation: BoardDescription.Emulation) -> Bool {
    (0...13_107).contains(emulation.offsetError.raw) && (0...6_553).contains(emulation.scaleError.raw)
  }

  /// One uncut line of printable ASCII, about an existing line, with what is allowed.
  private static func isPlain(_ error: BoardFileError, lines: Int) -> Bool {
    let text = error.message.description
    return text.isPrintableASCII && !error.message.isCut
      && ["; allowed: ", "; required: "].contains { text.contains($0) }
      && (0...lines).contains(Int(error.line)) && error.exitCode == 78
  }
}
