import Foundation
import TestSupport
import Testing

/// The path of a real board, from the board file to `/dev/i2c-1` and its system calls: the bridge replaces the
/// kernel, with emulated sensors that do not move.
struct LinuxBusTests {
  /// Runs the tool with `sensors` on `/dev/i2c-1`.
  private static func run(_ arguments: [String], with sensors: String, launcher: [String] = []) throws -> Tool {
    try Tool.run(arguments: arguments, launcher: launcher, environment: Tool.bridge(sensors))
  }

  /// Runs `plumb run` with the Raspberry Pi's board file of `model`, its lines emulated.
  private static func run(
    _ model: String, _ change: (String, String)? = nil, with sensors: String, format: String = "json",
    launcher: [String] = []
  ) throws -> Tool {
    var text = try String(contentsOfFile: Tool.board("raspberry-pi-\(model)"), encoding: .utf8)
    text = text.replacing("chip = raspberry-pi", with: "chip = emulated")
    if let change { text = text.replacing(change.0, with: change.1) }
    return try withFile(named: "board.ini", content: Data(text.utf8)) {
      // Ended by the first pose, or by an error.
      try Tool.run(
        arguments: ["run", "--board", $0, "--format", format], launcher: launcher, environment: Tool.bridge(sensors)
      ) { printed in
        ["\"event\":\"pose\"", "\"event\":\"trouble\"", "  face up  ", "  portrait  "].contains { printed.contains($0) }
      }
    }
  }

  @Test(arguments: [
    ("adxl345", "adxl345@0x53", "ADXL345 at 0x53"), ("mpu6050", "mpu6050@0x68", "MPU-6050 at 0x68"),
    ("mpu6050", "mpu9250@0x68", "MPU-6050 at 0x68"),
  ])
  static func `the sensor of a Raspberry Pi's board shows the pose, and its greeting shows where it is`(
    model: String, sensor: String, greeting: String
  ) throws {
    for (force, pose) in [("0,1,0", "portrait"), ("-1,0,0", "landscapeRight"), ("0,0,-1", "faceDown")] {
      let result = try run(model, with: "\(sensor)=\(force)")
      expect(result.exitCode, equals: 0, "\(result.errors)")
      try expect(result.objects.first?["event"] as? String, equals: "pose")
      try expect(result.objects.first?["to"] as? String, equals: pose)
    }
    let text = try run(model, with: "\(sensor)=0,0,1", format: "text").output
    expect(text, hasPrefix: "\(greeting) on /dev/i2c-1, 100 Hz, ±\(model == "adxl345" ? 16 : 8) g; stop with Ctrl-C.\n")
    expect(text, contains: "  face up  ")
  }

  @Test
  static func `a part compatible with an MPU-6050 is used, and reported by name once`() throws {
    let result = try run("mpu6050", with: "icm20689@0x68=0,1,0")
    expect(result.exitCode, equals: 0)
    let notices = try result.events("notice").compactMap { $0["detail"] as? String }
    expect(notices.count, equals: 1)
    try expect(unwrapped(notices.first), contains: "ICM-20689")
    try expect(unwrapped(notices.first), contains: "0x98")
    try expect(result.events("pose").map { $0["to"] as? String }, equals: ["portrait"])
    try expect(run("mpu6050", with: "icm20689@0x68=0,1,0", format: "text").output, contains: "notice: the part at 0x68")
  }

  @Test
  static func `a sensor at the other address is reported as no response at this one`() throws {
    let result = try run("mpu6050", with: "mpu6050@0x69=0,1,0")
    try expect(empty: result.events("pose"))
    try expect(
      unwrapped(try result.events("trouble").first?["detail"] as? String), contains: "no acknowledge from 0x68")
    let moved = try run("mpu6050", ("address = 0x68", "address = 0x69"), with: "mpu6050@0x69=0,1,0")
    try expect(moved.events("pose").count, equals: 1)
  }

