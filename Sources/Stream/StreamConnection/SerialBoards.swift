internal import CConnect
internal import JSON

/// The boards with Plumb's firmware on serial lines of this computer. None of them is opened.
package enum SerialBoards {
  /// Calls `body` with the path of the board with this index, from 0; returns false if there is none.
  package static func withPath(_ index: Int32, _ body: (Span<UInt8>) -> Void) -> Bool {
    var bytes = InlineArray<512, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    let count = unsafe span.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
        unsafe csupport_serial_board(index, buffer.baseAddress, buffer.count)
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
    switch csupport_connect_trouble(code) {
    case CSUPPORT_CONNECT_NO_SOCKET:
      loss(
        .unreachable, "no board at ",
        ": is it plugged in, by a cable with data lines, and out of BOOTSEL? Run dmesg to see what the computer found")
    case CSUPPORT_CONNECT_SEVERAL:
      loss(.ambiguous, "", " needs the only board, and there are several; name one of them: ") { writer in
        writeAll(to: &writer)
      }
    case CSUPPORT_CONNECT_IN_USE: loss(.unreachable, "the board at ", " is in use by another program")
    case CSUPPORT_CONNECT_NOT_PERMITTED:
      loss(
        .notPermitted, "no permission for the serial device ",
        ": add the user of this program to its group (sudo usermod -aG dialout $USER), then log in again")
    case CSUPPORT_CONNECT_NOT_A_SOCKET: loss(.badProtocol, "", " is not a serial device")
    default: loss(.unreachable, "no connection to the board at ", ": ") { writer in writer.append(system: code) }
    }
  }

  /// Writes the addresses of all boards, as many as fit.
  private func writeAll(to writer: inout ByteWriter) {
    var index: Int32 = 0
    while index < 8,
      SerialBoards.withPath(
        index,
        { path in
          writer.append(index == 0 ? "serial:" : ", serial:")
          writer.append(bytes: path)
        })
    { index &+= 1 }
  }
}
