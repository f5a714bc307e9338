internal import FixedPoint
package import Text

/// Something that a publisher should log.
package enum PublisherNotice: Equatable, Sendable {
  /// This many events were dropped, because the broker took none for too long.
  case dropped(UInt64)
  /// This many lines or events were missed, according to the owner or because its connection was lost.
  case missed(UInt64)
  /// A command was refused. `command` is its text, cut.
  case refused(command: ShortText<48>, why: ShortText<128>)
  /// This many answers were left out, because there were more commands than are answered.
  case unanswered(UInt64)

  /// The message.
  package var message: ShortText<256> {
    switch self {
    case .dropped(let count):
      "\(count, "event", "events") dropped while the broker accepted none; the newest 64 are kept"
    case .missed(let count): "\(count, "event or sample", "events or samples") of the owner missed"
    case .refused(let command, let why): "command \(quoted: command) refused: \(why)"
    case .unanswered(let count): "\(count, "answer", "answers") left out: too many commands"
    }
  }
}

/// Selects what to log: counts when they first grow, then at most every ten minutes or on a new connection; refusals at
/// most every ten seconds.
struct NoticeBook {
  /// Whether counts are due now.
  var isDue = false
  /// How many of each were reported: dropped, missed, unanswered.
  private var reported: [UInt64] = [0, 0, 0]
  private var lastCount: Instant?
  private var lastRefusal: Instant?
  private var refusal: PublisherNotice?

  init() {}

  /// Notes that a command was refused at `now`.
  mutating func refused(_ command: ShortText<48>, _ why: ShortText<128>, at now: Instant) {
    if let lastRefusal, now - lastRefusal < .seconds(10) { return }
    lastRefusal = now
    refusal = .refused(command: command, why: why)
  }

  /// The next notice, from counts since the program began.
  mutating func next(dropped: UInt64, missed: UInt64, unanswered: UInt64, at now: Instant) -> PublisherNotice? {
    if let refusal {
      self.refusal = nil
      return refusal
    }
    isDue = isDue || lastCount.map { now - $0 >= .seconds(600) } ?? true
    guard isDue else { return nil }
    for (index, count) in [dropped, missed, unanswered].enumerated() where count != reported[index] {
      let growth = count &- reported[index]
      (reported[index], lastCount) = (count, now)
      return index == 0 ? .dropped(growth) : index == 1 ? .missed(growth) : .unanswered(growth)
    }
    isDue = false
    return nil
  }
}
