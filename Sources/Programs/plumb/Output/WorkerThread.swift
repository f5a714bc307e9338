import Glibc
import LinuxHAL
import Synchronization

/// A thread besides the main one, which has the loop to itself.
package final class WorkerThread: Sendable {
  private let body: @Sendable () -> Void
  private let thread = Mutex<pthread_t?>(nil)

  private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  /// Starts `body`, and keeps what it holds alive until it ends. `name` is for the error if that fails.
  package static func begin(_ name: String, _ body: @escaping @Sendable () -> Void) throws(ToolError) -> WorkerThread {
    let worker = WorkerThread(body)
    let retained = unsafe Unmanaged.passRetained(worker)
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer = unsafe pointer else { return nil }
        unsafe Unmanaged<WorkerThread>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      }, retained.toOpaque())
    guard code == 0 else {
      unsafe retained.release()
      throw ToolError(.internal, "\(name) cannot be started: \(systemText(code))")
    }
    worker.thread.withLock { $0 = thread }
    return worker
  }

  /// Waits until the thread ends; a second call does nothing.
  package func join() {
    if let thread = thread.withLock({ $0.take() }) { pthread_join(thread, nil) }
  }
}
