import FixedPoint
import Glibc
import LinuxHAL
import Monitor
import Synchronization

/// Whoever looks over the network, and standard output. The loop has the main thread for itself, and waits for nobody.
struct ServeAudience: BoardAudience {
  private let mailbox: ServeMailbox
  private let thread: ServeThread
  /// Nil where standard output only gets words for people.
  private var reporter: Reporter?

  init(_ mailbox: ServeMailbox, _ thread: ServeThread, _ reporter: Reporter?) {
    (self.mailbox, self.thread, self.reporter) = (mailbox, thread, reporter)
  }

  var isGone: Bool { reporter?.output.isClosed ?? false }

  mutating func take(
    _ report: Monitor.Report, _ monitor: borrowing Monitor, transactions: UInt64, at now: Instant
  ) throws(Failure) {
    mailbox.put(report, monitor, transactions: transactions, at: now)
    try reporter?.show(report, of: monitor)
  }

  func wantsRest() -> Bool { false }
  func tell(_ words: String) {}
  func dismiss() { thread.end() }

  mutating func conclude(_ summary: Summary) throws(Failure) {
    var output = reporter?.output ?? Output(isLive: true)
    try output.line(summary.line(reporter == nil ? .text : .json), always: true)
    try output.flush()
  }
}

/// The thread that serves, until it is told to end.
final class ServeThread: Sendable {
  private let server: Mutex<ServeServer?>
  private let isOver = Atomic(false)
  private let thread = Mutex<pthread_t?>(nil)

  private init(_ server: consuming sending ServeServer) { self.server = Mutex(server) }

  static func begin(_ server: consuming sending ServeServer) throws(Failure) -> ServeThread {
    let serving = ServeThread(server)
    var thread = pthread_t()
    // The thread keeps what it serves alive until it ends.
    let code = unsafe pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer = unsafe pointer else { return nil }
        unsafe Unmanaged<ServeThread>.fromOpaque(pointer).takeRetainedValue().serve()
        return nil
      }, Unmanaged.passRetained(serving).toOpaque())
    guard code == 0 else { throw Failure(.internal, "no thread can be made that serves: \(systemText(code))") }
    serving.thread.withLock { $0 = thread }
    return serving
  }

  /// Ends serving, within a frame's time.
  func end() {
    isOver.store(true, ordering: .releasing)
    if let thread = thread.withLock({ $0 }) { pthread_join(thread, nil) }
  }

  private func serve() {
    server.withLock { server in server?.run { isOver.load(ordering: .acquiring) } }
  }
}
