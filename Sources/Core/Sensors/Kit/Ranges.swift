/// A measuring range of an accelerometer; the raw value is its code.
public protocol ForceRange: RawRepresentable<UInt8>, Equatable, Sendable {
  /// The limit of the range, in g.
  var g: Int32 { get }
}

extension ForceRange {
  /// The range ±`g` g, or nil if the part does not have it.
  public init?(g: Int32) {
    for code: UInt8 in 0..<16 {
      guard let range = Self(rawValue: code), range.g == g else { continue }
      self = range
      return
    }
    return nil
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
    for code: UInt8 in 0..<16 {
      guard let range = Self(rawValue: code), range.degreesPerSecond == degreesPerSecond else { continue }
      self = range
      return
    }
    return nil
  }
}
