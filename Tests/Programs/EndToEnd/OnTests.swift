import Foundation
import TestSupport
import Testing

/// `plumb on`: commands triggered by events.
@Suite("plumb on")
struct OnTests {
  @Test static func `the first pose runs the command, whose exit code is the tool's`() throws {
    let tool = try Tool.run("on", "portrait", "--now", "--once", "--", "sh", "-c", "exit 7")
    expect(tool.exitCode, equals: 7)
    expect(tool.output, contains: "portrait: exit code 7")
  }

  @Test static func `the first pose runs nothing without --now`() throws {
    let tool = try Tool.run(
      "on", "portrait", "landscapeLeft", "--once", "--", "sh", "-c", "test $PLUMB_POSE = landscapeLeft")
    expect(tool.exitCode, equals: 0, "\(tool.output)\(tool.errors)")
  }

  @Test static func `a command gets the event in its environment, and an empty standard input`() throws {
    let tool = try Tool.run(
      "on", "landscapeLeft", "--once", "--", "sh", "-c",
      "cat; echo \"$PLUMB_EVENT|$PLUMB_POSE|$PLUMB_FROM|$PLUMB_DETAIL|$PLUMB_TIME|$PLUMB_ANGLE_DEG|$PLUMB_PITCH_DEG\"; "
        + "echo \"$PLUMB_JSON\"")
    expect(tool.exitCode, equals: 0)
    let lines = tool.output.split(separator: "\n").map(String.init)
    let fields = try unwrapped(lines.first { $0.hasPrefix("pose|") }).split(separator: "|").map(String.init)
    let json = try unwrapped(lines.first { $0.hasPrefix("{") })
    let object = try unwrapped(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    expect(Array(fields[..<4]), equals: ["pose", "landscapeLeft", "portrait", "landscape, left edge down"])
    expect(Double(fields[4]), equals: object["t"] as? Double)
    expect(Double(fields[5]), equals: object["angle_deg"] as? Double)
    expect(Double(fields[6]), equals: object["pitch_deg"] as? Double)
    expect(object["to"] as? String, equals: "landscapeLeft")
  }

  @Test static func `trouble and recovery are events, with their reason`() throws {
    // A computer that stalls is trouble as well, and may hide the sensor's.
    for isLast in [false, false, false, false, true] {
      let tool = try Tool.run(
        "on", "trouble", "recovery", "--while-busy", "queue", "--", "sh", "-c",
        "echo \"got $PLUMB_EVENT $PLUMB_POSE $PLUMB_REASON\"")
      let got = tool.output.split(separator: "\n").filter { $0.hasPrefix("got ") }
      if got.contains("got trouble unknown stale"), !isLast { continue }
      expect(tool.exitCode, equals: 0)
      expect(got, equals: ["got trouble unknown fault", "got recovery  "])
      return
    }
  }

  @Test static func `a queue runs the command for each event, in order`() throws {
    let tool = try Tool.run("on", "pose", "--now", "--while-busy", "queue", "--format", "json", "--", "sleep", "0.3")
    expect(tool.exitCode, equals: 0)
    let ran = try tool.events("ran")
    expect(all: ran) { $0["passed_over"] as? Int == 0 }
    let causes = try ran.map { try unwrapped($0["cause"] as? [String: Any]) }
    expect(causes.count, isAbove: 5)
    // Each begins where the one before ended, or where trouble came in between.
    for (before, after) in zip(causes, causes.dropFirst()) {
      let from = try unwrapped(after["from"] as? String)
      #expect(from == before["to"] as? String || from == "unknown")
      try expect(unwrapped(before["t"] as? Double), isBelow: unwrapped(after["t"] as? Double))
    }
  }

  @Test static func `the latest event is run in the end, and the others are counted`() throws {
    let tool = try Tool.run("on", "pose", "--now", "--format", "json", "--", "sleep", "4")
    expect(tool.exitCode, equals: 0)
    let ran = try tool.events("ran")
    expect((ran.last?["cause"] as? [String: Any])?["to"] as? String, equals: "faceDown")
    expect(ran.compactMap { $0["passed_over"] as? Int }.reduce(0, +), isAbove: 0)
  }

  @Test static func `a command that takes too long is ended`() throws {
    let tool = try Tool.run(
      "on", "portrait", "--now", "--once", "--timeout", "0.2", "--format", "json", "--", "sleep", "1000")
    expect(tool.exitCode, equals: 128 + SIGTERM)
    let ran = try unwrapped(tool.events("ran").first)
    expect(that: ran["exit_code"] is NSNull)
    expect(ran["signal"] as? Int32, equals: SIGTERM)
    expect(ran["timed_out"] as? Bool, equals: true)
  }

  @Test static func `a command that does not end on request is killed`() throws {
    let tool = try Tool.run(
      "on", "portrait", "--now", "--once", "--timeout", "0.2", "--", "sh", "-c",
      "trap '' TERM; while :; do sleep 1; done")
    expect(tool.exitCode, equals: 128 + SIGKILL)
  }

  @Test static func `a stop signal ends the running command`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("pid")
    let process = Tool.process([
      "on", "portrait", "--now", "--", "sh", "-c", "echo $$ >'\(file.path)'; exec sleep 1000",
    ])
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    var child: pid_t?
    while child == nil && process.isRunning {
      child =
        FileManager.default.fileExists(atPath: file.path)
        ? pid_t(try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)) : nil
      usleep(10_000)
    }
    process.terminate()
    process.waitUntilExit()
    expect(process.terminationStatus, equals: 0)
    expect(kill(try unwrapped(child), 0), equals: -1)
    expect(errno, equals: ESRCH)
  }

  @Test(arguments: [
    (["on", "faceDwon", "--", "true"], 64, "Did you mean 'faceDown'?"),
    (["on", "--", "true"], 64, "needs an event"),
    (["on", "pose"], 64, "needs a command after --"),
    (
      ["on", "pose", "--", "no-such-command-here"], 66,
      "there is no command no-such-command-here in the folders of PATH"
    ),
    (["on", "pose", "--", "./no-such-command-here"], 66, "there is no command ./no-such-command-here"),
    (["on", "pose", "--", "/etc/passwd"], 77, "/etc/passwd is not executable"),
    (["on", "pose", "--timeout", "-1", "--", "true"], 64, "--timeout"),
  ])
  static func `a command that cannot be run is rejected`(arguments: [String], code: Int32, words: String) throws {
    let tool = try Tool.run(arguments: arguments)
    expect(tool.exitCode, equals: code)
    expect(tool.errors, contains: words)
  }

  @Test(arguments: [
    ("busy", "vibration", ""), ("quiet", "vibration", ""), ("asleep", "power", ", or --sleep-after"),
    ("awake", "power", ", or --sleep-after"),
  ])
  static func `an event that the board file does not ask for is rejected`(
    event: String, section: String, option: String
  ) throws {
    let tool = try Tool.run("on", "pose", event, "--", "true")
    expect(tool.exitCode, equals: 64)
    expect(tool.errors, contains: "\(event) needs the section [\(section)] in the board file\(option): docs/on.md.")
  }

  @Test static func `an event that an owner does not detect is named, once, and the others arrive`() throws {
    let sections = [
      ("tap", "taps"), ("doubleTap", "taps"), ("freeFall", "free-fall"), ("busy", "vibration"), ("asleep", "power"),
    ]
    let arguments = ["on", "pose"] + sections.map(\.0) + ["--now", "--once"]
    for options in [[], ["--show", "tap,freeFall"]] {
      try withOwner(options) { address in
        let tool = try Tool.run(arguments: arguments + ["--from", address, "--", "echo", "a pose"])
        expect(tool.exitCode, equals: 0, "\(tool.errors)")
        expect(tool.output, contains: "a pose")
        for (event, section) in sections where options.isEmpty || !["taps", "free-fall"].contains(section) {
          let warning = "\(event) needs the section [\(section)] in the board file of the owner"
          expect(tool.errors.split(separator: warning, omittingEmptySubsequences: false).count, equals: 2, "\(warning)")
        }
        expect(tool.errors.split(separator: "\n").count, equals: options.isEmpty ? 5 : 2, "\(tool.errors)")
      }
    }
  }

  @Test static func `as JSON, standard output has only the tool's own output`() throws {
    let tool = try Tool.run("on", "portrait", "--now", "--once", "--format", "json", "--", "echo", "not JSON")
    expect(tool.exitCode, equals: 0)
    try expect(tool.objects.count, equals: 1)
    expect(tool.errors, contains: "not JSON")
  }
}

