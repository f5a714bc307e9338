extension Optional {
  /// Whether there is a value.
  ///
  /// For large values, in place of `!= nil`: where they are `Equatable`, that compares the whole value with none, which
  /// copies it twice, and Embedded Swift does not simplify it.
  @inline(__always)
  package var isPresent: Bool { if case .some = self { true } else { false } }
}
