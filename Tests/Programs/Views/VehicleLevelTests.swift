import BoardFile
import FixedPoint
import Foundation
import JSON
import PlumbViews
import TestSupport
import Testing

/// How far a vehicle is from level, against points of a rigid plane rotated in Double.
struct VehicleLevelTests {
  /// Up in the frame of a vehicle whose nose is up by `nose` and whose right side is up by `right`, in degrees from
  /// the horizontal.
  private static func up(nose: Double, right: Double, length: Double = 1) -> Vector3 {
    let (y, x) = (sin(nose * .pi / 180), sin(right * .pi / 180))
    func q16(_ value: Double) -> Q16 { Q16(raw: Int32((value * length * 65_536).rounded())) }
    return Vector3(x: q16(x), y: q16(y), z: q16((1 - x * x - y * y).squareRoot()))
  }

  private static let slopes = [
    (0.0, 0.0), (2, 0), (-2, 0), (0, 3), (0, -3), (1.5, -0.7), (-4, 6), (10, 10), (-0.3, -0.2),
  ]

  private static func degrees(_ angle: BinaryAngle) -> Double { Double(angle.raw) * 180 / 0x1p31 }

  @Test(arguments: slopes)
  static func `both slopes are those of the axes, for any length of up`(nose: Double, right: Double) {
    for length in [0.9, 1, 1.1] {
      let level = VehicleLevel(Self.up(nose: nose, right: right, length: length), of: BoardDescription.Vehicle())
      expect(abs(degrees(level.noseUp) - nose), isBelow: 0.002)
      expect(abs(degrees(level.rightUp) - right), isBelow: 0.002)
      expect(empty: level.wheels)
    }
  }

  @Test(arguments: slopes)
  static func `raised as reported, all wheels of a car are level, and one stays`(nose: Double, right: Double) {
    let vehicle = BoardDescription.Vehicle(kind: .car, wheelbase: 2_600, track: 1_500)
    let level = VehicleLevel(Self.up(nose: nose, right: right), of: vehicle)
    let places = [
      "front_left": (-750.0, 1_300.0), "front_right": (750, 1_300), "rear_left": (-750, -1_300),
      "rear_right": (750, -1_300),
    ]
    expect(level.wheels.count, equals: 4)
    let heights = level.wheels.map { wheel in
      let (x, y) = places["\(wheel.name)"] ?? (.nan, .nan)
      // A point of the plane is this far above its middle.
      return x * sin(right * .pi / 180) + y * sin(nose * .pi / 180) + wheel.raise
    }
    for height in heights { expect(abs(height - heights[0]), isBelow: 0.2, "\(level.wheels)") }
    expect(level.wheels.map(\.raise).min(), equals: 0)
  }

  @Test(arguments: slopes)
  static func `for a caravan the low wheel is raised, and the jockey wheel follows, up or down`(
    nose: Double, right: Double
  ) {
    let vehicle = BoardDescription.Vehicle(kind: .caravan, wheelbase: 3_500, track: 1_850)
    let level = VehicleLevel(Self.up(nose: nose, right: right), of: vehicle)
    let raise = Dictionary(uniqueKeysWithValues: level.wheels.map { ("\($0.name)", $0.raise) })
    let side = 1_850 * sin(right * .pi / 180)
    expect(abs((raise["left"] ?? .nan) - max(0, side)), isBelow: 0.2)
    expect(abs((raise["right"] ?? .nan) - max(0, -side)), isBelow: 0.2)
    // The right and the left wheel are then at the height of the higher one, where the jockey wheel must be too.
    let top = abs(side) / 2
    expect(abs(3_500 * sin(nose * .pi / 180) + (raise["jockey"] ?? .nan) - top), isBelow: 0.2)
  }

  @Test static func `with one of the distances it reports what it can`() {
    let up = Self.up(nose: 2, right: -1)
    func wheels(_ kind: BoardDescription.Vehicle.Kind, _ wheelbase: Int32?, _ track: Int32?) -> [String: Int] {
      let level = VehicleLevel(up, of: BoardDescription.Vehicle(kind: kind, wheelbase: wheelbase, track: track))
      return Dictionary(uniqueKeysWithValues: level.wheels.map { ("\($0.name)", Int($0.raise.rounded())) })
    }
    expect(wheels(.caravan, nil, 1_850), equals: ["left": 0, "right": 32])
    expect(wheels(.caravan, 3_500, nil), equals: ["jockey": -122])
    expect(wheels(.car, nil, 1_500), equals: ["left": 0, "right": 26])
    expect(wheels(.car, 2_600, nil), equals: ["front": 0, "rear": 91])
  }

  @Test(arguments: [
    (0.0, 0.0, ["Level, to 0.05°."]),
    (0.04, -0.04, ["Level, to 0.05°."]),
    (
      2, -1,
      [
        "The vehicle is not level: the nose is 2.0° up, the right side is 1.0° down.",
        "Raise the right wheel by 32 mm.",
        "Lower the jockey wheel by 106 mm.",
      ]
    ),
    (-1, 0, ["The vehicle is not level: the nose is 1.0° down.", "Raise the jockey wheel by 61 mm."]),
  ])
  static func `the sentences say what to do`(nose: Double, right: Double, sentences: [String]) {
    let vehicle = BoardDescription.Vehicle(kind: .caravan, wheelbase: 3_500, track: 1_850)
    expect(VehicleLevel(Self.up(nose: nose, right: right), of: vehicle).sentences, equals: sentences)
  }

  @Test static func `the live line fits a terminal at the steepest slope`() {
    for (nose, right) in Self.slopes + [(-44.9, 44.9), (44.9, -44.9)] {
      for kind in [BoardDescription.Vehicle.Kind.caravan, .car] {
        let vehicle = BoardDescription.Vehicle(kind: kind, wheelbase: 20_000, track: 20_000)
        let line = VehicleLevel(Self.up(nose: nose, right: right), of: vehicle).line
        expect(line.count, isAtMost: 70, "\(line)")
        expect(that: line.hasPrefix("nose "), "\(line)")
      }
    }
  }
}
