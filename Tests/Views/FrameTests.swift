import Foundation
import PlumbViews
import Testing

/// Whole pictures, character by character, as they were looked at and found good: `Frames/`.
///
/// After a change that is meant, `PLUMB_RECORD_FRAMES=1 swift test --filter FrameTests` writes them anew; look at them.
@Suite struct FrameTests {
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
    Picture(name: "60x18", scene: Scenes.turned, size: (60, 18), hasUnicode: true),
  ]

  @Test(arguments: pictures)
  func `the picture is the one that was found good`(_ picture: Picture) throws {
    for hasColour in [true, false] {
      let look = TextStyle(hasColour: hasColour, hasUnicode: picture.hasUnicode)
      let text = Screen(picture.scene, look).drawn(width: picture.size.width, height: picture.size.height).text + "\n"
      if ProcessInfo.processInfo.environment["PLUMB_RECORD_FRAMES"] != nil {
        let source = URL(filePath: #filePath).appending(path: "../Frames/\(picture.name).txt").standardized
        try Data(text.utf8).write(to: source)
      }
      let file = try #require(
        Bundle.module.url(forResource: picture.name, withExtension: "txt", subdirectory: "Frames"))
      #expect(text == (try String(contentsOf: file, encoding: .utf8)), "\n\(text)")
    }
  }

  @Test
  func `on every size from the least up everything has its place, and nothing is cut off`() {
    for hasUnicode in [true, false] {
      let screen = Screen(Scenes.turned, TextStyle(hasColour: true, hasUnicode: hasUnicode))
      for width in [80, 81, 90, 100, 132, 200, 317] {
        for height in [24, 25, 26, 27, 28, 29, 30, 34, 39, 43, 60, 101] {
          let text = screen.drawn(width: width, height: height).text
          let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
          #expect(lines.count == height)
          for word in ["19.9 s", "landscapeLeft", "the right edge is up", "inclination", "1.02 g", "scroll y", "-32.4"]
          {
            #expect(text.contains(word), "\(word) on \(width)×\(height)")
          }
          for word in ["1986 samples", "0 shakes", "SDA and SCL", "recovered after 0.41 s", "top", "face", "pose "] {
            #expect(text.contains(word), "\(word) on \(width)×\(height)")
          }
          #expect(lines.last?.hasSuffix("help") == true)
          // Each box has both its sides: as many corners of each kind.
          let corners = hasUnicode ? ["╭", "╮", "╰", "╯"] : ["+"]
          for corner in corners {
            #expect(text.count { String($0) == corner } >= (hasUnicode ? 3 : 12))
          }
        }
      }
    }
  }

  @Test
  func `a window that is too small says so, with the pose, as far as there is room; none is drawn outside`() {
    let screen = Screen(Scenes.turned, TextStyle(hasColour: true, hasUnicode: true))
    for width in 0...81 {
      for height in 0...25 where width < 80 || height < 24 {
        let grid = screen.drawn(width: width, height: height)
        #expect(grid.width == width && grid.height == height)
        if width >= 46 && height >= 6 {
          #expect(grid.text.contains("This window has \(width) columns and \(height) rows;"))
          #expect(grid.text.contains("landscapeLeft"))
        }
      }
    }
  }

  @Test
  func `the latest note is whole before an older one gets a row`() {
    var scene = Scenes.turned
    scene.notes.reverse()
    let text = Screen(scene, TextStyle(hasColour: true, hasUnicode: true)).drawn(width: 80, height: 24).text
    #expect(text.contains("are SDA and SCL") && text.contains("connected?"))
    #expect(!text.contains("recovered"))
  }
}
