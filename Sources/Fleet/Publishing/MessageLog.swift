internal import FixedPoint
internal import Text

/// What a log says of messages to the device: what was not read or not subscribed to, at most every 10 minutes.
struct MessageLog {
  private var dropped: UInt64 = 0
  private var isRefused = false
  private var reported: Instant?

  /// So many messages were too long, or came too fast to be kept.
  mutating func note(dropped count: UInt32) { dropped &+= widened(count) }

  /// The broker has refused a subscription.
  mutating func noteRefusedSubscription() { isRefused = true }

  /// When ``line(at:)`` has something to say; nil for never.
  var due: Instant? { dropped > 0 || isRefused ? reported.map { $0 + ConnectionLog.repetition } : nil }

  /// What has not been reported yet; nil for nothing, or too soon after the last time.
  mutating func line(at now: Instant) -> ConnectionLog.Line? {
    guard dropped > 0 || isRefused else { return nil }
    if let reported, now < reported + ConnectionLog.repetition { return nil }
    reported = now
    defer { (dropped, isRefused) = (0, false) }
    if isRefused {
      return "the broker refuses to let this client subscribe: commands, and restarts of Home Assistant, are not seen"
    }
    return "\(dropped) messages to this device not read: too long, or too fast"
  }
}
