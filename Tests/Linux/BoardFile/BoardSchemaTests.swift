import BoardFile
import Sensors
import TestSupport
import Testing
import Text

/// The schema against the parsers, the defaults and the user documentation.
struct BoardSchemaTests {
  @Test static func `without a model, what is allowed is said for each`() {
    let (rates, addresses) = (BoardKey.rate.allowed(with: nil), BoardKey.address.allowed(with: nil))
    let filters = BoardKey.gravity.allowed(with: nil)
    #expect("\(rates)".hasPrefix("a number from 1 to ") && "\(rates)".contains(" (Hz; up to "), "\(rates)")
    expect("\(filters)", equals: "low-pass or adaptive, and with a gyroscope fusion")
    for model in SensorModel.all {
      expect("\(addresses)", contains: "for \(model.article) \(model.name)")
    }
  }

  /// The board with every section, and `key` with `value` in its own; without `key` for nil.
  private static func board(_ key: BoardKey, _ value: String?, in lines: [String]) -> String {
    var board = lines
    if let line = BoardFileText.line(of: key, in: board) { board.remove(at: line - 1) }
    guard let value, let section = board.firstIndex(of: "[\(key.section.name)]") else {
      return BoardFileText.text(board)
    }
    board.insert("\(key.name) = \(value)", at: section + 1)
    // The model decides the limits, so it comes first.
    if key.section == .sensor, let model = board.firstIndex(where: { $0.hasPrefix("model = ") }) {
      board.insert(board.remove(at: model), at: section + 1)
    }
    return BoardFileText.text(board)
  }

