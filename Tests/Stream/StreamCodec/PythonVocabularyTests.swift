import Foundation
import JSON
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing
import Text

/// The names, the events without fields and the lines for the Python package, compared with its files. With PLUMB_UPDATE=1
/// they are written.
struct PythonVocabularyTests {
  /// The definition of a type with these names, and of the tuple of them.
  private static func definition(_ type: String, _ tuple: String, _ names: [StaticString]) -> String {
    let rows = names.map { "    \"\($0)\",\n" }.joined()
    return "\n\(type) = Literal[\n\(rows)]\n\(tuple): Tuple[\(type), ...] = get_args(\(type))\n"
  }

  /// All cases of an enumeration whose raw values are 0, 1, 2 and so on.
  private static func cases<Case: RawRepresentable>(_: Case.Type) -> [Case] where Case.RawValue == UInt8 {
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

  /// The kinds of events without fields.
  private static let plain = Event.Kind.allCases.filter { $0.plain != nil }

  /// The class of a kind of event without fields.
  private static func plainClass(_ kind: Event.Kind) -> String {
    // In the help of `plumb on` the board is named once.
    let meaning = "\(kind.meaning)".replacing(#/^it /#, with: "the board ")
    return """


      @dataclasses.dataclass(frozen=True, repr=False)
      class \(kind.className)(Event):
          \"\"\"\(meaning.prefix(1).uppercased())\(meaning.dropFirst()).\"\"\"

          event = "\(kind.name)"

      """
  }

  /// The tuple of these classes.
  private static let plainClasses =
    "\n\nPLAIN: Tuple[Type[Event], ...] = (\n" + plain.map { "    \($0.className),\n" }.joined() + ")\n"

  /// The attributes of a board for callbacks.
  private static let callbacks =
    """


    class Callbacks:
        \"\"\"What a board calls at its events.\"\"\"


    """
    + Event.Kind.allCases.map { "    when_\($0 == .pose ? "pose_changed" : $0.words("_")) = When(\"\($0.name)\")\n" }
    .joined()

  /// What the package `plumb` has of the file.
  private static let exported: String = {
    let names = [
      "CERTAINTIES", "EVENTS", "FAULTS", "ORIENTATIONS", "POSES", "REASONS", "Certainty", "EventName", "FaultKind",
      "Orientation", "Pose", "Reason",
    ]
    return "\n# What `plumb` has of this module.\n__all__ = [\n"
      + (names + plain.map(\.className)).map { "    \"\($0)\",\n" }.joined() + "]\n"
  }()

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
      \"\"\"The names of Plumb: poses, events, reasons, faults and others; and the events that have no fields.

      Made from the ones in Swift by a test, which also compares them:
      `PLUMB_UPDATE=1 make test-only FILTER=PythonVocabulary`.
      \"\"\"

      import dataclasses
      from typing import Literal, Tuple, Type, get_args

      from .messages import Event
      from .when import When

      """
    let classes = Self.plain.map(Self.plainClass).joined()
    let made = before + Self.exported + Self.vocabulary + classes + Self.plainClasses + Self.callbacks
    try expect(Self.text("clients/python/plumb/vocabulary.py", made), equals: made)
  }

  /// One line for each set of fields that an object can have, and for each name in it. Those of events without fields
  /// follow from the vocabulary.
  @Test static func `the lines that test the Python package are those of the codec`() throws {
    var seen: Set<String> = []
    let lines = try (eventLines + ObjectRoundTripTests.lines()).filter { line in
      let object = try JSONObject(line)
      let event = try require(object[string: "event"])
      guard event != "bye" && !plain.contains(where: { "\($0.name)" == event }) else { return false }
      let names = ["event", "from", "reason", "cause", "phase", "axis", "notice"].map { object[string: $0] ?? "" }
      let fields = try require(object.value.fields).map { "\($0.key)\($0.value.isNull)" }
      return seen.insert((names + fields).joined(separator: " ")).inserted
    }
    let made = lines.map { $0 + "\n" }.joined()
    try expect(Self.text("Tests/System/Python/lines.jsonl", made), equals: made)
  }
}

extension Event.Kind {
  /// The words of the name in lower case, such as double and tap, with `separator` between them.
  fileprivate func words(_ separator: String) -> String {
    "\(name)".replacing("-", with: separator).replacing(/[A-Z]/) { separator + $0.output.lowercased() }
  }

  /// The name of the class in Python, such as DoubleTapEvent.
  fileprivate var className: String {
    words(" ").split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Event"
  }
}

extension JSONObject {
  /// The text of a field; nil for anything else.
  fileprivate subscript(string key: String) -> String? {
    value.fields?.last { $0.key == key }?.value.string
  }
}
