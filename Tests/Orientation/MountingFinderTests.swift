import FixedPoint
import Glibc
import Orientation
import TestSupport
import Testing

/// A sensor on a board in the tests' own arithmetic: three rows of a signed permutation of determinant +1, each the board's
/// axis in the sensor's frame.
struct SeatedSensor {
  let rows: [[Int]]

  /// All 24.
  static let all: [SeatedSensor] = {
    let units = MountingTests.axes.map(MountingTests.unit)
    var result: [SeatedSensor] = []
    for x in units {
      for y in units {
        for z in units where MountingTests.determinant(x, y, z) == 1 { result.append(SeatedSensor(rows: [x, y, z])) }
      }
    }
    return result
  }()

  /// A force in the board's frame as the sensor has it.
  func sensed(_ force: Force) -> Force {
    let board = [force.x, force.y, force.z]
    func component(_ axis: Int) -> Double { (0..<3).map { Double(rows[$0][axis]) * board[$0] }.reduce(0, +) }
    return Force(x: component(0), y: component(1), z: component(2))
  }

  /// The mounting that says so.
  func isDescribed(by mounting: Mounting) -> Bool {
    [mounting.x, mounting.y, mounting.z].map(MountingTests.unit) == rows
  }
}

extension Force {
  /// This axis-parallel force turned by `slant` degrees, towards the direction `azimuth` among the two other axes.
  func slanted(_ slant: Double, towards azimuth: Double) -> Force {
    let (s, a) = (slant * .pi / 180, azimuth * .pi / 180)
    let (along, first, second) = (cos(s), sin(s) * cos(a), sin(s) * sin(a))
    if x != 0 { return Force(x: along * x, y: first, z: second) }
    if y != 0 { return Force(x: second, y: along * y, z: first) }
    return Force(x: first, y: second, z: along * z)
  }
}

@Suite struct MountingFinderTests {
  private func error(_ upright: Force, _ faceUp: Force) -> MountingFinderError? {
    do throws(MountingFinderError) {
      _ = try MountingFinder.mounting(upright: upright.vector, faceUp: faceUp.vector)
      return nil
    } catch { return error }
  }

  @Test func `all 24 mountings are found from poses slanted by up to 25°, with noise and offsets`() throws {
    var generator = SplitMix64(seed: 51)
    #expect(SeatedSensor.all.count == 24)
    for sensor in SeatedSensor.all {
      for slant in [0.0, 5, 15, 25] {
        for azimuth in stride(from: 0.0, to: 360, by: 15) {
          let offset = Force(
            x: Double.random(in: -0.08...0.08, using: &generator),
            y: Double.random(in: -0.08...0.08, using: &generator),
            z: Double.random(in: -0.08...0.08, using: &generator))
          func read(_ force: Force) -> Vector3 {
            let sensed = sensor.sensed(force).noisy(0.004, &generator)
            return Force(x: sensed.x + offset.x, y: sensed.y + offset.y, z: sensed.z + offset.z).vector
          }
          let other = Double.random(in: 0..<360, using: &generator)
          let mounting = try MountingFinder.mounting(
            upright: read(Force(y: 1).slanted(slant, towards: azimuth)),
            faceUp: read(Force(z: 1).slanted(slant, towards: other)))
          #expect(sensor.isDescribed(by: mounting), "\(sensor.rows) slanted \(slant)° towards \(azimuth)°")
        }
      }
    }
  }

  @Test func `of the 36 pairs of half-axes 24 give a mounting, 6 are not turned and 6 are turned over`() throws {
    var found: [[[Int]]] = []
    for first in MountingTests.axes {
      for second in MountingTests.axes {
        let (y, z) = (MountingTests.unit(first), MountingTests.unit(second))
        func force(_ unit: [Int]) -> Force { Force(x: Double(unit[0]), y: Double(unit[1]), z: Double(unit[2])) }
        let product = zip(y, z).map(*).reduce(0, +)
        guard product == 0 else {
          #expect(error(force(y), force(z)) == (product == 1 ? .notTurned : .turnedOver))
          continue
        }
        let mounting = try MountingFinder.mounting(upright: force(y).vector, faceUp: force(z).vector)
        let rows = [mounting.x, mounting.y, mounting.z].map(MountingTests.unit)
        #expect((rows[1], rows[2]) == (y, z) && MountingTests.determinant(rows[0], rows[1], rows[2]) == 1)
        found.append(rows)
      }
    }
    #expect(Set(found).count == 24)
  }

  @Test func `a pose within 11° of the diagonal is refused, and which one it was is said`() {
    for degrees in stride(from: 0.0, through: 45, by: 0.1) {
      let slanted = Force(y: 1).slanted(degrees, towards: 0)
      // atan(1 / 1.5).
      guard abs(degrees - 33.69) > 0.01 else { continue }
      #expect((error(slanted, Force(x: 1)) == nil) == (degrees < 33.69), "\(degrees)°")
      let flat = Force(z: -1).slanted(degrees, towards: 90)
      #expect((error(Force(x: -1), flat) == .slanted(.faceUp)) == (degrees > 33.69), "\(degrees)°")
    }
    #expect(error(Force(x: 0.577, y: 0.577, z: 0.577), Force(z: 1)) == .slanted(.upright))
    #expect(error(Force(y: 1), Force(x: 0.577, y: -0.577, z: 0.577)) == .slanted(.faceUp))
  }

  @Test func `a force that is not gravity is refused: nothing, too little, too much`() {
    for force in [Force(), Force(x: 0.49), Force(x: 1.51), Force(x: 32_000, y: 1), Force(x: -20_000, y: 20_000)] {
      #expect(error(force, Force(z: 1)) == .notGravity(.upright))
      #expect(error(Force(z: 1), force) == .notGravity(.faceUp))
    }
    #expect(error(Force(x: 0.51), Force(z: 1.49)) == nil)
  }

  @Test func `each refusal has words of its own`() {
    let errors: [MountingFinderError] = [
      .notGravity(.upright), .notGravity(.faceUp), .slanted(.upright), .slanted(.faceUp), .notTurned, .turnedOver,
    ]
    let words = errors.map { "\($0.message)" }
    #expect(Set(words).count == errors.count)
    #expect(words.allSatisfy { $0.count > 20 })
  }
}
