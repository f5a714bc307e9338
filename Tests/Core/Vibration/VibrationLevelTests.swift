import FixedPoint
import Foundation
import TestSupport
import Testing
import Vibration

struct VibrationLevelTests {
  /// The figures of an axis by their definitions.
  private struct Model {
    var mean: Double
    var rms: Double
    var peak: Double

    init(_ values: [Double]) {
      let mean = values.reduce(0, +) / Double(values.count)
      self.mean = mean
      rms = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
      peak = values.map { abs($0 - mean) }.max() ?? 0
    }
  }

  private static func level(_ forces: [Vector3]) -> VibrationLevel {
    var level = VibrationLevel()
    for force in forces { level.add(force) }
    return level
  }

  private static let signals: [(name: String, forces: [Vector3])] = {
    var dice = SplitMix64(seed: 21)
    func random(_ range: ClosedRange<Int32>, _ count: Int) -> [Double] {
      (0..<count).map { _ in Double(Int32.random(in: range, using: &dice)) / 65_536 }
    }
    let tone = Signal.tone(37, 0.4, at: 1_000, count: 5_000)
    return [
      (
        "full scale",
        Signal.forces(
          random(-8_388_607...8_388_607, 60_000), random(-8_388_607...8_388_607, 60_000),
          random(-8_388_607...8_388_607, 60_000))
      ),
      (
        "gravity and little noise",
        Signal.forces(random(-3...3, 1_000), random(65_530...65_541, 1_000), random(-65_540 ... -65_536, 1_000))
      ),
      ("tones", Signal.forces(tone, tone.map { 1 - $0 / 2 }, tone.map { $0 / 50 - 1 })),
      ("one sample", Signal.forces([0.3], [-0.4], [16])),
      ("two samples one LSB apart", Signal.forces([0, 0x1p-16], [1, 1 - 0x1p-16], [-16, 16])),
    ]
  }()

  @Test static func `root mean square, peak, mean and total match their definitions, rounded to nearest`() {
    for (name, forces) in Self.signals {
      let level = Self.level(forces)
      let models = [forces.map(\.x.double), forces.map(\.y.double), forces.map(\.z.double)].map { Model($0) }
      let found = [
        (level.rms.x, level.peak.x, level.mean.x), (level.rms.y, level.peak.y, level.mean.y),
        (level.rms.z, level.peak.z, level.mean.z),
      ]
      for (model, (rms, peak, mean)) in zip(models, found) {
        expect(abs(rms.double - model.rms), isAtMost: 0.51 * 0x1p-16, "\(name)")
        expect(abs(peak.double - model.peak), isAtMost: 0.51 * 0x1p-16, "\(name)")
        expect(model.mean - mean.double, isAtLeast: 0, "\(name)")
        expect(model.mean - mean.double, isBelow: 0x1p-16, "\(name)")
      }
      let total = models.reduce(0) { $0 + $1.rms * $1.rms }.squareRoot()
      expect(abs(level.total.double - total), isAtMost: 0.51 * 0x1p-16, "\(name)")
      #expect(level.samples == forces.count)
    }
  }

  @Test static func `a sine has a crest factor of √2, and zero has none`() throws {
    let tone = Signal.tone(10, 0.5, at: 1_000, count: 1_000)
    let level = Self.level(Signal.forces(tone, tone, tone))
    let crest = try require(VibrationLevel.crest(peak: level.peak.x, rms: level.rms.x))
    expect(abs(crest.double - 2.squareRoot()), isBelow: 1e-4)
    expect(VibrationLevel.crest(peak: .one, rms: .zero), equals: nil)
    expect(VibrationLevel().total, equals: .zero)
    expect(VibrationLevel().peak, equals: .zero)
    expect(VibrationLevel().mean, equals: .zero)
  }

  @Test static func `any force is accepted, clipped to ±128 g, up to 65 535 of them`() {
    var level = VibrationLevel()
    for index in 0..<70_000 {
      let end: Int32 = index % 2 == 0 ? .max : .min
      level.add(Vector3(x: Q16(raw: end), y: Q16(raw: .max), z: Q16(raw: .min)))
    }
    expect(level.samples, equals: 65_535)
    expect(abs(level.rms.x.double - 128), isBelow: 0.001)
    expect(abs(level.peak.x.double - 128), isBelow: 0.01)
    expect(level.rms.y, equals: .zero)
    expect(level.rms.z, equals: .zero)
    expect(level.mean.y, equals: Q16(raw: 0x7F_FFFF))
    expect(level.mean.z, equals: Q16(raw: -0x7F_FFFF))
  }
}
