/// Spans of time that may overlap, for a motion that is asked thousands of times a second.
public struct TimeSpans: Sendable {
  private let spans: [Range<Int64>]

  /// Spans in the order in which they are asked.
  public init(_ spans: [Range<Int64>]) { self.spans = spans }

  /// The index of the first span that contains `time`, or -1.
  public func firstIndex(with time: Int64) -> Int { spans.firstIndex { $0.contains(time) } ?? -1 }
}
