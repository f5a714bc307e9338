import Foundation
import TestSupport
import Testing

/// `plumb publish`, with stand-ins for owner and broker; Tests/System/MQTT has the real ones.
struct PublishTests {
  /// A running `plumb publish`, ended with the test.
  private final class Publisher {
    private let process: Process
    private let errors: URL

    init(in folder: URL, _ arguments: [String], environment: [String: String] = [:]) throws {
      errors = folder.appendingPathComponent("errors")
      try Data().write(to: errors)
      process = Tool.process(["publish"] + arguments, environment: environment)
      process.standardOutput = try FileHandle(forWritingTo: Self.output(in: folder))
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
    }

    private static func output(in folder: URL) throws -> URL {
      let output = folder.appendingPathComponent("output")
      try Data().write(to: output)
      return output
    }

    deinit { if process.isRunning { process.terminate() } }

    var said: String { get throws { try String(contentsOf: errors, encoding: .utf8) } }

    /// Waits until `condition` holds, as long as the program runs.
    func wait(until condition: () throws -> Bool) throws {
      while try !condition() {
        guard process.isRunning else { throw Missing() }
        usleep(10_000)
      }
    }

    /// Asks it to end, like Ctrl-C; returns the exit code.
    func stop() -> Int32 {
      process.interrupt()
      process.waitUntilExit()
      return process.terminationStatus
    }
  }

  /// An owner that sends hello and stays alive.
  private static let alive: @Sendable (FakeClient, Int) -> Void = { client, _ in
    client.put(FakeOwner.hello())
    while let line = client.line() {
      if line.contains("\"query\"") { client.put(FakeOwner.hello()) }
    }
  }

  private static func withFolder(_ body: (URL) throws -> Void) throws {
    try withShortFolder { try body(URL(fileURLWithPath: $0)) }
  }

  @Test(arguments: [
    ([], "--broker is missing, such as --broker homeassistant.local."),
    (["--broker", "a b"], "--broker: bad value \"a b\"; allowed: the name or the address"),
    (["--broker", "x:70000"], "--broker: bad value"),
    (["--broker", "x", "--interval", "0"], "--interval: bad value \"0\"; allowed: a number from 0.1 to 3600"),
    (["--broker", "x", "--step", "none"], "--step: bad value \"none\"; allowed: "),
    (["--broker", "x", "--keep-alive", "1"], "--keep-alive: bad value \"1\"; allowed: "),
    (["--broker", "x", "--id", "a/b"], "--id: bad value \"a/b\"; allowed: "),
    (["--broker", "x", "--base-topic", "a/#"], "--base-topic: bad value \"a/#\"; allowed: "),
    (["--broker", "x", "--discovery-prefix", "/"], "--discovery-prefix: bad value \"/\"; allowed: "),
    (["--broker", "x", "--password-file", "f"], "--password-file needs --user."),
    (["--broker", "x", "--ca-file", "f"], "--ca-file needs --tls."),
    (["--broker", "x", "--tls", "--key-file", "f"], "--key-file needs --certificate-file."),
    (["--broker", "x", "--forget", "--duration", "1"], "--forget ends by itself: leave out --duration."),
    (["--broker", "x", "--from-token", "f"], "--from-token needs --from."),
    (["--broker", "x", "--from", "nowhere"], "nowhere is no address of a stream"),
    (["--broker", "x", "--duration", "0"], "--duration takes a number of seconds"),
    (["--broker", "x", "--from", "unix:/x", "--board", "b"], "--board and --from do not go together"),
    (["--broker", "x", "--from", "unix:/x", "--rate", "50"], "--rate and --from do not go together"),
  ])
  static func `a wrong option is wrong usage, with what is allowed`(arguments: [String], words: String) throws {
    let tool = try Tool.run(arguments: ["publish"] + arguments)
    expect(tool.exitCode, equals: 64, "\(tool.errors)")
    expect(that: tool.errors.contains(words), "\(tool.errors)")
    expect(empty: tool.output)
  }

