import Foundation
import TestSupport
import Testing

/// `batch` and `--batch`: the batch size does not change what is reported and recorded of a board.
struct BatchCommandTests {
  static let boards = ["emulated", "emulated-mpu6050", "emulated-lsm9ds1"]

  /// The events, without `rotation`, which depends on the computer's own clock, and without notices.
  private static func happened(_ tool: Tool) throws -> [(words: String, time: Double)] {
    let kinds = ["pose", "trouble", "recovery", "shake", "still", "moving"]
    return try tool.objects.compactMap { object in
      guard let kind = object["event"] as? String, kinds.contains(kind), let time = object["t"] as? Double else {
        return nil
      }
      let details = ["from", "to", "reason", "cause"].compactMap { object[$0] as? String }
      return (([kind] + details).joined(separator: " "), time)
    }
  }

  @Test(arguments: boards, ["tumble", "shake", "turn", "six-faces", "free-fall", "carried"])
  static func `a run reports the same, with the times at which samples were made`(board: String, motion: String) throws
  {
    func run(_ more: String...) throws -> Tool {
      try Tool.run(
        arguments: [
          "run", "--board", Tool.board(board), "--motion", motion, "--speed", "fast", "--format", "json",
          "--show", "shake",
        ] + more)
    }
    // Without a gyroscope rest is judged in windows that begin with the first sample, and so divide the movement
    // elsewhere.
    func isComparable(_ words: String) -> Bool { board != "emulated" || words != "still" && words != "moving" }
    let alone = try happened(run("--duration", "26")).filter { isComparable($0.words) }
    expect(that: !alone.isEmpty)
    for batch in ["10", "25"] {
      let result = try run("--duration", "26.3", "--batch", batch)
      expect(result.exitCode, equals: 0, "\(result.errors)")
      let together = try happened(result).filter { $0.time < 26 && isComparable($0.words) }
      expect(together.map(\.words), equals: alone.map(\.words), "\(batch)")
      for (one, other) in zip(together, alone) {
        // A timer finds a sample up to one period late. Noise decides at which sample a board is at rest. And a fault
        // is found when the bus is used, up to a batch and a pause later; `tumble` has one.
        let limit = motion == "tumble" ? 1.2 : ["still", "moving"].contains(one.words) ? 0.25 : 0.03
        expect(abs(one.time - other.time), isAtMost: limit, "\(batch): \(one) \(other)")
      }
      try expect(unwrapped(result.objects.last)["late_samples"] as? Int, equals: 0)
    }
  }

  @Test(arguments: boards)
  static func `a recording of batches, replayed, reports what the run reported, at the same times`(board: String) throws
  {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv").path
    let options = ["--board", Tool.board(board), "--motion", "shake", "--speed", "fast", "--batch", "25"]
    let recorded = try Tool.run(arguments: ["record", "-o", file, "--duration", "8"] + options)
    expect(recorded.exitCode, equals: 0, "\(recorded.errors)")
    expect(recorded.errors, contains: "No gaps.", "\(recorded.errors)")
    let live = try Tool.run(
      arguments: ["run", "--samples", "--show", "shake", "--duration", "8", "--format", "json"] + options)
    let start = try unwrapped(live.events("sample").first?["t"] as? Double)
    let (told, again) = (
      try happened(live), try happened(Tool.run("replay", file, "--show", "shake", "--format", "json"))
    )
    expect(that: told.contains { $0.words == "shake" })
    expect(told.map(\.words), equals: again.map(\.words))
    expect(all: zip(told, again)) { abs($0.time - start - $1.time) < 1e-5 }
  }

  /// Half a minute; among the long tests also an hour.
  static let durations = runsLongTests ? [30, 3_600] : [30]

