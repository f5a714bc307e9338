import ArgumentParser

/// How results are written.
package enum Format: String, ExpressibleByArgument, CaseIterable {
  /// For people.
  case text
  /// One object per line, for scripts.
  case json
}
