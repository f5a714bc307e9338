package import ArgumentParser
import BoardFile
import Glibc
import PlumbViews

/// The message for a wrong command line: ArgumentParser's words, with what was probably meant.
package enum UsageError {
  /// What is wrong with the name of the command in `arguments`, if anything: ArgumentParser only calls it unexpected.
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

  /// The options of every command.
  private static let options = ["--help", "--version"]

  /// What other servers call an option of `plumb serve`.
  private static let serving = [
    "--port": "--listen", "--host": "--listen", "--address": "--listen", "--bind": "--listen",
  ]

  /// ArgumentParser's message, completed: with the value of a list or the option that was probably meant, and with the
  /// kind of number that is expected. A negative number, which ArgumentParser takes for an option and not for the value
  /// of the option before it in `arguments`, counts as such a value. Any other message is unchanged.
  package static func completed(_ message: String, of arguments: [String]) -> String {
    let first = String(message.prefix { $0 != "\n" })
    let rest = message.dropFirst(first.count)
    let quoted = words(in: first)
    guard let value = quoted.first else { return message }
    if first.hasPrefix("Error: Unknown option '") {
      // ArgumentParser ignores its own options, and its suggestion may be far off.
      let other = arguments.first == "serve" ? serving[value].map { " Did you mean '\($0)'?" } : nil
      return "Error: Unknown option '\(value)'."
        + (other ?? Misspelling.question(about: value, in: quoted.dropFirst() + options)) + rest
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

  /// Ends the program because of what `words` say about the options of `command`.
  package static func end(_ words: String, in command: any ParsableCommand.Type) -> Never {
    let name = command.configuration.commandName ?? ""
    exit(
      "Error: \(words)\nUsage: \(command.usageString())\n  See 'plumb \(name) --help' for more information.")
  }

  /// Ends the program with `message` and the exit code for wrong usage.
  package static func exit(_ message: String) -> Never {
    writeToStandardError(fitForTerminal(message + "\n"))
    Glibc.exit(EX_USAGE)
  }
}

/// Finds the word that was probably meant by a misspelt one, by the same measure as in board files.
package enum Misspelling {
  /// The word in `words` closest to `word`: at most two letters off, or one for short words; or the only one that
  /// begins with it. Nil if none is close, or if `word` is one of them.
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

  /// A question to append to a message; empty if nothing is close.
  package static func question(about word: String, in words: [String]) -> String {
    nearest(to: word, in: words).map { " Did you mean '\($0)'?" } ?? ""
  }

  /// The one of `values` that is called `word`, a `what` on the command line.
  package static func value<Value>(
    _ word: String, _ what: String, of values: [Value], by name: (Value) -> String
  ) throws -> Value {
    guard let found = values.first(where: { name($0) == word }) else {
      throw error("There is no \(what) '\(word)'", word, values.map(name))
    }
    return found
  }

  /// The command line error `what`, with the word that was probably meant, or all possible ones.
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
