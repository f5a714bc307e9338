import BoardFile
import Foundation
import Testing

@Suite struct UnreadableFiles {
  /// What is said of the file `name` once `make` has had the folder.
  private func message(_ name: String, _ make: (URL) throws -> Void) throws -> String {
    try withTemporaryFolder { folder in
      try make(folder.appending(path: name))
      let error = try #require(outcome(path: folder.appending(path: name).path).failure)
      return "\(error.exitCode) \(error.description(file: name))"
    }
  }

  @Test func aMissingFileIsNamed() throws {
    #expect(try message("a.ini") { _ in } == "78 a.ini: no such board file")
    let below = try message("a.ini/b.ini") { try Data().write(to: $0.deletingLastPathComponent()) }
    #expect(below == "78 a.ini/b.ini: no such board file")
    #expect(outcome(path: "").failure?.problem == .missingFile)
  }

  @Test func aDirectoryIsNoBoard() throws {
    let text = try message("a") { try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false) }
    #expect(text == "78 a: a directory, not a board file")
  }

  @Test func anEmptyFileIsNoBoard() throws {
    let text = try message("a") { try Data().write(to: $0) }
    #expect(text == "78 a: nothing in this board file; allowed: sections [i2c], [sensor] and [lines]")
    #expect(outcome(path: "/dev/null").failure?.problem == .empty)
  }

  @Test func aLargeFileIsRefusedBeforeItIsRead() throws {
    let tooLarge = "78 a: too large for a board file; allowed: at most 64 KiB"
    #expect(try message("a") { try Data(repeating: 0x0A, count: 10 << 20).write(to: $0) } == tooLarge)
    #expect(try message("a") { try Data(repeating: 0x0A, count: 65_537).write(to: $0) } == tooLarge)
    #expect(try message("a") { try Data(repeating: 0x0A, count: 65_536).write(to: $0) }.hasPrefix("78 a: nothing"))
    // A device has no size and no end.
    #expect(outcome(path: "/dev/zero").failure?.problem == .tooLarge)
  }

  @Test(arguments: [
    ([0x7F, 0x45, 0x4C, 0x46, 0x02, 0x00], "0x7F"), ([0x5B, 0x69, 0x00], "0x00"), ([0xFF, 0xFE, 0x5B, 0x00], "0xFF"),
    ([0xC0, 0x80], "0xC0"), ([0xED, 0xA0, 0x80], "0xED"), ([0xF4, 0x90, 0x80, 0x80], "0xF4"), ([0xE2, 0x82], "0xE2"),
    ([0xE9, 0x0A], "0xE9"), ([0x61, 0x0D, 0x62], "0x0D"), ([0x80], "0x80"),
  ] as [([UInt8], String)])
  func bytesThatAreNoTextAreRefused(_ bytes: [UInt8], found: String) throws {
    let text = try message("a") { try Data(Array("# text\n\n".utf8) + bytes).write(to: $0) }
    #expect(text == "78 a:3: not a text file, byte \(found); allowed: text in UTF-8")
  }

  @Test func everyCharacterOfUnicodeIsText() throws {
    for value in UInt32(0x80)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      if value > 0x3000 && value % 97 != 0 && value & 0xFFF > 1 { continue }
      #expect(outcome("# \(scalar)").failure?.problem == .empty, "\(value)")
    }
  }

  @Test func aNamedPipeWithoutAWriterIsNotWaitedFor() throws {
    #expect(try message("a") { unsafe mkfifo($0.path, 0o600) }.hasPrefix("78 a: nothing in this board file"))
  }

  @Test func aSocketSaysItsErrorNumber() throws {
    #expect(outcome(path: "/proc/self/mem").failure?.problem == .unreadable(code: 5))
  }

  @Test func aFileWithoutPermissionHasAnExitCodeOfItsOwn() throws {
    let text = try message("a") { file in
      try Data(BoardText.whole.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: file.path)
    }
    #expect(text == "77 a: no permission to read this board file")
  }
}
