package import FixedPoint
package import Vibration

/// What a spectrum shows, of three axes and all of them together, in this order.
package struct SpectrumFigures {
  /// The names of what each figure is of.
  package static let names = ["x", "y", "z", "all"]

  /// The rate of the samples in mHz, and how many of them a block has.
  package var rate: UInt32
  package var block: Int
  /// How many blocks each axis has at least.
  package var blocks: UInt32
  /// How many gaps began new blocks.
  package var gaps: UInt32
  /// The density in g/√Hz in each bin from 1 on.
  package var densities: [[Double]]
  /// The strongest line; nil where there is none.
  package var lines: [SpectralLine?]
  /// The root mean square in each band, in g.
  package var bands: [[Q16]]

  /// Reads all that `spectrum` shows.
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

  /// How far bins are apart, in Hz.
  package var step: Double { Double(rate) / 1_000 / Double(block) }
}
