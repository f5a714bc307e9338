import BoardFile

/// Reads the board file that an option names.
func readBoard(_ path: String) throws(Failure) -> BoardDescription {
  do {
    return try BoardDescription.read(path: path)
  } catch {
    throw Failure(error.exitCode == 77 ? .noPermission : .configuration, error.description(file: printable(path)))
  }
}
