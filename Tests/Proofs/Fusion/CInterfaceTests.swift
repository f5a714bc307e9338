internal import CPlumb
import FixedPoint
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// The C interface against the pipeline, which it does not use.
struct CInterfaceTests {
  /// The C interface's result for a sample: the board's frame differs from the sensor's by a quarter turn.
  struct CMonitor {
    private var monitor = plumb_monitor_t()
    private var fusion = plumb_fusion_t()

    init() throws {
      var config = plumb_config_t()
      try #require(unsafe plumb_config_fused(&config) == PLUMB_OK.rawValue)
      config.mounting = (SensorAxis.minusY.rawValue, SensorAxis.plusX.rawValue, SensorAxis.plusZ.rawValue)
      try #require(unsafe plumb_monitor_init(&monitor, &config) == PLUMB_OK.rawValue)
      try #require(unsafe plumb_fusion_init(&fusion, nil) == PLUMB_OK.rawValue)
    }

    mutating func step(_ force: Vector3, _ rate: Vector3, at time: Int64) throws -> plumb_output_t {
      var (force, rate) = (CInterfaceTests.c(force), CInterfaceTests.c(rate))
      var output = plumb_output_t()
      let status = unsafe plumb_monitor_step_fused(&monitor, &fusion, &force, &rate, UInt64(time), &output)
      try #require(status == PLUMB_OK.rawValue)
      return output
    }
  }

  static func c(_ vector: Vector3) -> plumb_vector_t {
    plumb_vector_t(x: vector.x.raw, y: vector.y.raw, z: vector.z.raw)
  }

  /// All results of a step, in a comparable form.
  private static func numbers(_ output: plumb_output_t) -> [Int64] {
    let vectors = [output.force, output.gravity, output.motion].flatMap { [$0.x, $0.y, $0.z] }
    let angles = [
      output.device_angle, output.level_angle, output.pitch, output.roll, output.inclination, output.steering_angle,
    ]
    return (vectors + angles).map { Int64($0) } + [Int64(output.events), Int64(output.valid)]
      + [output.pose, output.reason, output.previous_pose, output.previous_reason].map { Int64($0) }
  }

  private static func pose(_ state: PoseState) -> Int64 {
    state.pose.map { Int64($0.rawValue) } ?? Int64(PLUMB_POSE_UNKNOWN.rawValue)
  }

  private static func reason(_ state: PoseState) -> Int64 {
    if case .unknown(let reason) = state { Int64(reason.rawValue) + 1 } else { 0 }
  }

  /// The same for a reading, with `before` as the state before it.
  private static func numbers(_ reading: Reading, after before: PoseState) -> [Int64] {
    let vectors = [reading.force, reading.gravity, reading.motion].flatMap { [$0.x.raw, $0.y.raw, $0.z.raw] }
    let angles = reading.angles
    var events = reading.expired == nil ? 0 : PLUMB_EVENT_EXPIRED.rawValue
    if let change = reading.change {
      events |= change.to.pose == nil ? PLUMB_EVENT_LOST.rawValue : PLUMB_EVENT_POSE.rawValue
    }
    // In C an undefined angle is 0.
    let (device, roll) = (angles.hasDevice ? angles.device : .zero, angles.hasRoll ? angles.roll : .zero)
    let turns = [device, -device, angles.pitch, roll, angles.inclination, angles.steering]
    let valid = (angles.hasDevice ? 1 : 0) | (angles.hasRoll ? 2 : 0)
    return (vectors + turns.map(\.raw)).map { Int64($0) } + [Int64(events), Int64(valid)]
      + [pose(reading.state), reason(reading.state), pose(before), reason(before)]
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  static func `a falling board gives the same bits in C as in the pipeline`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let mounting = try Mounting(x: .minusY, y: .plusX, z: .plusZ)
    var pipeline = Pipeline(
      Pipeline.Configuration(
        alignment: Alignment(.none, mounting), gravity: .fusion(Fusion.Configuration())))
    var monitor = try CMonitor()
    var (time, events): (Int64, [UInt32]) = (0, [])
    /// Samples of `force` and `rate` with noise for `duration` seconds, starting `pause` µs after the last one.
    func hold(_ force: SIMD3<Double>, _ rate: SIMD3<Double> = .zero, for duration: Double, after pause: Int64 = 10_000)
      throws
    {
      func noise() -> SIMD3<Double> { SIMD3(generator.normal(), generator.normal(), generator.normal()) }
      for index in 0..<Int(duration * 100) {
        time += index == 0 ? pause : 10_000
        let measured = q16(quantised(force: force + noise() * 0.004))
        let turned = q16(quantised(rate + noise() * 0.05))
        let before = pipeline.state
        let output = try monitor.step(measured, turned, at: time)
        let reading = pipeline.step(
          Sensors.Measurement(force: measured, rotation: turned), at: Instant(microseconds: time))
        #expect(Self.numbers(output) == Self.numbers(reading, after: before), "at \(time) µs")
        if output.events != 0 { events.append(output.events) }
      }
    }
    // The sensor's X is the board's top.
    try hold(SIMD3(1, 0, 0), for: 3)
    // A short fall keeps the pose; a longer one with a tumble of a quarter turn is reported, and so is the pose where
    // it ends.
    try hold(.zero, SIMD3(0, 0, 30), for: 0.6)
    try hold(SIMD3(1, 0, 0), for: 2)
    #expect(events == [PLUMB_EVENT_POSE.rawValue])
    try hold(.zero, SIMD3(0, -60, 0), for: 1.5)
    #expect(events.last == PLUMB_EVENT_LOST.rawValue)
    try hold(SIMD3(0, 0, 1), for: 1)
    #expect(events.last == PLUMB_EVENT_POSE.rawValue)
    // After a pause it is still falling, then held.
    try hold(.zero, for: 0.5, after: 2_000_000)
    #expect(events.contains { $0 & PLUMB_EVENT_EXPIRED.rawValue != 0 })
    try hold(SIMD3(0, 1, 0), for: 1)
    #expect(events.last == PLUMB_EVENT_POSE.rawValue)
  }
}
