package import CBridge
internal import Emulation
package import FixedPoint
internal import Glibc
package import HAL

/// The emulated bus of this process, or of all processes with the same journal.
///
/// An emulated sensor is a function of its transactions and their times. So a process that joins others replays the
/// journal, each transaction at its own time, and has the sensors as the others left them; before each of its own
/// transactions it replays those added since. The journal is a ``BusTrace``, so it also shows what a program does on
/// the bus.
package struct SharedBus: I2CBus, ~Copyable {
  private var bus: EmulatedBus
  private let clock: BusClock
  private let journal: BusJournal?
  private let present: () -> Instant

  /// The bus described by `text`, shared through the file at `path` if there is one.
  ///
  /// `present` returns the time; with a journal, it must be one that all processes share.
  package init(_ text: String, journal path: String? = nil, present: @escaping () -> Instant) throws(BridgeError) {
    let description = try BusDescription(text)
    var start = present()
    if let path {
      let shared = try BusJournal(path: path)
      start = try Self.start(shared, "plumb bridge: \(text)", at: start)
      journal = shared
    } else {
      journal = nil
    }
    let clock = BusClock(start)
    bus = EmulatedBus(log: BusLog(capacity: 0)) { clock.now }
    for sensor in description.sensors { bus.attach(sensor.emulated(clock), at: sensor.address) }
    self.clock = clock
    self.present = present
  }

  /// The time at which the bus of `journal` was switched on; now, if it has not been yet.
  ///
  /// The journal's first line is a comment: that time in microseconds, and the sensors.
  private static func start(_ journal: BusJournal, _ title: String, at now: Instant) throws(BridgeError) -> Instant {
    try journal.lock()
    defer { journal.unlock() }
    let first = try journal.begin("# \(now.microseconds) \(title)")
    let parts = first.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let start = Int64(parts[1]), parts[2] == title else {
      throw BridgeError("the journal begins with \"\(first)\": that is not this bus")
    }
    guard start <= now.microseconds else { throw BridgeError("the journal is from before this machine was started") }
    return Instant(microseconds: start)
  }

  /// Writes `bytes` in one transaction.
  ///
  ///     S | addr+W | b0 … bn | P
  package mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    try enter()
    defer { journal?.unlock() }
    var fault: I2CFault?
    do throws(I2CFault) { try bus.write(bytes, to: address) } catch { fault = error }
    try record(.write(bytes.indices.map { bytes[$0] }, to: address), fault)
  }

  /// Writes `bytes`, then fills `buffer`, in one transaction.
  ///
  ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | P
  package mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)
  {
    try enter()
    defer { journal?.unlock() }
    var fault: I2CFault?
    do throws(I2CFault) { try bus.writeRead(bytes, into: &buffer, at: address) } catch { fault = error }
    let reply = buffer.indices.map { fault == nil ? buffer[$0] : nil }
    try record(.writeRead(bytes.indices.map { bytes[$0] }, reply: reply, at: address), fault)
  }

  /// Locks or unlocks bytes of the bus for this process, or asks who has locked them: `fcntl`'s `F_SETLK` and
  /// `F_GETLK`.
  package func control(_ lock: inout flock, asks: Bool) throws(KernelError) {
    if let journal { return try journal.control(&lock, asks: asks) }
    if asks { lock.l_type = Int16(F_UNLCK) }
  }

  /// Locks the journal, replays the transactions of others, and advances the time to the present.
  private mutating func enter() throws(I2CFault) {
    if let journal {
      do throws(BridgeError) {
        try journal.lock()
        try replay(journal.newLines())
      } catch {
        journal.unlock()
        throw complaint(error)
      }
    }
    clock.now = max(clock.now, present())
  }

  /// Records the transaction, and throws the fault that ended it, if any.
  private func record(_ operation: BusTrace.Operation, _ fault: I2CFault?) throws(I2CFault) {
    if let journal {
      let entry = BusTrace.Entry(operation, at: clock.now, fault: fault)
      do throws(BridgeError) { try journal.append(entry.description) } catch { throw complaint(error) }
    }
    if let fault { throw fault }
  }

  /// Replays the transactions of other processes, each at its own time; each must end as it did there.
  private mutating func replay(_ lines: String) throws(BridgeError) {
    let trace: BusTrace
    do throws(BusTrace.ParsingError) { trace = try BusTrace(parsing: lines) } catch {
      throw BridgeError("this is not a journal: \(error)")
    }
    for entry in trace.entries {
      clock.now = max(clock.now, entry.instant)
      var repeated = BusTrace.Entry(entry.operation, at: entry.instant)
      do throws(I2CFault) { repeated.operation = try perform(entry.operation) } catch { repeated.fault = error }
      guard repeated == entry else {
        throw BridgeError("the journal says \"\(entry)\", but repeating it gives \"\(repeated)\"")
      }
    }
  }

  private mutating func perform(_ operation: BusTrace.Operation) throws(I2CFault) -> BusTrace.Operation {
    switch operation {
    case .write(let bytes, let address): try bus.write(bytes.span, to: address)
    case .writeRead(let bytes, let reply, let address):
      var buffer = [UInt8](repeating: 0, count: reply.count)
      var span = buffer.mutableSpan
      try bus.writeRead(bytes.span, into: &span, at: address)
      return .writeRead(bytes, reply: buffer, at: address)
    case .reopen: try bus.reopen()
    }
    return operation
  }

  /// Reports a problem with the journal that a fault cannot express.
  private func complaint(_ error: BridgeError) -> I2CFault {
    complain(error)
    return .other(code: EIO)
  }
}

