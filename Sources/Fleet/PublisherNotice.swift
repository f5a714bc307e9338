package import Text

/// Something that a publisher's log should tell.
package enum PublisherNotice: Equatable, Sendable {
  /// So many events were dropped, because the broker took none for too long.
  case dropped(UInt64)
  /// The owner reported so many lines, or the connection to it lost so many events, that were missed.
  case missed(UInt64)
  /// A command was refused. `command` is what came, cut.
  case refused(command: ShortText<48>, why: ShortText<128>)
  /// So many answers were left out, because more commands came than are answered.
  case unanswered(UInt64)

  /// In words.
  package var message: ShortText<256> {
    switch self {
    case .dropped(let count): "\(count) events dropped while the broker took none; the newest 64 are kept"
    case .missed(let count): "\(count) events or samples of the owner missed"
    case .refused(let command, let why): "command \(quoted: command) refused: \(why)"
    case .unanswered(let count): "\(count) answers left out: too many commands"
    }
  }
}
