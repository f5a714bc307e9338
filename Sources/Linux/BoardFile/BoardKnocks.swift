internal import FixedPoint
public import Gestures
internal import Orientation
internal import Sensors
internal import Text

// Taps and free fall.
extension BoardDescription {
  /// Why a sensor, as configured, cannot show taps.
  public enum TapRefusal: Error, Equatable, Sendable {
    /// Taps are detected in the samples, and the rate is below ``leastTapRate``.
    case rate
    /// The threshold is not below the sensor's range, so nothing can exceed it.
    case range
  }

  /// The lowest rate at which samples alone show taps, which last 5 ms to 20 ms.
  public static var leastTapRate: UpdateRate { .hertz(200) }

  /// The rate of a board whose file asks for taps and names no rate, if taps are detected in the samples.
  public static var usualTapRate: UpdateRate { .hertz(250) }

  /// Why the sensor, as configured, cannot show taps; nil if it can, or if taps are not detected.
  public var tapRefusal: TapRefusal? {
    guard let taps else { return nil }
    if !sensorFindsKnocks && sensor.rate < Self.leastTapRate { return .rate }
    return taps.threshold < Q16(whole: sensor.configuration.rangeInG) ? nil : .range
  }

  /// Whether the sensor itself detects taps and falls; otherwise they are detected in the samples.
  public var sensorFindsKnocks: Bool { sensor.model.traits.findsKnocks }

  /// Detects `taps`; nil turns this off. See ``tapRefusal``.
  public mutating func setTaps(_ taps: TapDetector.Configuration?) {
    self.taps = taps
    detect()
  }

  /// Detects taps with the defaults if the file does not ask for taps. If the sensor's rate or range cannot show them,
  /// it gets the usual one.
  public mutating func addTaps() {
    guard taps == nil else { return }
    setTaps(.standard)
    if tapRefusal == .rate { _ = sensor.setRate(Self.usualTapRate) }
    if tapRefusal == .range { _ = sensor.configuration.setRange(8) }
  }

  /// Detects `freeFall`; nil turns this off.
  public mutating func setFreeFall(_ freeFall: FallDetector.Configuration?) {
    self.freeFall = freeFall
    detect()
  }

  /// Configures a sensor that detects taps and falls itself.
  private mutating func detect() {
    guard sensorFindsKnocks else { return }
    sensor.configuration.taps = taps.map { SensorConfiguration.Taps($0, sensor.mounting) }
    sensor.configuration.fall = freeFall.map { SensorConfiguration.Fall(threshold: $0.threshold, time: $0.time) }
  }
}

extension SensorConfiguration.Taps {
  /// The sensor's settings for `taps` in the board's frame, on a board with `mounting`.
  fileprivate init(_ taps: TapDetector.Configuration, _ mounting: Mounting) {
    var axes: UInt8 = 0
    if taps.axes.contains(.x) { axes |= 1 &<< mounting.x.index }
    if taps.axes.contains(.y) { axes |= 1 &<< mounting.y.index }
    if taps.axes.contains(.z) { axes |= 1 &<< mounting.z.index }
    self.init(
      threshold: taps.threshold, duration: taps.duration, latency: taps.latency, window: taps.window, axes: axes,
      findsDoubleTaps: taps.findsDoubleTaps)
  }
}

/// What the sections `[taps]` and `[free-fall]` say.
struct KnockDraft {
  private(set) var taps = TapDetector.Configuration.standard
  private(set) var fall = FallDetector.Configuration.standard

  /// Sets the property of `key` in one of the two sections.
  mutating func set(_ key: BoardKey, to value: SettingsText) throws(BoardFileError.Cause) {
    switch key {
    case .fallThreshold, .fallTime: try setFall(key, to: value)
    default: try setTap(key, to: value)
    }
  }

  private mutating func setTap(_ key: BoardKey, to value: SettingsText) throws(BoardFileError.Cause) {
    var (threshold, duration, latency, window) = (taps.threshold, taps.duration, taps.latency, taps.window)
    var (axes, findsDoubleTaps) = (taps.axes, taps.findsDoubleTaps)
    switch key {
    case .tapThreshold: threshold = Q16(try key.number(value), over: 10_000)
    case .tapDuration: duration = Microseconds(widened(try key.number(value)))
    case .tapLatency: latency = Microseconds(widened(try key.number(value)))
    case .tapWindow: window = Microseconds(widened(try key.number(value)))
    case .tapAxes: axes = try Self.axes(value)
    default: findsDoubleTaps = try key.decision(value)
    }
    do throws(TapConfigurationError) {
      taps = try TapDetector.Configuration(
        threshold: threshold, duration: duration, latency: latency, window: window, axes: axes,
        findsDoubleTaps: findsDoubleTaps)
    } catch {
      throw .badValue(key)
    }
  }

  private mutating func setFall(_ key: BoardKey, to value: SettingsText) throws(BoardFileError.Cause) {
    let threshold = key == .fallThreshold ? Q16(try key.number(value), over: 10_000) : fall.threshold
    let time = key == .fallTime ? Microseconds(widened(try key.number(value))) : fall.time
    do throws(FallConfigurationError) {
      fall = try FallDetector.Configuration(threshold: threshold, time: time)
    } catch {
      throw .badValue(key)
    }
  }

  /// One or more of x, y and z, separated by blanks, each at most once.
  private static func axes(_ value: SettingsText) throws(BoardFileError.Cause) -> Tap.Axes {
    var bits: UInt8 = 0
    var needsBlank = false
    for index in 0..<value.count {
      if value.isBlank(at: index) {
        needsBlank = false
        continue
      }
      let letter = value[index] | 0x20
      guard !needsBlank, letter >= UInt8(ascii: "x"), letter <= UInt8(ascii: "z") else { throw .badValue(.tapAxes) }
      let bit: UInt8 = 1 &<< (letter &- UInt8(ascii: "x"))
      guard bits & bit == 0 else { throw .badValue(.tapAxes) }
      bits |= bit
      needsBlank = true
    }
    guard bits != 0 else { throw .badValue(.tapAxes) }
    return Tap.Axes(bits: bits)
  }
}
