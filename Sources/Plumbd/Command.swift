internal import BoardFile

/// What the command line asks for.
struct Command: Equatable {
  /// What is to be done.
  enum Action: Equatable {
    case run, check, version, help
  }

  /// Why a command line is refused.
  enum Misuse: Error {
    /// An option that there is not; its place.
    case unknown(Int)
    /// `--board` without a file.
    case missingFile
    /// A file whose name is too long.
    case longName
  }

  /// A name of a file.
  typealias Path = ShortText<512>

  var action = Action.run
  var path = Path("/etc/plumb/board.ini")

  /// Takes a command line, the program's name first, as C hands it over.
  init(_ count: Int, _ words: UnsafePointer<UnsafePointer<CChar>?>) throws(Misuse) {
    var index = 1
    while index < count {
      let word = unsafe Path(argument: words[index])
      if word == "--help" || word == "-h" {
        action = .help
      } else if word == "--version" {
        action = .version
      } else if word == "--check" {
        if action == .run { action = .check }
      } else if word == "--board" {
        index &+= 1
        guard index < count else { throw .missingFile }
        path = unsafe Path(argument: words[index])
      } else if word.begins(with: "--board=") {
        path = word.dropping(8)
      } else {
        throw .unknown(index)
      }
      index &+= 1
    }
    guard path.count > 0 else { throw .missingFile }
    guard !path.isCut else { throw .longName }
  }
}

extension ShortText {
  /// An argument of the command line; the list of C's ends with a null pointer, which counts as empty here.
  init(argument: UnsafePointer<CChar>?) {
    if let argument = unsafe argument {
      unsafe self.init(cString: argument)
    } else {
      self.init()
    }
  }

  fileprivate func begins(with words: StaticString) -> Bool {
    guard count >= words.utf8CodeUnitCount else { return false }
    return words.withUTF8Buffer { buffer in
      for index in 0..<buffer.count where unsafe buffer[index] != self[index] { return false }
      return true
    }
  }

  fileprivate func dropping(_ first: Int) -> ShortText {
    var rest = ShortText()
    for index in first..<max(first, count) { rest.append(byte: self[index]) }
    // What was cut before is still not whole.
    if isCut { while !rest.isCut { rest.append(byte: 0x20) } }
    return rest
  }
}