  @Test(arguments: [
    ("[broker]\nhots = x\n", ":2: unknown key \"hots\" in [broker] (did you mean \"host\"?)"),
    ("[broker]\nport = 1\n", ": missing key \"host\" in [broker]"),
    ("[broker]\nhost = x\nca-file = y\n", ":3: key \"ca-file\" in [broker] needs \"tls\" = yes"),
    ("[values]\nstep = 500\n", ":2: bad value \"500\" of \"step\" in [values]"),
  ])
  static func `a bad settings file has its exit code, its line, and what is allowed`(text: String, words: String) throws
  {
    try withFile(named: "mqtt.ini", content: Data(text.utf8)) { path in
      let tool = try Tool.run("publish", "--settings", path)
      expect(tool.exitCode, equals: 78, "\(tool.errors)")
      expect(tool.errors, contains: "plumb: \(path)\(words)", "\(tool.errors)")
    }
  }

  @Test static func `missing or forbidden files have their exit codes`() throws {
    let missing = try Tool.run("publish", "--settings", "/nowhere/mqtt.ini")
    expect(missing.exitCode, equals: 78)
    expect(missing.errors, equals: "plumb: /nowhere/mqtt.ini: no such settings file\n")
    let password = ["publish", "--broker", "x", "--user", "u", "--password-file"]
    let none = try Tool.run(arguments: password + ["/nowhere/password"])
    expect(none.exitCode, equals: 78)
    expect(none.errors, contains: "password file /nowhere/password: No such file")
    try withFile(named: "secret", content: Data("secret\n".utf8)) { path in
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
      let forbidden = try Tool.run(arguments: password + [path], launcher: Tool.withoutRights)
      expect(forbidden.exitCode, equals: 77, "\(forbidden.errors)")
      expect(that: forbidden.errors.contains(path), "\(forbidden.errors)")
      let settings = try Tool.run(arguments: ["publish", "--settings", path], launcher: Tool.withoutRights)
      expect(settings.exitCode, equals: 77)
      expect(settings.errors, contains: "no permission to read this settings file")
    }
    try withFile(named: "empty", content: Data("\n".utf8)) { path in
      let empty = try Tool.run(arguments: password + [path])
      expect(empty.exitCode, equals: 78, "\(empty.errors)")
      expect(empty.errors, contains: "its first line is empty", "\(empty.errors)")
    }
  }

  @Test static func `without an owner there is nothing to publish, and the error says what to do`() throws {
    let named = try Tool.run("publish", "--broker", "127.0.0.1:1", "--from", "unix:/nowhere/s")
    expect(named.exitCode, equals: 69, "\(named.errors)")
    expect(that: named.errors.hasSuffix("/nowhere/s: there is no such socket\n"), "\(named.errors)")
    let usual = try Tool.run(
      arguments: ["publish", "--broker", "127.0.0.1:1"], environment: ["PLUMB_STREAM": "unix:/nowhere/s"])
    expect(usual.exitCode, equals: 69)
    expect(that: usual.errors.hasSuffix("/nowhere/s: there is no such socket\n"))
    try withFile(named: "mqtt.ini", content: Data("[broker]\nhost = x\n[stream]\nfrom = unix:/nowhere/t\n".utf8)) {
      let file = try Tool.run("publish", "--settings", $0)
      expect(file.exitCode, equals: 69, "\(file.errors)")
      expect(that: file.errors.hasSuffix("/nowhere/t: there is no such socket\n"), "\(file.errors)")
    }
  }

  @Test static func `a missing broker is waited for, reported once, and an error at the end`() throws {
    try withFolder { folder in
      let owner = try FakeOwner(at: folder.path + "/s", Self.alive)
      let tool = try Tool.run(
        "publish", "--broker", "127.0.0.1:1", "--from", owner.path, "--duration", "4", "--id", "d")
      expect(tool.exitCode, equals: 69)
      expect(tool.output, contains: "ADXL345 at 0x53 on /dev/i2c-1")
      expect(tool.output, contains: "plumb/d/status")
      let lines = tool.errors.split(separator: "\n")
      #expect(lines.count == 3 && lines[0] == "plumb: connected to the owner of the sensor", "\(tool.errors)")
      expect(lines.count { $0.hasPrefix("plumb: warning: no connection to the broker at 127.0.0.1:1: ") }, equals: 1)
      expect(
        lines.last?.hasPrefix("plumb: nothing was published: no connection to the broker at 127.0.0.1:1"), equals: true)
    }
  }

