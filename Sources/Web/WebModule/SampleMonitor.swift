internal import FixedPoint
internal import Gestures
internal import HAL
internal import Monitor
internal import Orientation
internal import Sensors
internal import StreamLines
internal import Text
internal import Vibration

/// A monitor for samples that come from outside, whenever they come.
struct SampleMonitor: ~Copyable {
  private let settings: BoardSettings
  private var vibration: VibrationDetector?
  /// Nil before the first step, which determines when it begins and by which filter.
  private var monitor: Monitor?
  /// The tare before the first step.
  private var tare = Tare.none

  /// - Throws: what is wrong with the settings.
  init(_ settings: BoardSettings) throws(SettingsFault) {
    self.settings = settings
    vibration = try settings.vibrationDetector()
    _ = try settings.monitorConfiguration(hasRotation: false)
  }

  /// Takes in a sample.
  mutating func sample(_ measured: Measurement, at now: Instant, into view: inout BoardView) {
    begin(at: now, hasRotation: measured.rotation != nil, &view)
    if let seen = monitor?.sampled(measured, at: now, watching: &vibration) { view.seen = seen }
    view.note(at: now)
  }

  /// Takes in that no sample has come until `now`.
  mutating func pass(at now: Instant, into view: inout BoardView) {
    if let seen = monitor?.rested(at: now) { view.seen = seen }
    view.note(at: now)
  }

  /// Takes in that the sensor delivers nothing.
  mutating func fail(_ fault: I2CFault, at now: Instant, into view: inout BoardView) {
    begin(at: now, hasRotation: true, &view)
    if let seen = monitor?.failed(.bus(fault), at: now) { view.seen = seen }
    view.note(at: now)
  }

  /// Makes `tare` the attitude in which angles are 0.
  mutating func zero(_ tare: Tare, _ view: inout BoardView) {
    self.tare = tare
    monitor?.rest(by: tare)
    view.objects.tare = tare
    if let snapshot = monitor?.snapshot { view.seen.snapshot = snapshot }
  }

  /// Scrolls to `position`.
  mutating func scroll(to position: TiltScroll.Position, _ view: inout BoardView) {
    monitor?.scroll(to: position)
    if monitor != nil { view.seen.snapshot.position = position }
  }

  /// Makes the monitor, if there is none.
  @inline(never)
  private mutating func begin(at now: Instant, hasRotation: Bool, _ view: inout BoardView) {
    guard monitor == nil else { return }
    // Not thrown: `init` has checked the settings.
    do throws(SettingsFault) {
      monitor = Monitor(try settings.monitorConfiguration(hasRotation: hasRotation), at: now)
    } catch {
      return
    }
    if tare != .none { monitor?.rest(by: tare) }
    guard settings.isRecorded else { return }
    view.objects = ObjectWriter(start: now, sensor: view.objects.sensor)
    view.objects.tare = tare
  }
}

extension BoardSettings {
  /// Samples come unrequested, and what they are not is reported by `fail`: nothing is retried.
  fileprivate func monitorConfiguration(hasRotation: Bool) throws(SettingsFault) -> Monitor.Configuration {
    var configuration = try configuration(
      period: .zero, fullScale: Q16(raw: Int32.max), rotationFullScale: nil, hasRotation: hasRotation)
    configuration.faults.retries = 0
    return configuration
  }
}
