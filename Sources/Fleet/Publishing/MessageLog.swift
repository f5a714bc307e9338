internal import FixedPoint
internal import StreamService
internal import Text

/// Logs messages to the device that were not read, and refused subscriptions, at most every 10 minutes.
struct MessageLog {
  private var dropped: UInt64 = 0
  private var isRefused = false
  private var reported: Instant?

  /// Notes that `count` messages were too long, or arrived too fast to be kept.
  mutating func note(dropped count: UInt32) { dropped &+= widened(count) }

  /// Notes that the broker refused a subscription.
  mutating func noteRefusedSubscription() { isRefused = true }

  /// When ``line(at:)`` will have a line; nil for never.
  var due: Instant? { dropped > 0 || isRefused ? reported.map { $0 + ConnectionLog.repetition } : nil }

  /// A line about what was not reported yet; nil for nothing, or too soon after the last one.
  mutating func line(at now: Instant) -> ConnectionLog.Line? {
    guard dropped > 0 || isRefused else { return nil }
    if let reported, now < reported + ConnectionLog.repetition { return nil }
    reported = now
    defer { (dropped, isRefused) = (0, false) }
    if isRefused {
      return "the broker refuses to let this client subscribe: commands and restarts of Home Assistant are not noticed"
    }
    return "\(dropped, "message", "messages") to this device not read: too long, or too fast"
  }
}
