#if !hasFeature(Embedded)
  // What happened in a step, one after another: `for occurrence in report.events`. Not in Embedded Swift, where a
  // sequence brings the code that makes an array of it, which needs a heap: go by `count` and index there.
  extension Events: Sequence {
    /// Gives the events of a step out, in order.
    public struct Iterator: IteratorProtocol, Sendable {
      private let events: Events
      private var index = 0

      init(_ events: Events) { self.events = events }

      /// The next event and when it happened; nil at the end.
      public mutating func next() -> Occurrence? {
        defer { index &+= 1 }
        return events[index]
      }
    }

    /// An iterator that begins with the first event.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// How many there are.
    public var underestimatedCount: Int { count }
  }
#endif
