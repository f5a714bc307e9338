import Monitor
import TestSupport
import Testing

/// The whole history in an array, and for each reader how far it has read: what a log promises, without its rings.
private struct HistoryModel {
  let capacity: Int
  let readers: Int
  var history: [Int] = []
  /// How far each reader has read that ever opened; nil once it has given its cursor back.
  var places: [Int?] = []

  var openReaders: Int { places.count { $0 != nil } }

  mutating func next(_ reader: Int) -> Told<Int>? {
    guard let place = places[reader], place < history.count else { return nil }
    let oldest = history.count - capacity
    if place < oldest {
      places[reader] = oldest
      return .missed(oldest - place)
    }
    places[reader] = place + 1
    return .element(history[place])
  }
}

/// A log and its model, to which the same is done.
private struct LogAndModel<let capacity: Int, let readers: Int> {
  var log: EventLog<Int, capacity, readers>
  var model = HistoryModel(capacity: capacity, readers: readers)
  var cursors: [EventLog<Int, capacity, readers>.Cursor] = []

  init(position: UInt64) { log = EventLog(position: position, generation: .max) }

  mutating func append() -> Bool {
    log.append(model.history.count)
    model.history.append(model.history.count)
    return true
  }

  /// Whether the log does the same.
  mutating func open() -> Bool {
    let isFull = model.openReaders == readers
    do throws(EventLogError) {
      cursors.append(try log.open())
      model.places.append(model.history.count)
      return !isFull && log.openReaders == model.openReaders
    } catch {
      return isFull && error == .tooManyReaders
    }
  }

  mutating func next(_ reader: Int) -> Bool {
    do throws(EventLogError) {
      guard let place = model.places[reader] else {
        _ = try log.next(cursors[reader])
        return false
      }
      let unread = try log.unread(cursors[reader])
      let told = try readOne(&log, cursors[reader])
      return unread == model.history.count - place && told == model.next(reader)
    } catch {
      return model.places[reader] == nil && error == .unknownReader
    }
  }

  mutating func close(_ reader: Int) -> Bool {
    let wasOpen = model.places[reader] != nil
    model.places[reader] = nil
    do throws(EventLogError) {
      try log.close(cursors[reader])
      return wasOpen && log.openReaders == model.openReaders
    } catch {
      return !wasOpen && error == .unknownReader && log.openReaders == model.openReaders
    }
  }

  /// How many continuations of `depth` operations go wrong, and `count` of how many.
  func explore(depth: Int, _ count: inout Int) -> Int {
    guard depth > 0 else {
      count += 1
      return 0
    }
    var wrong = 0
    var next = self
    wrong += next.append() ? next.explore(depth: depth - 1, &count) : 1
    next = self
    wrong += next.open() ? next.explore(depth: depth - 1, &count) : 1
    for reader in cursors.indices {
      next = self
      wrong += next.next(reader) ? next.explore(depth: depth - 1, &count) : 1
      next = self
      wrong += next.close(reader) ? next.explore(depth: depth - 1, &count) : 1
    }
    return wrong
  }

  /// How many of `steps` random operations go wrong; most of them append and read.
  mutating func wander(_ steps: Int, _ random: inout SplitMix64) -> Int {
    var wrong = 0
    for _ in 0..<steps {
      let reader = cursors.indices.suffix(readers * 3).randomElement(using: &random)
      switch (Int.random(in: 0..<100, using: &random), reader) {
      case (..<45, _): wrong += append() ? 0 : 1
      case (45..<90, let reader?): wrong += next(reader) ? 0 : 1
      case (90..<94, let reader?): wrong += close(reader) ? 0 : 1
      default: wrong += open() ? 0 : 1
      }
    }
    return wrong
  }
}

@Suite struct EventLogExhaustiveTests {
  /// Both as in a new log, and where the count of elements wraps after one, two or three more.
  private static let positions: [UInt64] = [0, .max - 2, .max - 1, .max]

  @Test
  func `all sequences of seven operations do as an array of the whole history does, for small capacities`() {
    for position in Self.positions {
      #expect(wrong(LogAndModel<0, 1>(position: position)) == 0)
      #expect(wrong(LogAndModel<1, 0>(position: position)) == 0)
      #expect(wrong(LogAndModel<1, 1>(position: position)) == 0)
      #expect(wrong(LogAndModel<1, 2>(position: position)) == 0)
      #expect(wrong(LogAndModel<2, 1>(position: position)) == 0)
      #expect(wrong(LogAndModel<2, 2>(position: position)) == 0)
      #expect(wrong(LogAndModel<3, 2>(position: position)) == 0)
      #expect(wrong(LogAndModel<3, 3>(position: position)) == 0)
    }
  }

  private func wrong<let capacity: Int, let readers: Int>(_ pair: LogAndModel<capacity, readers>) -> Int {
    var count = 0
    let wrong = pair.explore(depth: 7, &count)
    // With no reader there are two things to do at each step, with readers more and more.
    #expect(readers == 0 ? count == 128 : count > 3_000)
    return wrong
  }

  @Test
  func `long random use of larger logs does as an array of the whole history does, also where the count wraps`() {
    var random = SplitMix64(seed: 55)
    for position in Self.positions + [UInt64.max - 1_000] {
      var small = LogAndModel<5, 3>(position: position)
      #expect(small.wander(20_000, &random) == 0)
      var middle = LogAndModel<16, 4>(position: position)
      #expect(middle.wander(20_000, &random) == 0)
      var large = LogAndModel<61, 7>(position: position)
      #expect(large.wander(20_000, &random) == 0)
    }
  }
}
