import Foundation
import Monitor
import Orientation
import TestSupport
import Testing

/// The names in the types of the JavaScript module, compared with those of the core. With PLUMB_UPDATE=1 they are written.
struct JavaScriptVocabularyTests {
  private static func definition(_ type: String, _ summary: String, _ names: [StaticString]) -> String {
    "\n/** \(summary) */\nexport type \(type) =\n" + names.map { "  | \"\($0)\"" }.joined(separator: "\n") + ";\n"
  }

  private static let names =
    [
      definition("PoseName", "In the order of the six LEDs.", PythonVocabularyTests.cases(Pose.self).map(\.name)),
      definition(
        "UnknownReason", "Why there is no pose.", PythonVocabularyTests.cases(UnknownReason.self).map(\.name)),
      definition("EventName", "What can happen.", Event.Kind.allCases.map(\.name)),
      definition("FaultKind", "`cause` of an event, and the keys of `fault_kinds`.", FaultKind.allCases.map(\.name)),
    ].joined()

  @Test static func `the names in the types of the JavaScript module are those of the core`() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../../clients/javascript/plumb.d.ts").standardized
    var text = try String(contentsOf: file, encoding: .utf8)
    let start = try require(text.range(of: "FILTER=JavaScriptVocabulary\n")).upperBound
    let end = try require(text.range(of: "// End of the names.\n")).lowerBound
    if ProcessInfo.processInfo.environment["PLUMB_UPDATE"] == "1" {
      text.replaceSubrange(start..<end, with: Self.names)
      try text.write(to: file, atomically: true, encoding: .utf8)
    } else {
      expect(String(text[start..<end]), equals: Self.names)
    }
  }
}