/// Reports on standard error what the program cannot see.
func complain(_ error: BridgeError) {
  let bytes = Array("plumb bridge: \(error)\n".utf8)
  // If standard error is closed, there is no reader.
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}

/// A file to which several processes append lines, one at a time.
///
/// A process that locks it reads what the others have appended since, and may then append a line of its own.
final class BusJournal {
  private let descriptor: Int32
  /// The position up to which this process has read or written.
  private var position: off_t = 0

  /// Opens the file at `path`, creating it if necessary.
  init(path: String) throws(BridgeError) {
    descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw BridgeError("cannot be opened", errno) }
  }

  deinit { close(descriptor) }

  /// Waits until no other process has locked it, then locks it until ``unlock()``.
  ///
  /// The lock is the process's, not the open file's: a forked child shares the latter with its parent.
  func lock() throws(BridgeError) {
    // From the file's own position, which is always 0, to beyond its end.
    while lockf(descriptor, F_LOCK, Self.most) != 0 {
      guard errno == EINTR else { throw BridgeError("cannot be locked", errno) }
    }
  }

  /// Releases the lock.
  func unlock() {
    // Releasing a lock that we hold does not fail.
    _ = lockf(descriptor, F_ULOCK, Self.most)
  }

  /// No journal grows to this size: beyond it are the bytes that represent those of the bus, some of which processes
  /// lock.
  private static var most: off_t { 1 << 40 }

  /// Locks or unlocks bytes of the bus, or asks who has locked them.
  func control(_ lock: inout flock, asks: Bool) throws(KernelError) {
    var moved = lock
    moved.l_start += Self.most
    guard unsafe fcntl(descriptor, asks ? F_GETLK : F_SETLK, &moved) == 0 else { throw KernelError(errno) }
    guard asks else { return }
    moved.l_start = lock.l_start
    lock = moved
  }

  /// Starts the journal with the line `first` if it is empty, and returns its first line; call only while locked.
  ///
  /// The lines after it are left for ``newLines()``.
  func begin(_ first: String) throws(BridgeError) -> String {
    if let found = try newLines().split(separator: "\n").first {
      position = off_t(found.utf8.count + 1)
      return String(found)
    }
    try append(first)
    return first
  }

  /// The complete lines that others have appended since the last call; call only while locked.
  func newLines() throws(BridgeError) -> String {
    let chunk = 65_536
    var bytes: [UInt8] = []
    var count = chunk
    while count == chunk {
      let start = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: chunk))
      count = unsafe bytes.withUnsafeMutableBytes { buffer in
        guard let base = buffer.baseAddress else { return 0 }
        return unsafe pread(descriptor, base + start, chunk, position + off_t(start))
      }
      guard count >= 0 else { throw BridgeError("cannot be read", errno) }
      bytes.removeLast(chunk - count)
    }
    // A line without an end was left by a process that was killed while writing it.
    let whole = bytes[..<((bytes.lastIndex(of: 0x0A) ?? -1) + 1)]
    position += off_t(whole.count)
    return String(decoding: whole, as: UTF8.self)
  }

  /// Appends `line`; call only while locked and after ``newLines()``.
  func append(_ line: String) throws(BridgeError) {
    let bytes = Array((line + "\n").utf8)
    // Removes the line that another process did not finish.
    guard ftruncate(descriptor, position) == 0 else { throw BridgeError("cannot be shortened", errno) }
    let count = unsafe pwrite(descriptor, bytes, bytes.count, position)
    guard count == bytes.count else { throw BridgeError("cannot be written", count < 0 ? errno : ENOSPC) }
    position += off_t(count)
  }
}

/// Why the bridge cannot work.
package struct BridgeError: Error, Equatable, CustomStringConvertible {
  /// The sentence, without its subject if the caller adds that in front.
  package let description: String

  /// An error of the file or of the whole text.
  init(_ complaint: String) { description = complaint }

  /// An error in a part of the text.
  init(_ text: Substring, _ complaint: String) { description = "\"\(text)\" \(complaint)" }

  /// A system error.
  init(_ complaint: String, _ code: Int32) {
    description = "\(complaint): \(unsafe String(cString: strerror(code)))"
  }
}
