internal import FixedPoint
internal import Text
public import Vibration

/// What the lines read so far say about vibration; nil stands for a default.
struct VibrationDraft {
  private var edges: BandEdges?
  private var busy: Q16?
  private var busyTime: Microseconds?
  private var quiet: Q16?
  private var quietTime: Microseconds?

  /// Sets the property of `key`, or throws why `value` is invalid.
  mutating func set(_ key: BoardKey, to value: SettingsText) throws(BoardFileError.Cause) {
    switch key {
    case .bands: edges = try Self.edges(value)
    case .busy: busy = try Self.strength(value, of: key)
    case .quiet: quiet = try Self.strength(value, of: key)
    case .busyTime: busyTime = .milliseconds(widened(try key.number(value)))
    default: quietTime = .milliseconds(widened(try key.number(value)))
    }
  }

  private static func edges(_ value: SettingsText) throws(BoardFileError.Cause) -> BandEdges {
    var edges = InlineArray<9, Q16>(repeating: .zero)
    var count = 0
    // More than nine are counted, then refused.
    guard
      value.forEachDecimal(
        places: 3,
        { millihertz in
          if count < 9 { edges[count] = Q16(min(millihertz, 1_000_000), over: 1_000) }
          count &+= 1
        }), count <= 9
    else { throw .badValue(.bands) }
    do throws(VibrationError) {
      let result = try BandEdges(edges.span.extracting(first: count))
      guard result.top <= Q16(whole: 500) else { throw VibrationError.edges }
      return result
    } catch {
      throw .badValue(.bands)
    }
  }

  private static func strength(_ value: SettingsText, of key: BoardKey) throws(BoardFileError.Cause) -> Q16 {
    guard let micrograms = value.decimal(places: 6), micrograms <= 16_000_000 else { throw .badValue(key) }
    let strength = Q16(micrograms, over: 1_000_000)
    guard strength > .zero else { throw .badValue(key) }
    return strength
  }

  /// The whole configuration; throws if a machine would be quiet above the vibration at which it is busy.
  func checked() throws(VibrationError) -> VibrationConfiguration {
    let standard = BusyDetector.Configuration.standard
    return VibrationConfiguration(
      edges: edges,
      busy: try BusyDetector.Configuration(
        busyThreshold: busy ?? standard.busyThreshold, busyTime: busyTime ?? standard.busyTime,
        quietThreshold: quiet ?? (busy == nil ? standard.quietThreshold : nil),
        quietTime: quietTime ?? standard.quietTime))
  }
}

extension BoardDescription.Sensor {
  /// How often a sample is taken: with batches, as often as the sensor samples.
  var sampleRate: UpdateRate { batch > 1 ? UpdateRate(period: period) : rate }

  /// The rate that `vibration` needs, if samples are fewer: twice its highest frequency, and at least 10 Hz. Otherwise
  /// nil.
  public func rateMissing(for vibration: VibrationConfiguration) -> UpdateRate? {
    let top = vibration.edges?.top ?? .zero
    // A period is a whole number of microseconds; an extra 1/1024 allows for half of one.
    let half = BandEdges.highest(period: period).raw
    let isTooHigh = top.raw > half &+ half / 1_024
    guard isTooHigh || period > .milliseconds(100) else { return nil }
    let doubled = (widened(top.raw) &* 2_000 &+ 32_768) / 65_536
    return UpdateRate(millihertz: max(10_000, saturated(doubled)))
  }
}
