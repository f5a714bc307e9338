import Foundation
import Testing

@Suite(.serialized) struct WatchMannersTests {
  @Test
  func `without UTF-8 nothing but ASCII is written, and with NO_COLOR no colour`() throws {
    let watch = try Watch.run(
      ["expect:quit", "shot", "key:q"], environment: ["LC_ALL": "C", "NO_COLOR": "1"])
    #expect(watch.failed == nil && watch.exit == 0)
    #expect(watch.colours == 0)
    #expect(watch.shots[0].utf8.allSatisfy { $0 < 0x80 })
    #expect(watch.shots[0].contains("+- board ---"))
    #expect(watch.hasModesBack && watch.hasScreenBack)
  }

  @Test(arguments: ["dumb", ""])
  func `a terminal that is dumb, or of no known kind, gets a line a second and no codes`(name: String) throws {
    let watch = try Watch.run(
      ["times:3:lines 100000  portrait", "signal:SIGINT"], arguments: ["--motion", "portrait"],
      environment: ["TERM": name])
    #expect(watch.failed == nil && watch.exit == 0)
    #expect(watch.escapes == 0)
    #expect(watch.hasModesBack)
    let rows = watch.text.split(separator: "\n").filter { $0.contains("lines 100000  portrait") }
    #expect(rows.count >= 3)
    // By the tool's own clock: however late a busy machine is, no two lines come in one second.
    let times = try rows.map { try unwrapped(Double(try unwrapped($0.firstMatch(of: /([0-9.]+) s  lines/)?.1))) }
    for (earlier, later) in zip(times, times.dropFirst()) { #expect(later - earlier > 0.9) }
    // Figures have two places, and stand below each other.
    for row in rows {
      #expect(row.contains(/[0-9] s  lines 100000  portrait +  x +[-+]?\d\.\d\d  y +\+[01]\.\d\d  z +[-+]?\d\.\d\d g/))
    }
    #expect(Set(rows.map { $0.trimmingCharacters(in: .newlines).count }).count == 1, "\(rows)")
    #expect(watch.text.contains("Summary: "))
  }

  @Test
  func `without a terminal it is refused with code 64 and a word on what to use; bad boards and options are told`()
    throws
  {
    let none = try Tool.run("watch")
    #expect(none.exitCode == 64)
    #expect(none.errors.contains("standard output is not one") && none.errors.contains("plumb run --format json"))
    #expect(none.output.isEmpty)
    for (arguments, exit, words) in [
      (["--board", "/nowhere.ini"], 78, "/nowhere.ini"), (["--motion", "flight"], 64, "There is no motion 'flight'"),
      (["--rate", "801"], 64, "--rate takes at most 800 Hz with an ADXL345"),
      (["--board", Tool.board("raspberry-pi-adxl345"), "--seed", "2"], 64, "--seed needs a board whose bus is"),
    ] {
      let watch = try Watch.run(["wait:0.2"], arguments: arguments)
      #expect(watch.exit == exit)
      // Words may be cut at the edge of the screen.
      let text = watch.text.replacing("\n", with: "").replacing(" ", with: "")
      #expect(text.contains(words.replacing(" ", with: "")), "\(watch.text)")
      #expect(watch.escapes == 0 && watch.hasModesBack)
    }
  }

  @Test
  func `a terminal that takes nothing keeps neither samples nor the end waiting`() throws {
    let watch = try Watch.run(
      ["expect:quit", "size:200x60", "stall:4", "key:q", "expect:Summary: "],
      arguments: ["--rate", "50"])
    #expect(watch.failed == nil && watch.exit == 0 && watch.hasModesBack && watch.hasScreenBack)
    // 50 a second, all the while, of which a busy machine may cost some.
    let summary = try unwrapped(watch.text.firstMatch(of: /Summary: ([0-9.]+) s, ([0-9]+) samples/))
    let (seconds, samples) = (try unwrapped(Double(summary.1)), try unwrapped(Double(summary.2)))
    #expect(seconds > 4 && samples > 20 * seconds)
  }

  @Test
  func `it takes a small part of one core`() throws {
    let watch = try Watch.run(["expect:the top edge is up", "wait:1", "cpu:5", "key:q"])
    let share = try unwrapped(watch.shares.first)
    print("plumb watch takes \(share) % of one core")
    #expect(share < 20)
  }
}
