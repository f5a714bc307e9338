/// A FIFO of bytes, in which samples of any size lie one after the other.
///
/// A part calls ``makeRoom(for:stopsWhenFull:)`` with the size of a sample, and appends its words if that is true.
public struct SampleFIFO {
  /// The number of bytes that it can hold.
  public let capacity: Int
  /// The number of bytes that can be read.
  public private(set) var count = 0
  /// Whether a sample has been lost since the FIFO was last emptied by ``removeAll()``.
  public private(set) var hasLost = false
  /// The last byte that was popped.
  public private(set) var lastRead: UInt8 = 0
  private var storage: [UInt8]
  private var head = 0

  /// An empty FIFO of `capacity` bytes, at least 1.
  public init(capacity: Int) {
    self.capacity = max(1, capacity)
    storage = [UInt8](repeating: 0, count: self.capacity)
  }

  /// Whether no byte can be read.
  public var isEmpty: Bool { count == 0 }
  /// Whether no byte more fits.
  public var isFull: Bool { count == capacity }

  /// Makes room for a sample of `size` bytes: a full FIFO drops its oldest samples of that size, or else does not
  /// accept it. Returns whether there is room.
  public mutating func makeRoom(for size: Int, stopsWhenFull: Bool) -> Bool {
    while count + size > capacity {
      hasLost = true
      if stopsWhenFull || size > capacity { return false }
      removeFirst(size)
    }
    return true
  }

  /// Adds a byte by itself, as in a FIFO that loses its alignment: a full one drops its oldest byte, or else does not
  /// accept it. Returns whether a byte was lost.
  public mutating func push(_ byte: UInt8, droppingOldest: Bool) -> Bool {
    guard count == capacity else {
      append(byte)
      return false
    }
    hasLost = true
    guard droppingOldest else { return true }
    // The place of the oldest is that after the newest.
    storage[head] = byte
    head = head + 1 < capacity ? head + 1 : 0
    return true
  }

  /// Adds a byte; without room for it, nothing.
  public mutating func append(_ byte: UInt8) {
    guard count < capacity else { return }
    let end = head + count
    storage[end < capacity ? end : end - capacity] = byte
    count += 1
  }

  /// Adds the low 16 bits of three axes, low bytes first unless `highFirst`.
  public mutating func append(_ words: AxisValues, highFirst: Bool = false) {
    for axis in 0..<3 {
      let word = words[axis]
      append(UInt8(truncatingIfNeeded: highFirst ? word >> 8 : word))
      append(UInt8(truncatingIfNeeded: highFirst ? word : word >> 8))
    }
  }

  /// Byte `index` from the oldest; 0 if there is none.
  public subscript(index: Int) -> UInt8 {
    guard index < count else { return 0 }
    let place = head + index
    return storage[place < capacity ? place : place - capacity]
  }

  /// Removes the oldest `number` bytes, or all.
  public mutating func removeFirst(_ number: Int) {
    let removed = min(number, count)
    head += removed
    if head >= capacity { head -= capacity }
    count -= removed
  }

  /// Removes and returns the oldest byte; an empty FIFO returns the last one again.
  public mutating func pop() -> UInt8 {
    guard count > 0 else { return lastRead }
    lastRead = storage[head]
    removeFirst(1)
    return lastRead
  }

  /// Empties it; ``lastRead`` stays.
  public mutating func removeAll() { (count, head, hasLost) = (0, 0, false) }
}

/// The output registers of three axes, with the block data update of ST's parts: from the read of one byte of an axis to
/// the read of its other byte, the axis keeps its value.
///
/// - Datasheet: LIS3DH Rev. 2, CTRL_REG4; the LSM6DS and LSM9DS1 families have the same.
public struct OutputLatch {
  /// The newest sample, as words.
  public private(set) var words = AxisValues.zero
  /// The axes with an unread sample, bit 0 X.
  public private(set) var unread: UInt8 = 0
  /// The axes in which an unread sample has been replaced.
  public private(set) var overrun: UInt8 = 0
  /// Whether there has been a sample since a high byte was last read, of any axis and even of an older sample: the
  /// status bit of parts with one for all axes.
  public private(set) var isNew = false
  private var number: UInt64 = 0
  /// The axis with one byte read, its value, which byte was read, and the number of its sample.
  private var held: (axis: Int, value: Int64, isHigh: Bool, number: UInt64)?

  /// All zero, nothing unread.
  public init() {}

  /// Shows a new sample, which is unread on the axes of a mask; nil is one with the words of the last.
  public mutating func update(_ new: AxisValues?, axes: UInt8 = 0x07) {
    overrun |= unread
    (unread, isNew) = (axes, true)
    words = new ?? words
    number &+= 1
  }

  /// Byte `index` of the six, 0 the low one of X, unless `highFirst`. With `inBlocks`, an axis of which one byte was read
  /// keeps its value for the other.
  public mutating func read(_ index: Int, inBlocks: Bool, highFirst: Bool = false) -> UInt8 {
    let (axis, isHigh) = (index / 2, index % 2 == 1)
    if isHigh { isNew = false }
    if !inBlocks || held?.axis != axis { held = (axis, words[axis], isHigh, number) }
    guard let now = held else { return 0 }
    if isHigh || now.isHigh != isHigh {
      // A newer sample is still unread.
      if now.number == number { unread &= ~(1 << UInt8(axis)) }
      overrun &= ~(1 << UInt8(axis))
    }
    if !inBlocks || now.isHigh != isHigh { held = nil }
    return UInt8(truncatingIfNeeded: isHigh != highFirst ? now.value >> 8 : now.value)
  }

  /// Marks everything as read.
  public mutating func markRead() { (unread, overrun) = (0, 0) }

  /// Ends the hold of an axis.
  public mutating func release() { held = nil }
}
