import Foundation
import TestSupport

/// The tool, run as a process like a user runs it.
struct Tool {
  var exitCode: Int32
  var output: String
  var errors: String

  /// The built tool, beside the bundle of the tests.
  static var path: String {
    let bundle = URL(fileURLWithPath: CommandLine.arguments.first ?? "").deletingLastPathComponent()
    return bundle.appendingPathComponent("plumb").path
  }

  /// The environment in which the bridge replaces the kernel, with `sensors` on `/dev/i2c-1`; without noise if their
  /// samples must be exact.
  ///
  /// The bridge is beside the tool, and is preloaded by its name: paths in LD_PRELOAD end at a blank.
  static func bridge(_ sensors: String, isNoisy: Bool = true) -> [String: String] {
    let sensors = isNoisy ? sensors : sensors.split(separator: ";").map { $0 + " noise=no" }.joined(separator: ";")
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return ["LD_PRELOAD": "libPlumbBridge.so", "LD_LIBRARY_PATH": folder, "PLUMB_BRIDGE": sensors]
  }

  /// The folder `boards` of the package.
  static func board(_ name: String) -> String {
    URL(filePath: #filePath).appending(path: "../../../../boards/\(name).ini").standardized.path
  }

  /// Variables that change the tool's output: no test inherits them.
  private static let settings: Set = ["LANG", "LANGUAGE", "NO_COLOR", "COLUMNS", "LINES", "XDG_DATA_DIRS"]

  /// The environment of the tests, without the user's settings, in a UTF-8 locale, and without the computer's
  /// service.
  static let environment = ProcessInfo.processInfo.environment
    .filter { name, _ in !settings.contains(name) && !name.hasPrefix("LC_") && !name.hasPrefix("PLUMB_") }
    .merging(["LC_ALL": "C.UTF-8", "PLUMB_STREAM": "none", "PLUMB_BOARD": "none"]) { $1 }

  /// A launcher that drops root's right to read and write everything; empty for another user.
  static var withoutRights: [String] {
    getuid() == 0 ? ["/usr/bin/setpriv", "--inh-caps=-all", "--bounding-set=-all", "--reuid=0", "--"] : []
  }

  /// The tool, ready to run, with an empty standard input.
  static func process(
    _ arguments: [String], launcher: [String] = [], environment: [String: String] = [:]
  ) -> Process {
    OrdinarySignals.restored
    let process = Process()
    let command = launcher + [path] + arguments
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = Array(command.dropFirst())
    process.environment = self.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// Runs a command of the shell, without its standard output.
  static func shell(_ command: String) throws -> (status: Int32, errors: String) {
    let process = process([], launcher: ["/bin/sh", "-c", command])
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  /// Runs the tool to its end.
  static func run(_ arguments: String...) throws -> Tool { try run(arguments: arguments) }

  /// Runs the tool to its end; with `isEnough` it gets Ctrl-C once it has printed enough, however busy the computer
  /// is.
  static func run(
    arguments: [String], launcher: [String] = [], environment: [String: String] = [:],
    until isEnough: ((String) -> Bool)? = nil
  ) throws -> Tool {
    let process = process(arguments, launcher: launcher, environment: environment)
    // Files, not pipes: a pipe that is not emptied while the other is read would stop the process.
    let folder = try scratchFolder()
    defer { remove(folder) }
    let (output, errors) = (folder.appendingPathComponent("out"), folder.appendingPathComponent("err"))
    for file in [output, errors] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    if let isEnough {
      try waitFor { try !process.isRunning || isEnough(String(contentsOf: output, encoding: .utf8)) }
      process.interrupt()
    }
    process.waitUntilExit()
    return Tool(
      exitCode: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }

  /// The lines of the output.
  var lines: [Substring] { output.linesAsBytes }

  private static func object(_ line: Substring) throws -> [String: Any] {
    try unwrapped(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  /// The lines of JSON, each decoded.
  var objects: [[String: Any]] {
    get throws { try lines.map(Self.object) }
  }

  /// The objects of one kind of event. Of other lines it is only checked that they look like objects.
  func events(_ kind: String) throws -> [[String: Any]] {
    try lines.compactMap { line in
      guard line.utf8.first == UInt8(ascii: "{"), line.utf8.last == UInt8(ascii: "}") else { throw Missing() }
      guard line.end(of: "\"\(kind)\"") != nil else { return nil }
      let object = try Self.object(line)
      return object["event"] as? String == kind ? object : nil
    }
  }
}

extension Pipe {
  /// The next line, once it is complete; later bytes are left unread.
  func line() throws -> String {
    var line = Data()
    while let byte = try fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0A { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }
}

/// Something that a test relied on was missing.
struct Missing: Error {}

func unwrapped<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw Missing() }
  return value
}

/// Waits at most two minutes.
func waitFor(_ condition: () throws -> Bool) throws {
  for _ in 0..<12_000 {
    if try condition() { return }
    usleep(10_000)
  }
  throw Missing()
}

/// Waits until `owner` listens at the Unix socket `path`, whose file exists a moment earlier.
func waitFor(_ owner: Process, at path: String) throws {
  try waitFor {
    guard owner.isRunning else { throw Missing() }
    // Foundation's functions for a whole file read only one page of such a file.
    let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/unix"))
    defer { file.closeFile() }
    let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    // Number, references, protocol, flags (this one is __SO_ACCEPTCON of linux/net.h), type, state, inode, path.
    return text.split(separator: "\n").contains {
      $0.hasSuffix(" \(path)") && $0.split(separator: " ").dropFirst(3).first == "00010000"
    }
  }
}

/// A new folder for files of one test. Its name is short: the path of a socket in it has at most 107 characters.
func scratchFolder(in parent: URL = FileManager.default.temporaryDirectory) throws -> URL {
  let folder = parent.appendingPathComponent("plumb-\(UUID().uuidString.prefix(13))")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}

func remove(_ folder: URL) {
  do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path): \(error)") }
}

/// Calls `body` with a file that holds `content`.
func withFile<Result>(named name: String = "file.csv", content: Data, _ body: (String) throws -> Result) throws
  -> Result
{
  let folder = try scratchFolder()
  defer { remove(folder) }
  let file = folder.appendingPathComponent(name)
  try content.write(to: file)
  return try body(file.path)
}
