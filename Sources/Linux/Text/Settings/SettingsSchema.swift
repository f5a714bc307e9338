internal import FixedPoint
public import Orientation

/// A section of a settings file: an enumeration with a case for each, whose raw values are 0, 1, 2 and so on.
public protocol SettingsSection: RawRepresentable, Equatable, Sendable where RawValue == UInt8 {
  /// The name in the file.
  var name: StaticString { get }
  /// Whether every file must have it.
  var isRequired: Bool { get }
}

/// What a settings file says elsewhere that determines what is allowed for a key, such as the model of a sensor.
public protocol SettingsContext: Equatable, Sendable {
  /// Nothing known yet.
  init()
}

/// Nothing else in a file determines what is allowed for a key.
public struct NoSettingsContext: SettingsContext {
  /// Nothing.
  public init() {}
}

/// A key of a settings file: an enumeration with a case for each, whose raw values are 0, 1, 2 and so on.
///
/// The enumeration is the schema of the file. The reader, the draft, error messages and the check of the manual and
/// documentation all use ``row``; nothing is counted by hand.
public protocol SettingsKey: RawRepresentable, Equatable, Sendable where RawValue == UInt8 {
  /// The sections of the file.
  associatedtype Section: SettingsSection
  /// What determines what is allowed.
  associatedtype Context: SettingsContext = NoSettingsContext
  /// Errors that only files of this kind have.
  associatedtype Refusal: Equatable, Sendable = Never

  /// What messages call the file, such as "board file".
  static var file: StaticString { get }
  /// What the schema says about the key.
  var row: SettingsRow<Section> { get }
  /// The allowed values.
  func rule(in context: Context) -> SettingsRule
  /// Whether the key has a meaning.
  func applies(in context: Context) -> Bool
  /// Appends the allowed values.
  func appendAllowed(in context: Context, to text: inout SettingsMessage)
  /// Appends the keys of `section`.
  static func appendKeys(of section: Section, in context: Context, to text: inout SettingsMessage)
  /// Appends what `refusal`, the cause of `error`, means and what is allowed.
  static func append(_ refusal: Refusal, of error: SettingsError<Self>, to text: inout SettingsMessage)
}

/// A key of a settings file whose cases include one for each pose, one behind the other in the order of the poses.
public protocol PoseKey: RawRepresentable, Equatable where RawValue == UInt8 {
  /// The key of the first pose.
  static var portrait: Self { get }
}

extension PoseKey {
  /// The key of `pose`.
  public init(_ pose: Pose) { self = Self(rawValue: Self.portrait.rawValue &+ pose.rawValue) ?? .portrait }

  /// The pose whose key it is; nil for a key of something else.
  public var pose: Pose? { Pose(rawValue: rawValue &- Self.portrait.rawValue) }
}

/// The text of a section, a key or a value, with room for the longest line, so that nothing in a file is cut.
public typealias SettingsText = ShortText<192>

/// The message of an error in a settings file.
public typealias SettingsMessage = ShortText<512>

/// What a schema says about a key.
public struct SettingsRow<Section: SettingsSection>: Sendable {
  /// The section that it belongs to.
  public var section: Section
  /// The name in the file.
  public var name: StaticString
  /// The allowed values, if nothing else in the file determines them.
  public var rule: SettingsRule
  /// What applies if the file leaves the key out.
  public var absence: SettingsAbsence

  /// A row.
  public init(_ section: Section, _ name: StaticString, _ rule: SettingsRule, _ absence: SettingsAbsence) {
    (self.section, self.name, self.rule, self.absence) = (section, name, rule, absence)
  }
}

/// What applies if a file leaves a key out.
public enum SettingsAbsence: Sendable {
  /// An error, in files to which the key applies.
  case error
  /// The same as with this value.
  case value(StaticString)
  /// Something that no fixed value expresses, such as a default that depends on another key.
  case other
}

/// The values that a key may have: what its parser accepts, and what a message lists as allowed.
public enum SettingsRule: Sendable {
  /// Either of two words.
  case either(StaticString, StaticString)
  /// A number in `range`, whose limits are in units of 10^-`places`; `unit` may be empty.
  case number(ClosedRange<Int32>, places: Int, unit: StaticString)
  /// A whole number of `things` in `range`; `things` and `unit` may be empty.
  case whole(ClosedRange<Int32>, of: StaticString, unit: StaticString)
  /// Text of at most this many bytes.
  case bytes(Int)
  /// The path of a file, at most this many bytes.
  case path(Int)
  /// What these words say; the draft parses it.
  case words(StaticString)

