import FixedPoint
import PlumbViews
import ToolInputs
import ToolOutput
import Vibration

/// Measures vibration with a block length that is chosen at run time.
protocol VibrationMeter: AnyObject {
  /// Takes a sample; returns the report of the second that ended before it, if one did.
  func step(_ force: Vector3, at now: Instant) -> VibrationReport?
  /// The report of everything since the last one; nil for nothing.
  func finish(at now: Instant) -> VibrationReport?
  /// The figures of the spectrum of all samples.
  var figures: SpectrumFigures { get }
}

/// A meter with blocks of 2 · `bins` samples.
private final class SizedMeter<let bins: Int>: VibrationMeter {
  private var spectrum: VibrationSpectrum<bins>
  private var seconds: VibrationBands<bins>

  init(_ edges: BandEdges, period: Microseconds) throws(VibrationError) {
    spectrum = try VibrationSpectrum(period: period)
    seconds = try VibrationBands(edges, period: period)
  }

  func step(_ force: Vector3, at now: Instant) -> VibrationReport? {
    spectrum.step(force, at: now)
    return seconds.step(force, at: now)
  }

  func finish(at now: Instant) -> VibrationReport? { seconds.finish(at: now) }

  var figures: SpectrumFigures { SpectrumFigures(spectrum, seconds.edges) }
}

/// The possible block lengths.
enum VibrationBlock {
  static let lengths = [64, 128, 256, 512, 1_024]

  /// The default length for samples that arrive every `period`: at least a second of them, but two blocks in `limit`
  /// samples.
  static func usual(period: Microseconds, within limit: Int?) -> Int {
    let length = 2 * VibrationConfiguration.bins(period: period)
    guard let limit else { return length }
    return lengths.last { $0 <= length && 2 * $0 <= limit } ?? 64
  }

  /// A meter with blocks of `length`, one of `lengths`.
  static func meter(
    _ length: Int, _ edges: BandEdges, period: Microseconds
  ) throws(VibrationError) -> any VibrationMeter {
    switch length {
    case 64: try SizedMeter<32>(edges, period: period)
    case 128: try SizedMeter<64>(edges, period: period)
    case 256: try SizedMeter<128>(edges, period: period)
    case 512: try SizedMeter<256>(edges, period: period)
    default: try SizedMeter<512>(edges, period: period)
    }
  }
}
