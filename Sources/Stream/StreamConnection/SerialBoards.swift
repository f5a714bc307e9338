internal import CConnect
internal import JSON

/// The boards with Plumb's firmware on serial lines of this computer, by the names that the system gives to such
/// devices. None of them is opened.
package enum SerialBoards {
  /// The folder with the names.
  package static func withFolder<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    unsafe body(csupport_serial_folder())
  }

  /// Calls `body` with the name of the board with this index, from 0; returns false if there is none.
  package static func withName(_ index: Int32, _ body: (Span<UInt8>) -> Void) -> Bool {
    var bytes = InlineArray<256, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    let count = unsafe span.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
        unsafe csupport_serial_name(index, buffer.baseAddress, buffer.count)
      }
    }
    guard count > 0 else { return false }
    body(bytes.span.extracting(first: Int(truncatingIfNeeded: count)))
    return true
  }
}

extension OwnerConnection {
  /// The error for a serial line that cannot be opened.
  func unopened(_ code: Int32) -> OwnerLoss {
    switch csupport_serial_trouble(code) {
    case CSUPPORT_SERIAL_ABSENT:
      loss(
        .unreachable, "no board at ",
        ": is it plugged in, by a cable with data lines, and out of BOOTSEL? Run dmesg to see what the computer found")
    case CSUPPORT_SERIAL_SEVERAL:
      loss(.ambiguous, "", " needs the only board, and there are several; name one of them: ") { writer in
        writeAll(to: &writer)
      }
    case CSUPPORT_SERIAL_IN_USE: loss(.unreachable, "the board at ", " is in use by another program")
    case CSUPPORT_SERIAL_NOT_PERMITTED:
      loss(
        .notPermitted, "no permission for the serial device ",
        ": add the user of this program to its group (sudo usermod -aG dialout $USER), then log in again")
    case CSUPPORT_SERIAL_NOT_A_LINE: loss(.badProtocol, "", " is not a serial device")
    default: loss(.unreachable, "no connection to the board at ", ": ") { writer in writer.append(system: code) }
    }
  }

  /// Writes the addresses of all boards, as many as fit.
  private func writeAll(to writer: inout ByteWriter) {
    var (index, isMore) = (0 as Int32, true)
    while isMore && index < 8 {
      isMore = SerialBoards.withName(index) { name in
        writer.append(index == 0 ? "serial:" : ", serial:")
        unsafe SerialBoards.withFolder { folder in unsafe writer.append(cString: folder) }
        writer.append("/")
        writer.append(bytes: name)
      }
      index &+= 1
    }
  }
}
