// Uses the bridge's whole adapter on a separate bus, compiled without allocations: generic code is checked only if it
// is specialised.
internal import Adapter
internal import HAL

/// 256 bytes that respond at every address.
struct Memory: I2CBus, ~Copyable {
  var bytes = InlineArray<256, UInt8>(repeating: 0)
  var pointer: UInt8 = 0

  mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    for index in bytes.indices {
      if index == 0 { pointer = bytes[0] } else { self.bytes[Int(pointer)] = bytes[index] }
      if index > 0 { pointer &+= 1 }
    }
  }

  mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)
  {
    try write(bytes, to: address)
    for index in buffer.indices {
      buffer[index] = self.bytes[Int(pointer)]
      pointer &+= 1
    }
  }
}

/// Serves one request, a plain write and a plain read; returns the answer to the request.
public func serve(_ request: UInt, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  var adapter = Adapter(Memory())
  var address: UInt16 = 0x53
  var bytes = InlineArray<2, UInt8>(repeating: 0)
  do throws(KernelError) {
    try adapter.write(bytes.span, to: address)
    var buffer = bytes.mutableSpan
    try adapter.read(into: &buffer, at: address)
    return try unsafe adapter.control(request, argument, address: &address)
  } catch { return -error.code }
}