  /// A number in `range`, in units of 10^-`places`, of `unit`.
  public static func number(_ range: ClosedRange<Int32>, places: Int, _ unit: StaticString) -> SettingsRule {
    .number(range, places: places, unit: unit)
  }

  /// A whole number in `range`, of `unit`.
  public static func whole(_ range: ClosedRange<Int32>, _ unit: StaticString = "") -> SettingsRule {
    .whole(range, of: "", unit: unit)
  }

  /// `yes` or `no`.
  public static var decision: SettingsRule { .either("yes", "no") }
}

extension SettingsMessage {
  /// Appends the values that `rule` allows.
  package mutating func append(allowed rule: SettingsRule) {
    switch rule {
    case .either(let first, let second): append("\(first) or \(second)")
    case .number(let range, let places, let unit):
      append("a number\(Self.limits(range, places: places, unit)), at most \(places) decimals")
    case .whole(let range, let things, let unit):
      let of: StaticString = things.utf8CodeUnitCount > 0 ? " of " : ""
      append("a whole number\(of)\(things)\(Self.limits(range, places: 0, unit))")
    case .bytes(let count): append("at most \(count) bytes")
    case .path(let count): append("the path of a file (at most \(count) bytes)")
    case .words(let words): append(words)
    }
  }

  /// The limits of `range`, which are not negative, in units of 10^-`places`, and their `unit`, if any.
  private static func limits(_ range: ClosedRange<Int32>, places: Int, _ unit: StaticString) -> SettingsMessage {
    let (low, high) = (widened(range.lowerBound.magnitude), widened(range.upperBound.magnitude))
    var denominator: UInt64 = 1
    for _ in 0..<places { denominator = denominator &* 10 }
    let limits: SettingsMessage =
      " from \(low, over: denominator, places: places) to \(high, over: denominator, places: places)"
    return unit.utf8CodeUnitCount > 0 ? "\(limits) (\(unit))" : limits
  }
}

// The parsing of values by their rules.
extension SettingsKey {
  /// The number in `value`, in units of the rule's last decimal place.
  ///
  /// - Throws: `badValue` for any other text, and for a number that the rule does not allow.
  package func number(
    _ value: SettingsText, in context: Context = Context()
  ) throws(SettingsError<Self>.Cause) -> Int32 {
    switch rule(in: context) {
    case .number(let range, let places, _):
      if let number = value.decimal(places: places), range.contains(number) { return number }
    case .whole(let range, _, _):
      if let number = value.decimal, range.contains(number) { return number }
    default: break
    }
    throw .badValue(self)
  }

  /// Whether `value` is the first of the two words of the rule.
  ///
  /// - Throws: `badValue` for any text but the two.
  package func decision(_ value: SettingsText) throws(SettingsError<Self>.Cause) -> Bool {
    if case .either(let first, let second) = row.rule {
      if value == first { return true }
      if value == second { return false }
    }
    throw .badValue(self)
  }

  /// The bytes of `value`, without control characters.
  ///
  /// - Throws: `badValue` for control characters, and for more bytes than the rule allows or the result has room for.
  package func bytes<let size: Int>(
    _ value: SettingsText, _: ShortText<size>.Type = ShortText<size>.self
  ) throws(SettingsError<Self>.Cause) -> ShortText<size> {
    let limit =
      switch row.rule {
      case .bytes(let limit), .path(let limit): limit
      default: size &- 1
      }
    let text = ShortText<size>(cutting: value)
    guard value.count <= limit, !text.isCut, value.hasOnly({ $0 >= 0x20 && $0 != 0x7F }) else { throw .badValue(self) }
    return text
  }
}

extension ShortText {
  /// Whether `isAllowed` is true for every byte.
  package func hasOnly(_ isAllowed: (UInt8) -> Bool) -> Bool {
    for index in 0..<count where !isAllowed(self[index]) { return false }
    return true
  }
}

// What follows from the schema.
extension SettingsKey {
  /// The section that the key belongs to.
  public var section: Section { row.section }

  /// The name in the file.
  public var name: StaticString { row.name }

  /// The row's rule.
  public func rule(in context: Context) -> SettingsRule { row.rule }

  /// There is none.
  public static func append(_ refusal: Never, of error: SettingsError<Self>, to text: inout SettingsMessage) {}

  /// Always.
  public func applies(in context: Context) -> Bool { true }

  /// Appends what the rule says.
  public func appendAllowed(in context: Context, to text: inout SettingsMessage) {
    text.append(allowed: rule(in: context))
  }

  /// The allowed values, for a message.
  public func allowed(in context: Context) -> SettingsMessage {
    var text = SettingsMessage()
    appendAllowed(in: context, to: &text)
    return text
  }