  @Test static func `a broker that rejects the password is reported, and tried again`() throws {
    try withFolder { folder in
      let owner = try FakeOwner(at: folder.path + "/s", Self.alive)
      let broker = try FakeBroker(answering: 5)
      let secret = folder.appendingPathComponent("secret")
      try Data("a b:c\n".utf8).write(to: secret)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret.path)
      let publisher = try Publisher(
        in: folder,
        [
          "--broker", "127.0.0.1:\(broker.port)", "--from", owner.path, "--user", "u", "--password-file", secret.path,
        ])
      try publisher.wait { broker.logins.all.count > 1 }
      expect(all: broker.logins.all) { $0 == "u:a b:c" }
      try expect(publisher.said, contains: "warning: no connection to the broker at 127.0.0.1:\(broker.port): ")
      try expect(publisher.said, lacks: "a b:c")
      expect(publisher.stop(), equals: 0)
    }
  }

  @Test static func `the owner's reports are published, and the device is offline at the end`() throws {
    try withFolder { folder in
      let owner = try FakeOwner(at: folder.path + "/s") { client, _ in
        client.put(FakeOwner.hello())
        client.put("{\"t\":13,\"event\":\"tap\",\"axis\":\"z\",\"sign\":1,\"count\":2}")
        while let line = client.line() {
          if line.contains("\"query\"") { client.put(FakeOwner.hello()) }
        }
      }
      let broker = try FakeBroker()
      let settings = folder.appendingPathComponent("mqtt.ini")
      try Data("[broker]\nhost = nowhere\n[topics]\nbase = home\n[device]\nid = file\n".utf8).write(to: settings)
      let publisher = try Publisher(
        in: folder,
        [
          "--settings", settings.path, "--broker", "127.0.0.1:\(broker.port)", "--from", owner.path, "--id", "d",
          "--discovery-prefix", "ha",
        ])
      try publisher.wait {
        let all = broker.published.all
        return all.contains { $0.hasPrefix("home/d/state retained {") && $0.contains("\"pose\":\"portrait\"") }
          && all.contains { $0.hasPrefix("home/d/event {\"event_type\":\"tap\"") && $0.contains("\"count\":2") }
          && all.contains { $0.hasPrefix("ha/device/plumb-d/config retained {") }
      }
      expect(broker.published.all, contains: "home/d/status retained online")
      expect(publisher.stop(), equals: 0)
      expect(broker.published.all.last, equals: "home/d/status retained offline")
    }
  }

  @Test static func `a retained message of 100 MB takes no memory, and does not end publishing`() throws {
    try withFolder { folder in
      let owner = try FakeOwner(at: folder.path + "/s", Self.alive)
      defer { owner.end() }
      // Only the beginning of the message ever comes.
      let broker = try FakeBroker(retaining: [0x31, 0x80, 0x80, 0x80, 0x32])
      let settings = folder.appendingPathComponent("mqtt.ini")
      try Data("[broker]\nhost = 127.0.0.1\nport = \(broker.port)\nspread = 0\n".utf8).write(to: settings)
      let publisher = try Publisher(in: folder, ["--settings", settings.path, "--from", owner.path, "--id", "d"])
      try publisher.wait {
        let published = broker.published.all
        guard broker.logins.all.count == 2, let online = published.lastIndex(of: "plumb/d/status retained online")
        else { return false }
        return published[online...].contains { $0.contains("pose") }
      }
      try expect(publisher.said, contains: "a message of more than 64 KiB: commands")
      expect(publisher.stop(), equals: 0)
      expect(broker.logins.all.count, equals: 2)
      expect(broker.published.all.last, equals: "plumb/d/status retained offline")
    }
  }

  @Test static func `a signal ends it although its owner never pauses`() throws {
    try withFolder { folder in
      let owner = try FakeOwner(at: folder.path + "/s") { client, _ in
        client.put(FakeOwner.hello())
        client.flood("{\"event\":\"x\"}")
      }
      defer { owner.end() }
      let broker = try FakeBroker()
      let publisher = try Publisher(
        in: folder, ["--broker", "127.0.0.1:\(broker.port)", "--from", owner.path, "--id", "d"])
      try publisher.wait { broker.published.all.contains("plumb/d/status retained online") }
      expect(publisher.stop(), equals: 0)
      expect(broker.published.all.last, equals: "plumb/d/status retained offline")
    }
  }

  @Test static func `an owner that is killed is reported at once, and found again`() throws {
    try withFolder { folder in
      let path = folder.path + "/s"
      func owner() throws -> Process {
        let owner = Tool.process(
          ["run", "--board", Tool.board("emulated-mpu6050"), "--motion", "hold", "--share", "unix:\(path)"])
        owner.standardOutput = FileHandle.nullDevice
        try owner.run()
        try waitFor(owner, at: path)
        return owner
      }
      let first = try owner()
      defer { first.terminate() }
      let broker = try FakeBroker()
      let publisher = try Publisher(
        in: folder, ["--broker", "127.0.0.1:\(broker.port)", "--from", path, "--id", "d", "--no-discovery"])
      func state() -> String { broker.published.all.last { $0.hasPrefix("plumb/d/state") } ?? "" }
      // The die of an MPU-6050 has a temperature.
      try publisher.wait { state().contains("\"reason\":null") && state().contains("\"temperature_c\":2") }
      kill(first.processIdentifier, SIGKILL)
      first.waitUntilExit()
      try publisher.wait { state().contains("\"reason\":\"ownerGone\"") }
      expect(that: state().contains("\"pose\":null"), "\(state())")
      expect(that: state().contains("\"temperature_c\":null"), "\(state())")
      try expect(publisher.said, contains: "connection to the owner of the sensor lost: ")
      // The leftover of a killed program.
      try FileManager.default.removeItem(atPath: path)
      let second = try owner()
      defer { second.terminate() }
      try publisher.wait { state().contains("\"reason\":null") }
      expect(publisher.stop(), equals: 0)
      expect(none: broker.published.all) { $0.contains("config") }
    }
  }

  @Test static func `a board of one's own is published by one command, and put away without trouble`() throws {
    try withFolder { folder in
      let broker = try FakeBroker()
      let publisher = try Publisher(
        in: folder,
        [
          "--board", Tool.board("emulated"), "--motion", "tumble", "--broker", "127.0.0.1:\(broker.port)", "--id", "d",
        ], environment: ["XDG_RUNTIME_DIR": folder.path])
      try publisher.wait {
        let all = broker.published.all
        return all.contains { $0.hasPrefix("plumb/d/state") && $0.contains("\"pose\":\"landscapeLeft\"") }
          && all.contains { $0.hasPrefix("plumb/d/event {\"event_type\":\"pose\"") }
          && all.contains { $0.hasPrefix("homeassistant/device/plumb-d/config retained {") }
      }
      expect(publisher.stop(), equals: 0)
      let all = broker.published.all
      expect(all.last, equals: "plumb/d/status retained offline")
      // The end of a board that is put away is no trouble, of which an automation would make an alarm.
      expect(none: all) { $0.contains("ownerGone") }
      let output = try String(contentsOf: folder.appendingPathComponent("output"), encoding: .utf8)
      expect(output, hasPrefix: "ADXL345 at 0x53, emulated, 100 Hz, ±16 g, motion tumble.\n")
      expect(output, contains: "\nSummary: ", "\(output)")
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      expect(left.sorted(), equals: ["errors", "output"], "nothing stays behind of the stream between the two")
    }
  }

  @Test static func `a board of one's own goes on although its broker never answers`() throws {
    // It accepts, and says nothing.
    let broker = try Listener()
    let tool = try Tool.run(
      "publish", "--board", Tool.board("emulated"), "--motion", "hold", "--broker", "127.0.0.1:\(broker.port)",
      "--duration", "2")
    expect(tool.exitCode, equals: 69, "\(tool.errors)")
    expect(tool.errors, contains: "plumb: nothing was published: ", "\(tool.errors)")
    expect(tool.output, contains: "Summary: ", "\(tool.output)")
    expect(that: !tool.output.contains(" 0 samples"), "\(tool.output)")
  }

  @Test static func `without an owner the board of this computer is published, as by every command`() throws {
    try withFolder { folder in
      let text = try String(contentsOfFile: Tool.board("emulated-mpu6050"), encoding: .utf8)
      let board = folder.appendingPathComponent("mine.ini")
      try Data(text.utf8).write(to: board)
      let broker = try FakeBroker()
      let publisher = try Publisher(
        in: folder, ["--broker", "127.0.0.1:\(broker.port)", "--id", "d"], environment: ["PLUMB_BOARD": board.path])
      try publisher.wait {
        broker.published.all.contains {
          $0.hasPrefix("plumb/d/state") && $0.contains("\"sensor\":\"mpu6050\"") && $0.contains("mine.ini")
        }
      }
      expect(publisher.stop(), equals: 0)
    }
  }

  @Test static func `what the settings allow is done by a board of one's own, whatever its file says`() throws {
    try withFolder { folder in
      let topic = Array("plumb/d/command".utf8)
      let message = [UInt8(0x30), UInt8(2 + topic.count + 4), 0, UInt8(topic.count)] + topic + Array("tare".utf8)
      let broker = try FakeBroker(retaining: message)
      let settings = folder.appendingPathComponent("mqtt.ini")
      try Data(
        "[broker]\nhost = 127.0.0.1\nport = \(broker.port)\n[device]\nid = d\n[commands]\nallow = tare\n".utf8
      ).write(to: settings)
      let publisher = try Publisher(
        in: folder, ["--settings", settings.path, "--board", Tool.board("emulated"), "--motion", "hold"])
      func answers() -> [String] {
        broker.published.all.filter { $0.hasPrefix("plumb/d/answer {\"command\":\"tare\"") }
      }
      try publisher.wait { answers().contains { $0.contains("\"result\":\"done\"") } }
      expect(none: answers(), "\(answers())") { $0.contains("not allowed") }
      expect(publisher.stop(), equals: 0)
    }
  }

  @Test(arguments: [
    (["--id", "d"], "plumb-d", "plumb/d"), (["--from", "ssh:pi@zero.local"], "plumb-zero", "plumb/zero"),
    (["--from", "tcp:192.0.2.7:1", "--base-topic", "a/b"], "plumb-192-0-2-7", "a/b/192-0-2-7"),
  ])
  static func `a device is removed by empty retained messages, without its owner`(
    arguments: [String], node: String, base: String
  ) throws {
    let broker = try FakeBroker()
    let tool = try Tool.run(
      arguments: ["publish", "--broker", "127.0.0.1:\(broker.port)", "--forget"] + arguments)
    expect(tool.exitCode, equals: 0, "\(tool.errors)")
    expect(that: tool.output.hasPrefix("removed "), "\(tool.errors)")
    // Which others there are is for FlowTests.
    let (published, discovery) = (broker.published.all, "homeassistant/device/\(node)/config retained ")
    for message in [discovery, "\(base)/status retained ", "\(base)/state retained "] {
      expect(published.count { $0 == message }, equals: 1, "\(message) of \(published)")
    }
    expect(all: published) { $0.hasSuffix(" retained ") && ($0 == discovery || $0.hasPrefix("\(base)/")) }
    let none = try Tool.run("publish", "--broker", "127.0.0.1:1", "--forget")
    expect(none.exitCode, equals: 69, "\(none.errors)")
    expect(that: none.errors.hasPrefix("plumb: broker 127.0.0.1:1: "), "\(none.errors)")
  }
}
