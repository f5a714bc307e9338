package import FixedPoint
package import Vibration

/// The figures of a spectrum for three axes and all of them together, in this order.
package struct SpectrumFigures {
  /// The names of the axes, in the order of the figures.
  package static let names = ["x", "y", "z", "all"]

  /// The sample rate in mHz, and the number of samples in a block.
  package var rate: UInt32
  package var block: Int
  /// The smallest number of blocks of any axis.
  package var blocks: UInt32
  /// How many gaps have started a new block.
  package var gaps: UInt32
  /// The density in g/√Hz in each bin, from bin 1 on.
  package var densities: [[Double]]
  /// The strongest line; nil if there is none.
  package var lines: [SpectralLine?]
  /// The root mean square in each band, in g.
  package var bands: [[Q16]]

  /// Reads the figures of `spectrum`.
  package init<let bins: Int>(_ spectrum: borrowing VibrationSpectrum<bins>, _ edges: BandEdges) {
    let axes: [VibrationAxis?] = [.x, .y, .z, nil]
    (rate, block, blocks, gaps) = (spectrum.rate, 2 * bins, spectrum.blocks, spectrum.gaps)
    let step = Double(spectrum.rate) / 1_000 / Double(2 * bins)
    densities = []
    lines = []
    bands = []
    for axis in axes {
      var densities: [Double] = []
      for bin in 1...bins {
        densities.append((Double(spectrum.meanSquare(of: axis, bin: bin)) * 0x1p-46 / step).squareRoot())
      }
      self.densities.append(densities)
      lines.append(spectrum.strongestLine(of: axis))
      var bands: [Q16] = []
      for band in 0..<edges.count { bands.append(spectrum.rms(of: axis, from: edges[band], to: edges[band + 1])) }
      self.bands.append(bands)
    }
  }

  /// The distance between bins, in Hz.
  package var step: Double { Double(rate) / 1_000 / Double(block) }
}