  @Test(
    arguments: [("emulated", "800", 0.00125), ("emulated-mpu6050", "1000", 0.001)] as [(String, String, Double)],
    durations)
  static func `at the highest rate every sample is recorded`(
    _ row: (board: String, rate: String, period: Double), duration: Int
  ) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let file = folder.appendingPathComponent("a.csv").path
    let result = try Tool.run(
      arguments: [
        "record", "-o", file, "--board", Tool.board(row.board), "--motion", "hold", "--rate", row.rate, "--batch", "25",
        "--speed", "fast", "--duration", "\(duration)", "--format", "json",
      ])
    expect(result.exitCode, equals: 0, "\(result.errors)")
    let summary = try unwrapped(result.events("summary").first)
    #expect(summary["gaps"] as? Int == 0 && summary["lost_samples"] as? Int == 0, "\(summary)")
    let samples = try unwrapped(summary["samples"] as? Int)
    // All but the start, and the last, unread batch.
    let elapsed = try unwrapped(summary["duration_s"] as? Double)
    expect(elapsed, isAbove: Double(duration) - 0.4)
    expect(elapsed, isAtMost: Double(duration))
    // The emulated oscillators are exact: the number of periods is the number of samples.
    expect(abs(elapsed / row.period + 1 - Double(samples)), isBelow: 1, "\(samples) in \(elapsed) s")
    let lines = try String(contentsOfFile: file, encoding: .utf8).utf8.count { $0 == UInt8(ascii: "\n") }
    expect(lines, equals: samples + 1)
  }

  @Test(arguments: ["bcm2835", "designware"], ["adxl345", "mpu6050"])
  static func `on a Linux bus it takes fewer transactions than samples if the adapter joins reads`(
    adapter: String, model: String
  ) throws {
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-\(model)"), encoding: .utf8)
      .replacing("chip = raspberry-pi", with: "chip = emulated")
    try withFile(named: "board.ini", content: Data(text.utf8)) { file in
      let result = try Tool.run(
        arguments: ["run", "--board", file, "--batch", "10", "--duration", "0.6", "--format", "json"],
        environment: Tool.bridge(model == "adxl345" ? "adxl345@0x53=0,1,0" : "mpu6050@0x68=0,1,0")
          .merging(["PLUMB_BRIDGE_ADAPTER": adapter]) { $1 })
      expect(result.exitCode, equals: 0, "\(result.errors)")
      let summary = try unwrapped(result.events("summary").first)
      expect(summary["faults"] as? Int, equals: 0, "\(summary)")
      let (samples, transactions) = try (
        unwrapped(summary["samples"] as? Int), unwrapped(summary["transactions"] as? Int)
      )
      // On a busy computer.
      guard samples > 25 else { return }
      try expect(result.events("pose").map { $0["to"] as? String }, equals: ["portrait"])
      // The start takes about ten transactions for an ADXL345, and about twenty for an MPU-6050.
      let isOneEach = adapter == "bcm2835" && model == "adxl345"
      #expect(isOneEach ? transactions > samples : transactions < samples / 2 + 25, "\(summary)")
    }
  }

  /// A program that is stopped for longer than the sensor can store.
  @Test(arguments: [("adxl345", "adxl345@0x53=0,1,0"), ("mpu6050", "mpu6050@0x68=0,1,0")])
  static func `lost samples are reported with their number, and counted`(model: String, sensor: String) throws {
    let text = try String(contentsOfFile: Tool.board("raspberry-pi-\(model)"), encoding: .utf8)
      .replacing("chip = raspberry-pi", with: "chip = emulated")
    try withFile(named: "board.ini", content: Data(text.utf8)) { board in
      let folder = try scratchFolder()
      defer { remove(folder) }
      let output = folder.appendingPathComponent("out")
      try Data().write(to: output)
      let process = Tool.process(
        ["run", "--board", board, "--batch", "10", "--format", "json"], environment: Tool.bridge(sensor))
      process.standardOutput = try FileHandle(forWritingTo: output)
      try process.run()
      func has(_ words: String) throws -> Bool { try String(contentsOf: output, encoding: .utf8).contains(words) }
      for _ in 0..<3_000 where try !has("\"pose\"") { Thread.sleep(forTimeInterval: 0.02) }
      for _ in 0..<20 where try !has("\"lost_samples\"") {
        kill(process.processIdentifier, SIGSTOP)
        Thread.sleep(forTimeInterval: 1.3)
        kill(process.processIdentifier, SIGCONT)
        for _ in 0..<50 where try !has("\"lost_samples\"") { Thread.sleep(forTimeInterval: 0.02) }
      }
      kill(process.processIdentifier, SIGINT)
      process.waitUntilExit()
      let result = Tool(
        exitCode: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8), errors: "")
      expect(result.exitCode, equals: 0)
      let told = try result.events("notice").compactMap { $0["lost_samples"] as? Int }
      expect(that: !told.isEmpty, "\(result.output)")
      expect(that: told.allSatisfy { $0 > 10 }, "\(result.output)")
      try expect(unwrapped(result.events("summary").first)["lost_samples"] as? Int, equals: told.reduce(0, +))
      try expect(all: result.events("notice")) { ($0["detail"] as? String)?.hasSuffix(" samples were lost") == true }
    }
  }

  @Test static func `an impossible number of samples is rejected with the possible ones`() throws {
    for (arguments, words) in [
      (["run", "--batch", "29"], "--batch takes a whole number of samples from 1 to 28, not 29."),
      (["record", "-o", "-", "--batch", "0"], "--batch takes a whole number of samples from 1 to 28, not 0."),
      (["run", "--from", "unix:/nowhere", "--batch", "2"], "--batch and --from do not go together"),
      (["read", "--batch", "2"], "--batch is for commands that run on"),
      (["selftest", "--batch", "2"], "--batch is for commands that run on"),
    ] {
      let result = try Tool.run(arguments: arguments)
      expect(result.exitCode, equals: 64, "\(arguments): \(result.errors)")
      expect(that: result.errors.contains(words), "\(arguments): \(result.errors)")
    }
  }
}
