internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import Text

/// The line on which the sensor tells that it has a sample; closed where the board has none.
struct ReadyLine: ~Copyable {
  /// What ended a wait.
  enum Ending {
    /// A rising edge: there is a sample.
    case edge
    /// Time.
    case time
    /// A request (`csupport_daemon_requests`).
    case request
    /// The line cannot be waited for.
    case fault
  }

  private var handle = csupport_ready(line: -1, epoll: -1, unread: 0, is_stale: false)

  /// Whether there is a line.
  var isOpen: Bool { handle.line >= 0 }

  /// Requests the data-ready line of `board`, if it has one.
  init(of board: BoardDescription) throws(Trouble) {
    guard let offset = board.sensor.dataReady else { return }
    let code = unsafe board.dataReadyChip.withCString { label in
      unsafe ShortText<8>("plumb").withCString { name in unsafe csupport_ready_open(&handle, label, offset, name) }
    }
    guard code == 0 else { throw Trouble(dataReady: offset, of: board, code: 0 &- code) }
  }

  deinit {
    var handle = handle
    unsafe csupport_ready_close(&handle)
  }

  /// Waits for an edge since the last wait, for `patience` at most.
  mutating func wait(for patience: Microseconds) -> Ending {
    let result = unsafe csupport_ready_wait(&handle, patience.count)
    if result >= 0 { return result == 0 ? .time : .edge }
    return csupport_meaning(0 &- result) == CSUPPORT_INTERRUPTED ? .request : .fault
  }

  /// Says that time has passed in which nobody waited for edges.
  mutating func doze() { unsafe csupport_ready_doze(&handle) }

  /// Forgets all edges that have come: for who is about to read the sample without having waited for it.
  mutating func discard() { if isOpen { unsafe csupport_ready_discard(&handle) } }
}

extension Trouble {
  /// Why the data-ready line `offset` could not be had, and what cures it; `code` is the errno.
  fileprivate init(dataReady offset: UInt32, of board: BoardDescription, code: Int32) {
    let chip = board.dataReadyChip
    var text = Message("the data-ready line, ")
    text.append(decimal: Int32(truncatingIfNeeded: offset))
    text.append(" of the GPIO chip ")
    text.append(chip)
    switch csupport_meaning(code) {
    case CSUPPORT_NO_ACKNOWLEDGE, CSUPPORT_UNAVAILABLE, CSUPPORT_NOT_PERMITTED:
      var lines = board.lines
      lines.chip = chip
      self.init(lines, code: code)
      return
    case CSUPPORT_BUSY: text.append(", is held by another program or a driver: stop it, or use another line")
    case CSUPPORT_UNSUPPORTED: text.append(", cannot tell edges: use another line, or leave data-ready out")
    case CSUPPORT_NOT_SUCH:
      text.append(", is not there, or the kernel is older than 5.10: use another line, or leave data-ready out")
    default:
      text.append(", cannot be used: ")
      text.append(system: code)
    }
    self.init(.unavailable, text)
  }
}
