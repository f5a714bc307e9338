/// CTRL3_C of the LSM6DS family and CTRL_REG8 of the LSM9DS1, without the bits that no driver sets: BOOT, PP_OD, SIM
/// and BLE.
///
/// - Datasheet: LSM6DS3TR-C Rev. 3, CTRL3_C; LSM9DS1 Rev. 2, 7.25.
package struct InterfaceField: Equatable {
  /// BDU: both bytes of an axis come from the same sample.
  package var updatesInBlocks = false
  package var isActiveLow = false
  /// IF_INC or IF_ADD_INC: the pointer advances.
  package var increments = true
  package var resets = false

  package var encoded: UInt8 {
    .bit(6, updatesInBlocks) | .bit(5, isActiveLow) | .bit(2, increments) | .bit(0, resets)
  }

  /// Nil if any other bit is set.
  package init?(decoding byte: UInt8) {
    guard byte & 0x9A == 0 else { return nil }
    self.init(updatesInBlocks: byte.has(bit: 6), isActiveLow: byte.has(bit: 5), resets: byte.has(bit: 0))
    increments = byte.has(bit: 2)
  }

  package init(updatesInBlocks: Bool = false, isActiveLow: Bool = false, resets: Bool = false) {
    (self.updatesInBlocks, self.isActiveLow, self.resets) = (updatesInBlocks, isActiveLow, resets)
  }
}
