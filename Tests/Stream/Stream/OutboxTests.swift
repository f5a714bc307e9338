import FixedPoint
import Stream
import Testing
import TestSupport

/// A model of an outbox: a list of lines, of which the oldest are dropped if there is no room.
private struct Model {
  let limit: Int
  /// The rest of a line that was sent in part.
  var rest: [UInt8] = []
  var missed: UInt64 = 0
  private var lines: [[UInt8]] = []
  /// The number of bytes of all lines.
  private var length = 0
  var missedInAll: UInt64 = 0

  init(limit: Int) { self.limit = limit }

  var count: Int { rest.count + length }

  /// All that waits. Not `joined()`, which takes seconds in all, as tests are compiled unoptimised.
  private var waiting: [UInt8] {
    var bytes = rest
    for line in lines { bytes += line }
    return bytes
  }

  mutating func append(_ line: [UInt8]) {
    while count + line.count > limit {
      guard line.count <= limit, !lines.isEmpty else {
        if let number = lines.first.flatMap({ Self.count(in: $0) }) {
          missed += number
          _ = removeFirst()
        }
        return lose()
      }
      // The line that counts lost ones is not one itself.
      if let number = Self.count(in: removeFirst()) { missed += number } else { lose() }
    }
    lines.append(line)
    length += line.count
  }

  private mutating func removeFirst() -> [UInt8] {
    let line = lines.removeFirst()
    length -= line.count
    return line
  }

  private mutating func lose() {
    missed += 1
    missedInAll += 1
  }

  /// The bytes due to be sent.
  mutating func due() -> [UInt8] {
    if missed > 0 && rest.isEmpty {
      let line = Self.line(counting: missed)
      lines.insert(line, at: 0)
      length += line.count
      missed = 0
    }
    return missed > 0 ? rest : waiting
  }

  mutating func send(_ sent: Int) {
    var bytes = waiting
    bytes.removeFirst(sent)
    // Those that were sent, and the first one that was sent in part, are no whole lines any more.
    while length > bytes.count { _ = removeFirst() }
    rest = Array(bytes.prefix(bytes.count - length))
  }

  static func line(counting number: UInt64) -> [UInt8] { Array("{\"event\":\"missed\",\"count\":\(number)}\n".utf8) }

  static func count(in line: [UInt8]) -> UInt64? {
    // Any other line begins with its number.
    guard line.first == UInt8(ascii: "{") else { return nil }
    return UInt64(String(decoding: line, as: UTF8.self).filter(\.isNumber))
  }
}

struct OutboxTests {
  private static func withOutbox(_ size: Int, _ body: (inout Outbox) -> Void) {
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: size)
    defer { unsafe memory.deallocate() }
    unsafe memory.initialize(repeating: 0)
    var outbox = unsafe Outbox(memory)
    body(&outbox)
  }

  private static func append(_ line: [UInt8], to outbox: inout Outbox) {
    unsafe line.withUnsafeBufferPointer { unsafe outbox.append($0) }
  }

  /// Makes `outbox` send, with at most `most` bytes accepted; returns the bytes offered.
  private static func flush(_ outbox: inout Outbox, most: Int) -> [UInt8] {
    var offered: [UInt8] = []
    _ = unsafe outbox.flush { first, second in
      offered = unsafe Array(first) + Array(second)
      return Int32(min(most, offered.count))
    }
    return offered
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8], [128, 200, 331, 1_087])
  static func `a ring behaves like a list of lines`(seed: UInt64, size: Int) {
    Self.withOutbox(size) { outbox in
      var random = SplitMix64(seed: seed &* 1_000 &+ UInt64(size))
      var model = Model(limit: size - Outbox.reserve)
      for number in 0..<20_000 {
        if random.next() % 3 > 0 {
          // Some are longer than the whole ring.
          let length = Int(random.next() % (random.next() % 20 == 0 ? UInt64(size) : 60))
          let line = Array("\(number) ".utf8) + [UInt8](repeating: 0x78, count: length) + [0x0A]
          Self.append(line, to: &outbox)
          model.append(line)
        } else if !outbox.isEmpty {
          let most = Int(random.next() % 4) * Int(random.next() % UInt64(size))
          let offered = Self.flush(&outbox, most: most)
          let due = model.due()
          // Runs half a million times: too often for an unconditional `#expect`.
          guard offered == due else {
            expect(offered, equals: due)
            return
          }
          model.send(min(most, due.count))
        }
        let found = (outbox.count, outbox.isEmpty, outbox.missedInAll)
        let expected = (model.count, model.count == 0 && model.missed == 0, model.missedInAll)
        guard found == expected else {
          #expect(found == expected, "line \(number)")
          return
        }
      }
    }
  }

  @Test(arguments: [11, 12, 13, 14])
  static func `a client gets whole lines in order, with the lost ones counted in their place`(seed: UInt64) {
    Self.withOutbox(256) { outbox in
      var random = SplitMix64(seed: seed)
      var received: [UInt8] = []
      let last = 30_000
      for number in 0...last {
        let length = Int(random.next() % 50)
        Self.append(Array("\(number) \(String(repeating: "y", count: length))\n".utf8), to: &outbox)
        // The client pauses now and then.
        guard number / 100 % 3 != 1, random.next() % 2 == 0, !outbox.isEmpty else { continue }
        let most = Int(random.next() % 90)
        received += Self.flush(&outbox, most: most).prefix(most)
      }
      while !outbox.isEmpty { received += Self.flush(&outbox, most: .max / 2) }
      var next: UInt64 = 0
      for line in received.split(separator: 0x0A) {
        if let lost = Model.count(in: Array(line)) {
          next += lost
        } else {
          expect(String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self), equals: "\(next)")
          next += 1
        }
      }
      expect(next, equals: UInt64(last) + 1)
      expect(outbox.missedInAll, isAbove: 1_000)
    }
  }

  @Test static func `a connection that accepts nothing loses no line that there is room for`() {
    Self.withOutbox(256) { outbox in
      Self.append(Array("one\n".utf8), to: &outbox)
      expect(Self.flush(&outbox, most: 0), equals: Array("one\n".utf8))
      Self.append(Array("two\n".utf8), to: &outbox)
      expect(Self.flush(&outbox, most: 2), equals: Array("one\ntwo\n".utf8))
      expect(Self.flush(&outbox, most: 100), equals: Array("e\ntwo\n".utf8))
      expect(that: outbox.isEmpty)
      expect(outbox.missedInAll, equals: 0)
    }
  }
}