/// Calls `body` with the address of an owner of an emulated board that is held upright; `options` are the owner's.
private func withOwner(_ options: [String] = [], _ body: (String) throws -> Void) throws {
  try withShortFolder { folder in
    let socket = folder + "/s"
    let owner = Tool.process(["run", "--motion", "hold", "--duration", "600", "--share", "unix:\(socket)"] + options)
    owner.standardOutput = FileHandle.nullDevice
    try owner.run()
    defer {
      owner.terminate()
      owner.waitUntilExit()
    }
    try waitFor(owner, at: socket)
    try body("unix:\(socket)")
  }
}

/// `plumb status`: the state of an owner.
@Suite("plumb status")
struct StatusTests {
  @Test static func `no owner is an error that names the address`() throws {
    let tool = try Tool.run("status", "--from", "unix:/nowhere/stream")
    expect(tool.exitCode, equals: 69)
    expect(tool.errors, contains: "/nowhere/stream")
  }

  @Test static func `an owner is described, for people and for scripts`() throws {
    try withOwner { address in
      // OK from the first sample on, which a client is notified of.
      try expect(Tool.run("on", "pose", "--now", "--once", "--from", address, "--", "true").exitCode, equals: 0)
      let text = try Tool.run("status", "--from", address)
      expect(text.exitCode, equals: 0, "\(text.errors)")
      for words in ["ADXL345 at 0x53", "100 Hz", "portrait", " late", "including this one"] {
        expect(text.output, contains: words)
      }
      let status = try unwrapped(Tool.run("status", "--from", address, "--format", "json").objects.first)
      expect(status["well"] as? Bool, equals: true)
      expect(status["from"] as? String, equals: address)
      expect((status["hello"] as? [String: Any])?["pose"] as? String, equals: "portrait")
    }
  }

  @Test static func `plumb doctor names the owner of a sensor, and how to listen`() throws {
    try withOwner { address in
      let environment = ["PLUMB_STREAM": address]
      let text = try Tool.run(arguments: ["doctor", "--board", "emulated"], environment: environment)
      expect(text.exitCode, equals: 0)
      expect(text.output, contains: "plumb watch --from \(address)", "\(text.output)")
      let json = try Tool.run(
        arguments: ["doctor", "--board", "emulated", "--format", "json"], environment: environment)
      let check = try unwrapped(json.events("check").first { $0["check"] as? String == "owner" })
      expect(check["outcome"] as? String, equals: "note")
      expect(check["problem"] as? String, equals: "owner.shares")
      // Without an owner there is nothing to report.
      let alone = try Tool.run("doctor", "--board", "emulated", "--format", "json")
      try expect(all: alone.events("check")) { $0["check"] as? String != "owner" }
    }
  }
}
