internal import CPico
public import SerialStream

/// UART0 on GP0 and GP1: 115200 baud, 8N1.
public struct PicoUART: ~Copyable, BytePipe {
  /// Starts the UART.
  public init() { cpico_uart_start() }

  /// True.
  public var isConnected: Bool { true }

  /// The next byte received; nil for none.
  public mutating func read() -> UInt8? {
    let byte = cpico_uart_read()
    return byte < 0 ? nil : UInt8(truncatingIfNeeded: byte)
  }

  /// Takes what fits in the ring that the interrupt empties.
  public mutating func write(_ bytes: Span<UInt8>) -> Int {
    unsafe bytes.withUnsafeBufferPointer {
      guard let start = $0.baseAddress else { return 0 }
      return Int(truncatingIfNeeded: unsafe cpico_uart_write(start, UInt32(truncatingIfNeeded: $0.count)))
    }
  }

  /// Does nothing: interrupts do all.
  public mutating func poll() {}
}
