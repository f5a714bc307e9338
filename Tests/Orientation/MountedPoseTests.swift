import FixedPoint
import Orientation
import TestSupport
import Testing

/// Every mounting with every kind of calibration and every pose, against a model of a sensor in Double.
@Suite struct MountedPoseTests {
  /// A sensor that errs: what it reads at 0 g, and by which factor the calibration corrects what it reads too little.
  struct Sensor {
    var offset: [Int32]
    var scale: [Int32]

    private func factor(_ axis: Int) -> Double { Double(scale[axis]) / 1_073_741_824 }

    /// What it reads of the true force along its own axes, to its resolution of 2^-16 g.
    func reading(of force: [Double]) -> [Int32] {
      (0..<3).map { axis -> Int32 in
        let units: Double = force[axis] * 65_536 / factor(axis)
        return Int32(units.rounded()) + offset[axis]
      }
    }

    /// What the calibration makes of a reading, g.
    func corrected(_ reading: [Int32]) -> [Double] {
      (0..<3).map { axis -> Double in
        let units = Double(reading[axis]) - Double(offset[axis])
        return units / 65_536 * factor(axis)
      }
    }
  }

  /// None, all eight corners of what a calibration may be, those of a sensor of ±80 mg and ±3 %, and random ones.
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

  /// The 24 right-handed ways to name three half-axes, as unit vectors: each axis of the board along axes of the sensor.
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
  func `the 24 mountings, every calibration and every pose combine to the board's own force, and to its pose`() throws {
    #expect(Self.mountings.count == 24)
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
          // The force along each axis of the sensor: the transpose takes it from the board's frame.
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
          #expect(tracker.state == .known(Pose.all[index]), "\(axes), \(sensor)")
        }
      }
    }
  }

  /// The result is what the model makes of the reading, rounded, and the true force to the sensor's resolution.
  private func check(_ applied: Vector3, _ expected: [Double], _ board: [Double]) {
    for (value, (model, truth)) in zip([applied.x, applied.y, applied.z], zip(expected, board)) {
      let found = Double(value.raw) / 65_536
      if abs(found - model) > 0.500001 / 65_536 { Issue.record("\(found) g instead of \(model) g") }
      // Half a unit of the reading, at most doubled by the scale, and half a unit of the result.
      if abs(found - truth) > 1.500001 / 65_536 { Issue.record("\(found) g of \(truth) g") }
    }
  }

  private func vector(_ raw: [Int32]) -> Vector3 {
    Vector3(x: Q16(raw: raw[0]), y: Q16(raw: raw[1]), z: Q16(raw: raw[2]))
  }
}
