import FixedPoint
import Foundation
import Monitor
import Orientation
import TestSupport
import Testing

/// Lists that exist once, and the sizes counted from them.
struct EventKindTests {
  @Test static func `no two kinds of event have the same name, and no two kinds of fault`() {
    let events = Event.Kind.allCases.map { "\($0.name)" }
    let faults = FaultKind.allCases.map { "\($0.name)" }
    expect(Set(events).count, equals: events.count)
    expect(Set(faults).count, equals: faults.count)
    expect(events.first, equals: "pose")
    expect(faults.first, equals: "noAcknowledge")
  }

  @Test static func `tables have room for each kind, and no more`() {
    expect(Event.Kind.Table<Bool>.count, equals: Event.Kind.allCases.count)
    expect(FaultKind.Table<Bool>.count, equals: FaultKind.allCases.count)
  }

  @Test static func `the events of a step have room for all that the groups can yield`() {
    expect(Events.capacity, equals: Event.Group.allCases.reduce(0) { $0 + $1.mostInStep })
    let groups = Set(Event.Kind.allCases.map(\.group.rawValue))
    expect(groups, equals: Set(Event.Group.allCases.map(\.rawValue)))
  }

  @Test static func `a set has room for each group`() {
    for group in Event.Group.allCases {
      var groups = Event.Groups()
      groups.insert(group)
      expect(Event.Group.allCases.filter(groups.contains), equals: [group])
    }
  }

  @Test static func `the group of an event decides whether it is logged, noted and can trigger a command`() {
    let groups: [Event.Group: (isLogged: Bool, isNoted: Bool)] = [
      .pose: (true, false), .sensor: (true, true), .shake: (false, true), .rest: (false, false),
      .rotation: (false, false), .vibration: (true, true), .tap: (false, true), .fall: (false, true),
      .sleep: (true, true),
    ]
    for kind in Event.Kind.allCases {
      guard let group = groups[kind.group] else {
        Issue.record("the group of \(kind.name) has no row")
        continue
      }
      // Giving up a sensor is shown separately.
      expect(kind.isLogged, equals: group.isLogged, "\(kind.name)")
      expect(kind.isNoted, equals: group.isNoted && kind != .giveUp, "\(kind.name)")
      expect(kind.triggers, equals: kind != .giveUp && kind != .notice, "\(kind.name)")
    }
  }

  @Test static func `iterating over the events of a step yields each of them in order`() {
    var seen = Observation()
    let occurrences = [Event.shake, .still, .moving].enumerated().map { number, event in
      Occurrence(at: Instant(microseconds: Int64(number)), event)
    }
    for occurrence in occurrences { seen.add(occurrence) }
    var found: [Occurrence] = []
    seen.forEachEvent { found.append($0) }
    expect(found, equals: occurrences)
  }

  @Test static func `a sensor that delivers nothing has no force; any other reason keeps the force`() {
    let force = Vector3(x: .zero, y: .one, z: .zero)
    for (reason, isKept) in [(.ambiguous, true), (.stale, false), (.fault, false)] as [(UnknownReason, Bool)] {
      var snapshot = Snapshot.unknown
      expect(snapshot.clippedSamples, equals: 0)
      snapshot.force = force
      snapshot.take(Occurrence(at: Instant(microseconds: 1), .still))
      snapshot.take(Occurrence(at: Instant(microseconds: 2), .trouble(reason, cause: nil)))
      expect(snapshot.force, equals: isKept ? force : nil, "\(reason.name)")
      expect(snapshot.isStill, equals: isKept ? true : nil, "\(reason.name)")
    }
  }

  @Test static func `iterating over fault counts yields every kind by name, or only the positive ones`() {
    var counts = FaultCounts()
    counts[.noAcknowledge] = 3
    counts[.frozen] = 1
    var (all, positive): ([String], [String]) = ([], [])
    counts.forEach { all.append("\($0) \($1)") }
    counts.forEachPositive { positive.append("\($0) \($1)") }
    expect(all, equals: FaultKind.allCases.map { "\($0.name) \(counts[$0])" })
    expect(positive, equals: ["noAcknowledge 3", "frozen 1"])
  }

  @Test static func `faults of the bus come first, and count as such`() {
    var counts = FaultCounts()
    var (bus, total) = (0 as UInt64, 0 as UInt64)
    for (place, kind) in FaultKind.allCases.enumerated() {
      let count = UInt64(1) << UInt64(place)
      counts[kind] = count
      total += count
      if kind.isOfBus { bus += count }
      expect(counts[kind], equals: count)
      expect(counts.total, equals: total)
      expect(counts.bus, equals: bus)
    }
    expect(bus, isBelow: total)
    expect(counts, isNot: FaultCounts())
  }

  /// The text of a file of the project.
  private static func text(_ path: String) throws -> String {
    let file = URL(filePath: #filePath).appending(path: "../../../../\(path)").standardized
    return try String(contentsOf: file, encoding: .utf8)
  }

  /// Checks that a line of the source reports it: a detector that nothing runs yields no event.
  @Test static func `the core yields every kind of event`() throws {
    let lines = try ["Knocks", "Monitor", "Movement", "Sleep"].flatMap { name in
      try text("Sources/Core/Monitor/\(name).swift").split(separator: "\n")
        .filter { $0.contains(/events\.append\(|event = \./) }
    }
    let others: [Event.Kind: String] = [.recovery: "recovered", .giveUp: "gaveUp"]
    for kind in Event.Kind.allCases {
      let name = try Regex("\\.\(others[kind] ?? "\(kind)")\\b")
      expect(any: lines, "nothing in Sources/Core/Monitor yields \(kind.name)") { $0.contains(name) }
    }
  }

  /// Checks the first column of the page's table of events.
  @Test static func `the page on output lists every kind of event`() throws {
    let rows = try text("docs/output.md").split(separator: "\n")
      .filter { $0.hasPrefix("| `") }.compactMap { $0.dropFirst().split(separator: "|").first }
    for kind in Event.Kind.allCases {
      expect(any: rows, "\(kind.name) is not in docs/output.md") { $0.contains("`\(kind.name)`") }
    }
  }
}
