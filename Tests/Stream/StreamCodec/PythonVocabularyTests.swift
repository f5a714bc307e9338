import Foundation
import JSON
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// The names and the lines for the Python package, compared with its files. With PLUMB_UPDATE=1 they are written.
struct PythonVocabularyTests {
  /// The definition of a type with these names, and of the tuple of them.
  private static func definition(_ type: String, _ tuple: String, _ names: [StaticString]) -> String {
    let rows = names.map { "    \"\($0)\",\n" }.joined()
    return "\n\(type) = Literal[\n\(rows)]\n\(tuple): Tuple[\(type), ...] = get_args(\(type))\n"
  }

  /// All cases of an enumeration whose raw values are 0, 1, 2 and so on.
  static func cases<Case: RawRepresentable>(_: Case.Type) -> [Case] where Case.RawValue == UInt8 {
    (0...UInt8.max).lazy.map { Case(rawValue: $0) }.prefix { $0 != nil }.compactMap(\.self)
  }

  private static let vocabulary =
    [
      definition("Pose", "POSES", cases(Pose.self).map(\.name)),
      definition("Orientation", "ORIENTATIONS", cases(InterfaceOrientation.self).map(\.name)),
      definition("Reason", "REASONS", cases(UnknownReason.self).map(\.name)),
      definition("EventName", "EVENTS", Event.Kind.allCases.map(\.name)),
      definition("FaultKind", "FAULTS", FaultKind.allCases.map(\.name)),
      definition("Certainty", "CERTAINTIES", cases(Fusion.Certainty.self).map(\.name)),
    ].joined()

  /// The text of a file of the project, which is written first if that is asked for.
  private static func text(_ path: String, _ made: String) throws -> String {
    let file = URL(filePath: #filePath).appending(path: "../../../../\(path)").standardized
    if ProcessInfo.processInfo.environment["PLUMB_UPDATE"] == "1" {
      try made.write(to: file, atomically: true, encoding: .utf8)
    }
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test static func `the names of the Python package are those of the core`() throws {
    let before = """
      \"\"\"The names of Plumb: poses, events, reasons, faults and others.

      Made from the ones in Swift by a test, which also compares them:
      `PLUMB_UPDATE=1 make test-only FILTER=PythonVocabulary`.
      \"\"\"

      from typing import Literal, Tuple, get_args

      """
    let made = before + Self.vocabulary
    try expect(Self.text("clients/python/plumb/vocabulary.py", made), equals: made)
  }

  /// One line for each set of fields that an object can have, and for each name in it.
  @Test static func `the lines that test the Python package are those of the codec`() throws {
    var seen: Set<String> = []
    let lines = try (eventLines + ObjectRoundTripTests.lines()).filter { line in
      let object = try JSONObject(line)
      guard object["event"]?.isString("bye") == false else { return false }
      let names = ["event", "from", "reason", "cause", "phase", "axis", "notice"].map { object[string: $0] ?? "" }
      let fields = try require(object.value.fields).map { "\($0.key)\($0.value.isNull)" }
      return seen.insert((names + fields).joined(separator: " ")).inserted
    }
    let made = lines.map { $0 + "\n" }.joined()
    try expect(Self.text("Tests/System/Python/lines.jsonl", made), equals: made)
  }
}

extension JSONObject {
  /// The text of a field; nil for anything else.
  fileprivate subscript(string key: String) -> String? {
    value.fields?.last { $0.key == key }?.value.string
  }
}
