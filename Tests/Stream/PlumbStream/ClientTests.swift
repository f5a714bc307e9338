import FixedPoint
import FixedText
import Foundation
import JSON
import Monitor
import PlumbStream
import StreamCodec
import TestSupport
import Testing

extension StreamMessage {
  /// A word for it, for comparison.
  fileprivate var word: String {
    switch self {
    case .hello(let hello): "hello \(hello.owner.description)"
    case .observed(let seen, _):
      if let reading = seen.reading {
        "sample \(reading.instant.microseconds)"
      } else if let occurrence = seen.events[0] {
        "event \(occurrence.at.microseconds)"
      } else {
        seen.vibration == nil ? "counters" : "vibration"
      }
    case .raw: "raw"
    case .reading: "reading"
    case .board: "board"
    case .missed(let count): "missed \(count)"
    case .error(let words): "error \(words)"
    case .done(let command): "done \(command)"
    case .bye(let words): "bye \(words)"
    case .gone: "gone"
    }
  }
}

@Suite(.serialized) struct ClientTests {
  /// The next `count` messages of `client`.
  private static func words(_ client: inout StreamClient, _ count: Int) throws -> [String] {
    var words: [String] = []
    while words.count < count, let message = try client.next() { words.append(message.word) }
    return words
  }

  @Test static func `when the owner is gone, the client reconnects and repeats its requests`() throws {
    try withShortFolder { folder in
      let asked = Notes()
      let owner = try FakeOwner(at: folder + "/s") { client, number in
        client.put(FakeOwner.hello(owner: "1-\(number)"))
        for _ in 0..<2 { asked.add("\(number) " + (client.line() ?? "end")) }
        client.put("{\"t\":\(number),\"event\":\"shake\"}")
        if number > 0 { client.waitForEnd() }
      }
      var client = StreamClient(.unix(path: owner.path))
      try client.request(.samples(.perSecond(10)))
      try client.request(.counters(every: 1))
      try client.request(.samples(.all))
      try expect(words(&client, 5), equals: ["hello 1-0", "event 0", "gone", "hello 1-1", "event 1000000"])
      let lines = ["{\"counters\":1}", "{\"samples\":\"all\"}"]
      expect(asked.all, equals: lines.map { "0 " + $0 } + lines.map { "1 " + $0 })
    }
  }

  @Test static func `a client that does not reconnect ends with its first connection`() throws {
    try withShortFolder { folder in
      let owner = try FakeOwner(at: folder + "/s") { client, _ in
        client.put(FakeOwner.hello())
        client.put("{\"event\":\"bye\",\"detail\":\"the end\"}")
      }
      var client = StreamClient(.unix(path: owner.path), reconnects: false)
      try expect(words(&client, 9), equals: ["hello 1-1", "bye the end", "gone"])
      let isOver = client.isOver
      expect(that: isOver)
    }
  }

  @Test static func `a query and a command are sent once, and their answers arrive`() throws {
    try withShortFolder { folder in
      let owner = try FakeOwner(at: folder + "/s") { client, _ in
        client.put(FakeOwner.hello())
        while let line = client.line() {
          if line == "{\"query\":\"read\"}" { client.put("{\"event\":\"error\",\"detail\":\"no sample\"}") }
          if line == "{\"command\":\"tare\"}" { client.put("{\"event\":\"done\",\"command\":\"tare\"}") }
        }
      }
      var client = StreamClient(.unix(path: owner.path))
      expect(throws: StreamError.self) { try client.request(.read) }
      try expect(words(&client, 1), equals: ["hello 1-1"])
      try client.request(.read)
      try client.request(.command("tare"))
      try expect(words(&client, 2), equals: ["error no sample", "done tare"])
    }
  }

  @Test static func `a program that reads lines itself gets unknown kinds too, and sends its own lines`() throws {
    try withShortFolder { folder in
      let asked = Notes()
      let owner = try FakeOwner(at: folder + "/s") { client, _ in
        client.put(FakeOwner.hello())
        asked.add(client.line() ?? "end")
        client.put("{\"t\":1,\"event\":\"hum\"}")
        client.put("{\"t\":2,\"event\":\"shake\"}")
      }
      var client = StreamClient(.unix(path: owner.path))
      client.send(line: "{\"too\":\"early\"}")
      var seen: [String] = []
      while seen.count < 4 {
        switch try client.arrive() {
        case .line(let object): seen.append(object["event"]?.string ?? "")
        case .gone: seen.append("gone")
        case nil:
          var wait = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
          unsafe poll(&wait, 1, client.milliseconds)
        }
        if seen.count == 1 && asked.all.isEmpty { client.send(line: "{\"samples\":1}") }
      }
      expect(seen, equals: ["hello", "hum", "shake", "gone"])
      expect(asked.all, equals: ["{\"samples\":1}"])
    }
  }

