public import FixedPoint

/// A sensor's measurement at one instant, in its own frame.
public struct Measurement: Equatable, Sendable {
  /// The specific force in g.
  public var force: Vector3
  /// The rate of rotation about each axis in °/s, positive counter-clockwise with the axis pointing at the viewer; nil
  /// without a gyroscope.
  public var rotation: Vector3?
  /// The temperature of the die in °C; nil if not measured.
  public var temperature: Q16?
  /// What the sensor has detected by itself since the previous measurement.
  public var findings: Findings

  /// A measurement; by default of the force alone.
  public init(force: Vector3, rotation: Vector3? = nil, temperature: Q16? = nil, findings: Findings = .none) {
    self.force = force
    self.rotation = rotation
    self.temperature = temperature
    self.findings = findings
  }
}

/// Events that a sensor detects by itself, if capable and configured; a single byte, so that a measurement is no
/// larger.
public struct Findings: Equatable, Sendable {
  /// The axes of a tap, in the sensor's own frame: X is bit 0, Y bit 1, Z bit 2. Bit 4 is a tap, 5 a double tap, 6 free
  /// fall.
  public var rawValue: UInt8

  /// Findings from their bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// No findings.
  public static var none: Findings { Findings(rawValue: 0) }
  /// A tap.
  public var singleTap: Bool { rawValue & 0x10 != 0 }
  /// A double tap.
  public var doubleTap: Bool { rawValue & 0x20 != 0 }
  /// Free fall, in progress or past.
  public var freeFall: Bool { rawValue & 0x40 != 0 }
  /// The axes of the tap: X is bit 0, Y bit 1, Z bit 2.
  public var tapAxes: UInt8 { rawValue & 0x07 }

  /// The same findings with other tap axes: X is bit 0, Y bit 1, Z bit 2.
  package func withTap(onAxes axes: UInt8) -> Findings { Findings(rawValue: rawValue & 0x70 | axes & 0x07) }

  /// These findings combined with later ones: the axes are those of the later tap.
  public func followed(by later: Findings) -> Findings {
    let hasTap = later.rawValue & 0x30 != 0
    return Findings(rawValue: (rawValue & (hasTap ? 0x70 : 0x77)) | (later.rawValue & (hasTap ? 0x77 : 0x70)))
  }
}
