import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct WatchTests {
  @Test
  static func `on a terminal of 80×24 a picture appears, and q ends it with a summary, restoring the terminal`()
    throws
  {
    let watch = try Watch.run(["expect:top edge up", "shot", "key:q"], arguments: ["--motion", "portrait"])
    expect(watch.failed, equals: nil)
    expect(watch.exit, equals: 0)
    expect(that: watch.hasModesBack)
    expect(that: watch.hasScreenBack)
    expect(watch.text, contains: "Summary: ")
    expect(that: watch.unknownCodes.isEmpty)
    expect(watch.colours, isAbove: 0)
    let picture = try unwrapped(watch.shots.first)
    for words in [
      "plumb watch  ADXL345 at 0x53, emulated, 100 Hz, ±16 g, motion portrait", "top edge up",
      "● P   ○ U   ○ L   ○ R   ○ F   ○ D",
      "top", "face", "steering", "scroll x", "x y z in g", "transactions", "q  quit",
    ] {
      expect(picture, contains: words, "\(words)\n\(picture)")
    }
  }

  @Test(arguments: [
    ("SIGTERM", 0), ("SIGINT", 0), ("SIGHUP", 0), ("SIGSEGV", -11), ("SIGBUS", -7), ("SIGILL", -4), ("SIGFPE", -8),
    ("SIGABRT", -6), ("SIGQUIT", -3), ("SIGUSR1", -10), ("SIGALRM", -14),
  ])
  static func `however it ends, the terminal is restored`(name: String, exit: Int) throws {
    let watch = try Watch.run(["expect:quit", "signal:\(name)"])
    expect(watch.failed, equals: nil)
    expect(watch.exit, equals: exit)
    expect(that: watch.hasModesBack)
    expect(that: watch.hasScreenBack)
  }

  @Test
  static func `Ctrl-C ends it; Ctrl-Z returns to the shell, and the picture comes back whole`()
    throws
  {
    let watch = try Watch.run([
      "expect:quit", "key:\u{1A}", "stopped", "signal:SIGCONT", "redrawn", "shot", "signal:SIGSTOP",
      "stopped", "signal:SIGCONT", "redrawn", "shot", "key:\u{03}",
    ])
    expect(watch.failed, equals: nil)
    // SIGSTOP cannot be caught.
    expect(watch.stops, equals: [true, false])
    expect(watch.exit, equals: 0)
    expect(that: watch.hasModesBack)
    expect(that: watch.hasScreenBack)
    for picture in watch.shots { #expect(picture.contains("plumb watch") && picture.contains("transactions")) }
  }

  @Test
  static func `space freezes the picture; c and u set zero; ? helps; other keys do nothing`() throws {
    let watch = try Watch.run(
      [
        "expect:top edge up", "wait:0.5", "key: ", "expect:view paused", "shot", "wait:1.5", "shot",
        "key: ", "expect:pause ", "key:\u{1B}[Ax", "key:c",
        "expect:this position is now zero", "expect: zeroed ", "expect:undo zero", "key:u",
        "expect:zero is again as in the board file", "expect:zero here", "key:?",
        "expect:close help", "expect:Ctrl-C", "key:q",
      ], arguments: ["--motion", "hold"])
    expect(watch.failed, equals: nil)
    #expect(watch.shots.count == 2 && watch.shots[0] == watch.shots[1])
    let paused = try unwrapped(watch.shots[0].firstMatch(of: /([0-9]+) samples/)?.1)
    let samples = try unwrapped(watch.text.firstMatch(of: /([0-9]+) samples/)?.1)
    try expect(unwrapped(Int(samples)), isAbove: unwrapped(Int(paused)) + 50)
  }

  @Test
  static func `keys and the wheel scroll events and history, new samples do not, and End returns to now`()
    throws
  {
    // Each c is two events and each u is one, and here both keys do not fit together.
    let events = (0..<6).flatMap { _ in ["key:c", "expect: undo ", "key:u", "expect: c  zero"] }
    let watch = try Watch.run(
      ["expect:top edge up", "expect: c  zero"] + events + [
        "key:\u{1B}[A", "expect:v 1 newer", "key:k", "expect:v 2 newer", "key:\u{1B}[<64;9;20M", "expect:v 5 newer",
        "key:j\u{1B}OB", "expect:v 3 newer", "key:c", "expect:v 5 newer", "key:\u{1B}[5~", "expect:v 6 newer",
        "key:\u{1B}[<65;9;20M", "expect:v 3 newer", "key:\u{1B}[H", "expect:v 17 newer", "shot", "key:\u{1B}[F",
        "frame", "frame", "shot", "key:\u{1B}[6~",
        // With so few columns of ASCII, five seconds fill the chart.
        "wait:6", "key:\u{1B}[D", "expect: s ago", "key:\u{1B}[F", "frame", "frame", "shot", "key:?",
        "expect:older and newer events", "key:q",
      ], size: (60, 24), arguments: ["--motion", "hold"], environment: ["LC_ALL": "C"])
    expect(watch.failed, equals: nil, "\(watch.shots.last ?? "")")
    expect(watch.exit, equals: 0)
    expect(that: watch.hasModesBack)
    expect(that: watch.hasScreenBack)
    expect(that: watch.unknownCodes.isEmpty)
    for picture in watch.shots.dropFirst() { #expect(!picture.contains("newer") && !picture.contains(" ago")) }
  }

  @Test
  static func `s records to a file that can be replayed, and says so; q finishes a recording`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let watch = try Watch.run(
      ["expect:top edge up", "key:s", "expect:stop recording", "wait:1", "key:q"],
      arguments: ["--motion", "hold"], folder: folder.path)
    expect(watch.failed, equals: nil)
    expect(watch.exit, equals: 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let name = try unwrapped(files.first)
    #expect(files.count == 1 && name.wholeMatch(of: /plumb-[0-9]{8}-[0-9]{6}\.csv/) != nil)
    let replay = try Tool.run("replay", folder.appendingPathComponent(name).path, "--format", "json")
    expect(replay.exitCode, equals: 0)
    try expect(replay.events("pose").first?["to"] as? String, equals: "portrait")
    let count = try unwrapped(try replay.objects.last?["samples"] as? Int)
    expect(count, isAbove: 20)
    expect(watch.text, contains: "recorded \(count) samples to \(name)")
  }

  @Test
  static func `it follows the size of the window, and reports one that is too small`() throws {
    let watch = try Watch.run([
      "expect:quit", "size:59x18", "expect:This window has 59 columns and 18 rows", "shot", "size:132x43",
      "expect:the last 23.6 s", "frame", "shot", "key:q",
    ])
    expect(watch.failed, equals: nil)
    expect(watch.exit, equals: 0)
    expect(watch.shots[0], lacks: "steering")
    let lines = watch.shots[1].split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 43 && lines[1].count == 132)
  }

  /// The words of a screen, without those of poses and events, which come and go.
  private static func lastingWords(_ text: String) -> Set<String> {
    let passing = """
      portrait upside down landscape left right edge face up bottom top lying on its back unknown sensor fault no recent
      sample no events yet acknowledge from check power and the sensor address recovered after recovery recoveries moving
      still
      """
    let words = text.matches(of: #/[a-z]{3,}/#).map { String($0.0) }
    return Set(words).subtracting(passing.split(whereSeparator: \.isWhitespace).map(String.init))
  }

  @Test
  static func `the picture of README has the words that the program shows now: make pictures`() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../../docs/pictures/watch.svg").standardized
    let picture = try String(contentsOf: file, encoding: .utf8)
    let pictured = picture.matches(of: #/<text [^>]*textLength[^>]*>([^<]*)</text>/#).map { String($0.1) }
    let watch = try Watch.run(["expect:top edge up", "expect:motion    ", "shot", "key:q"])
    expect(watch.failed, equals: nil)
    let shown = Self.lastingWords(try unwrapped(watch.shots.first))
    expect(Self.lastingWords(pictured.joined(separator: " ")), equals: shown)
    expect(shown.count, isAbove: 20)
  }

  @Test
  static func `a fault is reported in plain words, and so is its end`() throws {
    let watch = try Watch.run(["expect:no acknowledge from 0x53", "expect:recovered after", "shot", "key:q"])
    expect(watch.failed, equals: nil)
    expect(watch.exit, equals: 0)
    expect(watch.shots[0], contains: "1 recovery")
  }
}

@Suite(.serialized) struct WatchMannersTests {
  @Test
  static func `without UTF-8 it writes only ASCII, and with NO_COLOR no colour`() throws {
    let watch = try Watch.run(
      ["expect:quit", "shot", "key:q"], environment: ["LC_ALL": "C", "NO_COLOR": "1"])
    expect(watch.failed, equals: nil)
    expect(watch.exit, equals: 0)
    expect(watch.colours, equals: 0)
    expect(all: watch.shots[0].utf8) { $0 < 0x80 }
    expect(watch.shots[0], contains: "+- board ---")
    expect(that: watch.hasModesBack)
    expect(that: watch.hasScreenBack)
  }

  @Test(arguments: ["dumb", ""])
  static func `a terminal that is dumb, or of an unknown kind, gets a line a second and no codes`(name: String) throws {
    let watch = try Watch.run(
      ["times:3:lines 100000  portrait", "signal:SIGINT"], arguments: ["--motion", "portrait"],
      environment: ["TERM": name])
    expect(watch.failed, equals: nil)
    expect(watch.exit, equals: 0)
    expect(watch.escapes, equals: 0)
    expect(that: watch.hasModesBack)
    let rows = watch.text.split(separator: "\n").filter { $0.contains("lines 100000  portrait") }
    expect(rows.count, isAtLeast: 3)
    // No two lines come in one second. After a stall of the computer the sample that a line shows may be older.
    let times = try rows.map { try unwrapped(Double(try unwrapped($0.firstMatch(of: /([0-9.]+) s  lines/)?.1))) }
    for (earlier, later) in zip(times, times.dropFirst()) { expect(later - earlier, isAbove: 0.7) }
    // Numbers have two places, and are aligned.
    for row in rows {
      expect(
        that: row.contains(/[0-9] s  lines 100000  portrait +  x +[-+]?\d\.\d\d  y +\+[01]\.\d\d  z +[-+]?\d\.\d\d g/))
    }
    expect(Set(rows.map { $0.trimmingCharacters(in: .newlines).count }).count, equals: 1, "\(rows)")
    expect(watch.text, contains: "Summary: ")
  }

  @Test
  static func `without a terminal it is rejected with code 64; bad boards and options are reported`()
    throws
  {
    let none = try Tool.run("watch")
    expect(none.exitCode, equals: 64)
    expect(none.errors, contains: "standard output is not one")
    expect(none.errors, contains: "plumb run --format json")
    expect(empty: none.output)
    for (arguments, exit, words) in [
      (["--board", "/nowhere.ini"], 78, "/nowhere.ini"), (["--motion", "flight"], 64, "There is no motion 'flight'"),
      (["--rate", "801"], 64, "--rate takes at most 800 Hz with an ADXL345"),
      (["--board", Tool.board("raspberry-pi-adxl345"), "--seed", "2"], 64, "--seed needs a board whose bus is"),
    ] {
      let watch = try Watch.run(["wait:0.2"], arguments: arguments)
      expect(watch.exit, equals: exit)
      // Words may be cut at the edge of the screen.
      let text = watch.text.replacing("\n", with: "").replacing(" ", with: "")
      expect(text, contains: words.replacing(" ", with: ""), "\(watch.text)")
      expect(watch.escapes, equals: 0)
      expect(that: watch.hasModesBack)
    }
  }

  @Test
  static func `a terminal that accepts nothing delays neither samples nor the end`() throws {
    let watch = try Watch.run(
      ["expect:quit", "size:200x60", "stall:4", "key:q", "expect:Summary: "],
      arguments: ["--rate", "50"])
    expect(watch.failed, equals: nil)
    expect(watch.exit, equals: 0)
    expect(that: watch.hasModesBack)
    expect(that: watch.hasScreenBack)
    // 50 a second all the time, of which a busy computer may lose some.
    let summary = try unwrapped(watch.text.firstMatch(of: /Summary: ([0-9.]+) s, ([0-9]+) samples/))
    let (seconds, samples) = (try unwrapped(Double(summary.1)), try unwrapped(Double(summary.2)))
    expect(seconds, isAbove: 4)
    expect(samples, isAbove: 20 * seconds)
  }

  @Test
  static func `it uses a small part of one core`() throws {
    let watch = try Watch.run(["expect:top edge up", "wait:1", "cpu:5", "key:q"])
    let share = try unwrapped(watch.shares.first)
    print("plumb watch takes \(share) % of one core")
    expect(share, isBelow: 20)
  }
}
