/// The bits of a burst read of `bytes` bytes: start, address, register, start, address, bytes and stop.
///
/// - Source: UM10204 (I2C-bus specification) rev. 7, 3.1: nine bits per byte.
func busBits(reading bytes: UInt32) -> UInt32 { 9 &* (3 &+ bytes) &+ 3 }
