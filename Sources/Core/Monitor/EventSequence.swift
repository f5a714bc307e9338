#if !hasFeature(Embedded)
  // The events of a step as a sequence: `for occurrence in report.events`. Not in Embedded Swift, where a sequence
  // pulls in code to make an array of it, which needs a heap: use `count` and an index there.
  extension Events: Sequence {
    /// Iterates over the events of a step, in order.
    public struct Iterator: IteratorProtocol, Sendable {
      private let events: Events
      private var index = 0

      init(_ events: Events) { self.events = events }

      /// The next event and its time; nil at the end.
      public mutating func next() -> Occurrence? {
        defer { index &+= 1 }
        return events[index]
      }
    }

    /// An iterator that begins with the first event.
    public func makeIterator() -> Iterator { Iterator(self) }

    /// The number of events.
    public var underestimatedCount: Int { count }
  }
#endif
