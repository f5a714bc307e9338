internal import CSupport
package import Service
package import Text

/// Why a secret's file cannot be used.
package struct SecretError: Error {
  /// What is wrong, in plain words.
  package var message: Message
  /// Whether the program has no permission to read it.
  package var isForbidden: Bool
}

/// Reads passwords and tokens from files.
///
/// A secret that the service manager passes, as a file of the same name in `$CREDENTIALS_DIRECTORY`, takes precedence.
package enum SecretFile {
  /// The file of a secret: the service manager's, or the one in the settings.
  package static func place<let size: Int>(of path: ShortText<size>) -> ShortText<512> {
    var bytes = InlineArray<512, CChar>(repeating: 0)
    var span = bytes.mutableSpan
    let passedOn: ShortText<512>? = unsafe span.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      let count = unsafe path.withCString { unsafe csupport_host_credential($0, base, buffer.count) }
      return count > 0 ? unsafe ShortText<512>(cString: base) : nil
    }
    return passedOn ?? ShortText(cutting: path)
  }

  /// The first line of the file at `path`, or of the one that the service manager passes; `what` names it in messages.
  package static func read(_ path: SettingsText, _ what: StaticString) throws(SecretError) -> ShortText<512> {
    let path = place(of: path)
    var secret = ShortText<512>()
    var bytes = InlineArray<511, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    let count = unsafe span.withUnsafeMutableBufferPointer { buffer in
      unsafe path.withCString { unsafe csupport_file_first_line($0, buffer.baseAddress, buffer.count) }
    }
    guard count >= 0 else {
      throw SecretError(
        message: "\(what) file \(path): \(system: 0 &- count)",
        isForbidden: csupport_meaning(0 &- count) == CSUPPORT_NOT_PERMITTED)
    }
    guard count > 0 else {
      throw SecretError(message: "\(what) file \(path): its first line is empty", isForbidden: false)
    }
    for index in 0..<Int(truncatingIfNeeded: count) { secret.append(byte: bytes[index]) }
    return secret
  }
}

extension ProgramError {
  /// The error of a secret's file, which ends the program.
  package init(_ error: SecretError) { self.init(error.isForbidden ? .noPermission : .configuration, error.message) }
}
