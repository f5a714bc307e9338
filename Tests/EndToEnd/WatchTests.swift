import Foundation
import Testing

@Suite(.serialized) struct WatchTests {
  @Test
  func `on a terminal of 80×24 a picture appears, and q ends it with a summary, code 0 and the terminal as it was`()
    throws
  {
    let watch = try Watch.run(["expect:the top edge is up", "shot", "key:q"], arguments: ["--motion", "portrait"])
    #expect(watch.failed == nil)
    #expect(watch.exit == 0 && watch.hasModesBack && watch.hasScreenBack)
    #expect(watch.text.contains("Summary: "))
    #expect(watch.unknownCodes.isEmpty && watch.colours > 0)
    let picture = try unwrapped(watch.shots.first)
    for words in [
      "plumb watch  ADXL345 at 0x53, emulated, portrait, 100 Hz", "the top edge is up",
      "● P   ○ U   ○ L   ○ R   ○ F   ○ D",
      "top", "face", "steering", "scroll x", "x y z in g", "transactions", "q  quit",
    ] {
      #expect(picture.contains(words), "\(words)\n\(picture)")
    }
  }

  @Test(arguments: [
    ("SIGTERM", 0), ("SIGINT", 0), ("SIGHUP", 0), ("SIGSEGV", -11), ("SIGBUS", -7), ("SIGILL", -4), ("SIGFPE", -8),
    ("SIGABRT", -6), ("SIGQUIT", -3), ("SIGUSR1", -10), ("SIGALRM", -14),
  ])
  func `whatever ends it, the terminal is as it was`(name: String, exit: Int) throws {
    let watch = try Watch.run(["expect:quit", "signal:\(name)"])
    #expect(watch.failed == nil)
    #expect(watch.exit == exit && watch.hasModesBack && watch.hasScreenBack)
  }

  @Test
  func `Ctrl-C ends it; Ctrl-Z lends the terminal to the shell, and the picture comes back whole, after SIGSTOP too`()
    throws
  {
    let watch = try Watch.run([
      "expect:quit", "key:\u{1A}", "stopped", "signal:SIGCONT", "expect:quit", "wait:0.3", "shot", "signal:SIGSTOP",
      "stopped",
      "signal:SIGCONT", "expect:quit", "wait:0.3", "shot", "key:\u{03}",
    ])
    #expect(watch.failed == nil)
    // Nobody hears of SIGSTOP.
    #expect(watch.stops == [true, false])
    #expect(watch.exit == 0 && watch.hasModesBack && watch.hasScreenBack)
    for picture in watch.shots { #expect(picture.contains("plumb watch") && picture.contains("transactions")) }
  }

  @Test
  func `space holds the picture still while the loop goes on; c sets the rest; ? helps; other keys do nothing`() throws
  {
    let watch = try Watch.run(
      [
        "expect:the top edge is up", "wait:0.5", "key: ", "expect:view paused", "wait:0.3", "shot", "wait:1.5", "shot",
        "key: ", "expect:pause ", "key:\u{1B}[Ax", "key:c",
        "expect:nothing scrolls as the board is held now", "key:?",
        "expect:close help", "expect:Ctrl-C", "key:q",
      ], arguments: ["--motion", "hold"])
    #expect(watch.failed == nil)
    #expect(watch.shots.count == 2 && watch.shots[0] == watch.shots[1])
    let paused = try unwrapped(watch.shots[0].firstMatch(of: /([0-9]+) samples/)?.1)
    let samples = try unwrapped(watch.text.firstMatch(of: /([0-9]+) samples/)?.1)
    #expect(try unwrapped(Int(samples)) > unwrapped(Int(paused)) + 50)
  }

  @Test
  func `s records to a file that can be replayed, and says so; a recording under way is finished by q`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let watch = try Watch.run(
      ["expect:the top edge is up", "key:s", "expect:stop recording", "wait:1", "key:q"],
      arguments: ["--motion", "hold"], folder: folder.path)
    #expect(watch.failed == nil && watch.exit == 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let name = try unwrapped(files.first)
    #expect(files.count == 1 && name.wholeMatch(of: /plumb-[0-9]{8}-[0-9]{6}\.csv/) != nil)
    let replay = try Tool.run("replay", folder.appendingPathComponent(name).path, "--format", "json")
    #expect(replay.exitCode == 0)
    #expect(try replay.events("pose").first?["to"] as? String == "portrait")
    let count = try unwrapped(try replay.objects.last?["samples"] as? Int)
    #expect(count > 20)
    #expect(watch.text.contains("recorded \(count) samples to \(name)"))
  }

  @Test
  func `it follows the size of the window, and says so where that is too small`() throws {
    let watch = try Watch.run([
      "expect:quit", "size:59x18", "expect:This window has 59 columns and 18 rows", "shot", "size:132x43",
      "expect:the last 23.6 s", "wait:0.3", "shot", "key:q",
    ])
    #expect(watch.failed == nil && watch.exit == 0)
    #expect(!watch.shots[0].contains("steering"))
    let lines = watch.shots[1].split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 43 && lines[1].count == 132)
  }

  @Test
  func `a fault is told in plain words, and its end`() throws {
    let watch = try Watch.run(["expect:no acknowledge from 0x53", "expect:recovered after", "shot", "key:q"])
    #expect(watch.failed == nil && watch.exit == 0)
    #expect(watch.shots[0].contains("1 recovery"))
  }
}