  /// The allowed values, if nothing else in the file is known.
  public var allowed: SettingsMessage { allowed(in: Context()) }

  /// Appends the keys of `section` that apply, in the order of the schema.
  public static func appendKeys(of section: Section, in context: Context, to text: inout SettingsMessage) {
    appendKeys(of: section, to: &text) { $0.applies(in: context) }
  }

  /// Appends the keys of `section` for which `isListed` is true.
  package static func appendKeys(of section: Section, to text: inout SettingsMessage, where isListed: (Self) -> Bool) {
    var isFirst = true
    var keys = all
    while let key = keys.next(where: { $0.section == section && isListed($0) }) {
      if !isFirst { text.append(", ") }
      text.append(key.name)
      isFirst = false
    }
  }

  /// All keys, in the order of the schema.
  @inlinable
  public static var all: SettingsCases<Self> { SettingsCases() }

  /// The number of keys; raw values are 0..<`count`.
  public static var count: Int { all.count }

  /// The key named `name` in `section`.
  package init?(named name: SettingsText, in section: Section) {
    var keys = Self.all
    while let key = keys.next() {
      let row = key.row
      guard row.section == section && name == row.name else { continue }
      self = key
      return
    }
    return nil
  }

  /// The key that was probably meant, if one is similar enough: in another section only one letter may differ, and at
  /// most one in four. Of two equally similar keys, that of `section`.
  init?(nearestTo text: ShortText<48>, preferring section: Section) {
    var best = 6
    var found: Self?
    var keys = Self.all
    while let key = keys.next() {
      let row = key.row
      let letters = text.distance(to: row.name)
      let isHere = row.section == section
      guard isHere || (letters <= 1 && letters &* 4 <= row.name.utf8CodeUnitCount) else { continue }
      let distance = 2 &* letters &+ (isHere ? 0 : 1)
      if distance < best { (best, found) = (distance, key) }
    }
    guard let found else { return nil }
    self = found
  }
}

extension SettingsSection {
  /// All sections, in the order of the schema.
  public static var all: SettingsCases<Self> { SettingsCases() }

  /// The number of sections; raw values are 0..<`count`.
  public static var count: Int { all.count }

  package init?(named name: SettingsText) {
    var sections = Self.all
    while let section = sections.next(where: { name == $0.name }) {
      self = section
      return
    }
    return nil
  }

  /// The section that was probably meant, if one is similar enough.
  init?(nearestTo text: ShortText<48>) {
    var best = 3
    var found: Self?
    var sections = Self.all
    while let section = sections.next() {
      let distance = text.distance(to: section.name)
      if distance < best { (best, found) = (distance, section) }
    }
    guard let found else { return nil }
    self = found
  }
}

/// The cases of an enumeration whose raw values are 0, 1, 2 and so on: what `CaseIterable` offers with a heap.
public struct SettingsCases<Case: RawRepresentable>: Sendable where Case.RawValue == UInt8 {
  @usableFromInline var raw: Int32 = 0

  @inlinable
  init() {}

  /// The next case; nil after the last.
  @inlinable
  public mutating func next() -> Case? {
    guard raw < 256, let found = Case(rawValue: UInt8(truncatingIfNeeded: raw)) else { return nil }
    raw &+= 1
    return found
  }

  /// The next case for which `isWanted` is true; nil after the last.
  @inlinable
  package mutating func next(where isWanted: (Case) -> Bool) -> Case? {
    while let found = next() {
      if isWanted(found) { return found }
    }
    return nil
  }

  /// The number of cases.
  public var count: Int {
    var (all, count) = (Self(), 0)
    while all.next() != nil { count &+= 1 }
    return count
  }
}

#if !hasFeature(Embedded)
  // A sequence needs arrays, which Embedded Swift without a heap refuses.
  extension SettingsCases: Sequence, IteratorProtocol {}
#endif

/// A value for each case of such an enumeration of at most ``capacity`` cases, which a test of each enumeration checks.
/// The capacity is small because a draft holds several of these tables and is copied on the stack, which stays resident
/// in a daemon.
package struct SettingsTable<Case: RawRepresentable, Value: BitwiseCopyable>: Sendable
where Case.RawValue == UInt8, Value: Sendable {
  private var values: InlineArray<96, Value>

  /// The highest number of cases.
  package static var capacity: Int { 96 }

  /// A table with `value` for each case.
  package init(repeating value: Value) { values = InlineArray(repeating: value) }

  /// The value of `place`.
  package subscript(place: Case) -> Value {
    get { values[Int(truncatingIfNeeded: place.rawValue)] }
    set { values[Int(truncatingIfNeeded: place.rawValue)] = newValue }
  }
}
