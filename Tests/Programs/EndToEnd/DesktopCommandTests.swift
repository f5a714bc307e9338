import Foundation
import TestSupport
import Testing

/// `plumb desktop` up to its functions; Tests/System/Desktop has bus and compositors, Tests/System/RaspberryPi uinput.
struct DesktopCommandTests {
  @Test(arguments: [
    ([], "name at least one of --sensor-proxy, --rotate, --wheel, --scroll and --motion"),
    (["--rotate", "two words"], "--rotate: bad value two words; allowed: auto, or the name of an output"),
    (["--wheel", "--from", "nowhere"], "--from"),
    (["--wheel", "--duration", "0"], "--duration takes a number of seconds"),
  ])
  static func `a wrong option is wrong usage, with what is allowed`(arguments: [String], words: String) throws {
    let tool = try Tool.run(arguments: ["desktop"] + arguments)
    #expect(tool.exitCode == 64 && tool.errors.contains(words), "\(tool.errors)")
    expect(tool.output, equals: "")
  }

  @Test(arguments: [
    ("[wheel]\nrange = 5\n", ":2: bad value \"5\" of \"range\" in [wheel]"),
    ("[wheels]\n", ":1: unknown section \"wheels\" (did you mean \"wheel\"?)"),
  ])
  static func `a bad settings file has its exit code, its line, and what is allowed`(text: String, words: String) throws
  {
    try withFile(named: "desktop.ini", content: Data(text.utf8)) { path in
      let tool = try Tool.run("desktop", "--settings", path)
      #expect(tool.exitCode == 78 && tool.errors.contains("plumb: \(path)\(words)"), "\(tool.errors)")
    }
  }

  @Test static func `without an owner there is no desktop to serve, whoever names it`() throws {
    let missing = "there is no such socket\n"
    let named = try Tool.run("desktop", "--wheel", "--from", "unix:/nowhere/s")
    #expect(named.exitCode == 69 && named.errors.hasSuffix("/nowhere/s: \(missing)"), "\(named.errors)")
    let usual = try Tool.run(arguments: ["desktop", "--wheel"], environment: ["PLUMB_STREAM": "unix:/nowhere/u"])
    #expect(usual.exitCode == 69 && usual.errors.hasSuffix("/nowhere/u: \(missing)"), "\(usual.errors)")
    let settings = "[wheel]\nenabled = yes\n[stream]\nfrom = unix:/nowhere/t\n"
    try withFile(named: "desktop.ini", content: Data(settings.utf8)) { path in
      let file = try Tool.run("desktop", "--settings", path)
      #expect(file.exitCode == 69 && file.errors.hasSuffix("/nowhere/t: \(missing)"), "\(file.errors)")
    }
  }
}
