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