  /// Values that `rule` allows, and values just beyond them.
  private static func values(_ rule: SettingsRule) -> (allowed: [String], others: [String]) {
    func text(_ number: Int32, _ places: Int) -> String {
      let digits = String(number)
      guard places > 0 else { return digits }
      let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
      return "\(padded.dropLast(places)).\(padded.suffix(places))"
    }
    switch rule {
    case .either(let first, let second):
      return (["\(first)", "\(second)"], ["", "\(first) ", "true", "1"].filter { $0 != "\(first) " })
    case .number(let range, let places, _):
      let below = range.lowerBound > 0 ? [text(range.lowerBound - 1, places)] : []
      return (
        [text(range.lowerBound, places), text(range.upperBound, places)],
        below + [text(range.upperBound + 1, places), "-1", "", "1e1", text(range.upperBound, places) + "0"]
      )
    case .whole(let range, _, _):
      return (
        ["\(range.lowerBound)", "\(range.upperBound)"],
        ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "", "\(range.lowerBound).0"]
      )
    default: return ([], [])
    }
  }

  @Test static func `a table by key has room for all keys`() {
    expect(BoardKeys.all.count, isAtMost: SettingsTable<BoardKey, Int32>.capacity)
  }

  @Test(arguments: BoardKeys.all, ["adxl345", "mpu6050"])
  static func `a value is accepted up to the limits of its rule, and not beyond`(_ key: BoardKey, _ name: String) throws
  {
    let model = try require(SensorModel(named: name))
    var context = BoardContext()
    context.model = model
    guard key.applies(in: context), let lines = BoardFileText.emulatedBoards[name] else { return }
    let (allowed, others) = values(key.rule(in: context))
    for value in allowed {
      let cause = outcome(board(key, value, in: lines)).failure?.cause
      expect(cause, isNot: .badValue(key), "\(key.name) = \(value)")
    }
    for value in others {
      expect(outcome(board(key, value, in: lines)).failure?.cause, equals: .badValue(key), "\(key.name) = \(value)")
    }
  }

  /// A board with every section, and in optional ones only required keys.
  private static let plain = [
    "[i2c]", "bus = emulated", "[sensor]", "model = mpu6050", "address = 0x68", "[lines]", "chip = emulated",
    "portrait = 17", "portraitUpsideDown = 27", "landscapeLeft = 22", "landscapeRight = 23", "faceUp = 24",
    "faceDown = 25", "[filter]", "gravity = low-pass", "[emulation]", "[share]", "[vibration]", "[tare]", "[level]",
    "[power]", "still = 5", "[free-fall]", "[poses]",
  ]

  @Test(arguments: BoardKeys.all)
  static func `an omitted key counts as its default`(_ key: BoardKey) throws {
    guard case .value(let standard) = key.row.absence, key.applies(in: BoardContext()) else { return }
    // Taps need their own rate.
    let lines = Self.plain + (key.section == .taps ? ["[taps]"] : [])
    let without = try outcome(board(key, nil, in: lines)).get()
    try expect(outcome(board(key, "\(standard)", in: lines)).get(), equals: without, "\(key.name) = \(standard)")
  }

  @Test static func `the value of every key arrives in the board`() throws {
    let shipped = try ["sense-hat", "iio"].map { name in
      try SettingsPage.text("boards/\(name).ini").replacing("brightness = 10", with: "brightness = 20")
        .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }
    let boards =
      Array(BoardFileText.emulatedBoards.values) + Array(BoardFileText.readyBoards.values)
      + Array(BoardFileText.codedBoards.values) + shipped
    for key in BoardKeys.all {
      // A required one cannot be left out.
      if case .error = key.row.absence { continue }
      var isSeen = false
      for lines in boards {
        guard let line = BoardFileText.line(of: key, in: lines) else { continue }
        let board = try outcome(BoardFileText.text(lines)).get()
        let without = outcome(BoardFileText.replacing(line, with: nil, in: lines))
        // Without some keys, others are not allowed.
        if case .success(board) = without { continue }
        isSeen = true
      }
      expect(that: isSeen, "\(key.name) in [\(key.section.name)] changes no board")
    }
  }

  @Test(arguments: BoardKeys.all, ["adxl345", "mpu6050"])
  static func `every key may come before the model`(_ key: BoardKey, _ name: String) throws {
    var lines = try require(BoardFileText.emulatedBoards[name])
    guard key.section == .sensor, key != .model, BoardFileText.line(of: key, in: lines) != nil else { return }
    let board = try outcome(BoardFileText.text(lines)).get()
    let model = try require(lines.firstIndex(of: "model = \(name)"))
    let end = try require(lines[model...].firstIndex { $0.hasPrefix("[") })
    lines.insert(lines[model], at: end)
    lines.remove(at: model)
    try expect(outcome(BoardFileText.text(lines)).get(), equals: board)
  }

  @Test(arguments: ["sense-hat", "emulated-binary", "emulated-one-hot", "raspberry-pi-mpu6050", "iio", "pico-adxl345"])
  static func `sections may come in any order`(_ name: String) throws {
    let text = try SettingsPage.text("boards/\(name).ini")
    let lines = text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    let starts = lines.indices.filter { lines[$0].hasPrefix("[") }
    let sections = zip(starts, starts.dropFirst() + [lines.count]).map { lines[$0..<$1] }
    let board = try outcome(text).get()
    try expect(outcome(BoardFileText.text(sections.reversed().flatMap(\.self))).get(), equals: board)
  }

  @Test static func `the user documentation has every key and its default`() throws {
    let page = try SettingsPage(table: "docs/adding-a-board.md")
    for key in BoardKeys.all {
      var standard: String?
      if case .value(let words) = key.row.absence { standard = "\(words)" }
      let missing = page.missing("\(key.section.name) \(key.name)", standard)
      expect(missing, equals: nil, "it lacks \(missing ?? "") of \(key.name) in [\(key.section.name)]")
    }
    let keys = Set(BoardKeys.all.map { "\($0.section.name) \($0.name)" })
    let sections = BoardSection.all.map { "\($0.name)" }
    for entry in page.entries.keys where sections.contains(String(entry.prefix { $0 != " " })) {
      expect(keys, contains: entry, "there is no key \(entry)")
    }
    let missing = try SettingsPage.sections(
      sections, withoutKeysIn: "packaging/plumb/plumb-board.ini.5", from: "adding-a-board")
    expect(missing, equals: [])
  }
}
