import Foundation
import TestSupport
import Testing

/// `part = iio`, on a computer whose kernel has no such device; the rest is tested on made-up trees and on a Pi.
struct IIOTests {
  private static func withBoard(_ body: (String) throws -> Void) throws {
    let text = try String(contentsOfFile: "boards/iio.ini", encoding: .utf8)
      .replacingOccurrences(of: "device = bmi160", with: "device = no-such-part")
      .replacingOccurrences(of: "chip = raspberry-pi", with: "chip = emulated")
    try withFile(named: "board.ini", content: Data(text.utf8)) { try body($0) }
  }

  @Test static func `a missing device ends every command with its name and what to do`() throws {
    try withBoard { file in
      for arguments in [["run"], ["read"], ["record", "-o", "-"]] {
        let result = try Tool.run(arguments: arguments + ["--board", file])
        expect(result.exitCode, equals: 69, "\(arguments)")
        expect(result.errors, contains: "no IIO device \"no-such-part\": `plumb probe` lists them", "\(result.errors)")
      }
    }
  }

  @Test static func `doctor finds that the device is missing, and needs no bus`() throws {
    try withBoard { file in
      let result = try Tool.run("doctor", "--board", file, "--format", "json")
      expect(result.exitCode, equals: 69)
      let device = try require(result.objects.first { $0["check"] as? String == "device" })
      expect(device["problem"] as? String, equals: "device.unusable")
      try expect(none: result.objects) { $0["check"] as? String == "bus" }
    }
  }

  @Test static func `boards, wiring and selftest know that the kernel drives it`() throws {
    try expect(Tool.run("boards", "iio").output, contains: "IIO device bmi160, run by the kernel")
    let wiring = try Tool.run("wiring", "--board", "iio")
    expect(wiring.exitCode, equals: 0)
    expect(wiring.output, contains: "docs/iio.md")
    expect(wiring.output, contains: "GPIO17")
    try expect(Tool.run("wiring", "--board", "iio", "--format", "svg").errors, contains: "the kernel drives the sensor")
    let selftest = try Tool.run("selftest", "--board", "iio")
    expect(selftest.exitCode, equals: 64)
    expect(selftest.errors, contains: "needs the registers of the sensor")
  }

  @Test static func `probe of such a board looks at the kernel's devices alone`() throws {
    try withBoard { file in
      let result = try Tool.run("probe", "--board", file, "--format", "json")
      // A computer with such a sensor lists it.
      #expect(result.exitCode == 69 || (result.output.contains("\"device\"")))
      expect(result.errors, lacks: "0x53")
    }
  }
}
