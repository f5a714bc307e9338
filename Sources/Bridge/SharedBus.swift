internal import Emulation
package import FixedPoint
internal import Glibc
package import HAL

/// The emulated bus of this process, or of all the processes that name the same journal.
///
/// An emulated sensor is a function of its transactions and their times. So a process that joins others replays the
/// journal, each transaction at its own time, and has the sensors as the others left them; before each transaction of
/// its own it replays what has come since. The journal is a ``BusTrace``: it is also what to
/// read when a program does something odd.
package struct SharedBus: I2CBus, ~Copyable {
  private var bus: EmulatedBus
  private let clock: BusClock
  private let journal: Journal?
  private let present: () -> Instant

  /// The bus that `text` describes, shared through the file at `path` if there is one.
  ///
  /// `present` is the time; with a journal, one that all processes share.
  package init(_ text: String, journal path: String? = nil, present: @escaping () -> Instant) throws(BridgeError) {
    let description = try BusDescription(text)
    var start = present()
    if let path {
      let shared = try Journal(path: path)
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

  /// When the bus of `journal` was switched on: now, if it has not been yet.
  ///
  /// Its first line is a comment: that time in microseconds, and the sensors.
  private static func start(_ journal: Journal, _ title: String, at now: Instant) throws(BridgeError) -> Instant {
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

  /// Takes the journal, brings the sensors up to what others have done, and lets time go on to the present.
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

  /// Notes down what was done, and throws the fault that it ended in.
  private func record(_ operation: BusTrace.Operation, _ fault: I2CFault?) throws(I2CFault) {
    if let journal {
      let entry = BusTrace.Entry(operation, at: clock.now, fault: fault)
      do throws(BridgeError) { try journal.append(entry.description) } catch { throw complaint(error) }
    }
    if let fault { throw fault }
  }

  /// Repeats the transactions of other processes, each at its time; they must end as they did there.
  private mutating func replay(_ lines: String) throws(BridgeError) {
    let trace: BusTrace
    do throws(BusTrace.ParsingError) { trace = try BusTrace(parsing: lines) } catch {
      throw BridgeError("the journal is none: \(error)")
    }
    for entry in trace.entries {
      clock.now = max(clock.now, entry.instant)
      var repeated = BusTrace.Entry(entry.operation, at: entry.instant)
      do throws(I2CFault) { repeated.operation = try perform(entry.operation) } catch { repeated.fault = error }
      guard repeated == entry else {
        throw BridgeError("the journal says \"\(entry)\", and repeated it is \"\(repeated)\"")
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

  /// Says what is wrong with the journal, which a fault cannot.
  private func complaint(_ error: BridgeError) -> I2CFault {
    complain(error)
    return .other(code: EIO)
  }
}

/// Says on standard error what the program that is served has no way to see.
func complain(_ error: BridgeError) {
  let bytes = Array("plumb bridge: \(error)\n".utf8)
  // Where standard error is closed there is no reader.
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}

/// A file that several processes append lines to, one at a time.
///
/// A process that locks it reads what the others have appended since, and may then append a line of its own.
final class Journal {
  private let descriptor: Int32
  /// How far it was read or written by us.
  private var position: off_t = 0

  /// Opens the file at `path`, made where there is none.
  init(path: String) throws(BridgeError) {
    descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw BridgeError("cannot be opened", errno) }
  }

  deinit { close(descriptor) }

  /// Waits until no other process has it, and keeps them out until ``unlock()``.
  ///
  /// A lock of the process, not of the open file: a forked child shares the latter with its parent.
  func lock() throws(BridgeError) {
    // From the file's own position, which never moves from 0, to its end and beyond.
    while lockf(descriptor, F_LOCK, 0) != 0 {
      guard errno == EINTR else { throw BridgeError("cannot be locked", errno) }
    }
  }

  /// Lets the others have it.
  func unlock() {
    // Giving back what we have does not fail.
    _ = lockf(descriptor, F_ULOCK, 0)
  }

  /// Begins the journal with the line `first` where none has, and returns its first line; only while locked.
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

  /// The whole lines that others have appended since the last call; only while locked.
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
    // A line without an end is of a process that was ended while it wrote.
    let whole = bytes[..<((bytes.lastIndex(of: 0x0A) ?? -1) + 1)]
    position += off_t(whole.count)
    return String(decoding: whole, as: UTF8.self)
  }

  /// Appends `line`; only while locked and after ``newLines()``.
  func append(_ line: String) throws(BridgeError) {
    let bytes = Array((line + "\n").utf8)
    // Cuts off what another process did not finish.
    guard ftruncate(descriptor, position) == 0 else { throw BridgeError("cannot be shortened", errno) }
    let count = unsafe pwrite(descriptor, bytes, bytes.count, position)
    guard count == bytes.count else { throw BridgeError("cannot be written", count < 0 ? errno : ENOSPC) }
    position += off_t(count)
  }
}

/// Why the bridge cannot serve a program, in words.
package struct BridgeError: Error, Equatable, CustomStringConvertible {
  /// The sentence, without what it is about where a caller puts that before it.
  package let description: String

  /// A complaint about the file or the text as a whole.
  init(_ complaint: String) { description = complaint }

  /// A complaint about a piece of text.
  init(_ text: Substring, _ complaint: String) { description = "\"\(text)\" \(complaint)" }

  /// A complaint of the system's.
  init(_ complaint: String, _ code: Int32) {
    description = "\(complaint): \(unsafe String(cString: strerror(code)))"
  }
}
