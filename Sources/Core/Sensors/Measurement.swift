public import FixedPoint

/// What a sensor measured at one instant, in its own frame.
public struct Measurement: Equatable, Sendable {
  /// The specific force in g.
  public var force: Vector3
  /// The rate of rotation about each axis in °/s, positive counter-clockwise with the axis pointing at the viewer; nil
  /// without a gyroscope.
  public var rotation: Vector3?
  /// The temperature of the die in °C; nil where it was not measured.
  public var temperature: Q16?
  /// What the sensor has found by itself since the measurement before.
  public var findings: Findings

  /// A measurement of these; of the force alone where the others are left out.
  public init(force: Vector3, rotation: Vector3? = nil, temperature: Q16? = nil, findings: Findings = .none) {
    self.force = force
    self.rotation = rotation
    self.temperature = temperature
    self.findings = findings
  }
}

/// What a sensor finds by itself, where it can and is set up to: in a byte, so that a measurement is no larger for it.
public struct Findings: Equatable, Sendable {
  /// The axes of a tap, in the sensor's own frame: X is bit 0, Y bit 1, Z bit 2. Bit 4 is a tap, 5 a double tap, 6 free
  /// fall.
  public var rawValue: UInt8

  /// The findings of these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Nothing.
  public static var none: Findings { Findings(rawValue: 0) }
  /// A tap.
  public var singleTap: Bool { rawValue & 0x10 != 0 }
  /// Two taps.
  public var doubleTap: Bool { rawValue & 0x20 != 0 }
  /// Free fall, which goes on or was.
  public var freeFall: Bool { rawValue & 0x40 != 0 }
  /// The axes of the tap: X is bit 0, Y bit 1, Z bit 2.
  public var tapAxes: UInt8 { rawValue & 0x07 }

  /// The same, but for the axes of the tap: X is bit 0, Y bit 1, Z bit 2.
  package func withTap(onAxes axes: UInt8) -> Findings { Findings(rawValue: rawValue & 0x70 | axes & 0x07) }

  /// These and what was found after them: the axes are of the later tap.
  public func followed(by later: Findings) -> Findings {
    let hasTap = later.rawValue & 0x30 != 0
    return Findings(rawValue: (rawValue & (hasTap ? 0x70 : 0x77)) | (later.rawValue & (hasTap ? 0x77 : 0x70)))
  }
}
