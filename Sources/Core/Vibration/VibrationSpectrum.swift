public import FixedPoint

/// The spectrum of a vibration by Welch's method: the mean power of blocks of N = 2 · `bins` samples under a Hann
/// window, which overlap by half.
///
/// `bins` is 32, 64, 128, 256 or 512. Bin k is at k · rate / N Hz; the rate is measured from the times of the samples.
/// Gravity, as the mean of each block, is removed exactly. Forces beyond ±128 g count as ±128 g.
///
/// A line is accurate to 12.1 · 2^-29 (2.3e-8, -152 dB) of the largest distance of a sample from the mean of its block;
/// a mean square is accurate to twice that error times the line, plus 2^-37 g² for summing 4096 blocks.
/// `VibrationSpectrumTests` asserts it against Welch's method in `Double`.
///
/// A sample is stored in three rings and causes at most one transform: the blocks of the axes end one after the other.
/// docs/vibration.md has the instruction counts. It takes 56 · `bins` + 104 bytes.
///
/// - Source: P. D. Welch, "The use of fast Fourier transform for the estimation of power spectra", 1967.
public struct VibrationSpectrum<let bins: Int>: ~Copyable {
  private var source: SampleBlocks<bins>
  private var x = PowerSums<bins>()
  private var y = PowerSums<bins>()
  private var z = PowerSums<bins>()

  /// For samples every `period`, 200 µs…1 s: a pause of over two and a half periods starts new blocks.
  public init(period: Microseconds) throws(VibrationError) { source = try SampleBlocks(period: period) }

  /// Takes in the specific force at `now`, in g.
  public mutating func step(_ force: Vector3, at now: Instant) {
    switch source.step(force, at: now) {
    case .x: x.add(&source.transform)
    case .y: y.add(&source.transform)
    case .z: z.add(&source.transform)
    case nil: break
    }
  }

  /// The smallest number of blocks in the mean of an axis; at most 2^24.
  public var blocks: UInt32 { min(x.blocks, min(y.blocks, z.blocks)) }

  /// The mean rate of the samples, without the gaps, in mHz.
  public var rate: UInt32 { source.rate }

  /// How many gaps have started new blocks.
  public var gaps: UInt32 { source.gaps }

  /// The frequency of bin `bin`, 0…`bins`, in Hz, within 1 LSB; at most half the rate.
  public func frequency(of bin: Int) -> Q16 {
    let bin = widened(max(0, min(bins, bin)))
    // 2^9 · 2^23 · 2^16 at most.
    let turns = bin &* widened(source.rate) &* 65_536
    return Q16(raw: Int32(truncatingIfNeeded: turns / (2_000 &* widened(bins))))
  }

  /// The mean square of the vibration of `axis`, or of all three axes together for nil, in bin `bin`, 1…`bins`, in
  /// units of 2^-46 g². 0 for other bins, and before the first block. The sum over all bins is that of the whole
  /// vibration.
  public func meanSquare(of axis: VibrationAxis?, bin: Int) -> UInt64 {
    switch axis {
    case .x: x.meanSquare(bin)
    case .y: y.meanSquare(bin)
    case .z: z.meanSquare(bin)
    case nil: x.meanSquare(bin) &+ y.meanSquare(bin) &+ z.meanSquare(bin)
    }
  }

  /// The root mean square of the bins with frequencies from `low` to below `high`, in g, rounded to nearest.
  public func rms(of axis: VibrationAxis?, from low: Q16, to high: Q16) -> Q16 {
    rms(
      of: axis, from: BandEdges.bin(at: low, source.rate, of: bins), to: BandEdges.bin(at: high, source.rate, of: bins))
  }

  /// The root mean square of all bins, in g, rounded to nearest.
  public func rms(of axis: VibrationAxis?) -> Q16 { rms(of: axis, from: 1, to: bins &+ 1) }

  private func rms(of axis: VibrationAxis?, from low: Int, to high: Int) -> Q16 {
    var sum: UInt64 = 0
    var bin = max(1, low)
    while bin < min(high, bins &+ 1) {
      sum = sum &+ meanSquare(of: axis, bin: bin)
      bin = bin &+ 1
    }
    return PowerScale.root(sum)
  }
}

/// A line of a spectrum.
public struct SpectralLine: Equatable, Sendable {
  /// The bin, which is larger than both of its neighbours.
  public let bin: Int
  /// The frequency in Hz, interpolated between bins: for a pure tone, accurate to a hundredth of a bin.
  public let frequency: Q16
  /// The root mean square of the line in g, from its bin and the three nearest ones: for a pure tone, accurate to 0.1 %
  /// (0.01 dB).
  public let rms: Q16
}

extension VibrationSpectrum {
  /// The line with the greatest power at or above the frequency `low`, in Hz, from bin 2 up (removing the mean affects
  /// lower bins); nil if there is none.
  public func strongestLine(of axis: VibrationAxis?, above low: Q16 = .zero) -> SpectralLine? {
    var best: (bin: Int, power: UInt64) = (0, 0)
    var bin = max(2, BandEdges.bin(at: low, source.rate, of: bins))
    while bin < bins {
      let power = meanSquare(of: axis, bin: bin)
      if power > best.power { best = (bin, power) }
      bin = bin &+ 1
    }
    guard best.power > 0 else { return nil }
    return line(of: axis, at: best.bin)
  }

  /// The line at a bin in 2..<`bins`.
  ///
  /// Under a Hann window, a tone `d` bins from bin k has sizes in the bins k and k + 1 whose ratio r gives d = (2r - 1)
  /// / (r + 1).
  private func line(of axis: VibrationAxis?, at bin: Int) -> SpectralLine {
    let (below, peak, above) = (
      meanSquare(of: axis, bin: bin &- 1), meanSquare(of: axis, bin: bin), meanSquare(of: axis, bin: bin &+ 1)
    )
    let isAbove = above >= below
    let near = Int64(bitPattern: widened(squareRoot(isAbove ? above : below)))
    let size = Int64(bitPattern: widened(squareRoot(peak)))
    // In 2^-16 bins, 0…½: the neighbour is the smaller one. Both roots are below 2^32.
    let place = max(0, (((near &<< 1) &- size) &<< 16) / max(1, near &+ size))
    let steps = Int64(bitPattern: widened(bin) &<< 16) &+ (isAbove ? place : 0 &- place)
    // 2^25 · 2^23, divided by 2^11 · 1000.
    let raw = UInt64(bitPattern: steps) &* widened(source.rate) / (2_000 &* widened(bins))
    let further = meanSquare(of: axis, bin: isAbove ? bin &+ 2 : bin &- 2)
    return SpectralLine(
      bin: bin, frequency: Q16(raw: Int32(truncatingIfNeeded: raw)),
      rms: PowerScale.root(below &+ peak &+ above &+ further))
  }
}
