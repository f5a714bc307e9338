public import FixedPoint
public import HAL
public import Sensors

/// The shell around a `Monitor`: waits, reads, steps and writes, and nothing else.
///
/// In steady state one turn is one wait and one bus transaction; the output bank is written only when levels change. Where
/// the clock hears of the sensor's samples, they are taken as they come, else at exact periods.
public struct Loop<Sensor: Accelerometer & ~Copyable, Bank: OutputBank & ~Copyable, Clock: MonotonicClock & ~Copyable>:
  ~Copyable
{
  /// The sensor that is read.
  public var sensor: Sensor
  /// The lines that are set.
  public var bank: Bank
  /// The clock that is waited by.
  public var clock: Clock
  /// What decides.
  public var monitor: Monitor
  /// How often the output bank was written.
  public private(set) var outputWrites: UInt64 = 0

  /// A loop that has not begun; the lines are taken to be off.
  public init(
    sensor: consuming Sensor, bank: consuming Bank, clock: consuming Clock, configuration: Monitor.Configuration
  ) {
    monitor = Monitor(configuration, at: clock.now)
    self.sensor = sensor
    self.bank = bank
    self.clock = clock
  }

  /// A loop that takes a sample every `period`, with the default of every other figure.
  public init(sensor: consuming Sensor, bank: consuming Bank, clock: consuming Clock, period: Microseconds) {
    monitor = Monitor(Monitor.Configuration(period: period, fullScale: sensor.fullScale), at: clock.now)
    self.sensor = sensor
    self.bank = bank
    self.clock = clock
  }

  /// Waits for the next task, does it, and returns what it brought; nil when the wait was ended from outside.
  ///
  /// - Throws: the output bank's fault. A fault of the sensor is no error but an event.
  public mutating func turn() throws(OutputFault) -> Monitor.Report? {
    let (due, task) = monitor.next
    var isData = false
    if task == .sample {
      let awakening = clock.awaitSample(due: due)
      guard awakening != .interrupted else { return nil }
      isData = awakening == .data
    } else {
      guard clock.sleep(until: due) else { return nil }
    }
    let report = perform(task, isData: isData)
    if let levels = report.levels {
      try bank.write(levels)
      outputWrites &+= 1
    }
    return report
  }

  private mutating func perform(_ task: Monitor.Task, isData: Bool) -> Monitor.Report {
    do {
      switch task {
      case .rest: return monitor.rested(at: clock.now)
      case .sample: return try sample(isData: isData)
      case .start: return started(settling: try sensor.start())
      case .proceed:
        if let pause = try sensor.proceed() { return started(settling: pause) }
        return try sample()
      case .restart:
        try sensor.reopen()
        return started(settling: try sensor.start())
      }
    } catch {
      return monitor.failed(error, at: clock.now)
    }
  }

  private mutating func started(settling: Microseconds) -> Monitor.Report {
    monitor.started(settling: settling, notice: sensor.notice, at: clock.now)
  }

  private mutating func sample(isData: Bool = false) throws(SensorError) -> Monitor.Report {
    let now = clock.now
    if isData { monitor.follow(at: now) }
    return monitor.sampled(try sensor.sample(), at: now)
  }
}
