/// The FIFO of an MPU-6050: bytes in, bytes out.
///
/// - Datasheet: MPU-6000/MPU-6050 Register Map Rev. 4.2, FIFO_R_W.
struct ByteQueue {
  /// The number of bytes that can be read.
  private(set) var count = 0
  /// The number of bytes it can hold.
  let capacity: Int
  private var storage: [UInt8]
  private var head = 0
  /// The last byte removed.
  private(set) var lastRead: UInt8 = 0

  /// An empty queue of `capacity` bytes, at least 1.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
    storage = [UInt8](repeating: 0, count: self.capacity)
  }

  /// Adds a byte; a full queue drops its oldest byte to make room, or else does not accept it.
  ///
  /// Returns whether a byte was lost.
  mutating func push(_ byte: UInt8, droppingOldest: Bool) -> Bool {
    let isFull = count == capacity
    if isFull && !droppingOldest { return true }
    let end = head + count
    storage[end < capacity ? end : end - capacity] = byte
    if isFull { advance() } else { count += 1 }
    return isFull
  }

  /// Removes and returns the oldest byte; an empty queue returns the last one again.
  mutating func pop() -> UInt8 {
    guard count > 0 else { return lastRead }
    lastRead = storage[head]
    advance()
    count -= 1
    return lastRead
  }

  /// Discards its contents, but not the last byte read.
  mutating func removeAll() {
    count = 0
    head = 0
  }

  private mutating func advance() { head = head + 1 < capacity ? head + 1 : 0 }
}
