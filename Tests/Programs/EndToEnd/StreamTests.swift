import Foundation
import TestSupport
import Testing

/// A program that shares an emulated board, from when it listens until the end of the test.
private final class Owner {
  let path: String
  private let process: Process
  private let output: URL

  init(in folder: URL, _ arguments: String...) throws {
    path = folder.appendingPathComponent("s").path
    output = folder.appendingPathComponent("owner.jsonl")
    try Data().write(to: output)
    process = Tool.process(["run", "--format", "json", "--share", "unix:\(path)"] + arguments)
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    try waitFor(process, at: path)
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Asks it to end, like Ctrl-C.
  func stop() { process.interrupt() }

  /// Its output, once it has ended.
  func objects() throws -> [[String: Any]] {
    process.waitUntilExit()
    let text = try String(contentsOf: output, encoding: .utf8)
    return try Tool(exitCode: process.terminationStatus, output: text, errors: "").objects
  }
}

/// A folder whose path is short enough for sockets.
private func withSocketFolder(_ body: (URL) throws -> Void) throws {
  try withShortFolder { try body(URL(fileURLWithPath: $0)) }
}

extension Tool {
  /// The tool on a stream that `serve` offers; with `isEnough` it gets Ctrl-C once it has printed enough.
  fileprivate static func run(
    _ arguments: [String], launcher: [String] = [], until isEnough: ((String) -> Bool)? = nil,
    from serve: @escaping @Sendable (FakeClient, Int) -> Void
  ) throws -> Tool {
    var tool: Tool?
    try withSocketFolder { folder in
      let owner = try FakeOwner(at: folder.appendingPathComponent("s").path, serve)
      defer { owner.end() }
      tool = try run(
        arguments: arguments.map { $0.replacing("SOCKET", with: owner.path) }, launcher: launcher, until: isEnough)
    }
    return try unwrapped(tool)
  }
}

struct StreamTests {
  /// Ends a program that does not end, with the exit code 137.
  private static let guarded = ["/usr/bin/timeout", "-s", "KILL", "60"]

  /// Endless lines, and the commands that are tested with them: samples with those that show each.
  private static let floods: [(line: String, commands: [[String]])] = [
    (
      #"{"event":"x"}"#,
      [
        ["run"], ["on", "tap", "--", "true"], ["tare"], ["mount"], ["record", "-o", "/dev/null", "--force"],
        ["serve", "--listen", "127.0.0.1:0"], ["read"], ["vibration"],
      ]
    ), (FakeOwner.sample(t: "13"), [["run"], ["record", "-o", "/dev/null", "--force"], ["vibration"]]),
  ]

  @Test(arguments: floods)
  static func `a command ends on time and by a signal although an owner never pauses`(
    line: String, commands: [[String]]
  ) throws {
    let serve: @Sendable (FakeClient, Int) -> Void = { client, _ in
      client.put(FakeOwner.hello())
      client.flood(line)
    }
    let run = try Tool.run(["run", "--from", "unix:SOCKET", "--duration", "0.4"], launcher: Self.guarded, from: serve)
    expect(run.exitCode, equals: 0)
    for arguments in commands {
      // 124: it was asked to end after a while. It may have ended before.
      let tool = try Tool.run(
        [arguments[0], "--from", "unix:SOCKET"] + arguments.dropFirst(),
        launcher: ["/usr/bin/timeout", "-s", "TERM", "-k", "60", "0.4"], from: serve)
      expect(tool.exitCode, isNot: 137, "\(arguments)")
    }
  }

