/// A path made safe for one line of an error message: control characters are escaped, the rest is unchanged.
package func printable(_ path: String) -> String {
  var shown = ""
  for scalar in path.unicodeScalars {
    let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    shown += isControl ? "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16) : String(scalar)
  }
  return shown.isEmpty ? "\"\"" : shown
}

/// A path as a word of a command to copy: in quotation marks if a shell would split it.
package func shellWord(_ path: String) -> String {
  let isPlain = path.utf8.allSatisfy { byte in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
    default: "/._-+:,@%=".utf8.contains(byte)
    }
  }
  return isPlain && !path.isEmpty ? printable(path) : "'" + printable(path).replacing("'", with: "'\\''") + "'"
}

/// `text` made safe for one line of an error message: anything but printable ASCII is escaped; cut at `limit`
/// characters.
package func quoted(_ text: some Collection<UInt8>, upTo limit: Int = 40) -> String {
  var shown = "\""
  for byte in text.prefix(limit) {
    switch byte {
    case 0x20...0x7E where byte != 0x22 && byte != 0x5C: shown.unicodeScalars.append(Unicode.Scalar(byte))
    default: shown += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
  return shown + (text.count > limit ? "…\"" : "\"")
}
