import Foundation
import Monitor
import Testing

/// What is listed once, and counted by whoever needs a size.
@Suite struct EventKindTests {
  @Test func `no two kinds of events have one name, and no two kinds of faults`() {
    let events = Event.Kind.allCases.map { "\($0.name)" }
    let faults = FaultKind.allCases.map { "\($0.name)" }
    #expect(Set(events).count == events.count && Set(faults).count == faults.count)
    #expect(events.first == "pose" && faults.first == "noAcknowledge")
  }

  @Test func `tables have room for each kind, and no more`() {
    #expect(Event.Kind.Table<Bool>.count == Event.Kind.allCases.count)
    #expect(FaultKind.Table<Bool>.count == FaultKind.allCases.count)
  }

  @Test func `the events of a step have room for what all groups can bring`() {
    #expect(Events.capacity == Event.Group.allCases.reduce(0) { $0 + $1.mostInStep })
    let groups = Set(Event.Kind.allCases.map(\.group.rawValue))
    #expect(groups == Set(Event.Group.allCases.map(\.rawValue)))
  }

  @Test func `faults of the bus come first, and count as such`() {
    var counts = FaultCounts()
    var (bus, total) = (0 as UInt64, 0 as UInt64)
    for (place, kind) in FaultKind.allCases.enumerated() {
      let count = UInt64(1) << UInt64(place)
      counts[kind] = count
      total += count
      if kind.isOfBus { bus += count }
      #expect(counts[kind] == count && counts.total == total && counts.bus == bus)
    }
    #expect(bus < total && counts != FaultCounts())
  }

  /// The first column of the table of events of a page, of all kinds.
  @Test func `the page on output lists every kind of event`() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/output.md")
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| `") }.compactMap { $0.dropFirst().split(separator: "|").first }
    for kind in Event.Kind.allCases {
      #expect(rows.contains { $0.contains("`\(kind.name)`") }, "\(kind.name) is not in docs/output.md")
    }
  }
}
