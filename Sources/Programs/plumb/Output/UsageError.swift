package import ArgumentParser
import BoardFile
import Glibc
import PlumbViews

/// The message for a wrong command line: the words of ArgumentParser, with what was probably meant.
package enum UsageError {
  /// What is wrong with the name of the command in `arguments`, if anything: ArgumentParser only finds it unexpected.
  package static func unknownCommand(_ arguments: [String], of commands: [String]) -> String? {
    let isHelp = arguments.first == "help"
    guard let word = isHelp ? arguments.dropFirst().first : arguments.first, !word.hasPrefix("-"), word != "help",
      !commands.contains(word)
    else { return nil }
    let question = Misspelling.question(about: word, in: commands + (isHelp ? [] : ["help"] + options))
    let list = question.isEmpty ? "\nCommands: " + commands.joined(separator: ", ") : ""
    return
      "Error: There is no command '\(printable(word))'.\(question)\(list)\n  See 'plumb --help' for more information."
  }

  /// What every command has.
  private static let options = ["--help", "--version"]

  /// ArgumentParser's message with what it leaves out: of a list the value, or of all options the one that was probably
  /// meant, and what kind of number is wanted. A negative number, which ArgumentParser takes for an option and not for the
  /// value of the one before it in `arguments`, is such a value. Any other message stays as it is.
  package static func completed(_ message: String, of arguments: [String]) -> String {
    let first = String(message.prefix { $0 != "\n" })
    let rest = message.dropFirst(first.count)
    let quoted = words(in: first)
    guard let value = quoted.first else { return message }
    if first.hasPrefix("Error: Unknown option '") {
      // Of its own options ArgumentParser does not think, and what it finds may be far off.
      return "Error: Unknown option '\(value)'." + Misspelling.question(about: value, in: quoted.dropFirst() + options)
        + rest
    }
    if first.hasPrefix("Error: Missing value for '"), let name = value.split(separator: " ").first,
      let place = arguments.firstIndex(of: String(name)),
      let word = arguments.dropFirst(place + 1).first, word.dropFirst().first?.isNumber == true
    {
      return completed("Error: The value '\(printable(word))' is invalid for '\(value)'", of: arguments) + rest
    }
    guard first.hasPrefix("Error: The value '") else { return message }
    if let list = first.firstRange(of: "Please provide one of ") {
      return first + Misspelling.question(about: value, in: words(in: String(first[list.upperBound...]))) + rest
    }
    if first.hasSuffix(" <seconds>'") { return first + ": it takes a number of seconds, such as 60 or 2.5." + rest }
    if first.hasSuffix(" <n>'") { return first + ": it takes a whole number, 0 or more." + rest }
    return message
  }

  /// The words in single quotation marks in `text`.
  private static func words(in text: String) -> [String] {
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
  }

  /// Ends the program because of what `words` say of the options of `command`.
  package static func end(_ words: String, in command: any ParsableCommand.Type) -> Never {
    let name = command.configuration.commandName ?? ""
    exit(
      "Error: \(words)\nUsage: \(command.usageString())\n  See 'plumb \(name) --help' for more information.")
  }

  /// Ends the program with `message` and the code of wrong usage.
  package static func exit(_ message: String) -> Never {
    writeToStandardError(fitForTerminal(message + "\n"))
    Glibc.exit(EX_USAGE)
  }
}

/// Finds the word that was probably meant by a misspelt one, by the same measure as in board files.
package enum Misspelling {
  /// The word of `words` that is nearest to `word`: of longer ones at most two letters off, of short ones one; or the
  /// only one that begins with it. Nil where none is near, and where it is one of them.
  package static func nearest(to word: String, in words: [String]) -> String? {
    guard !words.contains(word), let typed = text(word) else { return nil }
    let limit = word.utf8.count > 3 ? 2 : 1
    var (best, found) = (limit + 1, String?.none)
    for candidate in words {
      guard let wanted = text(candidate) else { continue }
      let distance = typed.distance(to: wanted)
      if distance < best { (best, found) = (distance, candidate) }
    }
    if let found { return found }
    let longer = words.filter { word.utf8.count > 1 && $0.lowercased().hasPrefix(word.lowercased()) }
    return longer.count == 1 ? longer[0] : nil
  }

  /// A question to add to a message; empty where nothing is near.
  package static func question(about word: String, in words: [String]) -> String {
    nearest(to: word, in: words).map { " Did you mean '\($0)'?" } ?? ""
  }

  /// The error of a command line that `what` says, with the word that was meant or all that there are.
  package static func error(_ what: String, _ word: String, _ words: [String]) -> ValidationError {
    let question = question(about: word, in: words)
    return ValidationError(
      what + (question.isEmpty ? "; choose from \(words.joined(separator: ", "))." : "." + question))
  }

  private static func text(_ word: String) -> ShortText<24>? {
    guard !word.isEmpty, word.utf8.count < 24 else { return nil }
    var text = ShortText<24>()
    for byte in word.utf8 { text.append(byte: byte) }
    return text
  }
}
