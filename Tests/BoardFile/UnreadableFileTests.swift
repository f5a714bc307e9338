import BoardFile
import Foundation
import Testing

@Suite struct UnreadableFiles {
  /// What is said of the file `name` once `make` has had it, read with the rights of the test or without root's.
  private func message(_ name: String, asRoot: Bool = true, _ make: (URL) throws -> Void) throws -> String {
    try withTemporaryFolder { folder in
      try make(folder.appending(path: name))
      let path = folder.appending(path: name).path
      let error = try #require((asRoot ? outcome(path: path) : withoutRoot { outcome(path: path) }).failure)
      return "\(error.exitCode) \(error.description(file: name))"
    }
  }

  @Test func `a missing file is named`() throws {
    #expect(try message("a.ini") { _ in } == "78 a.ini: no such board file")
    let below = try message("a.ini/b.ini") { try Data().write(to: $0.deletingLastPathComponent()) }
    #expect(below == "78 a.ini/b.ini: no such board file")
    #expect(outcome(path: "").failure?.cause == .missingFile)
  }

  @Test func `a directory is no board`() throws {
    let text = try message("a") { try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false) }
    #expect(text == "78 a: a directory, not a board file")
  }

  @Test func `an empty file is no board`() throws {
    let text = try message("a") { try Data().write(to: $0) }
    #expect(text == "78 a: nothing in this board file; allowed: sections [i2c], [sensor] and [lines]")
    #expect(outcome(path: "/dev/null").failure?.cause == .empty)
  }

  @Test func `a large file is refused before it is read`() throws {
    let tooLarge = "78 a: too large for a board file; allowed: at most 64 KiB"
    #expect(try message("a") { try Data(repeating: 0x0A, count: 10 << 20).write(to: $0) } == tooLarge)
    #expect(try message("a") { try Data(repeating: 0x0A, count: 65_537).write(to: $0) } == tooLarge)
    #expect(try message("a") { try Data(repeating: 0x0A, count: 65_536).write(to: $0) }.hasPrefix("78 a: nothing"))
    // A device has no size and no end.
    #expect(outcome(path: "/dev/zero").failure?.cause == .tooLarge)
  }

  static let notText: [([UInt8], String)] = [
    ([0x7F, 0x45, 0x4C, 0x46, 0x02, 0x00], "0x7F"), ([0x5B, 0x69, 0x00], "0x00"), ([0xFF, 0xFE, 0x5B, 0x00], "0xFF"),
    ([0xC0, 0x80], "0xC0"), ([0xED, 0xA0, 0x80], "0xED"), ([0xF4, 0x90, 0x80, 0x80], "0xF4"), ([0xE2, 0x82], "0xE2"),
    ([0xE9, 0x0A], "0xE9"), ([0x61, 0x0D, 0x62], "0x0D"), ([0x80], "0x80"),
  ]

  @Test(arguments: notText)
  func `bytes that are no text are refused`(_ bytes: [UInt8], found: String) throws {
    let text = try message("a") { try Data(Array("# text\n\n".utf8) + bytes).write(to: $0) }
    #expect(text == "78 a:3: not a text file, byte \(found); allowed: text in UTF-8")
  }

  @Test func `every character of unicode is text`() throws {
    for value in UInt32(0x80)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      if value > 0x3000 && value % 97 != 0 && value & 0xFFF > 1 { continue }
      #expect(outcome("# \(scalar)").failure?.cause == .empty, "\(value)")
    }
  }

  @Test func `a named pipe without a writer is not waited for`() throws {
    #expect(try message("a") { unsafe mkfifo($0.path, 0o600) }.hasPrefix("78 a: nothing in this board file"))
  }

  @Test func `a pipe with a writer is waited for`() throws {
    let pipe = Pipe()
    let reading = pipe.fileHandleForReading.fileDescriptor
    let writing = dup(pipe.fileHandleForWriting.fileDescriptor)
    try pipe.fileHandleForWriting.close()
    let isWritten = DispatchSemaphore(value: 0)
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) {
      let file = FileHandle(fileDescriptor: writing, closeOnDealloc: true)
      file.write(Data(BoardText.whole.utf8.prefix(100)))
      Thread.sleep(forTimeInterval: 0.05)
      file.write(Data(BoardText.whole.utf8.dropFirst(100)))
      isWritten.signal()
    }
    let result = outcome(path: "/proc/self/fd/\(reading)")
    // A pipe that is closed before would end the tests with SIGPIPE.
    isWritten.wait()
    try pipe.fileHandleForReading.close()
    #expect(try result.get() == outcome(BoardText.whole).get())
  }

  @Test func `any other trouble says its error number`() throws {
    // Nothing is mapped where a process's memory begins: EIO.
    #expect(outcome(path: "/proc/self/mem").failure?.cause == .unreadable(code: 5))
  }

  @Test func `a file without permission has an exit code of its own`() throws {
    let text = try message("a", asRoot: false) { file in
      try Data(BoardText.whole.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: file.path)
    }
    #expect(text == "77 a: no permission to read this board file")
  }
}

/// Runs `body` without root's right to read every file.
///
/// The user for file access is one of each thread in Linux: tests that run at the same time keep theirs. Swift imports
/// no setfsuid, so it is looked up.
private func withoutRoot<Value>(_ body: () -> Value) -> Value {
  guard geteuid() == 0, let symbol = unsafe dlsym(nil, "setfsuid") else { return body() }
  let setUser = unsafe unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)
  _ = setUser(65_534)
  defer { _ = setUser(0) }
  return body()
}
