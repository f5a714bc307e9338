import BoardFile

/// Reads the board file that an option names: a path, or the name of one that comes with plumb.
func readBoard(_ name: String) throws(ToolError) -> BoardDescription {
  let path = boardPath(name, in: nil)
  do {
    return try BoardDescription.read(path: path)
  } catch {
    throw ToolError(
      error.exitCode == 77 ? .noPermission : .configuration,
      error.description(file: printable(path)) + (error.problem == .missingFile ? hint(about: name) : ""))
  }
}

/// The path that `name` stands for: itself where it has a slash or is the name of a file, else that of the board file in
/// `catalogue`, nil for the usual one.
func boardPath(_ name: String, in catalogue: BoardCatalogue?) -> String {
  guard !name.contains("/"), !isFile(name) else { return name }
  return (catalogue ?? BoardCatalogue())[name]?.path ?? name
}

/// What somebody is told whose board file is not there.
private func hint(about name: String) -> String {
  let isName = !name.contains("/")
  let folder = name.lastIndex(of: "/").map { String(name[...$0]) } ?? ""
  let names = isName ? BoardCatalogue().files.map(\.name) : BoardCatalogue.boards(in: folder).map { folder + $0 }
  func last(_ path: String) -> String { String(path.dropFirst(folder.count)) }
  let near = Misspelling.nearest(
    to: last(name).hasSuffix(".ini") ? String(last(name).dropLast(4)) : last(name), in: names.map(last))
  let question = near.map { " (did you mean \(printable(folder + $0 + (isName ? "" : ".ini")))?)" } ?? ""
  return question + (isName ? "; `plumb boards` lists those that come with plumb" : "")
}
