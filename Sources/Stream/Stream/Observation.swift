public import FixedPoint
public import Gestures
public import HAL
public import Monitor
public import Orientation

/// What one step of a board brought, wherever it comes from.
public struct Observation: Sendable {
  /// The events of this step, in order, and the sample where one was taken.
  public let report: Monitor.Report
  /// What is known of the pose after this step.
  public let state: PoseState
  /// What the lines show after this step.
  public let levels: Levels
  /// What has been counted since the start.
  public let counters: Counters
  /// Where tilt has scrolled to.
  public let position: TiltScroll.Position
  /// The steering angle: finer than that of the reading, or with a tare that of its gravity.
  public let steering: BinaryAngle
  /// Whether the board is still; nil while that is not known.
  public let isStill: Bool?
  /// How the board is held, by the fusion with the gyroscope; nil without one.
  public let attitude: Fusion.Attitude?
  /// Samples so far of which an axis was at the end of its range; 0 without fusion.
  public let clippedSamples: UInt32
  /// The temperature of the sensor's die, °C; nil where it is not measured.
  public let temperature: Q16?
  /// Bus transactions so far; nil where there is no bus.
  public let transactions: UInt64?
  /// The vibration of the second that this step ended; nil where it did not end one, and where vibration is not watched.
  public let vibration: VibrationSecond?
  /// The attitude in which angles are zero. Those of the reading are not counted from it, because poses follow from them.
  public let tare: Tare

  /// The sample of this step, where one was taken.
  public var reading: Reading? { report.reading }

  /// What `report` of `monitor` brought.
  public init(
    _ report: Monitor.Report, _ monitor: borrowing Monitor, transactions: UInt64? = nil,
    vibration: VibrationSecond? = nil,
    tare: Tare = .none
  ) {
    self.report = report
    (state, levels, counters) = (monitor.state, monitor.levels, monitor.counters)
    position = monitor.movement?.position ?? .start
    if tare.up != nil, let reading = report.reading {
      steering = tare.applied(to: reading.gravity).steeringAngle
    } else {
      steering = monitor.steeringAngle
    }
    (attitude, isStill) = (monitor.attitude, monitor.isStill)
    (clippedSamples, temperature) = (monitor.clippedSamples, monitor.temperature)
    (self.transactions, self.vibration, self.tare) = (transactions, vibration, tare)
  }

  /// What a step of another process brought.
  package init(
    _ report: Monitor.Report, state: PoseState, levels: Levels, counters: Counters, position: TiltScroll.Position,
    steering: BinaryAngle, attitude: Fusion.Attitude?, isStill: Bool? = nil, clippedSamples: UInt32 = 0,
    temperature: Q16? = nil, transactions: UInt64?, vibration: VibrationSecond? = nil, tare: Tare = .none
  ) {
    (self.report, self.state, self.levels, self.counters) = (report, state, levels, counters)
    (self.position, self.steering, self.attitude, self.isStill) = (position, steering, attitude, isStill)
    (self.clippedSamples, self.temperature, self.transactions) = (clippedSamples, temperature, transactions)
    self.vibration = vibration
    self.tare = tare
  }

  /// What the angles of `reading` are of.
  public func held(_ reading: Reading) -> TaredForce { tare.applied(to: reading.held) }

  /// Calls `body` with each event of this step, in order.
  public func forEachEvent<Thrown: Error>(_ body: (Occurrence) throws(Thrown) -> Void) throws(Thrown) {
    for index in 0..<report.events.count {
      if let occurrence = report.events[index] { try body(occurrence) }
    }
  }
}
