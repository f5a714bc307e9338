package import FixedPoint
import Glibc
import JSON
import LinuxHAL
import PlumbViews
import Recordings

/// The file that a recording is written to. It appears under its name, whole, when it is finished; anything that is not
/// a regular file, such as standard output or a pipe, is written as samples arrive.
package final class RecordingFile {
  /// What messages call it.
  package let name: String
  /// Whether the reader is gone, or a stop signal has ended the wait for a slow one.
  package private(set) var isClosed = false

  private let target: OutputTarget
  private var descriptor: Int32
  private var buffer: [UInt8] = []
  /// Samples that are gathered, and samples that the system has taken whole.
  private var gathered: UInt64 = 0
  private var written: UInt64 = 0
  /// How many bytes the system has taken, in whole lines.
  private var size = 0
  private var lastFlush: Microseconds = .zero
  private let interval: Microseconds?

  /// How many bytes are gathered for one write.
  private static let gathers = 1 << 16

  /// The columns of a file.
  package enum Columns {
    /// The columns that `plumb replay` reads: time, force in g, and rotation if there is a gyroscope.
    case plumb
    /// The columns that Klipper's input shaper scripts read: time, and force in mm/s².
    case klipper
  }

  private let columns: Columns
  /// Whether samples have rotation rates, as the first one does; nil before it.
  private var hasRotation: Bool?

  /// Opens the file for `path`; `-` is standard output. An existing file is replaced if `isForced`, at the end.
  ///
  /// Samples are written after at most `interval`; nil to write once there are enough for a large write.
  package init(
    _ path: String, isForced: Bool, flushing interval: Microseconds?, columns: Columns = .plumb
  ) throws(ToolError) {
    self.columns = columns
    name = path == "-" ? "standard output" : printable(path)
    self.interval = interval
    (target, descriptor) = try OutputTarget.open(path, isForced: isForced)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    // However it ended before it was finished, without a sample there is nothing to keep.
    if case .draft(let draft, _, _) = target, written == 0 { unsafe unlink(draft) }
  }

  /// Appends a sample: `force` in g, and `rotation` in °/s if there is a gyroscope. The first one decides whether the
  /// file has columns for rotation; later ones without it are then left out.
  package func append(_ force: Vector3, _ rotation: Vector3?, at time: Microseconds) throws(ToolError) {
    guard !isClosed else { return }
    if hasRotation == nil {
      hasRotation = rotation != nil && columns == .plumb
      buffer = Array((header(withRotation: rotation != nil) + "\n").utf8)
    }
    guard hasRotation == false || rotation != nil else { return }
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 8 * ByteWriter.longestNumber) { bytes in
      var line = unsafe ByteWriter(bytes)
      line.append(seconds: time)
      switch columns {
      case .plumb: line.append(fields: force)
      case .klipper: line.append(millimetres: force)
      }
      if hasRotation == true, let rotation { line.append(fields: rotation) }
      line.append(0x0A)
      unsafe buffer.append(contentsOf: bytes[..<line.count])
    }
    gathered += 1
    let isDue = interval.map { time - lastFlush >= $0 || gathered == 1 } ?? false
    guard isDue || buffer.count >= Self.gathers else { return }
    lastFlush = time
    try flush()
  }

  private func header(withRotation: Bool) -> String {
    switch columns {
    case .plumb: withRotation ? Recording.headerWithRotation : Recording.header
    case .klipper: "#time,accel_x,accel_y,accel_z"
    }
  }

  /// Writes out everything, and renames a regular file once it is on the disk. Without a sample no file is left.
  package func finish() throws(ToolError) {
    guard case .draft(let draft, let path, let replaces) = target else {
      // Without a sample not even a header is written.
      return gathered + written == 0 ? () : try flush()
    }
    guard gathered + written > 0 else { return }
    try flush()
    var code = WholeFile.settle(descriptor)
    if close(descriptor) != 0 && code == 0 { code = errno }
    descriptor = -1
    guard code == 0 else { throw error(code) }
    code = OutputTarget.move(draft, to: path, replaces: replaces)
    guard code != 0 else { return }
    let reason =
      code == EEXIST ? "another program has created this file meanwhile, and it is left alone" : systemText(code)
    throw ToolError(.cannotCreate, "\(name): \(reason); the complete recording is in \(printable(draft))")
  }

  private func flush() throws(ToolError) {
    var rest = buffer[...]
    while !rest.isEmpty && !isClosed {
      guard canWrite else { break }
      let count = unsafe rest.prefix(target.isStream ? 4_096 : rest.count).withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE && target.isStream {
        isClosed = true
      } else if errno == EAGAIN && target.isStream {
        usleep(5_000)
        isClosed = StopSignals.received != nil
      } else if errno != EINTR {
        throw error(errno, after: buffer.prefix(buffer.count - rest.count))
      }
    }
    size += buffer.count
    written += gathered
    gathered = 0
    buffer.removeAll(keepingCapacity: true)
  }

  /// Whether there is room; false if writing is to be given up. Files always have room, or an error.
  private var canWrite: Bool {
    guard target.isStream && !StopSignals.canWrite(to: descriptor, waiting: true) else { return true }
    isClosed = true
    return false
  }

  /// The error that the system refuses to write after taking `part` of the bytes; whole lines are kept.
  private func error(_ code: Int32, after part: ArraySlice<UInt8> = []) -> ToolError {
    let isFull = code == ENOSPC || code == EDQUOT
    let reason = isFull ? "the disk is full" : code == EFBIG ? "the file has reached the size limit" : systemText(code)
    guard case .draft(let draft, _, _) = target else {
      return ToolError(.cannotCreate, "\(name) cannot be written: \(reason)")
    }
    let whole = part.lastIndex(of: 0x0A).map { part[...$0] } ?? []
    written += UInt64(whole.count { $0 == 0x0A }) - (size == 0 && !whole.isEmpty ? 1 : 0)
    if descriptor >= 0 { _ = ftruncate(descriptor, size + whole.count) }
    let rest =
      written > 0
      ? "the first \(written == 1 ? "sample is" : "\(written) samples are") in \(printable(draft)), which can be replayed"
      : "no sample was written, and no file is left"
    return ToolError(.cannotCreate, "\(name) cannot be written: \(reason); \(rest)")
  }
}

extension ByteWriter {
  /// Appends the three components, each after a comma.
  fileprivate mutating func append(fields vector: Vector3) {
    append(0x2C)
    append(vector.x)
    append(0x2C)
    append(vector.y)
    append(0x2C)
    append(vector.z)
  }

  /// Appends the three components in mm/s², each after a comma: 1 g is 9806.65 mm/s².
  fileprivate mutating func append(millimetres vector: Vector3) {
    for component in [vector.x, vector.y, vector.z] {
      append(0x2C)
      append(decimal: Int64(component.raw) * 980_665, over: 6_553_600, places: 6)
    }
  }
}
