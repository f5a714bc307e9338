extension TL3 {
  /// The registers. The pointer moves on with every byte read or written.
  enum Register: UInt8 {
    /// WHO: identity. Read-only, 0x3A.
    case identity = 0x00
    /// SETUP: run, rate, range. Reset 0x00 (standby). The six data bytes follow, high bytes first.
    case setup = 0x01
  }
}
