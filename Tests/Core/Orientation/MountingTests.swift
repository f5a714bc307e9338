import FixedPoint
import Glibc
import Orientation
import OrientationModels
import TestSupport
import Testing

struct MountingTests {
  static let axes: [SensorAxis] = [.plusX, .minusX, .plusY, .minusY, .plusZ, .minusZ]

  /// The unit vector of a half-axis, independent of the code under test.
  static func unit(_ axis: SensorAxis) -> [Int] {
    switch axis {
    case .plusX: [1, 0, 0]
    case .minusX: [-1, 0, 0]
    case .plusY: [0, 1, 0]
    case .minusY: [0, -1, 0]
    case .plusZ: [0, 0, 1]
    case .minusZ: [0, 0, -1]
    }
  }

  static func determinant(_ x: [Int], _ y: [Int], _ z: [Int]) -> Int {
    x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0]) + x[2] * (y[0] * z[1] - y[1] * z[0])
  }

  @Test
  static func `of the 216 triples of half-axes exactly the 24 with determinant +1 are mountings`() {
    var count = 0
    for x in Self.axes {
      for y in Self.axes {
        for z in Self.axes {
          let expected = Self.determinant(Self.unit(x), Self.unit(y), Self.unit(z))
          do throws(MountingError) {
            let mounting = try Mounting(x: x, y: y, z: z)
            expect(expected, equals: 1)
            #expect((mounting.x, mounting.y, mounting.z) == (x, y, z))
            count += 1
          } catch {
            expect(error, equals: expected == 0 ? .axisTwice : .leftHanded)
          }
        }
      }
    }
    expect(count, equals: 24)
  }

  @Test
  static func `a mounting picks the named half-axes, and undoing it gives the vector back`() throws {
    let vector = Vector3(x: Q16(whole: 1), y: Q16(whole: 20), z: Q16(whole: -300))
    let values = [1, 20, -300]
    for x in Self.axes {
      for y in Self.axes {
        for z in Self.axes where Self.determinant(Self.unit(x), Self.unit(y), Self.unit(z)) == 1 {
          let mounting = try Mounting(x: x, y: y, z: z)
          let applied = mounting.applied(to: vector)
          let expected = [x, y, z].map { axis in zip(Self.unit(axis), values).map(*).reduce(0, +) }
          expect([applied.x, applied.y, applied.z], equals: expected.map { Q16(whole: Int32($0)) })
          expect(mounting.undone(on: applied), equals: vector)
        }
      }
    }
  }
}

/// A sensor on a board, independent of the code under test: three rows of a signed permutation of determinant +1,
/// each the board's axis in the sensor's frame.
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

  /// A force in the board's frame as the sensor measures it.
  func sensed(_ force: Force) -> Force {
    let board = [force.x, force.y, force.z]
    func component(_ axis: Int) -> Double { (0..<3).map { Double(rows[$0][axis]) * board[$0] }.reduce(0, +) }
    return Force(x: component(0), y: component(1), z: component(2))
  }

  /// Whether `mounting` describes this sensor.
  func isDescribed(by mounting: Mounting) -> Bool {
    [mounting.x, mounting.y, mounting.z].map(MountingTests.unit) == rows
  }
}

extension Force {
  /// This axis-parallel force slanted by `slant` degrees, in the direction `azimuth` between the two other axes.
  func slanted(_ slant: Double, towards azimuth: Double) -> Force {
    let (s, a) = (slant * .pi / 180, azimuth * .pi / 180)
    let (along, first, second) = (cos(s), sin(s) * cos(a), sin(s) * sin(a))
    if x != 0 { return Force(x: along * x, y: first, z: second) }
    if y != 0 { return Force(x: second, y: along * y, z: first) }
    return Force(x: first, y: second, z: along * z)
  }
}

struct MountingFinderTests {
  private static func error(_ upright: Force, _ faceUp: Force) -> MountingFinderError? {
    do throws(MountingFinderError) {
      _ = try MountingFinder.mounting(upright: upright.vector, faceUp: faceUp.vector)
      return nil
    } catch { return error }
  }

