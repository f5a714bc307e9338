import Foundation
import PlumbViews
import TestSupport
import Testing

/// Whole pictures, character by character, as reviewed and stored in `Frames/`.
///
/// After an intended change, `PLUMB_RECORD_FRAMES=1 swift test --filter FrameTests` writes them again; review them.
struct FrameTests {
  struct Picture: CustomTestStringConvertible, Sendable {
    var name: String
    var scene: Scene
    var size: (width: Int, height: Int)
    var hasUnicode: Bool
    var testDescription: String { name }
  }

  static let pictures = [
    Picture(name: "80x24", scene: Scenes.turned, size: (80, 24), hasUnicode: true),
    Picture(name: "80x24-ascii", scene: Scenes.turned, size: (80, 24), hasUnicode: false),
    Picture(name: "80x24-trouble", scene: Scenes.troubled, size: (80, 24), hasUnicode: true),
    Picture(name: "80x24-help", scene: Scenes.helpful, size: (80, 24), hasUnicode: true),
    Picture(name: "80x24-unseen", scene: Scene(), size: (80, 24), hasUnicode: true),
    Picture(name: "132x43", scene: Scenes.turned, size: (132, 43), hasUnicode: true),
    Picture(name: "120x40", scene: Scenes.turned, size: (120, 40), hasUnicode: true),
    Picture(name: "60x15", scene: Scenes.turned, size: (60, 15), hasUnicode: true),
    Picture(name: "60x15-ascii", scene: Scenes.troubled, size: (60, 15), hasUnicode: false),
    Picture(name: "60x15-help", scene: Scenes.helpful, size: (60, 15), hasUnicode: true),
    Picture(name: "60x18", scene: Scenes.turned, size: (60, 18), hasUnicode: true),
    Picture(name: "60x15-fused", scene: Scenes.fused, size: (60, 15), hasUnicode: true),
    Picture(name: "80x24-fused", scene: Scenes.fused, size: (80, 24), hasUnicode: true),
    Picture(name: "80x24-starting", scene: Scenes.starting, size: (80, 24), hasUnicode: false),
    Picture(name: "120x40-fused", scene: Scenes.fused, size: (120, 40), hasUnicode: true),
    Picture(name: "80x24-scrolled", scene: Scenes.scrolled, size: (80, 24), hasUnicode: true),
    Picture(name: "120x40-scrolled", scene: Scenes.scrolled, size: (120, 40), hasUnicode: true),
    Picture(name: "60x15-scrolled", scene: Scenes.scrolled, size: (60, 15), hasUnicode: false),
    Picture(name: "59x18", scene: Scenes.turned, size: (59, 18), hasUnicode: true),
  ]

