import ArgumentParser
import Emulation

extension NamedMotion {
  /// The motion of that name, for a command line.
  static func named(_ name: String) throws -> NamedMotion {
    guard let motion = NamedMotion(rawValue: name) else {
      throw Misspelling.error("There is no motion '\(name)'", name, names)
    }
    return motion
  }
}
