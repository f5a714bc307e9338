import FixedPoint
import Foundation
import TestSupport
import Vibration

/// The spectrum in Double, written from the definitions, independent of the module.
enum SpectrumModel {
  struct Complex {
    var real = 0.0
    var imaginary = 0.0
    var squaredSize: Double { real * real + imaginary * imaginary }
  }

  /// The discrete Fourier transform divided by the number of samples, a power of two, by recursion.
  static func transform(_ values: [Double]) -> [Complex] {
    func parts(_ values: [Complex]) -> [Complex] {
      guard values.count > 1 else { return values }
      let even = parts(stride(from: 0, to: values.count, by: 2).map { values[$0] })
      let odd = parts(stride(from: 1, to: values.count, by: 2).map { values[$0] })
      var result = values
      for k in even.indices {
        let angle = -2 * Double.pi * Double(k) / Double(values.count)
        let turned = Complex(
          real: odd[k].real * cos(angle) - odd[k].imaginary * sin(angle),
          imaginary: odd[k].real * sin(angle) + odd[k].imaginary * cos(angle))
        result[k] = Complex(real: even[k].real + turned.real, imaginary: even[k].imaginary + turned.imaginary)
        result[k + even.count] = Complex(
          real: even[k].real - turned.real, imaginary: even[k].imaginary - turned.imaginary)
      }
      return result
    }
    return parts(values.map { Complex(real: $0) }).map {
      Complex(real: $0.real / Double(values.count), imaginary: $0.imaginary / Double(values.count))
    }
  }

  static func window(_ count: Int) -> [Double] {
    (0..<count).map { 0.5 - 0.5 * cos(2 * .pi * Double($0) / Double(count)) }
  }

  /// A block without its mean, windowed.
  static func prepared(_ block: ArraySlice<Double>) -> [Double] {
    let mean = block.reduce(0, +) / Double(block.count)
    return zip(block, window(block.count)).map { ($0 - mean) * $1 }
  }

  /// The mean square in each bin 0…N/2 of a one-sided spectrum by Welch's method: the mean over blocks of `count`
  /// samples that overlap by half, starting at sample `first`.
  static func meanSquares(_ values: [Double], count: Int, from first: Int = 0) -> [Double] {
    var sums = [Double](repeating: 0, count: count / 2 + 1)
    var blocks = 0.0
    let power = window(count).reduce(0) { $0 + $1 * $1 } / Double(count)
    for start in stride(from: first, through: values.count - count, by: count / 2) {
      let lines = transform(prepared(values[start..<start + count]))
      for k in sums.indices { sums[k] += lines[k].squaredSize * (k == 0 || k == count / 2 ? 1 : 2) / power }
      blocks += 1
    }
    return sums.map { $0 / blocks }
  }
}

/// Test signals, in g.
enum Signal {
  static func tone(_ hertz: Double, _ peak: Double, at rate: Double, count: Int, phase: Double = 0) -> [Double] {
    (0..<count).map { peak * sin(2 * .pi * (hertz * Double($0) / rate) + phase) }
  }

  /// White noise of that standard deviation.
  static func noise(_ deviation: Double, count: Int, seed: UInt64) -> [Double] {
    var dice = SplitMix64(seed: seed)
    return (0..<count).map { _ in deviation * dice.normal() }
  }

  static func sum(_ signals: [Double]...) -> [Double] {
    signals.dropFirst().reduce(signals[0]) { zip($0, $1).map(+) }
  }

  /// In Q16.16, rounded to nearest.
  static func q16(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }

  /// Three signals as forces for the core.
  static func forces(_ x: [Double], _ y: [Double], _ z: [Double]) -> [Vector3] {
    x.indices.map { Vector3(x: q16(x[$0]), y: q16(y[$0]), z: q16(z[$0])) }
  }
}

extension Q16 {
  var double: Double { Double(raw) / 65_536 }
}

/// A spectrum of samples at `rate` Hz, with a period of whole microseconds.
func spectrum<let bins: Int>(
  _ size: Bins<bins>, of forces: [Vector3], at rate: Int64
) throws -> Measured<bins> {
  let measured = try Measured<bins>(period: Microseconds(1_000_000 / rate))
  for (index, force) in forces.enumerated() {
    measured.step(force, at: Instant(microseconds: 5 + Int64(index) * (1_000_000 / rate)))
  }
  return measured
}

/// Names a number of bins.
struct Bins<let bins: Int> {}

/// Holds a spectrum, which cannot be copied, for test macros, which copy.
final class Measured<let bins: Int> {
  private var spectrum: VibrationSpectrum<bins>

  init(period: Microseconds) throws { spectrum = try VibrationSpectrum(period: period) }

  func step(_ force: Vector3, at now: Instant) { spectrum.step(force, at: now) }

  var blocks: UInt32 { spectrum.blocks }
  var gaps: UInt32 { spectrum.gaps }
  var rate: UInt32 { spectrum.rate }
  func frequency(of bin: Int) -> Q16 { spectrum.frequency(of: bin) }
  func meanSquare(of axis: VibrationAxis?, bin: Int) -> UInt64 { spectrum.meanSquare(of: axis, bin: bin) }
  func rms(of axis: VibrationAxis?) -> Q16 { spectrum.rms(of: axis) }
  func rms(of axis: VibrationAxis?, from low: Q16, to high: Q16) -> Q16 { spectrum.rms(of: axis, from: low, to: high) }
  func strongestLine(of axis: VibrationAxis?, above low: Q16 = .zero) -> SpectralLine? {
    spectrum.strongestLine(of: axis, above: low)
  }

  /// The mean squares of an axis, bins 0…`bins`, in g².
  func meanSquares(_ axis: VibrationAxis?) -> [Double] {
    (0...bins).map { Double(spectrum.meanSquare(of: axis, bin: $0)) * 0x1p-46 }
  }
}