  @Test(arguments: pictures)
  static func `the picture is the reviewed one`(_ picture: Picture) throws {
    for hasColour in [true, false] {
      let look = TextStyle(hasColour: hasColour, hasUnicode: picture.hasUnicode)
      let text = Screen(picture.scene, look).drawn(width: picture.size.width, height: picture.size.height).text + "\n"
      if ProcessInfo.processInfo.environment["PLUMB_RECORD_FRAMES"] != nil {
        let source = URL(filePath: #filePath).appending(path: "../Frames/\(picture.name).txt").standardized
        try Data(text.utf8).write(to: source)
      }
      let file = try require(Bundle.module.url(forResource: picture.name, withExtension: "txt", subdirectory: "Frames"))
      expect(text, equals: (try String(contentsOf: file, encoding: .utf8)), "\n\(text)")
    }
  }

  @Test
  static func `at every size from the smallest, everything has its place, and nothing is cut off`() {
    for hasUnicode in [true, false] {
      let screen = Screen(Scenes.turned, TextStyle(hasColour: true, hasUnicode: hasUnicode))
      for width in [80, 81, 90, 100, 132, 200, 317] {
        for height in [24, 25, 26, 27, 28, 29, 30, 34, 39, 43, 60, 101] {
          let text = screen.drawn(width: width, height: height).text
          let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
          expect(lines.count, equals: height)
          for word in ["19.9 s", "left edge down", "right edge up", "inclination", "1.02 g", "scroll y", "-32.4"] {
            expect(text, contains: word, "\(word) on \(width)×\(height)")
          }
          for word in ["1986 samples", "0 shakes", "SDA, SCL", "recovered after 0.41 s", "top", "face", "pose "] {
            expect(text, contains: word, "\(word) on \(width)×\(height)")
          }
          expect(lines.last?.hasSuffix("help"), equals: true)
          // Each box has both its sides: as many corners of each kind.
          let corners = hasUnicode ? ["╭", "╮", "╰", "╯"] : ["+"]
          for corner in corners {
            expect(text.count { String($0) == corner }, isAtLeast: hasUnicode ? 3 : 12)
          }
        }
      }
    }
  }

  @Test
  static func `with a gyroscope every size has motion and heading, and those with a board its values`() {
    for hasUnicode in [true, false] {
      let look = TextStyle(hasColour: true, hasUnicode: hasUnicode)
      for (width, height) in [(60, 15), (79, 40), (80, 24), (80, 25), (120, 40), (200, 60)] {
        let text = Screen(Scenes.fused, look).drawn(width: width, height: height).text
        let words = [
          "motion    moving", "relative heading -123.4", "1986 samples", "left edge down", "pose ", "-32.4",
        ]
        for word in words { expect(text, contains: word, "\(word) on \(width)×\(height)") }
        let isFull = width >= 80 && height >= 24
        for word in ["-39.99 +20.05 -0.60", "bias", "-12.5", "die", "1024 clipped"] {
          expect(text.contains(word), equals: isFull, "\(word) on \(width)×\(height)")
        }
        let early = Screen(Scenes.starting, look).drawn(width: width, height: height).text
        expect(that: early.contains("motion    starting"))
        expect(early.contains("unknown bias"), equals: isFull)
        expect(early, lacks: "die")
        // The box keeps its side.
        if width == 80 { expect(text, contains: hasUnicode ? "-123.4° │\n" : "-123.4  |\n") }
      }
      let plain = Screen(Scenes.turned, look).drawn(width: 120, height: 40).text
      for word in ["motion    ", "heading", "bias", "clipped"] { expect(plain, lacks: word) }
      for (isStill, word) in [(true, "still"), (false, "moving")] {
        var scene = Scenes.turned
        scene.isStill = isStill
        let text = Screen(scene, look).drawn(width: 120, height: 40).text
        expect(that: text.contains("motion    \(word)"))
        expect(that: !text.contains("heading"))
        // Nothing moves when it becomes known.
        expect(text.replacing("motion    \(word)", with: String(repeating: " ", count: 10 + word.count)), equals: plain)
      }
    }
  }

  @Test
  static func `the title drops whole entries, never a part of one`() {
    var scene = Scenes.fused
    for (isPaused, isZeroed) in [(false, false), (true, false), (true, true)] {
      (scene.isPaused, scene.isZeroed) = (isPaused, isZeroed)
      for width in 60...120 {
        let screen = Screen(scene, TextStyle(hasColour: false, hasUnicode: true))
        let top = screen.drawn(width: width, height: 24).text.prefix { $0 != "\n" }
        let entries = ["MPU-6050 at 0x68", ", emulated", ", 100 Hz", ", ±8 g", ", motion carried"]
        let shown = (1...5).map { "  " + entries.prefix($0).joined() + "  " }
        #expect(shown.contains { top.contains($0) } || top.contains("…  "), "\(top)")
        if width >= 60 && !isZeroed { expect(top, lacks: "…") }
      }
    }
  }

  @Test
  static func `scrolled back fully, the oldest note is on top, without an empty row below it`() {
    for (width, height) in [(60, 15), (60, 30), (80, 24), (80, 60), (120, 40), (200, 100)] {
      var scene = Scenes.scrolled
      let look = TextStyle(hasColour: false, hasUnicode: true)
      let furthest = Screen(scene, look).furthest(width: width, height: height)
      (scene.newerNotes, scene.newerSlices) = (furthest.notes, furthest.slices)
      let text = Screen(scene, look).drawn(width: width, height: height).text
      let rows = Screen.noteRows(width: width, height: height)
      expect(that: text.contains("0.0 s  shake 0"), "\n\(text)")
      expect(that: text.contains("s  shake \(rows - 1)"), "\n\(text)")
      expect(that: text.contains("↓ \(32 - rows) newer"), "\n\(text)")
      expect(that: !text.contains("s  shake \(rows)"), "\n\(text)")
      expect(Screen(Scene(), look).furthest(width: width, height: height), equals: (0, 0))
    }
  }

  @Test
  static func `a window that is too small says so, with the pose, as far as it fits`() {
    let screen = Screen(Scenes.turned, TextStyle(hasColour: true, hasUnicode: true))
    for width in 0...81 {
      for height in 0...25 where width < 60 || height < 15 {
        let grid = screen.drawn(width: width, height: height)
        expect(grid.width, equals: width)
        expect(grid.height, equals: height)
        if width >= 46 && height >= 6 {
          expect(grid.text, contains: "This window has \(width) columns and \(height) rows;")
          expect(grid.text, contains: "left edge down")
        }
      }
    }
  }

  @Test
  static func `from 60 columns and 15 rows on, a compact view has the values, and nothing is cut off`() {
    for hasUnicode in [true, false] {
      let screen = Screen(Scenes.turned, TextStyle(hasColour: true, hasUnicode: hasUnicode))
      for width in [60, 61, 72, 79, 80, 120] {
        for height in 15...40 where width < 80 || height < 24 {
          let text = screen.drawn(width: width, height: height).text
          let words = ["19.9 s", "left edge down", "right edge up", "inclination", "1.02 g", "-32.4", "L left down"]
          for word in words + ["1986 samples", "recovered after 0.41 s", "+1.2", "pose "] {
            expect(text, contains: word, "\(word) on \(width)×\(height)")
          }
          expect(text.contains("scroll y"), equals: height >= 17)
          expect(text, hasSuffix: "help")
        }
      }
    }
  }

  @Test
  static func `keys are shown whole or not at all, and only the zero keys that work`() {
    for (isZeroed, canZero) in [(false, true), (true, true), (false, false), (true, false)] {
      var scene = Scenes.helpful
      (scene.isZeroed, scene.canZero, scene.hasOwner) = (isZeroed, canZero, !canZero)
      (scene.isPaused, scene.recording) = (true, "a.csv")
      for width in 60...120 {
        let lines = Screen(scene, TextStyle(hasColour: false, hasUnicode: true)).drawn(width: width, height: 30).text
          .split(separator: "\n")
        let keys = lines[lines.count - 1]
        #expect(keys.hasSuffix("close") || keys.hasSuffix("close help"), "\(keys)")
        expect(keys.contains(" u  undo"), equals: isZeroed && canZero, "\(keys)")
        expect(keys.contains(" c  zero"), equals: canZero && (!isZeroed || width >= 80), "\(keys)")
        expect(lines[0].contains(" zeroed "), equals: isZeroed)
        expect(lines.contains { $0.contains("the owner takes no commands") }, equals: !canZero)
        expect(lines.contains { $0.contains("idle levels") }, equals: canZero)
      }
    }
  }

  @Test
  static func `without a current sample neither steering nor scroll is shown`() {
    for (width, height) in [(60, 18), (80, 24), (132, 43)] {
      let text = Screen(Scenes.troubled, TextStyle(hasColour: true, hasUnicode: true)).drawn(
        width: width, height: height
      )
      .text
      expect(that: text.contains("steering"))
      expect(that: text.contains("scroll y"))
      for figure in ["-32.4", "0.300", "0.950", "━"] { expect(text, lacks: figure) }
    }
  }

  @Test
  static func `each line is labelled in the row in which it ends`() {
    for (x, y, z) in [(1.0, 0.0, 0.02), (0.0, 0.01, 0.02), (-1, 1, 1), (0.3, 0.31, -0.5)] {
      var scene = Scenes.turned
      scene.history = History(interval: 0.1)
      for step in 0..<200 { scene.history.take(Scene.Force(x, y, z), 0, at: (Double(step) + 0.5) / 10) }
      let look = TextStyle(hasColour: true, hasUnicode: false)
      for size in [(60, 15), (80, 24), (120, 40)] {
        let lines = Screen(scene, look).drawn(width: size.0, height: size.1).text.split(separator: "\n")
        for name: Character in ["x", "y", "z"] {
          // Three equal letters in a row are a curve. Curves behind another cannot be seen; x is on top.
          let curve = lines.indices.filter { lines[$0].contains(String(repeating: name, count: 3)) }
          let named = lines.indices.filter {
            lines[$0].contains(/[.\-= xyz] ?[xyz]{1,3} *\|?$/) && lines[$0].suffix(5).contains(name)
          }
          let picture = lines.joined(separator: "\n")
          if let row = curve.first { expect(named, contains: row, "\(name) at \(size)\n\(picture)") }
          expect(named.count, equals: 1, "\(name) at \(size)\n\(picture)")
        }
      }
    }
  }

  @Test
  static func `no row of a large window is blank once enough has happened`() {
    var scene = Scenes.turned
    scene.notes = (0..<20).map { Scene.Note(Double($0), "the board was shaken", .remark) }
    let lines = Screen(scene, TextStyle(hasColour: true, hasUnicode: true)).drawn(width: 120, height: 40).text
      .split(separator: "\n", omittingEmptySubsequences: false)
    // Right of the board, except the one row that separates the lamps.
    let blank = lines.prefix(20).indices.filter { !lines[$0].dropFirst(60).contains { !" │╮╯".contains($0) } }
    expect(blank, equals: [4], "\(blank)")
    expect(lines, lacks: "")
  }

  @Test
  static func `the latest note is whole before an older one gets a row`() {
    var scene = Scenes.turned
    scene.notes.reverse()
    let text = Screen(scene, TextStyle(hasColour: true, hasUnicode: true)).drawn(width: 80, height: 24).text
    expect(that: text.contains("SDA, SCL and the sensor's"))
    expect(that: text.contains("address"))
    expect(text, lacks: "recovered")
  }
}
