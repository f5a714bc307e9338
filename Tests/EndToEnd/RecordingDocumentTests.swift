import Foundation
import Testing

/// docs/recording.md: that its commands work as they stand, and that what it shows is what they make.
@Suite struct RecordingDocumentTests {
  private static let documents = URL(filePath: #filePath).appending(path: "../../../docs").standardized

  private func blocks(_ kind: String) throws -> [String] {
    let text = try String(contentsOf: Self.documents.appending(path: "recording.md"), encoding: .utf8)
    return text.components(separatedBy: "\n```\(kind)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  @Test
  func `the commands run one after the other, and give what the page shows`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let script = try blocks("sh").joined(separator: "\n")
    #expect(script.split(separator: "\n").count == 7)
    let tools = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    // The shell runs the page's commands; the path of the tool itself is only a word to it.
    let result = try Tool.run(
      arguments: [],
      launcher: ["/bin/sh", "-ec", "cd '\(folder.path)' && PATH='\(tools)':$PATH\n\(script)"])
    #expect(result.exitCode == 0, "\(result.errors)")
    #expect(result.output.contains("Summary: "))
    let texts = try blocks("text")
    #expect(texts.count == 2)
    #expect(result.errors == "\(try unwrapped(texts.first))\n")
    let recording = try String(contentsOf: folder.appending(path: "tumble.csv"), encoding: .utf8)
    #expect(recording.hasPrefix("\(try unwrapped(texts.last))\n"))
    let picture = try String(contentsOf: folder.appending(path: "tumble.svg"), encoding: .utf8)
    // Make it anew: the first and the third command, in docs/recording.
    #expect(try picture == String(contentsOf: Self.documents.appending(path: "recording/tumble.svg"), encoding: .utf8))
    #expect(try String(contentsOf: folder.appending(path: "tumble.html"), encoding: .utf8).contains("<svg "))
  }
}
