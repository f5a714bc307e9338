package import ArgumentParser
import PlumbViews
import ToolOutput

extension CompletionKind {
  /// A board file: the names of those that come with plumb, and paths that end in `.ini`.
  package static var boards: CompletionKind {
    .custom { _, _, typed in
      let files = BoardPaths.candidates(typed)
      guard !typed.contains("/") else { return files }
      return files + BoardCatalogue().files.map(\.name).filter { $0.hasPrefix(typed) }
    }
  }

  /// Any of `names`, each once, separated by commas.
  package static func several(of names: [String]) -> CompletionKind {
    .custom { _, _, typed in
      let done = typed.split(separator: ",", omittingEmptySubsequences: false).dropLast().map(String.init)
      let before = done.map { "\($0)," }.joined()
      return names.filter { !done.contains($0) }.map { before + $0 }
    }
  }
}

/// Paths of board files, for shell completion.
enum BoardPaths {
  /// How many folders that contain only one folder are entered at most.
  private static let depth = 8

  /// The paths that begin with `typed`: board files, and folders with a trailing slash.
  ///
  /// A single folder is entered at once: shells disagree on whether a blank follows a completion that ends in a slash,
  /// but none adds one after several candidates with a common beginning.
  static func candidates(_ typed: String) -> [String] {
    var found = matches(typed)
    for _ in 0..<depth {
      guard found.count == 1, let only = found.first, only.hasSuffix("/") else { break }
      let inside = matches(only)
      if inside.isEmpty { break }
      found = inside
    }
    return found
  }

  private static func matches(_ typed: String) -> [String] {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    let begun = typed.dropFirst(folder.count)
    let names = BoardCatalogue.names(in: opened(folder)) ?? []
    return names.sorted().compactMap { name in
      // Names with a leading dot are hidden until a dot is typed; neither `.` nor `..` is ever meant.
      guard name.hasPrefix(begun), begun.hasPrefix(".") || !name.hasPrefix("."), name != ".", name != ".." else {
        return nil
      }
      if BoardCatalogue.names(in: opened(folder) + name) != nil { return "\(folder)\(name)/" }
      return name.hasSuffix(".ini") ? folder + name : nil
    }
  }

  /// The folder that `path` denotes, with a leading tilde expanded to the home folder.
  ///
  /// bash and zsh treat a tilde in a completion as a literal character, so completing nothing is best there.
  private static func opened(_ path: String) -> String {
    guard path.hasPrefix("~/"), CompletionShell.requesting == .fish, let home = TextStyle.variable("HOME") else {
      return path.isEmpty ? "./" : path
    }
    return home + path.dropFirst()
  }
}
