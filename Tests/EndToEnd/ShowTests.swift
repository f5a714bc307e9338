import Foundation
import Testing

/// Movement as the tool shows it: shakes, rotation, steering and scrolling.
@Suite struct ShowTests {
  private static func json(_ arguments: String...) throws -> Tool {
    let result = try Tool.run(arguments: ["run", "--speed", "fast", "--format", "json"] + arguments)
    #expect(result.exitCode == 0 && result.errors.isEmpty)
    return result
  }

  @Test(arguments: ["emulated", "emulated-mpu6050"])
  func `a shake is told once, and counted`(board: String) throws {
    let shaken = try Self.json("--motion", "shake", "--board", Tool.board(board))
    #expect(try shaken.events("shake").count == 1)
    #expect(try shaken.objects.last?["shakes"] as? Int == 1)
    let held = try Self.json("--motion", "hold", "--board", Tool.board(board))
    #expect(try held.events("shake").isEmpty && held.objects.last?["shakes"] as? Int == 0)
  }

  @Test
  func `a turn passes through four phases in order, mirrored from the pose, in the time asked for`() throws {
    let turned = try Self.json("--motion", "turn", "--rotation-time", "0.5")
    let phases = try turned.events("rotation")
    #expect(phases.compactMap { $0["phase"] as? String } == ["willRotate", "firstHalf", "secondHalf", "didRotate"])
    let first = try unwrapped(phases.first)
    #expect(first["from"] as? String == "portrait" && first["to"] as? String == "landscapeLeft")
    #expect(first["duration_s"] as? Double == 0.5)
    let times = try phases.map { try unwrapped($0["t"] as? Double) }
    for (time, after) in zip(times, [0, 0, 0.25, 0.5]) { #expect(abs(time - times[0] - after) < 1e-5) }
    let pose = try unwrapped(try turned.events("pose").last)
    #expect(pose["to"] as? String == "landscapeRight" && pose["t"] as? Double == times[0])
  }

  @Test
  func `the interface turns to supported orientations only`() throws {
    let kept = try Self.json("--motion", "turn", "--orientations", "portrait,landscapeRight")
    #expect(try kept.events("pose").count == 2 && kept.events("rotation").isEmpty)
    let never = try Self.json("--motion", "tumble", "--orientations", "portraitUpsideDown")
    #expect(try never.events("rotation").isEmpty)
  }

  @Test
  func `with --cross-fade the lines of both poses alternate during the turn`() throws {
    func writes(_ options: String...) throws -> Int {
      let result = try Tool.run(
        arguments: ["run", "--speed", "fast", "--format", "json", "--motion", "turn"] + options)
      return try unwrapped(try result.objects.last?["output_writes"] as? Int)
    }
    // Old … new, old, new | old, new, old, new: six more writes than the one of a plain change.
    #expect(try writes() == 2)
    #expect(try writes("--cross-fade") == 8)
  }

  @Test
  func `what is measured is shown ten times a second, samples or not`() throws {
    for quantity in ["angles", "steering", "scroll"] {
      let samples = try Self.json("--motion", "hold", "--duration", "3", "--show", quantity).events("sample")
      #expect((29...30).contains(samples.count))
      for key in ["steering_deg", "level_deg", "inclination_deg"] { #expect(samples.allSatisfy { $0[key] is Double }) }
      #expect(samples.allSatisfy { ($0["scroll"] as? [Double])?.count == 2 })
    }
    #expect(try Self.json("--motion", "hold", "--duration", "3", "--show", "shake").events("sample").isEmpty)
  }

  @Test
  func `text has a column for each quantity that was asked for, and words for shakes and phases`() throws {
    let turn = try Tool.run("run", "--speed", "fast", "--motion", "turn", "--show", "steering,scroll,rotation")
    let lines = turn.output.split(separator: "\n")
    #expect(lines[1].hasSuffix("pose                  steer.    scroll"))
    #expect(turn.output.contains("]  willRotate: portrait to landscapeLeft, 0.30 s\n"))
    #expect(turn.output.contains("]  didRotate: from portrait\n"))
    let plain = try Tool.run("run", "--speed", "fast", "--motion", "shake")
    #expect(!plain.output.contains("  shake\n") && !plain.output.contains("Rotate"))
    let shake = try Tool.run("run", "--speed", "fast", "--motion", "shake", "--show", "shake")
    #expect(shake.output.contains("[P·····]  shake\n"))
  }

  @Test
  func `no line is wider than 80 characters whatever is shown, numbers end below their headings, and all are there`()
    throws
  {
    let pixels = ["--content", "640x4000", "--viewport", "320x240"]
    for board in ["emulated", "emulated-one-hot", "emulated-binary"] {
      for shown in ["angles", "steering", "scroll", "angles,steering", "angles,scroll", "angles,steering,scroll"] {
        for more in [[], ["--relative-to", "faceUp"], pixels, pixels + ["--relative-to", "portrait"]] {
          let run = ["run", "--speed", "fast", "--board", Tool.board(board), "--show", shown, "--samples"] + more
          let lines = try Tool.run(arguments: run).output.split(separator: "\n")
          #expect(lines.allSatisfy { $0.count <= 80 }, "\(run): \(lines.map(\.count).max() ?? 0)")
          let heading = try unwrapped(lines.dropFirst().first)
          let figures = heading.matches(of: /(angle|pitch|roll|inclin\.|relat\.|steer\.|scroll|pixels)/)
          let kinds = shown.split(separator: ",")
          let angles = kinds.contains("angles") ? 4 + (more.contains("--relative-to") ? 1 : 0) : 0
          #expect(figures.count == angles + kinds.count { $0 != "angles" }, "\(heading)")
          let ends = figures.map { heading.distance(from: heading.startIndex, to: $0.range.upperBound) }
          let samples = lines.dropFirst(2).filter { $0.count == heading.count && !$0.hasPrefix("          ") }
          #expect(samples.count > 1_000)
          for line in samples where line.contains(/[0-9°–]$/) {
            let characters = Array(line)
            for end in ends {
              #expect("0123456789°–".contains(characters[end - 1]), "\(heading)\n\(line)")
              #expect(end == characters.count || characters[end] == " ", "\(line)")
            }
          }
        }
      }
    }
  }

  @Test
  func `the position in pixels is that of the window on the content`() throws {
    let result = try Self.json(
      "--motion", "turn", "--samples", "--content", "640x4000", "--viewport", "320x240", "--rest", "captured")
    for sample in try result.events("sample") {
      let place = try unwrapped(sample["scroll"] as? [Double])
      let pixels = try unwrapped(sample["scroll_px"] as? [Int])
      #expect(abs(Double(pixels[0]) - place[0] * 320) < 0.51 && abs(Double(pixels[1]) - place[1] * 3_760) < 0.55)
    }
  }

  @Test
  func `relative angles are those of behaviour.md, section 2`() throws {
    for (pose, offset) in [
      ("portrait", 0.0), ("portraitUpsideDown", 180), ("landscapeLeft", -90), ("landscapeRight", 90),
    ] {
      let result = try Self.json("--motion", "turn", "--samples", "--relative-to", pose)
      for sample in try result.events("sample") {
        let angle = try unwrapped(sample["angle_deg"] as? Double)
        let relative = try unwrapped(sample["relative_deg"] as? Double)
        #expect(abs(remainder(angle - offset - relative, 360)) < 3e-4 && relative > -180.0001 && relative <= 180)
      }
    }
  }

  @Test(arguments: [
    (["--show", "pitch"], "angles, steering, scroll, shake, rotation"),
    (["--orientations", "faceUp"], "landscapeLeft"), (["--rotation-time", "61"], "0 to 60"),
    (["--rotation-time", "nan"], "0 to 60"), (["--content", "640x"], "640x4000"),
    (["--content", "640x480"], "--viewport"),
    (["--relative-to", "sideways"], "portraitUpsideDown"), (["--rest", "lying"], "captured"),
  ])
  func `what cannot be shown is refused with what can`(options: [String], words: String) throws {
    for command in [["run"], ["replay", "nothing.csv"]] {
      let result = try Tool.run(arguments: command + options)
      #expect(result.exitCode == 64 && result.errors.contains(words), "\(result.errors)")
    }
  }
}
