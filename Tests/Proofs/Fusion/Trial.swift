import FixedPoint
import Foundation
import Sensors
import TestSupport
import Testing

/// A trial of BROAD: the measurements of an MPU-6050 in the hand, and the true direction of up.
struct Trial: Sendable, CustomTestStringConvertible {
  /// A row of a trial.
  struct Row: Sendable {
    var time: Instant
    var force: SIMD3<Double>
    var rate: SIMD3<Double>
    /// The true direction of up; nil while the cameras had lost the board.
    var up: SIMD3<Double>?
    var isMoving: Bool

    var measurement: Sensors.Measurement { Sensors.Measurement(force: q16(force), rotation: q16(rate)) }
  }

  var name: String
  var rows: [Row]

  var testDescription: String { name }

  /// When the board first moves.
  var departure: Instant { rows.first { $0.isMoving }?.time ?? .init(microseconds: 0) }

  /// The same with a constant bias of the gyroscope, °/s, clipped and rounded like a part at ±2000 °/s.
  func biased(by bias: SIMD3<Double>) -> Trial {
    var copy = self
    for index in rows.indices { copy.rows[index].rate = quantised(rows[index].rate + bias) }
    return copy
  }

  /// The rows from the first one in movement on.
  var withoutRest: Trial { Trial(name: name, rows: Array(rows.drop { !$0.isMoving })) }

  static let all: [Trial] = [
    "01_undisturbed_slow_rotation_A", "06_undisturbed_fast_rotation_A", "10_undisturbed_slow_translation_A",
    "15_undisturbed_fast_translation_A", "21_undisturbed_fast_combined", "25_disturbed_tapping_B",
    "27_disturbed_phone_vibration_B", "30_disturbed_stationary_magnet_C",
  ].compactMap(read)

  private static func read(_ name: String) -> Trial? {
    guard let file = Bundle.module.url(forResource: name, withExtension: "csv.gz", subdirectory: "Broad") else {
      Issue.record("no trial \(name)")
      return nil
    }
    do {
      let gzip = Process()
      let output = Pipe()
      gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      gzip.arguments = ["gzip", "-dc", file.path]
      gzip.standardOutput = output
      try gzip.run()
      let text = try String(decoding: output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      gzip.waitUntilExit()
      return Trial(name: name, rows: text.split(separator: "\n").dropFirst().compactMap(row))
    } catch {
      Issue.record("\(name): \(error)")
      return nil
    }
  }

  private static func row(_ line: Substring) -> Row? {
    let fields = line.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count == 11 else { return nil }
    let numbers = fields.map { Double($0) }
    func vector(_ first: Int) -> SIMD3<Double>? {
      guard let x = numbers[first], let y = numbers[first + 1], let z = numbers[first + 2] else { return nil }
      return SIMD3(x, y, z)
    }
    guard let time = numbers[0], let force = vector(1), let rate = vector(4) else { return nil }
    return Row(
      time: Instant(microseconds: Int64((time * 1e6).rounded())), force: force, rate: rate, up: vector(7),
      isMoving: numbers[10] == 1)
  }
}

/// In Q16.16, rounded to nearest.
func q16(_ vector: SIMD3<Double>) -> Vector3 {
  func q16(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }
  return Vector3(x: q16(vector.x), y: q16(vector.y), z: q16(vector.z))
}

/// A rate as an MPU-6050 at ±2000 °/s returns it: 16 bits, 16.4 LSB per °/s.
func quantised(_ rate: SIMD3<Double>) -> SIMD3<Double> { rounded(rate, 16.4) }

/// A force as an MPU-6050 at ±8 g returns it: 16 bits, 4096 LSB per g.
func quantised(force: SIMD3<Double>) -> SIMD3<Double> { rounded(force, 4_096) }

private func rounded(_ vector: SIMD3<Double>, _ sensitivity: Double) -> SIMD3<Double> {
  let numbers = (vector * sensitivity).rounded(.toNearestOrEven)
  return numbers.clamped(lowerBound: SIMD3(repeating: -32_768), upperBound: SIMD3(repeating: 32_767)) / sensitivity
}
