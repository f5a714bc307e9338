/// The cases of an enumeration whose raw values are 0, 1, 2 and so on, which counts them by itself: without a heap,
/// which `CaseIterable` needs. A collection, but for Embedded Swift, whose programs go through the indices.
public struct EnumCases<Case: RawRepresentable & Sendable>: Sendable where Case.RawValue == UInt8 {
  private let first: Case

  /// All cases; `first` is the one of raw value 0.
  init(first: Case) { self.first = first }

  /// How many cases there are: the first raw value that stands for none.
  public var count: Int {
    var count: UInt8 = 0
    while count < UInt8.max, Case(rawValue: count) != nil { count &+= 1 }
    return Int(count)
  }

  /// The case of a raw value; the first one for a value of none.
  public subscript(index: Int) -> Case { Case(rawValue: UInt8(truncatingIfNeeded: index)) ?? first }
}

#if !hasFeature(Embedded)
  extension EnumCases: RandomAccessCollection {
    /// The first raw value, 0.
    public var startIndex: Int { 0 }
    /// One beyond the last raw value.
    public var endIndex: Int { count }
  }
#endif
