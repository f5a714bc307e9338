/// The cases of an enumeration with raw values 0, 1, 2 and so on, which it counts itself, without the heap that
/// `CaseIterable` needs. A collection, except in Embedded Swift, where programs iterate over the indices.
public struct EnumCases<Case: RawRepresentable & Sendable>: Sendable where Case.RawValue == UInt8 {
  private let first: Case

  /// All cases; `first` is the one with raw value 0.
  init(first: Case) { self.first = first }

  /// The number of cases: the first raw value without a case.
  public var count: Int {
    var count: UInt8 = 0
    while count < UInt8.max, Case(rawValue: count) != nil { count &+= 1 }
    return Int(count)
  }

  /// The case with raw value `index`; the first one if there is none.
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
