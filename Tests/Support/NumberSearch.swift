extension ClosedRange<Int32> {
  /// The first number for which `isWanted`, or nil: for ranges of millions, which a test module, as it is not optimised,
  /// would go through at the cost of the check itself.
  public func firstNumber(where isWanted: (Int32) -> Bool) -> Int32? {
    first(where: isWanted)
  }
}
