internal import FixedPoint
internal import JSON
internal import StreamCodec
internal import Text

/// A message on the command topic.
enum CommandMessage {
  /// Empty, which removes a retained message.
  case empty
  /// A command.
  case command(DeviceCommand)
  /// Anything else, cut.
  case unknown(ShortText<48>)

  /// The message in `payload`: plain text, or an object with the field `command`.
  init(_ payload: Span<UInt8>) {
    var (start, end) = (0, payload.count)
    while start < end && payload[start] <= 0x20 { start &+= 1 }
    while end > start && payload[end &- 1] <= 0x20 { end &-= 1 }
    guard start < end else {
      self = .empty
      return
    }
    let text = payload.extracting(start..<end)
    var name = ShortText<48>()
    var filter = TextFilter()
    for index in 0..<text.count { filter.take(text[index]) { name.append(byte: $0) } }
    if text[0] == UInt8(ascii: "{") {
      do throws(JSONError) {
        if let value = try JSONObject(text)["command"], value.isString { name = ShortText(value) }
      } catch {
        // Use the text as it is.
      }
    }
    if name == DeviceCommand.tare.name {
      self = .command(.tare)
    } else if name == DeviceCommand.query.name {
      self = .command(.query)
    } else {
      self = .unknown(name)
    }
  }
}

/// Commands that the owner has not answered yet: at most 4, in order.
struct PendingCommands {
  private static var most: Int { 4 }

  private struct Pending {
    var command: DeviceCommand
    var deadline: Instant
    var isSent = false
  }

  private var pending: [Pending] = []

  /// Appends `command`; returns false if there is no room.
  mutating func append(_ command: DeviceCommand, until deadline: Instant) -> Bool {
    guard pending.count < Self.most else { return false }
    pending.append(Pending(command: command, deadline: deadline))
    return true
  }

  /// The next command to send to the owner; nil for none.
  mutating func send() -> DeviceCommand? {
    guard let index = pending.firstIndex(where: { !$0.isSent }) else { return nil }
    pending[index].isSent = true
    return pending[index].command
  }

  /// Removes and returns the oldest sent `command`, or any sent one if nil; nil if there is none.
  mutating func takeOut(_ command: DeviceCommand?) -> DeviceCommand? {
    guard let index = pending.firstIndex(where: { $0.isSent && (command == nil || $0.command == command) }) else {
      return nil
    }
    return pending.remove(at: index).command
  }

  /// Removes and returns the oldest, sent or not, if its deadline has passed at `now`, or if `now` is nil.
  mutating func expire(at now: Instant?) -> DeviceCommand? {
    guard let first = pending.first else { return nil }
    if let now, now < first.deadline { return nil }
    return pending.removeFirst().command
  }

  /// When the oldest has waited too long.
  var deadline: Instant? { pending.first?.deadline }
}
