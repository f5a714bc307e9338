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

/// The range of the accelerometer in inertial modules of ST, the LSM6DS family and the LSM9DS1; the raw value is its code.
///
/// - Datasheet: LSM6DS3TR-C Rev. 3, CTRL1_XL; LSM9DS1 Rev. 2, table 67.
public enum InertialModuleRange: UInt8, ForceRange {
  /// ±2, ±16, ±4 and ±8 g, in the order of the codes.
  case g2, g16, g4, g8

  /// The limit of the range, in g.
  public var g: Int32 { ([2, 16, 4, 8] as InlineArray<4, Int32>)[Int(rawValue)] }
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
