internal import CPico
public import SerialStream

/// The line to the one client: USB while a program on the host has the port open, otherwise UART0.
///
/// After each change of the two, no client is connected until the next poll, so that an owner begins anew.
public struct PicoSerial: ~Copyable, BytePipe {
  private var uart = PicoUART()
  private var isUSB = false

  /// Whether there is a client.
  public private(set) var isConnected = true

  /// Starts UART and USB; the host calls the device "Plumb `sensor`".
  public init(sensor: StaticString) {
    unsafe cpico_usb_start(sensor.utf8Start, UInt32(truncatingIfNeeded: sensor.utf8CodeUnitCount))
  }

  /// The next byte received; nil for none.
  public mutating func read() -> UInt8? {
    guard isUSB else { return uart.read() }
    let byte = cpico_usb_read()
    return byte < 0 ? nil : UInt8(truncatingIfNeeded: byte)
  }

  /// Takes what fits in a ring that interrupts empty.
  public mutating func write(_ bytes: Span<UInt8>) -> Int {
    guard isUSB else { return uart.write(bytes) }
    return unsafe bytes.withUnsafeBufferPointer {
      Int(truncatingIfNeeded: unsafe cpico_usb_write($0.baseAddress, UInt32(truncatingIfNeeded: $0.count)))
    }
  }

  /// Handles what the USB host has asked for.
  public mutating func poll() {
    cpico_usb_poll()
    let hasClient = cpico_usb_is_connected()
    isConnected = hasClient == isUSB
    guard !isConnected else { return }
    isUSB = hasClient
    // What came in while USB had the client was not for this one.
    while uart.read() != nil {}
    // Half a line may have been sent when USB took over.
    let lineEnd: InlineArray<1, UInt8> = [0x0A]
    if !isUSB { _ = uart.write(lineEnd.span) }
    // One more poll, for the new client.
    cpico_request()
  }
}
