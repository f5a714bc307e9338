internal import HAL

/// The values that a part's registers below 0x40 must have: what a driver writes, verifies and later compares, said
/// once.
///
/// Registers that it does not set are 0. Bits 6 and 7 of an address do not count here, so it can have a flag.
struct RegisterImage {
  private var values = InlineArray<64, UInt8>(repeating: 0)

  /// The value of a register.
  subscript(register: UInt8) -> UInt8 {
    get { values[Int(register & 0x3F)] }
    set { values[Int(register & 0x3F)] = newValue }
  }
}

extension Wire where Bus: ~Copyable {
  /// Writes `length` registers of an image from `register` on, at most 8, in one burst.
  ///
  ///     S | addr+W | register v0 … vn | P
  mutating func write(_ image: RegisterImage, _ length: UInt8 = 1, at register: UInt8) throws(SensorError) {
    var bytes = InlineArray<9, UInt8>(repeating: 0)
    bytes[0] = register
    for index in 0..<min(length, 8) { bytes[Int(index) &+ 1] = image[register &+ index] }
    try write(bytes.span.extracting(first: Int(min(length, 8)) &+ 1))
  }

  /// The first of `length` registers from `register` on, at most 20, that does not have its value in an image, or nil.
  ///
  ///     S | addr+W | register | Sr | addr+R | r0 … rn | P
  ///
  /// A register is read but not compared if bit n of `ignored`, n being its distance from the first, is set.
  mutating func difference(
    _ length: UInt8, from image: RegisterImage, at register: UInt8, ignoring ignored: UInt32 = 0
  ) throws(SensorError) -> RegisterDifference? {
    var found = InlineArray<20, UInt8>(repeating: 0)
    try read(Int(min(length, 20)), from: register, into: &found)
    for index in 0..<min(length, 20) where ignored &>> UInt32(index) & 1 == 0 {
      let place = (register &+ index) & 0x3F
      if let one = RegisterDifference(place, wrote: image[place], read: found[Int(index)]) { return one }
    }
    return nil
  }
}

extension RegisterDifference {
  /// The error while a driver sets the part up.
  var rejected: SensorError { .configurationRejected(register: register, wrote: wrote, read: read) }

  /// The error while it checks a part that it set up before.
  var changed: SensorError { .configurationChanged(register: register, wrote: wrote, read: read) }
}
