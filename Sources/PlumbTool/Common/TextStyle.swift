import Glibc
@_exported public import PlumbViews

extension TextStyle {
  /// As the environment says: colour on a terminal that is not `dumb` and where `NO_COLOR` is not set; other
  /// characters than ASCII where the locale is one of UTF-8.
  ///
  /// - Source: https://no-color.org; POSIX.1-2017, 8.2 (LC_ALL before LC_CTYPE before LANG).
  static var ofStandardOutput: TextStyle {
    let isPlain = variable("NO_COLOR") != nil || variable("TERM") == nil || variable("TERM") == "dumb"
    let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? "C"
    let encoding = locale.lowercased().replacing("-", with: "")
    return TextStyle(hasColour: !isPlain && isatty(STDOUT_FILENO) == 1, hasUnicode: encoding.contains("utf8"))
  }

  /// The value of an environment variable that is set and not empty.
  static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}

/// `words`, and what follows on them: behind a semicolon, or behind a question as a sentence of its own.
func following(_ words: String, _ more: String) -> String {
  words.hasSuffix("?") ? "\(words) \(more.capitalisedFirst)" : "\(words); \(more)"
}
