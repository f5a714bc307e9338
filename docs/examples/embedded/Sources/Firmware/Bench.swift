import Plumb

/// Stands in for the sensor and the hand that turns it: the emulator has a memory at the sensor's address, which keeps
/// everything that is written to its registers. Remove this when you have a sensor.
enum Bench {
  /// The number of attitudes.
  static var count: Int { 6 }

  /// Makes the sensor read ±1 g along an axis: X, -X, Y, -Y, Z, -Z for 0 to 5.
  ///
  ///     S | 53+W | 00 E5 | P
  ///     S | 53+W | 32 X0 X1 Y0 Y1 Z0 Z1 | P
  static func hold(_ attitude: Int, by bus: inout BitBangedBus, at address: I2CAddress) throws(I2CFault) {
    let identity: InlineArray<2, UInt8> = [0x00, 0xE5]
    try bus.write(identity.span, to: address)
    var data: InlineArray<7, UInt8> = [0x32, 0, 0, 0, 0, 0, 0]
    // 256 counts a g: the low byte is 0.
    let axis = attitude &>> 1
    if axis >= 0 && axis < 3 { data[2 &+ 2 &* axis] = attitude & 1 == 0 ? 0x01 : 0xFF }
    try bus.write(data.span, to: address)
  }
}