  @Test static func `all 24 mountings are found from poses slanted by up to 25°, with noise and offsets`() throws {
    var generator = SplitMix64(seed: 51)
    expect(SeatedSensor.all.count, equals: 24)
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
          expect(that: sensor.isDescribed(by: mounting), "\(sensor.rows) slanted \(slant)° towards \(azimuth)°")
        }
      }
    }
  }

  @Test static func `of the 36 pairs of half-axes 24 give a mounting, 6 are not turned and 6 are turned over`() throws {
    var found: [[[Int]]] = []
    for first in MountingTests.axes {
      for second in MountingTests.axes {
        let (y, z) = (MountingTests.unit(first), MountingTests.unit(second))
        func force(_ unit: [Int]) -> Force { Force(x: Double(unit[0]), y: Double(unit[1]), z: Double(unit[2])) }
        let product = zip(y, z).map(*).reduce(0, +)
        guard product == 0 else {
          expect(error(force(y), force(z)), equals: product == 1 ? .notTurned : .turnedOver)
          continue
        }
        let mounting = try MountingFinder.mounting(upright: force(y).vector, faceUp: force(z).vector)
        let rows = [mounting.x, mounting.y, mounting.z].map(MountingTests.unit)
        #expect((rows[1], rows[2]) == (y, z) && MountingTests.determinant(rows[0], rows[1], rows[2]) == 1)
        found.append(rows)
      }
    }
    expect(Set(found).count, equals: 24)
  }

  @Test static func `a pose within 11° of the diagonal is rejected, and the error names which one`() {
    for degrees in stride(from: 0.0, through: 45, by: 0.1) {
      let slanted = Force(y: 1).slanted(degrees, towards: 0)
      // atan(1 / 1.5).
      guard abs(degrees - 33.69) > 0.01 else { continue }
      expect((error(slanted, Force(x: 1)) == nil), equals: degrees < 33.69, "\(degrees)°")
      let flat = Force(z: -1).slanted(degrees, towards: 90)
      expect((error(Force(x: -1), flat) == .slanted(.faceUp)), equals: degrees > 33.69, "\(degrees)°")
    }
    expect(error(Force(x: 0.577, y: 0.577, z: 0.577), Force(z: 1)), equals: .slanted(.upright))
    expect(error(Force(y: 1), Force(x: 0.577, y: -0.577, z: 0.577)), equals: .slanted(.faceUp))
  }

  @Test static func `a force that is not gravity is rejected: zero, too small, too large`() {
    for force in [Force(), Force(x: 0.49), Force(x: 1.51), Force(x: 32_000, y: 1), Force(x: -20_000, y: 20_000)] {
      expect(error(force, Force(z: 1)), equals: .notGravity(.upright))
      expect(error(Force(z: 1), force), equals: .notGravity(.faceUp))
    }
    expect(error(Force(x: 0.51), Force(z: 1.49)), equals: nil)
  }

  @Test static func `each error has its own words`() {
    let errors: [MountingFinderError] = [
      .notGravity(.upright), .notGravity(.faceUp), .slanted(.upright), .slanted(.faceUp), .notTurned, .turnedOver,
    ]
    let words = errors.map { "\($0.message)" }
    expect(Set(words).count, equals: errors.count)
    expect(all: words) { $0.count > 20 }
  }
}

/// Every mounting with every kind of calibration and every pose, against a model of a sensor in Double.
struct MountedPoseTests {
  /// An imperfect sensor: its reading at 0 g, and the factor with which the calibration corrects its gain.
  struct Sensor {
    var offset: [Int32]
    var scale: [Int32]

    private func factor(_ axis: Int) -> Double { Double(scale[axis]) / 1_073_741_824 }

    /// Its reading of the true force along its own axes, rounded to its resolution of 2^-16 g.
    func reading(of force: [Double]) -> [Int32] {
      (0..<3).map { axis -> Int32 in
        let units: Double = force[axis] * 65_536 / factor(axis)
        return Int32(units.rounded()) + offset[axis]
      }
    }

    /// The calibrated reading, in g.
    func corrected(_ reading: [Int32]) -> [Double] {
      (0..<3).map { axis -> Double in
        let units = Double(reading[axis]) - Double(offset[axis])
        return units / 65_536 * factor(axis)
      }
    }
  }