  /// Control characters for a terminal in every text of an owner.
  private static let hostile: @Sendable (FakeClient, Int) -> Void = { client, _ in
    let words = #"a\u001b[2J\r\nb\u0000\u009b31m"# + "\u{9B}5m\u{7F}"
    client.put(
      FakeOwner.hello().replacing("b.ini", with: words).replacing("/dev/i2c-1", with: words)
        .replacing("0.2.0", with: words))
    client.put(#"{"t":13,"event":"trouble","reason":"fault","detail":"\#(words)"}"#)
    client.put("{\"t\":14,\r\"event\":\"notice\",\"detail\":\"\(words)\"}")
    client.put(#"{"event":"error","detail":"\#(words)"}"#)
    client.put(#"{"event":"bye","detail":"\#(words)"}"#)
    client.waitForEnd()
  }

  /// The first character in the output of `tool` that controls a terminal.
  private static func control(_ tool: Tool) -> Unicode.Scalar? {
    (tool.output + tool.errors).unicodeScalars.first {
      ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value)
    }
  }

  @Test(arguments: [
    (["run"], "the owner: a?[2J"), (["run", "--format", "json"], #""event":"error","detail":"a?[2J"#), (["read"], ""),
    (["status"], "a?[2J"), (["on", "tap", "--", "true"], ""), (["record", "-o", "/dev/null", "--force"], ""),
    (["vibration"], ""), (["tare"], ""), (["serve", "--format", "json", "--listen", "127.0.0.1:0"], "a?[2J"),
  ])
  static func `no text of an owner controls a terminal`(arguments: [String], words: String) throws {
    let arguments = [arguments[0], "--from", "unix:SOCKET"] + arguments.dropFirst()
    let tool =
      words.isEmpty
      ? try Tool.run(
        arguments, launcher: ["/usr/bin/timeout", "-s", "INT", "-k", "60", "1"], from: Self.hostile)
      : try Tool.run(arguments, until: { $0.contains(words) }, from: Self.hostile)
    expect(tool.exitCode, isNot: 137)
    expect(that: words.isEmpty || tool.output.contains(words))
    expect(Self.control(tool), equals: nil)
  }

  @Test static func `a signal ends a program while ssh hangs`() throws {
    try withSocketFolder { folder in
      let script = folder.appendingPathComponent("ssh")
      try Data("#!/bin/sh\nexec sleep 600\n".utf8).write(to: script)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
      for command in ["run", "read", "tare", "mount", "status"] {
        let tool = try Tool.run(
          arguments: [command, "--from", "ssh:nowhere"],
          launcher: ["/usr/bin/timeout", "-s", "TERM", "-k", "60", "1"], environment: ["PLUMB_SSH": script.path])
        expect(tool.exitCode, equals: 124, "\(command): \(tool.errors)")
      }
    }
  }

  @Test static func `another owner's notice is kept unchanged, wherever its time is`() throws {
    let serve: @Sendable (FakeClient, Int) -> Void = { client, _ in
      client.put(FakeOwner.hello())
      client.put(#"{"event":"notice","detail":"the lid is open","t":13}"#)
      client.put(#"{"event":"bye","detail":"the end"}"#)
      client.waitForEnd()
    }
    let json = try Tool.run(
      ["run", "--from", "unix:SOCKET", "--format", "json"], until: { $0.contains("\"notice\"") }, from: serve)
    let notice = try require(json.objects.first { $0["event"] as? String == "notice" })
    expect(notice["detail"] as? String, equals: "the lid is open")
    expect(Set(notice.keys), equals: ["t", "event", "detail"])
    let text = try Tool.run(["run", "--from", "unix:SOCKET"], until: { $0.contains("the lid is open") }, from: serve)
    expect(text.exitCode, equals: 0)
    expect(that: !text.output.contains("reports identity"))
  }

  @Test static func `a port in use has the same message everywhere`() throws {
    let listener = try Listener()
    let words =
      "port \(listener.port) of 127.0.0.1 is in use by another program: choose another port, or stop that program"
    for arguments in [
      ["serve", "--listen", "127.0.0.1:\(listener.port)"], ["run", "--share", "tcp:127.0.0.1:\(listener.port)"],
    ] {
      let tool = try Tool.run(arguments: arguments)
      expect(tool.exitCode, equals: 69, "\(tool.errors)")
      expect(that: tool.errors.replacing("\n", with: " ").contains(words), "\(tool.errors)")
    }
  }

  @Test static func `run says where it shares, and the command that listens there`() throws {
    try withSocketFolder { folder in
      let place = "unix:\(folder.path)/s"
      let tool = try Tool.run("run", "--share", place, "--motion", "portrait", "--duration", "0.1")
      expect(tool.exitCode, equals: 0)
      expect(tool.output, contains: "Shared at ")
      expect(tool.output, contains: "\n  plumb run --from \(place)\n")
    }
  }

  @Test static func `record has the owner's exact samples, until the owner ends`() throws {
    try withSocketFolder { folder in
      let owner = try Owner(in: folder, "--motion", "tumble", "--samples")
      let file = folder.appendingPathComponent("a.csv")
      let process = Tool.process(["record", "--from", "unix:\(owner.path)", "-o", file.path, "--format", "json"])
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      // Until some are in the file, which does not have its name yet.
      try waitFor {
        guard process.isRunning else { throw Missing() }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).contains {
          guard $0.hasSuffix(".part") else { return false }
          let size = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + $0)[.size] as? Int
          return size ?? 0 > 2_000
        }
      }
      owner.stop()
      let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let record = Tool(exitCode: process.terminationStatus, output: printed, errors: "")
      expect(record.exitCode, equals: 0)
      let samples = try owner.objects().filter { $0["event"] as? String == "sample" }
      func row(_ object: [String: Any]) throws -> [Double] {
        try ["x", "y", "z"].map { try unwrapped(object[$0] as? Double) }
      }
      let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map {
        try $0.split(separator: ",").map { try unwrapped(Double($0)) }
      }
      // From some sample on it has all of them, with the owner's times.
      expect(rows.count, isAbove: 10)
      expect(rows.count, isAtMost: samples.count)
      let last = Array(samples.suffix(rows.count))
      let start = try unwrapped(last.first?["t"] as? Double)
      for (row, object) in zip(rows, last) {
        expect(Array(row[1...]), equals: (try ["x", "y", "z"].map { try unwrapped(object[$0] as? Double) }))
        expect(abs(row[0] - (try unwrapped(object["t"] as? Double) - start)), isBelow: 2e-6)
      }
      let summary = try unwrapped(try record.objects.last)
      expect(summary["samples"] as? Int, equals: rows.count)
      expect(summary["missed"] as? Int, equals: 0)
      _ = row
    }
  }

  @Test static func `run reports the owner's events as those of its own board`() throws {
    try withSocketFolder { folder in
      let owner = try Owner(in: folder, "--motion", "tumble")
      let client = Tool.process(["run", "--from", owner.path, "--format", "json"])
      let output = folder.appendingPathComponent("client.jsonl")
      try Data().write(to: output)
      client.standardOutput = try FileHandle(forWritingTo: output)
      try client.run()
      func wait(until isEnough: (String) -> Bool) throws {
        try waitFor {
          guard client.isRunning else { throw Missing() }
          return try isEnough(String(contentsOf: output, encoding: .utf8))
        }
      }
      // The first pose is that of the hello; then at least one more comes.
      try wait { $0.matches(of: /"event":"pose"/).count > 1 }
      owner.stop()
      let events = try owner.objects().filter { ["pose", "trouble"].contains($0["event"] as? String) }
      // It knows that the owner has ended; then it is asked to end too.
      try wait { $0.contains("\"reason\":\"stale\"") }
      client.interrupt()
      client.waitUntilExit()
      expect(client.terminationStatus, equals: 0)
      let seen = try Tool(exitCode: 0, output: String(contentsOf: output, encoding: .utf8), errors: "").objects
      expect(seen.first?["event"] as? String, equals: "hello")
      let later = seen.filter { $0["event"] as? String == "pose" }.dropFirst()
      let names = later.map { $0["to"] as? String }
      let owners = events.filter { $0["event"] as? String == "pose" }.map { $0["to"] as? String }
      expect(that: !names.isEmpty)
      expect(Array(owners.suffix(names.count)), equals: names)
      for (ours, theirs) in zip(later, events.filter { $0["event"] as? String == "pose" }.suffix(names.count)) {
        for key in ["from", "pitch_deg"] { expect("\(ours[key] ?? "")", equals: "\(theirs[key] ?? "")") }
        expect(ours["leds"] as? [Int], equals: theirs["leds"] as? [Int])
      }
      let stale = try unwrapped(seen.last { $0["reason"] as? String == "stale" })
      expect((stale["detail"] as? String)?.contains("trying again"), equals: true)
    }
  }

  @Test static func `read gives one fresh reading, or the mean of several, and names the owner`() throws {
    try withSocketFolder { folder in
      let owner = try Owner(in: folder, "--motion", "hold")
      for average in ["1", "5"] {
        let read = try Tool.run(
          "read", "--from", owner.path, "--format", "json", "--average", average, "--relative-to", "landscapeLeft")
        expect(read.exitCode, equals: 0, "\(read.errors)")
        let object = try unwrapped(try read.objects.first)
        expect(object["event"] as? String, equals: "read")
        expect(object["pose"] as? String, equals: "portrait")
        expect(object["adopted"] as? Bool, equals: true)
        expect(that: object["relative_deg"] is Double)
      }
      let text = try Tool.run("read", "--from", owner.path)
      expect(text.output, contains: "ADXL345 at 0x53")
      expect(text.output, contains: "from the owner at unix:\(owner.path)")
      owner.stop()
    }
  }

  @Test static func `plot draws what comes, for the requested time`() throws {
    try withSocketFolder { folder in
      let owner = try Owner(in: folder, "--motion", "hold")
      let picture = folder.appendingPathComponent("a.svg").path
      let plot = try Tool.run("plot", "--from", owner.path, "--duration", "1", "-o", picture, "--format", "json")
      expect(plot.exitCode, equals: 0, "\(plot.errors)")
      try expect(unwrapped(try plot.objects.first?["samples"] as? Int), isAbove: 0)
      try expect(String(contentsOfFile: picture, encoding: .utf8), contains: "unix:\(owner.path)")
      owner.stop()
    }
  }

  @Test static func `without --from and --board the default owner is used, and the first line says so`() throws {
    try withSocketFolder { folder in
      let owner = try Owner(in: folder, "--motion", "hold")
      let usual = ["PLUMB_STREAM": "unix:\(owner.path)"]
      let run = try Tool.run(arguments: ["run", "--duration", "0.2"], environment: usual)
      expect(run.exitCode, equals: 0)
      expect(run.output, hasPrefix: "ADXL345 at 0x53, emulated, 100 Hz, ±16 g, from the owner at")
      // An option for an own board selects one.
      let own = try Tool.run(arguments: ["run", "--duration", "0.2", "--motion", "hold"], environment: usual)
      expect(own.output, hasPrefix: "ADXL345 at 0x53, emulated, 100 Hz, ±16 g, motion ")
      let both = try Tool.run(
        arguments: ["run", "--duration", "0.2"], environment: usual.merging(["PLUMB_BOARD": "emulated"]) { $1 })
      expect(that: both.output.hasPrefix(run.output.prefix { $0 != "\n" }))
      let none = try Tool.run("run", "--duration", "0.2", "--speed", "fast")
      expect(none.output, hasPrefix: "ADXL345 at 0x53, emulated, 100 Hz, ±16 g, motion ")
      owner.stop()
    }
    // The computer's board comes after a named owner, and before the emulated board.
    let file = Tool.board("emulated-mpu6050")
    let board = ["PLUMB_BOARD": file]
    for (arguments, start) in [
      (["run", "--duration", "0.2"], "MPU-6050 at 0x68, emulated"),
      (["run", "--duration", "0.2", "--motion", "hold"], "ADXL345 at 0x53, emulated"),
      (["run", "--speed", "fast"], "ADXL345 at 0x53, emulated"),
      (["run", "--board", "emulated", "--duration", "0.2"], "ADXL345 at 0x53, emulated"),
      (["wiring"], "MPU-6050 at 0x68"), (["doctor"], "Checking \(file)"), (["probe"], "0x68"),
    ] {
      let tool = try Tool.run(arguments: arguments, environment: board)
      expect(tool.exitCode, equals: 0, "\(arguments): \(tool.output)\(tool.errors)")
      expect(that: tool.output.hasPrefix(start), "\(arguments): \(tool.output)\(tool.errors)")
    }
    try expect(Tool.run("doctor").output, hasPrefix: "Checking a Raspberry Pi with an ADXL345")
    // A board requested by name must exist.
    let lost = try Tool.run(arguments: ["run"], environment: ["PLUMB_BOARD": "/nowhere/board.ini"])
    expect(lost.exitCode, equals: 78)
    expect(lost.errors, contains: "/nowhere/board.ini")
    let gone = try Tool.run(arguments: ["read"], environment: ["PLUMB_STREAM": "unix:/tmp/plumb-none/s"])
    expect(gone.exitCode, equals: 69)
    expect(gone.errors, contains: "no such socket")
    let wrong = try Tool.run(arguments: ["read"], environment: ["PLUMB_STREAM": "nonsense"])
    expect(wrong.exitCode, equals: 64)
  }

  @Test(arguments: [
    ["run", "--motion", "hold"], ["run", "--board", "emulated"], ["run", "--rate", "50"], ["run", "--seed", "1"],
    ["run", "--give-up", "3"], ["interface", "--cross-fade"], ["run", "--speed", "fast"],
    ["interface", "--rest", "captured"], ["interface", "--orientations", "portrait"],
    ["interface", "--rotation-time", "1"], ["run", "--share", "unix:/tmp/x"],
    ["record", "-o", "/tmp/never.csv", "--give-up", "3"], ["record", "-o", "/tmp/never.csv", "--motion", "hold"],
    ["read", "--motion", "hold"], ["serve", "--motion", "hold"], ["plot", "a.csv", "-o", "/tmp/never.svg"],
    ["plot", "-o", "/tmp/never.svg", "--gravity", "low-pass"],
  ])
  static func `an operation that a stream does not support is wrong usage`(arguments: [String]) throws {
    let tool = try Tool.run(arguments: arguments + ["--from", "unix:/tmp/plumb-none/s"])
    expect(tool.exitCode, equals: 64, "\(tool.errors)")
    expect(tool.errors, contains: "--from")
  }

  @Test static func `an owner takes commands where an option or the board file says so`() throws {
    try withSocketFolder { folder in
      let owner = try Owner(in: folder, "--motion", "hold", "--commands")
      // After a stall of the computer the board is not yet still again.
      var tare = try Tool.run("tare", "--from", "unix:\(owner.path)")
      for _ in 0..<10 where tare.errors.contains("hold it still") {
        tare = try Tool.run("tare", "--from", "unix:\(owner.path)")
      }
      expect(tare.exitCode, equals: 0, "\(tare.errors)")
    }
    try withSocketFolder { folder in
      let owner = try Owner(in: folder, "--motion", "hold")
      let tare = try Tool.run("tare", "--from", "unix:\(owner.path)")
      expect(tare.exitCode, equals: 69, "\(tare.errors)")
      expect(tare.errors, contains: "or pass --commands to plumb run", "\(tare.errors)")
    }
    let alone = try Tool.run("run", "--commands")
    expect(alone.exitCode, equals: 64, "\(alone.errors)")
    expect(alone.errors, contains: "--commands needs --share.", "\(alone.errors)")
  }

  @Test(arguments: ["s", "tcp:pi:0", "ssh:-x", "http://pi"])
  static func `an invalid address is wrong usage`(address: String) throws {
    try expect(Tool.run("run", "--from", address).exitCode, equals: 64)
  }

  @Test(arguments: ["run", "record", "read", "serve", "plot"])
  static func `without an owner the exit code is 69, and no file is left`(command: String) throws {
    try withSocketFolder { folder in
      let output = ["record": ["-o", folder.path + "/a.csv"], "plot": ["-o", folder.path + "/a.svg"]]
      let tool = try Tool.run(arguments: [command, "--from", folder.path + "/s"] + (output[command] ?? []))
      expect(tool.exitCode, equals: 69)
      expect(tool.errors, contains: "no owner offers a stream at unix:\(folder.path)/s")
      try expect(empty: FileManager.default.contentsOfDirectory(atPath: folder.path))
    }
  }

  @Test static func `without permission for the socket the exit code is 77, and the error says what to do`() throws {
    try withSocketFolder { folder in
      let owner = try FakeOwner(at: folder.appendingPathComponent("s").path) { client, _ in client.waitForEnd() }
      try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: owner.path)
      let tool = try Tool.run(arguments: ["run", "--from", owner.path], launcher: Tool.withoutRights)
      expect(tool.exitCode, equals: 77, "\(tool.errors)")
      expect(tool.errors, contains: "group", "\(tool.errors)")
    }
  }

  @Test static func `the owner's words are shown, and losses on the way are reported`() throws {
    let serve: @Sendable (FakeClient, Int) -> Void = { client, _ in
      client.put(FakeOwner.hello())
      client.put(
        "{\"t\":12.75,\"event\":\"trouble\",\"reason\":\"fault\",\"cause\":\"noAcknowledge\",\"detail\":\"loose wire\"}"
      )
      client.put("{\"event\":\"missed\",\"count\":7}")
      client.put("{\"t\":13,\"event\":\"weather\",\"detail\":\"not known\"}")
      client.put("{\"t\":13.5,\"event\":\"recovery\",\"outage_s\":0.75,\"detail\":\"loose wire\"}")
      client.waitForEnd()
    }
    let text = try Tool.run(["run", "--from", "SOCKET"], until: { $0.contains("recovered") }, from: serve)
    expect(text.exitCode, equals: 0)
    for words in ["pose unknown: loose wire", "7 lines of the owner missed", "recovered after 0.75 s from: loose wire"]
    {
      expect(text.output, contains: words)
    }
    expect(text.output, lacks: "not known")
    let json = try Tool.run(
      ["run", "--from", "SOCKET", "--format", "json"], until: { $0.contains("recovery") }, from: serve)
    let trouble = try unwrapped(try json.events("trouble").first)
    expect(trouble["t"] as? Double, equals: 0.25)
    expect(trouble["cause"] as? String, equals: "noAcknowledge")
    try expect(json.events("missed").first?["count"] as? Int, equals: 7)
    try expect(json.events("recovery").first?["t"] as? Double, equals: 1)
  }

  @Test static func `a slow recording reports its losses, in words and as an object`() throws {
    let serve: @Sendable (FakeClient, Int) -> Void = { client, _ in
      client.put(FakeOwner.hello())
      for index in 0..<20 { client.put(FakeOwner.sample(t: "13.\(index + 10)")) }
      client.put("{\"event\":\"missed\",\"count\":50}")
      for index in 0..<20 { client.put(FakeOwner.sample(t: "14.\(index + 10)")) }
      client.put("{\"event\":\"bye\",\"detail\":\"the end\"}")
    }
    try withSocketFolder { folder in
      let arguments = ["record", "--from", "SOCKET", "--force", "-o", folder.path + "/a.csv"]
      let text = try Tool.run(arguments, from: serve)
      expect(text.exitCode, equals: 0)
      expect(text.errors, contains: "50 lines of the stream missed.")
      expect(text.errors, contains: "1 gap")
      expect(text.errors, contains: "this program was too slow for the stream")
      let json = try Tool.run(arguments + ["--format", "json"], from: serve)
      let summary = try unwrapped(try json.objects.last)
      expect(summary["missed"] as? Int, equals: 50)
      expect(summary["gaps"] as? Int, equals: 1)
      expect(summary["samples"] as? Int, equals: 40)
    }
  }

  @Test static func `another run of the owner is shown as it is, without an old pose meanwhile`() throws {
    let run = try Tool.run(
      ["run", "--from", "SOCKET", "--format", "json"], until: { $0.contains("\"to\":\"faceUp\"") }
    ) { client, number in
      client.put(
        FakeOwner.hello(
          owner: "run-\(number)", t: number == 0 ? "1000" : "0.5", pose: number == 0 ? "portrait" : "faceUp"))
      if number > 0 { client.waitForEnd() }
    }
    let shown = try run.objects.filter { $0["event"] as? String != "hello" }.dropLast().map {
      ($0["to"] ?? $0["reason"]) as? String
    }
    expect(shown, equals: ["portrait", "stale", "faceUp"])
    let times = try run.objects.compactMap { $0["t"] as? Double }.dropFirst()
    expect(Array(times), equals: times.sorted())
  }

  @Test static func `only the shown values are requested`() throws {
    let asked = Notes()
    let serve: @Sendable (FakeClient, Int) -> Void = { client, _ in
      client.put(FakeOwner.hello())
      while let line = client.line() {
        asked.add(line)
        if line.contains("hello") { client.put(FakeOwner.hello()) }
      }
      asked.add("the end")
    }
    for (index, options) in [[], ["--show", "shake"], ["--show", "angles"], ["--samples"]].enumerated() {
      _ = try Tool.run(["run", "--from", "SOCKET", "--duration", "0.3"] + options, from: serve)
      // The stand-in has received every request.
      try waitFor { asked.all.count { $0 == "the end" } > index }
    }
    let samples = asked.all.filter { $0.contains("samples") }
    expect(samples, equals: ["{\"samples\":10}", "{\"samples\":\"all\"}"])
  }

  @Test static func `a sensor that delivers nothing is an error of read, in the owner's words`() throws {
    let read = try Tool.run(["read", "--from", "SOCKET"]) { client, _ in
      client.put(FakeOwner.hello(pose: "fault"))
      if client.line() == "{\"query\":\"read\"}" { client.put("{\"event\":\"error\",\"detail\":\"loose wire\"}") }
      client.waitForEnd()
    }
    expect(read.exitCode, equals: 69)
    expect(read.errors, contains: "loose wire")
  }

  @Test static func `watch shows the owner's board, and c asks the owner`() throws {
    try withSocketFolder { folder in
      let owner = try FakeOwner(at: folder.appendingPathComponent("s").path) { client, _ in
        client.put(FakeOwner.hello())
        while let line = client.line() {
          if line.contains("\"samples\"") { client.put(FakeOwner.sample(t: "13")) }
          if line.contains("tare") { client.put("{\"event\":\"error\",\"detail\":\"hold the board still\"}") }
          if line.contains("hello") { client.put(FakeOwner.hello()) }
        }
      }
      let watch = try Watch.run(
        ["expect:top edge up", "shot", "key:c", "expect:the owner: hold the board still", "key:q"],
        arguments: ["--from", owner.path])
      expect(watch.failed, equals: nil, "\(watch.failed ?? "") \(watch.text)")
      expect(watch.exit, equals: 0, "\(watch.failed ?? "") \(watch.text)")
      let picture = try unwrapped(watch.shots.first)
      expect(picture, contains: "ADXL345 at 0x53 on /dev/i2c-1, 100 Hz, ±", "\(picture)")
    }
  }

  @Test static func `serve shows the owner's board`() throws {
    try withSocketFolder { folder in
      let owner = try FakeOwner(at: folder.appendingPathComponent("s").path) { client, _ in
        client.put(FakeOwner.hello())
        client.put("{\"t\":12.75,\"event\":\"trouble\",\"reason\":\"fault\",\"detail\":\"loose wire\"}")
        while let line = client.line() {
          if line.contains("hello") { client.put(FakeOwner.hello(pose: "fault")) }
        }
      }
      let serve = Tool.process(["serve", "--from", owner.path, "--listen", "127.0.0.1:0", "--format", "json"])
      let output = Pipe()
      serve.standardOutput = output
      try serve.run()
      defer { serve.interrupt() }
      let address = try unwrapped(
        (try JSONSerialization.jsonObject(with: Data(output.line().utf8)) as? [String: Any])?["url"] as? String)
      // The page's values follow within a moment.
      let script = """
        import sys, time, urllib.request
        while True:
            text = urllib.request.urlopen(sys.argv[1] + "state.json", timeout=30).read().decode()
            if "loose wire" in text: break
            time.sleep(0.05)
        print(text)
        """
      let python = Tool.process([], launcher: ["/usr/bin/env", "python3", "-c", script, address])
      python.arguments = ["python3", "-c", script, address]
      let answer = Pipe()
      python.standardOutput = answer
      try python.run()
      let state = String(decoding: answer.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      expect(state, contains: "on /dev/i2c-1, 100 Hz, ±16 g, from the owner at unix:", "\(state)")
      expect(state, contains: "\"reason\":\"fault\"", "\(state)")
    }
  }
}
