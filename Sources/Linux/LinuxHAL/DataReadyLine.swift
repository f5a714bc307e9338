internal import CSupport
public import FixedPoint
public import Text

/// The line on which a sensor signals that it has a sample: an input whose rising edges end a wait.
///
/// It is requested from the kernel (GPIO interface version 2, Linux 5.10) rather than through libgpiod, so that a wait
/// is one system call: events of edges are read 32 at a time.
public struct DataReadyLine: ~Copyable {
  /// What ended a wait.
  public enum Ending: Equatable, Sendable {
    /// A rising edge: a sample is ready.
    case edge
    /// Time.
    case time
    /// A signal (``StopSignals``, ``ServiceSignals``).
    case signal
    /// A client of a stream that this process offers.
    case stream
    /// It is not possible to wait for the line.
    case fault
  }

  private var handle = csupport_ready(line: -1, set: -1, unread: 0, is_stale: false)

  /// Requests the line at `offset` of the chip labelled `chipLabel`, pulled down, with `consumer` as its name.
  public init(
    chipLabel: ShortText<32>, offset: UInt32, consumer: ShortText<32> = ShortText("plumb")
  ) throws(GPIOError) {
    let code = unsafe chipLabel.withCString { label in
      unsafe consumer.withCString { unsafe csupport_ready_open(&handle, label, offset, $0) }
    }
    guard code == 0 else { throw GPIOError(code: 0 &- code, chipLabel: chipLabel, dataReady: offset) }
  }

  deinit {
    var handle = handle
    unsafe csupport_ready_close(&handle)
  }

  /// Waits for an edge since the last wait, but not longer than until `deadline`.
  public mutating func wait(until deadline: Instant) -> Ending {
    switch unsafe Int(truncatingIfNeeded: csupport_ready_wait(&handle, deadline.microseconds)) {
    case 0: .time
    case CSUPPORT_WOKEN_BY_SIGNAL: .signal
    case CSUPPORT_WOKEN_BY_DATA: .edge
    case CSUPPORT_WOKEN_BY_STREAM: .stream
    default: .fault
    }
  }

  /// Records that time has passed without a wait for edges: the next wait ends at once if there were any.
  public mutating func doze() { unsafe csupport_ready_doze(&handle) }

  /// Discards all past edges. Call it before reading a sample without a wait.
  public mutating func discard() { unsafe csupport_ready_discard(&handle) }
}
