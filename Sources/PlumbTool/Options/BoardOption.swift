import BoardFile

/// Reads the board file that an option names: a path, or the name of one that comes with plumb.
func readBoard(_ name: String) throws(Failure) -> BoardDescription {
  let path = boardPath(name, in: nil)
  do {
    return try BoardDescription.read(path: path)
  } catch {
    let isMissing = error.problem == .missingFile && !name.contains("/")
    throw Failure(
      error.exitCode == 77 ? .noPermission : .configuration,
      error.description(file: printable(path)) + (isMissing ? "; `plumb boards` lists those that come with plumb" : ""))
  }
}

/// The path that `name` stands for: itself where it has a slash or is the name of a file, else that of the board file in
/// `catalogue`, nil for the usual one.
func boardPath(_ name: String, in catalogue: BoardCatalogue?) -> String {
  guard !name.contains("/"), !isFile(name) else { return name }
  return (catalogue ?? BoardCatalogue())[name]?.path ?? name
}
