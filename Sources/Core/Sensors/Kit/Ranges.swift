/// A measuring range of an accelerometer; the raw value is its code.
public protocol ForceRange: RawRepresentable<UInt8>, Equatable, Sendable {
  /// The limit of the range, in g.
  var g: Int32 { get }
}

extension ForceRange {
  /// The range ±`g` g, or nil if the part does not have it.
  public init?(g: Int32) {
    guard let range = Self.first(where: { $0.g == g }) else { return nil }
    self = range
  }
}

/// A measuring range of a gyroscope; the raw value is its code.
public protocol RotationRange: RawRepresentable<UInt8>, Equatable, Sendable {
  /// The limit of the range, in °/s.
  var degreesPerSecond: Int32 { get }
}

extension RotationRange {
  /// The range ±`degreesPerSecond` °/s, or nil if the part does not have it.
  public init?(degreesPerSecond: Int32) {
    guard let range = Self.first(where: { $0.degreesPerSecond == degreesPerSecond }) else { return nil }
    self = range
  }
}

extension RawRepresentable<UInt8> {
  /// The setting with the lowest code, 0 to 15, that fulfils a condition; nil if there is none.
  @inline(__always)
  static func first(where isWanted: (Self) -> Bool) -> Self? {
    for code: UInt8 in 0..<16 {
      guard let setting = Self(rawValue: code), isWanted(setting) else { continue }
      return setting
    }
    return nil
  }
}
