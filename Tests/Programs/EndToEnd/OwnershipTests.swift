import Foundation
import TestSupport
import Testing

/// Several programs on one bus: each pair shares it, or the second is rejected with the first one's name.
struct OwnershipTests {
  /// Commands that run until they are stopped, or for seconds, on their own board.
  static let owners: [[String]] = [
    ["run"], ["record", "-o", "/dev/null"], ["vibration", "--rate", "400", "--duration", "600"],
    ["serve", "--listen", "127.0.0.1:0"],
    ["on", "shake", "--", "true"], ["level", "--follow", "--duration", "600"], ["publish", "--broker", "127.0.0.1:1"],
    ["calibrate"], ["mount"], ["selftest"],
  ]

  /// Commands that set up a sensor; if they can, they end soon.
  static let guests: [[String]] = [
    ["run", "--duration", "0.1"], ["record", "-o", "/dev/null", "--duration", "0.1"],
    ["vibration", "--rate", "400", "--duration", "1"], ["serve", "--listen", "127.0.0.1:0"],
    ["on", "shake", "--duration", "0.1", "--", "true"],
    ["publish", "--broker", "127.0.0.1:1", "--duration", "0.1"], ["calibrate", "--timeout", "1"],
    ["mount", "--timeout", "1"], ["tare", "--timeout", "1"], ["selftest"],
  ]

  /// A bus that programs share, with its board file.
  private struct Bench {
    let board: String
    let environment: [String: String]

    func run(_ command: [String]) throws -> Tool {
      // A command that is not rejected could run for ever. Only the tool gets the bridge, which takes time to load.
      let launcher = ["/usr/bin/timeout", "60", "/usr/bin/env"] + environment.map { "\($0)=\($1)" }
      return try Tool.run(arguments: arguments(command), launcher: launcher)
    }

    /// `command` with the board file, before the words for another program.
    func arguments(_ command: [String]) -> [String] {
      let end = command.firstIndex(of: "--") ?? command.endIndex
      return command[..<end] + ["--board", board] + command[end...]
    }

    /// Starts `command`, and waits until it has started the sensor's measurement.
    func start(_ command: [String]) throws -> Process {
      let process = Tool.process(arguments(command), environment: environment)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      let former = try measurements()
      try process.run()
      try waitFor { try !process.isRunning || measurements() > former }
      return process
    }

    /// How often a sensor was started.
    private func measurements() throws -> Int {
      let journal = try unwrapped(environment["PLUMB_BRIDGE_JOURNAL"])
      guard let text = FileManager.default.contents(atPath: journal) else { return 0 }
      return String(decoding: text, as: UTF8.self).components(separatedBy: "| 2D 08 | P").count - 1
    }
  }

  private static func withBench(_ body: (Bench) throws -> Void) throws {
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-adxl345"), encoding: .utf8)
      .replacing("chip = raspberry-pi", with: "chip = emulated")
    try withFile(named: "board.ini", content: Data(text.utf8)) { board in
      let journal = URL(filePath: board).deletingLastPathComponent().appending(path: "journal").path
      try body(
        Bench(
          board: board,
          environment: Tool.bridge("adxl345@0x53=0,1,0; adxl345@0x1d=0,0,1").merging(["PLUMB_BRIDGE_JOURNAL": journal])
          {
            $1
          }))
    }
  }

  private static func stop(_ process: Process, with signal: Int32) {
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
  }

  @Test(arguments: owners) static func `a command that would set up a sensor with an owner is rejected, and names it`(
    owner: [String]
  ) throws {
    try withBench { bench in
      let process = try bench.start(owner)
      let words =
        "the sensor at 0x53 on /dev/i2c-1 is in use by plumb \(owner[0]) (process \(process.processIdentifier))"
      // A self-test ends after some two seconds.
      let isShort = owner == ["selftest"]
      try require(that: process.isRunning || isShort)
      for guest in isShort ? [["run", "--duration", "0.1"]] : Self.guests {
        let result = try bench.run(guest)
        // On a busy computer it may end before the guest comes.
        if isShort && !process.isRunning { break }
        expect(result.exitCode, equals: 69, "\(guest): \(result.errors)")
        expect(result.errors, contains: words + ": listen to it with --from, or stop it", "\(guest): \(result.errors)")
      }
      if isShort {
        process.waitUntilExit()
        try expect(bench.run(["run", "--duration", "0.1"]).exitCode, equals: 0)
        return
      }
      let watch = try Watch.run([], arguments: ["--board", bench.board], environment: bench.environment)
      #expect(
        watch.exit == 69 && watch.text.split(separator: "\n").joined().contains("plumb \(owner[0])"), "\(watch.text)")
      // They join an owner with the settings of the board file; another rate is not one of them.
      for joining in [["read"], ["level", "--once"]] {
        let result = try bench.run(joining)
        let isJoined =
          result.exitCode == 0 && (joining != ["read"] || result.output.contains("nothing was written to it"))
        let isRefused = result.exitCode == 69 && result.errors.contains(words)
        #expect(owner[0] == "vibration" ? isRefused : isJoined, "\(joining): \(result.errors)")
      }
      // It owns only its own sensor.
      expect(that: process.isRunning)
      let text = try String(contentsOfFile: bench.board, encoding: .utf8).replacing(
        "address = 0x53", with: "address = 0x1D")
      try withFile(named: "other.ini", content: Data(text.utf8)) { other in
        let neighbour = Bench(board: other, environment: bench.environment)
        let result = try neighbour.run(["run", "--duration", "0.1"])
        expect(result.exitCode, equals: 0, "\(result.errors)")
      }
      stop(process, with: SIGKILL)
      let heir = try bench.run(["run", "--duration", "0.1"])
      expect(heir.exitCode, equals: 0, "a killed owner leaves no lock: \(heir.errors)")
    }
  }

  @Test static func `two emulated boards are independent`() throws {
    let process = Tool.process(["run"])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    _ = try output.line()
    let other = try Tool.run("run", "--duration", "0.1")
    expect(other.exitCode, equals: 0)
    expect(that: process.isRunning)
    stop(process, with: SIGINT)
  }

  @Test static func `a sensor in use with other settings is not read, and its owner continues`() throws {
    try withBench { bench in
      let process = try bench.start(["run", "--rate", "25"])
      let read = try bench.run(["read"])
      expect(read.exitCode, equals: 69, "\(read.errors)")
      expect(read.errors, contains: "is in use by plumb run (process ", "\(read.errors)")
      expect(read.errors, contains: "it can only be read with the same settings", "\(read.errors)")
      let same = try bench.run(["read", "--rate", "25"])
      expect(same.exitCode, equals: 0, "\(same.errors)")
      expect(that: process.isRunning)
      stop(process, with: SIGINT)
    }
  }
}
