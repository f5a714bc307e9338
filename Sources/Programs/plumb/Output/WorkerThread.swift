import Glibc
import LinuxHAL
import Synchronization

/// A thread besides the main one, which has the loop to itself.
package final class WorkerThread: Sendable {
  /// What the thread does until `isOver`.
  package typealias Body = @Sendable (_ isOver: () -> Bool) -> Void

  private let body: Body
  private let thread = Mutex<pthread_t?>(nil)
  private let isOver = Atomic(false)

  private init(_ body: @escaping Body) { self.body = body }

  /// Starts `body`, and keeps what it holds alive until it ends. `name` is for the error if that fails.
  package static func begin(_ name: String, _ body: @escaping Body) throws(ToolError) -> WorkerThread {
    let worker = WorkerThread(body)
    let retained = unsafe Unmanaged.passRetained(worker)
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer = unsafe pointer else { return nil }
        let worker = unsafe Unmanaged<WorkerThread>.fromOpaque(pointer).takeRetainedValue()
        worker.body { worker.isOver.load(ordering: .acquiring) }
        return nil
      }, retained.toOpaque())
    guard code == 0 else {
      unsafe retained.release()
      throw ToolError(.internal, "\(name) cannot be started: \(systemText(code))")
    }
    worker.thread.withLock { $0 = thread }
    return worker
  }

  /// Asks the thread to end, and waits until it has; a second call does nothing.
  package func end() {
    isOver.store(true, ordering: .releasing)
    join()
  }

  /// Waits until the thread ends; a second call does nothing.
  package func join() {
    if let thread = thread.withLock({ $0.take() }) { pthread_join(thread, nil) }
  }
}
