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

  /// A measurement of these; of the force alone where the others are left out.
  public init(force: Vector3, rotation: Vector3? = nil, temperature: Q16? = nil) {
    self.force = force
    self.rotation = rotation
    self.temperature = temperature
  }
}
