internal import CSupport
public import FixedPoint
public import Text

/// The line on which a sensor signals that a sample is ready: an input whose rising edges end a wait.
///
/// It is requested from the kernel (GPIO interface version 2, Linux 5.10) rather than through libgpiod, so that a wait
/// takes one system call: edge events are read 32 at a time.
public struct DataReadyLine: ~Copyable {
  /// What ended a wait.
  public enum Ending: Equatable, Sendable {
    /// A rising edge: a sample is ready.
    case edge
    /// The deadline passed.
    case time
    /// A signal (``StopSignals``, ``ServiceSignals``).
    case signal
    /// A client of a stream that this process serves.
    case stream
    /// The line cannot be waited for.
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

  /// Waits until `deadline` for an edge since the last wait.
  public mutating func wait(until deadline: Instant) -> Ending {
    switch unsafe Int(truncatingIfNeeded: csupport_ready_wait(&handle, deadline.microseconds)) {
    case 0: .time
    case CSUPPORT_WOKEN_BY_SIGNAL: .signal
    case CSUPPORT_WOKEN_BY_DATA: .edge
    case CSUPPORT_WOKEN_BY_STREAM: .stream
    default: .fault
    }
  }

  /// Records that time has passed without waiting for edges: if there were any, the next wait ends at once.
  public mutating func doze() { unsafe csupport_ready_doze(&handle) }

  /// Discards all past edges. Call it before reading a sample that was not waited for.
  public mutating func discard() { unsafe csupport_ready_discard(&handle) }
}
