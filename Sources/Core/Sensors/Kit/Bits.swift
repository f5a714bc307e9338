extension UInt8 {
  /// Bit `number` if `isOn`, otherwise 0.
  static func bit(_ number: UInt8, _ isOn: Bool) -> UInt8 { isOn ? 1 &<< number : 0 }

  /// Whether bit `number` is set.
  func has(bit number: UInt8) -> Bool { self & (1 &<< number) != 0 }
}
