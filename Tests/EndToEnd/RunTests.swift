import Foundation
import Testing

@Suite struct RunTests {
  @Test
  func `without a board the emulated one shows all six poses, a fault and its recovery, and ends by itself`() throws {
    let result = try Tool.run("run", "--speed", "fast", "--format", "json")
    #expect(result.exitCode == 0)
    #expect(result.errors.isEmpty)
    let poses = try result.events("pose").compactMap { $0["to"] as? String }
    #expect(Set(poses) == Set(PoseModel.names))
    let kinds = try result.objects.compactMap { $0["event"] as? String }
    let fault = try unwrapped(kinds.firstIndex(of: "trouble"))
    let recovery = try unwrapped(kinds.firstIndex(of: "recovery"))
    #expect(fault < recovery)
    #expect(try result.events("trouble").first?["reason"] as? String == "fault")
    let summary = try unwrapped(try result.objects.last)
    #expect(summary["event"] as? String == "summary")
    #expect(try unwrapped(summary["duration_s"] as? Double) < 15)
    #expect(summary["pose_changes"] as? Int == poses.count)
    #expect(summary["recoveries"] as? Int == 1)
  }

  @Test
  func `text shows the poses, the row of LEDs, the trouble in words and a summary`() throws {
    let result = try Tool.run("run", "--speed", "fast")
    for name in PoseModel.names { #expect(result.output.contains(name)) }
    for row in ["[P·····]", "[·U····]", "[··L···]", "[···R··]", "[····F·]", "[·····D]", "[PULRFD]"] {
      #expect(result.output.contains(row))
    }
    #expect(result.output.contains("trouble: fault: no acknowledge from 0x53"))
    #expect(result.output.contains("recovered"))
    #expect(result.output.contains("Summary: "))
  }

  @Test
  func `in steady state samples and transactions grow alike, and outputs are not written`() throws {
    var figures: [[String: Any]] = []
    for duration in ["2", "9"] {
      let result = try Tool.run(
        "run", "--motion", "hold", "--speed", "fast", "--duration", duration, "--format", "json")
      figures.append(try unwrapped(try result.objects.last))
    }
    func grown(_ key: String) throws -> Int {
      try unwrapped(figures[1][key] as? Int) - unwrapped(figures[0][key] as? Int)
    }
    #expect(try grown("samples") == 700)
    #expect(try grown("transactions") == 700)
    #expect(try grown("output_writes") == 0)
  }

  @Test
  func `the same seed gives the same bytes, another seed others`() throws {
    let run = { try Tool.run("run", "--speed", "fast", "--samples", "--format", "json", "--seed", $0).output }
    #expect(try run("5") == run("5"))
    #expect(try run("5") != run("6"))
  }

  @Test(arguments: ["hold", "turn", "tumble", "shake", "free-fall"])
  func `every named motion runs`(name: String) throws {
    let result = try Tool.run("run", "--speed", "fast", "--format", "json", "--motion", name)
    #expect(result.exitCode == 0)
    #expect(try !result.events("pose").isEmpty)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `in real time an interrupt or a termination ends the run in good order`(signal: Int32) throws {
    let process = Tool.process(["run", "--format", "json", "--motion", "hold", "--duration", "60"])
    let pipe = Pipe()
    process.standardOutput = pipe
    // This process may have the signals blocked, and then the tool is started with them blocked: it must hear them.
    try process.run()
    // The first line comes once the loop is under way.
    let first = pipe.fileHandleForReading.availableData
    #expect(String(decoding: first, as: UTF8.self).contains("\"event\":\"pose\""))
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let rest = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let last = try unwrapped(rest.split(separator: "\n").last)
    let summary = try unwrapped(JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
    #expect(summary["event"] as? String == "summary")
    #expect(try unwrapped(summary["duration_s"] as? Double) < 30)
  }

  @Test(arguments: [
    ["--speed", "fast", "--duration", "100000000"], ["--samples", "--duration", "100000"],
    ["--speed", "fast", "--samples", "--duration", "100000000"],
  ])
  func `a run in virtual time, and one whose reader stalls, hear a stop signal too`(arguments: [String]) throws {
    let process = Tool.process(["run", "--motion", "hold", "--format", "json"] + arguments)
    // Nobody reads this pipe.
    process.standardOutput = Pipe()
    try process.run()
    // Not before the tool has taken the signal over: until then it would die of it, as any program.
    for _ in 0..<6_000 where try !catches(SIGTERM, process) { Thread.sleep(forTimeInterval: 0.02) }
    Thread.sleep(forTimeInterval: 0.2)
    kill(process.processIdentifier, SIGTERM)
    let begin = Date()
    process.waitUntilExit()
    #expect(Date().timeIntervalSince(begin) < 30)
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 0)
  }

  @Test
  func `a reader that goes away ends the run quietly; an output that cannot be written is told`() throws {
    let closed = try Tool.shell("'\(Tool.path)' run --speed fast --samples --format json --duration 600 | head -n 1")
    #expect(closed.status == 0)
    #expect(closed.errors.isEmpty)
    let none = try Tool.shell("'\(Tool.path)' run --speed fast --format json >&-")
    #expect(none.status == 73)
    #expect(none.errors.contains("Bad file descriptor"))
    let full = try Tool.shell("'\(Tool.path)' run --speed fast --format json > /dev/full")
    #expect(full.status == 73)
    #expect(full.errors.contains("standard output cannot be written"))
  }

  /// Whether a process has a handler for `signal`.
  private func catches(_ signal: Int32, _ process: Process) throws -> Bool {
    let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = try unwrapped(status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") })
    let mask = try unwrapped(UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16))
    return mask >> UInt64(signal - 1) & 1 == 1
  }
}
