import Monitor
import Orientation
import TestSupport
import Testing

@Suite struct EventLogTests {
  @Test
  func `each reader reads all that came after it opened, in order and once, and takes nothing from another`() throws {
    var log = EventLog<RotationEvent, 4, 2>()
    log.append(.firstHalf)
    let first = try log.open()
    log.append(.secondHalf)
    let second = try log.open()
    log.append(.didRotate(from: .portrait))
    #expect(try drain(&log, first) == [.element(.secondHalf), .element(.didRotate(from: .portrait))])
    #expect(try drain(&log, first) == [])
    #expect(try drain(&log, second) == [.element(.didRotate(from: .portrait))])
  }

  @Test
  func `a reader that is too slow is told how many it missed, then goes on with the oldest that is kept`() throws {
    for count in 0...12 {
      var log = EventLog<Int, 4, 2>()
      let slow = try log.open()
      let quick = try log.open()
      for element in 0..<count {
        log.append(element)
        #expect(try drain(&log, quick) == [.element(element)])
      }
      #expect(try log.unread(slow) == UInt64(count))
      let kept = (max(0, count - 4)..<count).map { Told<Int>.element($0) }
      #expect(try drain(&log, slow) == (count > 4 ? [.missed(count - 4)] : []) + kept)
    }
  }

  @Test
  func `what is missed while a reader is catching up is told again, so that the sum is right`() throws {
    var log = EventLog<Int, 2, 1>()
    let reader = try log.open()
    for element in 0..<5 { log.append(element) }
    #expect(try readOne(&log, reader) == .missed(3))
    for element in 5..<8 { log.append(element) }
    #expect(try readOne(&log, reader) == .missed(3))
    #expect(try drain(&log, reader) == [.element(6), .element(7)])
  }

  @Test
  func `one reader too many is refused and displaces nobody; a cursor that was given back makes room`() throws {
    var log = EventLog<Int, 4, 3>()
    let cursors = try (0..<3).map { _ in try log.open() }
    #expect(refusal { () throws(EventLogError) in _ = try log.open() } == .tooManyReaders)
    log.append(1)
    #expect(log.openReaders == 3)
    try log.close(cursors[1])
    #expect(log.openReaders == 2)
    let late = try log.open()
    log.append(2)
    #expect(try drain(&log, cursors[0]) == [.element(1), .element(2)])
    #expect(try drain(&log, late) == [.element(2)])
    #expect(try drain(&log, cursors[2]) == [.element(1), .element(2)])
    #expect(refusal { () throws(EventLogError) in _ = try log.open() } == .tooManyReaders)
  }

  @Test
  func `a cursor that was given back is refused everywhere, also when another reader has its place`() throws {
    // The count of how often the place changed hands wraps here.
    for generation in [0, UInt32.max - 1, .max] {
      var log = EventLog<Int, 4, 1>(position: 0, generation: generation)
      for _ in 0..<3 {
        let old = try log.open()
        try log.close(old)
        for isTaken in [false, true] {
          let new = isTaken ? try log.open() : nil
          log.append(7)
          #expect(refusal { () throws(EventLogError) in _ = try log.next(old) } == .unknownReader)
          #expect(refusal { () throws(EventLogError) in _ = try log.unread(old) } == .unknownReader)
          #expect(refusal { () throws(EventLogError) in try log.close(old) } == .unknownReader)
          if let new {
            #expect(try drain(&log, new) == [.element(7)])
            try log.close(new)
          }
        }
        #expect(log.openReaders == 0)
      }
    }
  }

  @Test
  func `a copy is a log of its own, in which the cursors go on from where they were`() throws {
    var log = EventLog<Int, 4, 1>()
    let reader = try log.open()
    log.append(1)
    log.append(2)
    #expect(try readOne(&log, reader) == .element(1))
    var copy = log
    copy.append(3)
    try log.close(reader)
    #expect(try drain(&copy, reader) == [.element(2), .element(3)])
  }

  @Test func `a copy made before a cursor was given refuses it`() throws {
    var log = EventLog<Int, 4, 2>()
    let first = try log.open()
    var copy = log
    let second = try log.open()
    #expect(try copy.unread(first) == 0)
    #expect(refusal { () throws(EventLogError) in _ = try copy.unread(second) } == .unknownReader)
    #expect(refusal { () throws(EventLogError) in _ = try copy.next(second) } == .unknownReader)
    #expect(refusal { () throws(EventLogError) in try copy.close(second) } == .unknownReader)
    #expect(copy.openReaders == 1)
  }

  @Test
  func `a log without room for elements misses each of them, one without room for readers refuses each`() throws {
    var hollow = EventLog<Int, 0, 1>()
    let reader = try hollow.open()
    #expect(try drain(&hollow, reader) == [])
    hollow.append(1)
    hollow.append(2)
    #expect(try drain(&hollow, reader) == [.missed(2)])
    var lonely = EventLog<Int, 2, 0>()
    lonely.append(1)
    #expect(refusal { () throws(EventLogError) in _ = try lonely.open() } == .tooManyReaders)
  }

  @Test
  func `a log takes the room of its elements and a few words for each reader, and no heap`() {
    #expect(MemoryLayout<EventLog<UInt64, 10, 0>>.size <= 10 * 16 + 24)
    #expect(MemoryLayout<EventLog<UInt64, 10, 5>>.size <= 10 * 16 + 24 + 5 * 16)
  }

  private func refusal(_ attempt: () throws(EventLogError) -> Void) -> EventLogError? {
    do {
      try attempt()
      return nil
    } catch {
      return error
    }
  }
}

/// A reading that can be compared.
enum Told<Element: Equatable & Sendable>: Equatable {
  case missed(Int)
  case element(Element)
}

func readOne<Element: Equatable & Sendable, let capacity: Int, let readers: Int>(
  _ log: inout EventLog<Element, capacity, readers>, _ cursor: EventLog<Element, capacity, readers>.Cursor
) throws(EventLogError) -> Told<Element>? {
  switch try log.next(cursor) {
  case .missed(let count): .missed(Int(count))
  case .element(let element): .element(element)
  case nil: nil
  }
}

/// All that a reader can read now, up to 100 readings.
func drain<Element: Equatable & Sendable, let capacity: Int, let readers: Int>(
  _ log: inout EventLog<Element, capacity, readers>, _ cursor: EventLog<Element, capacity, readers>.Cursor
) throws(EventLogError) -> [Told<Element>] {
  var told: [Told<Element>] = []
  while told.count < 100, let reading = try readOne(&log, cursor) { told.append(reading) }
  return told
}

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