  @Test
  static func `a part of the other family is reported by its identity`() throws {
    // Each family's identity register is a different register, or none, of the other.
    for (model, sensor, wanted) in [
      ("mpu6050", "adxl345@0x68", "not 0x68 (MPU-6050)"),
      ("adxl345", "mpu6050@0x53", "not 0xE5 (ADXL345)"),
    ] {
      let result = try run(model, with: "\(sensor)=0,1,0")
      try expect(empty: result.events("pose"))
      let detail = try unwrapped(try result.events("trouble").first?["detail"] as? String)
      expect(detail, contains: wanted)
    }
  }

  @Test
  static func `every sensor on the bus is found at its address, undisturbed`() throws {
    let result = try run(
      ["probe", "--format", "json"], with: "mpu6500@0x69=0,0,1; icm20689@0x68=0,0,1; adxl345@0x1d=0,0,1")
    expect(result.exitCode, equals: 0)
    let findings = try result.events("finding")
    expect(findings.map { $0["address"] as? Int }, equals: [0x1D, 0x68, 0x69])
    expect(findings.map { $0["model"] as? String }, equals: ["adxl345", "mpu6050", "mpu6050"])
    for (finding, name) in zip(findings, ["ADXL345", "ICM-20689", "MPU-6500"]) {
      try expect(unwrapped(finding["detail"] as? String), contains: name)
    }
    try expect(result.objects.last?["bus"] as? String, equals: "/dev/i2c-1")
  }

  @Test
  static func `no response at any of these addresses is an error, with code 69`() throws {
    let result = try run(["probe"], with: "adxl345@0x20=0,0,1")
    expect(result.exitCode, equals: 69)
    expect(empty: result.output)
    expect(result.errors, contains: "no response at 0x18, ")
    expect(result.errors, contains: " or 0x6B. Fix: switch the Pi off")
    let json = try run(["probe", "--format", "json"], with: "adxl345@0x20=0,0,1")
    expect(json.exitCode, equals: 69)
    try expect(json.objects.last?["usable"] as? Int, equals: 0)
  }

  @Test
  static func `a response from an unknown part is reported, with code 69`() throws {
    let result = try run(["probe"], with: "mpu6050@0x53=0,0,1")
    expect(result.exitCode, equals: 69)
    expect(result.output, hasPrefix: "0x53  the identity register reads 0x00")
    expect(result.errors, contains: "no usable sensor")
  }

  /// Whether this computer lets a process have its own `/sys/class`.
  static let canHideFolders: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    process.arguments = ["-m", "mount", "-t", "tmpfs", "none", "/sys/class"]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test(
    .enabled(if: canHideFolders, "needs the right to mount"),
    arguments: [("adxl345", "adxl345@0x53", 400, 200), ("mpu6050", "mpu6050@0x68", 1_000, 500)])
  static func `a rate too high for a bus of 100 kHz is rejected at once, with code 78; the highest is not`(
    model: String, sensor: String, tooFast: Int, highest: Int
  ) throws {
    // A kernel's folder of adapters with the frequency 100000, big-endian, in place of this computer's.
    let node = "/sys/class/i2c-adapter/i2c-1/of_node"
    let script =
      "mount -t tmpfs none /sys/class && mkdir -p \(node) "
      + "&& printf '\\000\\001\\206\\240' >\(node)/clock-frequency && exec \"$@\""
    for rate in [tooFast, highest] {
      let result = try run(
        model, ("rate = 100", "rate = \(rate)"), with: "\(sensor)=0,1,0",
        launcher: [
          "/usr/bin/unshare", "-m", "/bin/sh", "-c", script, "sh",
        ])
      expect(result.exitCode, equals: rate == tooFast ? 78 : 0)
      try expect(result.events("pose").count, equals: rate == tooFast ? 0 : 1)
      guard rate == tooFast else { continue }
      expect(result.errors, contains: "too high for a bus of 100 kHz: use a rate of \(highest) Hz or less")
    }
  }
}
