extension EmulatedADXL345 {
  /// The output register and the FIFO behind it: what is read, and what waits. A sample consists of its six data bytes,
  /// X0 lowest.
  ///
  /// Entries wait only while the output register is unread.
  ///
  /// - Datasheet: ADXL345 Rev. E, "FIFO" and "FIFO_STATUS".
  struct SampleQueue {
    /// What the data registers show.
    private(set) var output: UInt64 = 0
    /// The most recent sample, wherever it went.
    private(set) var newest: UInt64 = 0
    /// Whether the output register holds an unread sample.
    private(set) var isUnread = false
    /// The number of waiting entries, 0…32.
    private(set) var count = 0
    /// Whether a trigger event has occurred since bypass mode.
    private(set) var isTriggered = false
    /// Whether an unread sample was replaced in bypass mode.
    private var isReplaced = false
    private var first = 0
    private var entries = InlineArray<32, UInt64>(repeating: 0)

    /// Overrun: in bypass mode an unread sample was replaced; in all others the FIFO is full.
    func isOverrun(in mode: FIFOMode) -> Bool { mode == .bypass ? isReplaced : count == 32 }

    /// Whether a sample taken now would be dropped.
    func refuses(in mode: FIFOMode) -> Bool {
      count == 32 && (mode == .fifo || (mode == .trigger && isTriggered))
    }

    /// Adds a new sample.
    mutating func push(_ sample: UInt64, in mode: FIFOMode) {
      if refuses(in: mode) { return }
      newest = sample
      if mode == .bypass {
        isReplaced = isReplaced || isUnread
        show(sample)
      } else if !isUnread {
        show(sample)
      } else {
        if count == 32 { dropOldest() }
        entries[(first + count) & 31] = sample
        count += 1
      }
    }

    /// Adds a sample of a sleeping part: the data registers are updated, but nothing is ready and nothing waits.
    mutating func pushAsleep(_ sample: UInt64, in mode: FIFOMode) {
      newest = sample
      guard mode == .bypass || !isUnread else { return }
      isReplaced = isReplaced || isUnread
      output = sample
    }

    /// Ends a read of the data registers: the oldest entry moves up.
    mutating func finishRead() {
      isReplaced = false
      isUnread = false
      guard count > 0 else { return }
      show(entries[first])
      dropOldest()
    }

    /// Handles a trigger event: only the last `number` entries stay.
    mutating func trigger(keeping number: Int) {
      isTriggered = true
      while count > number { dropOldest() }
    }

    /// Enters another mode; bypass empties the FIFO.
    mutating func enter(_ mode: FIFOMode) {
      isReplaced = false
      guard mode == .bypass else { return }
      count = 0
      isTriggered = false
    }

    private mutating func show(_ sample: UInt64) {
      output = sample
      isUnread = true
    }

    private mutating func dropOldest() {
      first = (first + 1) & 31
      count -= 1
    }
  }
}
