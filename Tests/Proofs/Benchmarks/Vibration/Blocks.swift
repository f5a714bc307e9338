// Runs noise samples through a spectrum or bands; vibration.sh counts the instructions.
import FixedPoint
import Vibration

/// The next number of a sequence noisy enough to defeat branch prediction.
private func next(_ noise: UInt32) -> UInt32 { noise &* 1_664_525 &+ 1_013_904_223 }

private func force(_ noise: UInt32) -> Vector3 {
  let value = Q16(raw: Int32(bitPattern: noise) &>> 12)
  return Vector3(x: value, y: value, z: value)
}

private func through<let bins: Int>(_ spectrum: inout VibrationSpectrum<bins>, _ samples: Int32) -> UInt64 {
  var (index, noise): (Int32, UInt32) = (0, 1)
  while index < samples {
    noise = next(noise)
    spectrum.step(force(noise), at: Instant(microseconds: Int64(index) &* 1_000))
    index = index &+ 1
  }
  return spectrum.meanSquare(of: nil, bin: 3)
}

private func through<let bins: Int>(_ bands: inout VibrationBands<bins>, _ samples: Int32) -> UInt64 {
  var (index, noise, sum): (Int32, UInt32, UInt64) = (0, 1, 1)
  while index < samples {
    noise = next(noise)
    if let report = bands.step(force(noise), at: Instant(microseconds: Int64(index) &* 1_000)) {
      sum = sum &+ UInt64(report.blocks)
    }
    index = index &+ 1
  }
  return sum
}

private func spectrum<let bins: Int>(_ size: Size<bins>, _ samples: Int32) throws(VibrationError) -> UInt64 {
  var spectrum = try VibrationSpectrum<bins>(period: .milliseconds(1))
  return through(&spectrum, samples)
}

private func bands<let bins: Int>(_ size: Size<bins>, _ samples: Int32) throws(VibrationError) -> UInt64 {
  var bands = try VibrationBands<bins>(period: .milliseconds(1))
  return through(&bands, samples)
}

/// A number of bins as a type.
private struct Size<let bins: Int> {}

/// The result for `samples` noise samples; for bands if `isBands` is not 0. 0 for an unsupported number of bins.
@c(vibration_run)
public func run(_ bins: Int32, _ isBands: Int32, _ samples: Int32) -> UInt64 {
  do throws(VibrationError) {
    switch (bins, isBands != 0) {
    case (32, false): return try spectrum(Size<32>(), samples)
    case (64, false): return try spectrum(Size<64>(), samples)
    case (128, false): return try spectrum(Size<128>(), samples)
    case (256, false): return try spectrum(Size<256>(), samples)
    case (512, false): return try spectrum(Size<512>(), samples)
    case (32, true): return try bands(Size<32>(), samples)
    case (64, true): return try bands(Size<64>(), samples)
    case (128, true): return try bands(Size<128>(), samples)
    case (256, true): return try bands(Size<256>(), samples)
    case (512, true): return try bands(Size<512>(), samples)
    default: return 0
    }
  } catch {
    return 0
  }
}

/// The size in bytes of a spectrum or bands with that many bins.
@c(vibration_bytes)
public func bytes(_ bins: Int32, _ isBands: Int32) -> UInt32 {
  let size =
    switch (bins, isBands != 0) {
    case (32, false): MemoryLayout<VibrationSpectrum<32>>.size
    case (64, false): MemoryLayout<VibrationSpectrum<64>>.size
    case (128, false): MemoryLayout<VibrationSpectrum<128>>.size
    case (256, false): MemoryLayout<VibrationSpectrum<256>>.size
    case (512, false): MemoryLayout<VibrationSpectrum<512>>.size
    case (32, true): MemoryLayout<VibrationBands<32>>.size
    case (64, true): MemoryLayout<VibrationBands<64>>.size
    case (128, true): MemoryLayout<VibrationBands<128>>.size
    case (256, true): MemoryLayout<VibrationBands<256>>.size
    case (512, true): MemoryLayout<VibrationBands<512>>.size
    default: 0
    }
  return UInt32(size)
}