  /// No error, all eight corners of what a calibration can hold, those of a sensor of ±80 mg and ±3 %, and random
  /// ones.
  static let sensors: [Sensor] = {
    var sensors = [Sensor(offset: [0, 0, 0], scale: [1 << 30, 1 << 30, 1 << 30])]
    for corner in 0..<8 {
      let isHigh = (0..<3).map { corner >> $0 & 1 == 1 }
      sensors.append(
        Sensor(offset: isHigh.map { $0 ? 16 << 16 : -16 << 16 }, scale: isHigh.map { $0 ? .max : 1 << 29 }))
      sensors.append(
        Sensor(offset: isHigh.map { $0 ? -16 << 16 : 16 << 16 }, scale: isHigh.map { $0 ? .max : 1 << 29 }))
      sensors.append(
        Sensor(offset: isHigh.map { $0 ? 5_243 : -5_243 }, scale: isHigh.map { $0 ? 1_105_954_079 : 1_041_529_569 }))
    }
    var generator = SplitMix64(seed: 41)
    for _ in 0..<16 {
      sensors.append(
        Sensor(
          offset: (0..<3).map { _ in .random(in: -131_072...131_072, using: &generator) },
          scale: (0..<3).map { _ in .random(in: (1 << 29)...Int32.max, using: &generator) }))
    }
    return sensors
  }()

  /// The 24 right-handed triples of half-axes, as unit vectors: each axis of the board along axes of the sensor.
  static let mountings: [[SensorAxis]] = MountingTests.axes.flatMap { x in
    MountingTests.axes.flatMap { y in
      MountingTests.axes.compactMap { z in
        MountingTests.determinant(MountingTests.unit(x), MountingTests.unit(y), MountingTests.unit(z)) == 1
          ? [x, y, z] : nil
      }
    }
  }

  private static func directions(_ seed: UInt64) -> [Force] {
    var noise = Noise(seed: seed)
    return Pose.all.map { .at(rest: $0) }
      + (0..<(runsLongTests ? 1_000 : 20)).map { _ in
        Force.held(at: noise.number(-180...180), tilt: noise.number(-90...90))
      }
  }

  @Test
  static func `24 mountings, every calibration and every pose give the board's force, and its pose`() throws {
    expect(Self.mountings.count, equals: 24)
    for (number, axes) in Self.mountings.enumerated() {
      let rows = axes.map { MountingTests.unit($0).map(Double.init) }
      let mounting = try Mounting(x: axes[0], y: axes[1], z: axes[2])
      for sensor in Self.sensors {
        let calibration = try Calibration(
          offset: vector(sensor.offset),
          scale: Calibration.Scale(x: sensor.scale[0], y: sensor.scale[1], z: sensor.scale[2]))
        let alignment = Alignment(calibration, mounting)
        for (index, force) in Self.directions(UInt64(number)).enumerated() {
          let board = [force.x, force.y, force.z]
          // The force along each axis of the sensor: the transpose maps from the board's frame.
          let own = (0..<3).map { axis -> Double in
            rows[0][axis] * board[0] + rows[1][axis] * board[1] + rows[2][axis] * board[2]
          }
          let reading = sensor.reading(of: own)
          let corrected = sensor.corrected(reading)
          let expected = rows.map { row -> Double in
            row[0] * corrected[0] + row[1] * corrected[1] + row[2] * corrected[2]
          }
          let applied = alignment.applied(to: vector(reading))
          check(applied, expected, board)
          guard index < Pose.count else { continue }
          var tracker = PoseTracker()
          _ = tracker.step(applied, at: Instant(microseconds: 0))
          expect(tracker.state, equals: .known(Pose.all[index]), "\(axes), \(sensor)")
        }
      }
    }
  }

  /// Checks that the result is the model's for the reading, rounded, and the true force within the sensor's
  /// resolution.
  private static func check(_ applied: Vector3, _ expected: [Double], _ board: [Double]) {
    for (value, (model, truth)) in zip([applied.x, applied.y, applied.z], zip(expected, board)) {
      let found = Double(value.raw) / 65_536
      if abs(found - model) > 0.500001 / 65_536 { Issue.record("\(found) g instead of \(model) g") }
      // Half a unit of the reading, at most doubled by the scale, and half a unit of the result.
      if abs(found - truth) > 1.500001 / 65_536 { Issue.record("\(found) g of \(truth) g") }
    }
  }

  private static func vector(_ raw: [Int32]) -> Vector3 {
    Vector3(x: Q16(raw: raw[0]), y: Q16(raw: raw[1]), z: Q16(raw: raw[2]))
  }
}