  @Test static func `the token is the first line, before any request`() throws {
    try withShortFolder { folder in
      let asked = Notes()
      let owner = try FakeOwner(at: folder + "/s") { client, _ in
        for _ in 0..<2 { asked.add(client.line() ?? "end") }
        client.put(FakeOwner.hello())
        client.waitForEnd()
      }
      var client = StreamClient(.unix(path: owner.path), token: "a\"b\\c")
      try client.request(.samples(.all))
      try expect(words(&client, 1), equals: ["hello 1-1"])
      expect(asked.all, equals: [#"{"token":"a\"b\\c"}"#, #"{"samples":"all"}"#])
    }
  }

  @Test static func `without an owner, the first try is an error that names the reason`() throws {
    try withShortFolder { folder in
      var none = StreamClient(.unix(path: folder + "/none"))
      let missing = expect(throws: StreamError.self) { try none.next() }
      expect(missing?.kind, equals: .unreachable)
      expect(missing?.message.contains("no such socket"), equals: true)
      // Port 1 of this computer: no program listens there.
      var port = StreamClient(.tcp(host: "127.0.0.1", port: 1))
      let refused = expect(throws: StreamError.self) { try port.next() }
      expect(refused?.message, equals: "no owner offers a stream at tcp:127.0.0.1:1: no program listens there")
    }
  }

  @Test(arguments: [
    ("HTTP/1.1 400 Bad Request\r\n\r\n", StreamError.Kind.badProtocol),
    ("{\"event\":\"hello\",\"protocol\":1}\n", .badProtocol),
    ("{\"event\":\"bye\",\"detail\":\"16 clients\"}\n", .refused), ("", .unreachable),
  ])
  static func `an end without a hello of this protocol is not an owner`(text: String, kind: StreamError.Kind)
    throws
  {
    try withShortFolder { folder in
      let owner = try FakeOwner(at: folder + "/s") { client, _ in client.send(text) }
      var client = StreamClient(.unix(path: owner.path))
      let error = expect(throws: StreamError.self) { try client.next() }
      expect(error?.kind, equals: kind, "\(error?.message ?? "")")
      let isAtEnd = try client.next() == nil
      expect(that: isAtEnd)
    }
  }

  @Test static func `an event loop never blocks in receive, and gets the descriptor and time to wait for`() throws {
    try withShortFolder { folder in
      let owner = try FakeOwner(at: folder + "/s") { client, _ in
        client.put(FakeOwner.hello())
        client.waitForEnd()
      }
      var client = StreamClient(.unix(path: owner.path))
      let before = (client.descriptor, client.milliseconds)
      expect(before, equals: (-1, 0))
      var seen: [String] = []
      while seen.isEmpty {
        if let message = try client.receive() {
          seen.append(message.word)
          continue
        }
        var wait = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
        unsafe poll(&wait, 1, client.milliseconds)
      }
      let descriptor = client.descriptor
      expect(seen, equals: ["hello 1-1"])
      expect(descriptor, isAtLeast: 0)
      let isQuiet = try client.receive() == nil
      let milliseconds = client.milliseconds
      expect(that: isQuiet)
      expect(milliseconds, isAbove: 0)
    }
  }
}

/// The tunnel of `ssh:`, with a stand-in for ssh that forwards on this computer.
@Suite(.serialized) struct TunnelTests {
  /// Forwards like `ssh -N -L LOCAL:REMOTE`, and writes its process ID and its arguments to a file.
  private static let forwarder = """
    #!/usr/bin/env python3
    import os, socket, sys, threading
    arguments = sys.argv[1:]
    with open(os.environ["FAKE_SSH_LOG"], "a") as log:
        log.write(f"{os.getpid()} {' '.join(arguments)}\\n")
    if arguments[-1] == "nobody":
        sys.exit("ssh: Could not resolve hostname nobody: Name or service not known")
    local, remote = arguments[arguments.index("-L") + 1].split(":", 1)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(local)
    listener.listen()

    def copy(source, target):
        while data := source.recv(4096):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)

    while True:
        client, _ = listener.accept()
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(remote)
        except OSError as error:
            print(f"channel 1: open failed: connect failed: {error.strerror}", file=sys.stderr, flush=True)
            client.close()
            continue
        for pair in (client, server), (server, client):
            threading.Thread(target=copy, args=pair, daemon=True).start()
    """

  /// Calls `body` with a folder, in which `log` records how the stand-in was started.
  private static func withSSH(_ body: (String) throws -> Void) throws {
    try withShortFolder { folder in
      let program = folder + "/ssh"
      try Data(Self.forwarder.utf8).write(to: URL(fileURLWithPath: program))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      unsafe setenv("PLUMB_SSH", program, 1)
      unsafe setenv("FAKE_SSH_LOG", folder + "/log", 1)
      let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
      // Not TMPDIR, which concurrent tests use for their folders.
      unsafe setenv("XDG_RUNTIME_DIR", folder, 1)
      defer {
        for name in ["PLUMB_SSH", "FAKE_SSH_LOG", "XDG_RUNTIME_DIR"] { unsafe unsetenv(name) }
        if let runtime { unsafe setenv("XDG_RUNTIME_DIR", runtime, 1) }
      }
      try body(folder)
    }
  }

  @Test static func `ssh forwards to the remote socket, in a private folder, and ends with the client`() throws {
    try withSSH { folder in
      let owner = try FakeOwner(at: folder + "/remote") { client, _ in
        client.put(FakeOwner.hello(owner: "far"))
        client.put(client.line() ?? "")
        client.waitForEnd()
      }
      var process: pid_t = 0
      do {
        var client = StreamClient(.ssh(destination: "pi@zero", path: owner.path))
        guard case .hello(let hello) = try client.next() else {
          Issue.record("no hello")
          return
        }
        expect(hello.owner, equals: "far")
        let log = try String(contentsOfFile: folder + "/log", encoding: .utf8)
        let words = log.split(separator: "\n")[0].split(separator: " ").map(String.init)
        process = try require(pid_t(words[0]))
        expect(words, contains: "-N")
        expect(words, contains: "ExitOnForwardFailure=yes")
        expect(words.last, equals: "pi@zero")
        let forward = try require(words.firstIndex(of: "-L").map { words[$0 + 1] })
        expect(forward, hasSuffix: ":" + owner.path)
        let socket = String(forward.dropLast(owner.path.utf8.count + 1))
        let home = URL(fileURLWithPath: socket).deletingLastPathComponent().path
        let mode = try FileManager.default.attributesOfItem(atPath: home)[.posixPermissions] as? Int
        expect(mode, equals: 0o700)
        expect(kill(process, 0), equals: 0)
      }
      // Dropping the client has ended ssh and removed its folder.
      expect(kill(process, 0), equals: -1)
      expect(errno, equals: ESRCH)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("plumb-") }
      expect(empty: left)
    }
  }

  @Test static func `the first error of ssh is shown in its words`() throws {
    try withSSH { _ in
      var client = StreamClient(.ssh(destination: "nobody", path: nil))
      let error = expect(throws: StreamError.self) { try client.next() }
      expect(error?.kind, equals: .unreachable)
      expect(error?.message, equals: "ssh: Could not resolve hostname nobody: Name or service not known")
    }
  }

  @Test static func `without an owner behind ssh, the error has ssh's words`() throws {
    try withSSH { folder in
      var client = StreamClient(.ssh(destination: "zero", path: folder + "/none"))
      let error = expect(throws: StreamError.self) { try client.next() }
      expect(error?.message.contains("No such file or directory"), equals: true, "\(error?.message ?? "")")
    }
  }

  @Test static func `a missing program in place of ssh is an error`() throws {
    try withSSH { folder in
      unsafe setenv("PLUMB_SSH", folder + "/missing", 1)
      var client = StreamClient(.ssh(destination: "zero", path: nil))
      let error = expect(throws: StreamError.self) { try client.next() }
      expect(error?.message.contains("cannot be started"), equals: true)
    }
  }
}
