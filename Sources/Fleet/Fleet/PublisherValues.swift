internal import FixedPoint
internal import StreamService
internal import Text

/// An angle that a device can publish.
package enum Angle: Int, NamedCase {
  /// How far the top edge points up.
  case pitch
  /// The rotation about the long axis.
  case roll
  /// The angle of the face's normal from straight up.
  case inclination
  /// The rotation in the board's own plane.
  case angle
  /// The rotation about the vertical, with a gyroscope.
  case heading

  private var row: (name: StaticString, title: StaticString, field: StaticString) {
    switch self {
    case .pitch: ("pitch", "Pitch", "pitch_deg")
    case .roll: ("roll", "Roll", "roll_deg")
    case .inclination: ("inclination", "Inclination", "inclination_deg")
    case .angle: ("angle", "Angle", "angle_deg")
    case .heading: ("heading", "Heading", "heading_deg")
    }
  }

  /// The name in settings.
  package var name: StaticString { row.name }
  /// The name for people.
  var title: StaticString { row.title }
  /// The name in the state object.
  var field: StaticString { row.field }
}

/// An enumeration whose cases people choose by name.
package protocol NamedCase: CaseIterable, Equatable, Sendable where AllCases == [Self] {
  /// The name in settings.
  var name: StaticString { get }
}

/// Some of the cases of an enumeration.
package struct Choice<Case: NamedCase>: Equatable, Sendable {
  private let cases: [Case]

  /// The `cases`, in the order of the enumeration.
  package init(_ cases: [Case] = []) { self.cases = cases }

  /// The cases named in `value`, separated by blanks; nil for any other text.
  init?(_ value: SettingsText) {
    let words = value == "none" ? [] : value.words
    cases = Case.allCases.filter { one in words.contains { $0 == one.name } }
    // Each word is a name, and none is repeated.
    guard cases.count == words.count, value == "none" || !words.isEmpty else { return nil }
  }

  /// Whether no case is chosen.
  package var isEmpty: Bool { cases.isEmpty }

  /// Whether `one` is chosen.
  package func contains(_ one: Case) -> Bool { cases.contains(one) }
}

/// A command for a device, sent over the broker.
package enum DeviceCommand: NamedCase {
  /// Takes the present attitude as the one in which angles are zero and nothing scrolls.
  case tare
  /// Answers with a fresh reading.
  case query

  /// The name in settings and messages.
  package var name: StaticString { self == .tare ? "tare" : "query" }
}

// Reading values.
extension SettingsText {
  /// The levels of a topic.
  func topic(of key: PublisherKey) throws(PublisherError.Cause) -> PublisherSettings.TopicPart {
    let bad = PublisherError.Cause.badValue(key)
    guard count <= 64, hasOnly({ $0.isOfTopic }), self[0] != UInt8(ascii: "$") else { throw bad }
    var before = UInt8(ascii: "/")
    for index in 0..<count {
      guard self[index] != UInt8(ascii: "/") || before != UInt8(ascii: "/") else { throw bad }
      before = self[index]
    }
    guard before != UInt8(ascii: "/") else { throw bad }
    return try key.bytes(self)
  }

  /// The words, which are separated by blanks.
  var words: [ShortText<16>] {
    var words: [ShortText<16>] = []
    for index in 0..<count where !isBlank(at: index) {
      if index == 0 || isBlank(at: index &- 1) { words.append(ShortText<16>()) }
      words[words.count &- 1].append(byte: self[index])
    }
    return words
  }
}

extension UInt8 {
  /// Whether it is allowed in the part of a topic that people choose.
  fileprivate var isOfTopic: Bool {
    self > 0x20 && self != 0x7F && self != 0x22 && self != 0x5C && self != 0x2B && self != 0x23
  }
}
