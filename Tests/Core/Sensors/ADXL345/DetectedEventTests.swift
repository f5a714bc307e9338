import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// Events that the emulated part detects in a moving board, as the driver's measurements report them.
struct DetectedEventTests {
  /// Short forces of 6 g on Y, in milliseconds from the beginning; otherwise at rest.
  struct Knocks: Motion {
    var milliseconds: [Range<Int64>]
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 {
      let isKnocked = milliseconds.contains { $0.contains(time.count / 1_000) }
      return Still(x: 0, y: isKnocked ? 1_536 : 0, z: 256).vector
    }
  }

  static let atRest = Still(x: 0, y: 0, z: 256)
  static let weightless = Still(x: 10, y: -10, z: 10)
  /// A tap and a double tap on Y.
  static let tapOnY = Findings(rawValue: 0x12)
  static let doubleTapOnY = Findings(rawValue: 0x22)
  static let fall = Findings(rawValue: 0x40)

  /// Weightless for 0.2 s.
  static func freeFall() throws -> ADXL345.FreeFall {
    try require(ADXL345.FreeFall(threshold: Q16(7, over: 16), time: .milliseconds(200)))
  }

  /// A driver with a started part that has been at rest for half a second and has nothing left to report.
  private static func rig(
    _ detection: ADXL345.Detection, _ interrupts: ADXL345.Interrupts = ADXL345.Interrupts(),
    fifo: ADXL345.FIFO = .bypass
  ) throws -> ADXL345Rig {
    let rig = ADXL345Rig(
      DetectedEventTests.atRest,
      ADXL345.Configuration(fifo: fifo, detection: detection, interrupts: interrupts))
    rig.clock.advance(by: try rig.driver.start())
    rig.clock.advance(by: .milliseconds(500))
    try expect(rig.driver.measure().findings, equals: .none)
    return rig
  }

  /// The findings of `motion` within `time`, each reported once.
  private static func findings(of motion: some Motion, for time: Microseconds, on rig: ADXL345Rig) throws -> Findings {
    rig.part.play(motion)
    rig.clock.advance(by: time)
    let found = try rig.driver.measure().findings
    try expect(rig.driver.measure().findings, equals: .none)
    return found
  }

  @Test static func `a knock is a tap if it is short and hard enough, on an enabled axis`() throws {
    let tap = try require(ADXL345.Tap(threshold: Q16(whole: 3), duration: .milliseconds(10)))
    let rig = try rig(ADXL345.Detection(tap: tap))
    try expect(
      findings(of: Knocks(milliseconds: [5..<10]), for: .milliseconds(100), on: rig), equals: DetectedEventTests.tapOnY)
    try expect(findings(of: Knocks(milliseconds: [5..<20]), for: .milliseconds(100), on: rig), equals: .none)
    try expect(findings(of: Still(x: 0, y: 700, z: 256), for: .milliseconds(100), on: rig), equals: .none)
    let onX = try require(
      ADXL345.Tap(threshold: Q16(whole: 3), duration: .milliseconds(10), axes: ADXL345.Axes(x: true)))
    let other = try self.rig(ADXL345.Detection(tap: onX))
    try expect(findings(of: Knocks(milliseconds: [5..<10]), for: .milliseconds(100), on: other), equals: .none)
  }

  @Test static func `two knocks are a double tap if the second comes in the window`() throws {
    let second = try require(ADXL345.SecondTap(latency: .milliseconds(25), window: .milliseconds(100)))
    let tap = try require(ADXL345.Tap(threshold: Q16(whole: 3), duration: .milliseconds(10), kind: .double(second)))
    let rig = try rig(ADXL345.Detection(tap: tap))
    let twice = Knocks(milliseconds: [5..<10, 80..<85])
    let late = Knocks(milliseconds: [5..<10, 200..<205])
    try expect(findings(of: twice, for: .milliseconds(300), on: rig), equals: DetectedEventTests.doubleTapOnY)
    try expect(findings(of: Knocks(milliseconds: [5..<10]), for: .milliseconds(300), on: rig), equals: .none)
    try expect(findings(of: late, for: .milliseconds(400), on: rig), equals: .none)
  }

  @Test static func `unrest between two knocks prevents a double tap only if configured so`() throws {
    for rejectsUnrest in [false, true] {
      let second = try require(
        ADXL345.SecondTap(latency: .milliseconds(50), window: .milliseconds(100), rejectsUnrest: rejectsUnrest))
      let tap = try require(
        ADXL345.Tap(threshold: Q16(whole: 3), duration: .milliseconds(10), kind: .singleAndDouble(second)))
      let rig = try rig(ADXL345.Detection(tap: tap))
      let found = try findings(of: Knocks(milliseconds: [5..<10, 30..<33, 80..<85]), for: .milliseconds(400), on: rig)
      expect(that: found.singleTap)
      expect(found.doubleTap, equals: !rejectsUnrest)
    }
  }

  @Test static func `weightlessness of the configured time is free fall, and not before`() throws {
    let rig = try rig(ADXL345.Detection(freeFall: DetectedEventTests.freeFall()))
    try expect(findings(of: DetectedEventTests.weightless, for: .milliseconds(190), on: rig), equals: .none)
    try expect(
      findings(of: DetectedEventTests.weightless, for: .milliseconds(20), on: rig), equals: DetectedEventTests.fall)
    try expect(findings(of: Still(x: 0, y: 128, z: 0), for: .milliseconds(500), on: rig), equals: .none)
  }

  @Test static func `without detection nothing is found`() throws {
    let rig = try rig(ADXL345.Detection())
    try expect(findings(of: Knocks(milliseconds: [5..<10]), for: .milliseconds(300), on: rig), equals: .none)
    try expect(findings(of: Still(x: 0, y: 0, z: 0), for: .seconds(1), on: rig), equals: .none)
  }

  @Test static func `an event drives the pin that it is mapped to until it is read`() throws {
    for onSecond in [false, true] {
      for isActiveLow in [false, true] {
        let rig = try rig(
          ADXL345.Detection(freeFall: DetectedEventTests.freeFall()),
          ADXL345.Interrupts(onInterrupt2: onSecond ? .freeFall : .none, isActiveLow: isActiveLow))
        let idle = isActiveLow
        expect(rig.part.isINT1High, equals: idle)
        expect(rig.part.isINT2High, equals: idle)
        rig.part.play(Still(x: 0, y: 0, z: 0))
        rig.clock.advance(by: .milliseconds(250))
        expect(rig.part.isINT1High, equals: onSecond ? idle : !idle)
        expect(rig.part.isINT2High, equals: onSecond ? !idle : idle)
        _ = try rig.driver.measure()
        expect(rig.part.isINT1High, equals: idle)
        expect(rig.part.isINT2High, equals: idle)
      }
    }
  }

  @Test static func `data ready drives its pin from each sample until it is read, even the first after a start`() throws
  {
    let configuration = ADXL345.Configuration(interrupts: ADXL345.Interrupts(conditions: .dataReady))
    let rig = ADXL345Rig(ADXL345Rig.force, configuration)
    for _ in 0..<3 {
      _ = try rig.driver.start()
      // Samples that were not read before drive nothing.
      expect(that: !rig.part.isINT1High)
      for _ in 0..<5 {
        rig.clock.advance(by: .milliseconds(12))
        expect(that: rig.part.isINT1High)
        try expect(rig.driver.sample(), equals: ADXL345Rig.force.vector)
        expect(that: !rig.part.isINT1High)
      }
      rig.clock.advance(by: .milliseconds(50))
    }
  }

  @Test static func `a start discards earlier events`() throws {
    let rig = try rig(ADXL345.Detection(freeFall: DetectedEventTests.freeFall()))
    rig.part.play(DetectedEventTests.weightless)
    rig.clock.advance(by: .milliseconds(250))
    rig.part.play(DetectedEventTests.atRest)
    rig.clock.advance(by: try rig.driver.start())
    try expect(rig.driver.measure().findings, equals: .none)
  }

  @Test static func `events found while samples waited come once, with the last sample`() throws {
    let rig = try rig(
      ADXL345.Detection(freeFall: DetectedEventTests.freeFall()), fifo: .stream(watermark: .init(nearest: 16)))
    var batch = SampleBatch()
    try rig.driver.take(try rig.driver.waiting().count, into: &batch)
    rig.part.play(DetectedEventTests.weightless)
    rig.clock.advance(by: .milliseconds(220))
    for expected in [DetectedEventTests.fall, .none] {
      batch.removeAll()
      let waiting = try rig.driver.waiting().count
      try rig.driver.take(waiting, into: &batch)
      expect(waiting, isAbove: 5)
      expect(batch.count, equals: waiting)
      let found = (0..<batch.count).map { batch[$0]?.findings }
      expect(found, equals: [Findings?](repeating: Findings.none, count: waiting - 1) + [expected])
      rig.part.play(DetectedEventTests.atRest)
      rig.clock.advance(by: .milliseconds(100))
    }
  }

  @Test static func `events found while no sample waited come with the next one`() throws {
    let rig = try rig(
      ADXL345.Detection(freeFall: DetectedEventTests.freeFall()), fifo: .stream(watermark: .init(nearest: 16)))
    rig.part.play(DetectedEventTests.weightless)
    rig.clock.advance(by: .milliseconds(250))
    rig.part.play(DetectedEventTests.atRest)
    var batch = SampleBatch()
    try rig.driver.take(0, into: &batch)
    expect(batch.count, equals: 0)
    try rig.driver.take(1, into: &batch)
    expect(batch[0]?.findings, equals: DetectedEventTests.fall)
  }

  @Test static func `a brown-out is detected by the next measurement`() throws {
    let rig = try rig(ADXL345.Detection(freeFall: DetectedEventTests.freeFall()))
    rig.part.powerCycle()
    expect(throws: SensorError.configurationLost) { try rig.driver.measure() }
  }
}

/// What the registers beside a sample report.
struct FindingsTests {
  /// The registers from ACT_TAP_STATUS to DATA_FORMAT at 100 Hz and ±16 g with free-fall detection.
  static let registers: [UInt8] = [0x00, 0x0A, 0x08, 0x04, 0x00, 0x00, 0x0B]

  /// A start with free-fall detection: 8 steps of 62.5 mg, 20 steps of 5 ms.
  static let start: [BusScript.Step] = {
    let functions: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 20, 0]
    let address = ADXL345.address
    return [
      .writeRead([0x00], reply: [0xE5], at: address), .write([0x2D, 0x00], to: address),
      .write([0x2E, 0x00], to: address), .write([0x1D] + functions, to: address), .write([0x2C, 0x0A], to: address),
      .write([0x31, 0x0B], to: address), .write([0x38, 0x00], to: address),
      .writeRead([0x32], reply: [0, 0, 0, 0, 0, 0], at: address), .write([0x2F, 0x00], to: address),
      .writeRead([0x1D], reply: functions, at: address),
      .writeRead([0x2C], reply: [0x0A, 0x00, 0x00, 0x00, 0xFF, 0x0B], at: address),
      .writeRead([0x38], reply: [0x00], at: address), .write([0x2E, 0x04], to: address),
      .writeRead([0x2E], reply: [0x04], at: address), .write([0x2D, 0x08], to: address),
      .writeRead([0x2D], reply: [0x08], at: address),
    ]
  }()

  @Test(arguments: 0..<7, UInt8.min...UInt8.max)
  static func `a wrong register between the axes and the sample shows a lost configuration`(
    _ index: Int, _ byte: UInt8
  ) throws {
    var reply = Self.registers
    reply[index] = byte
    let script = BusScript(
      Self.start + [.writeRead([0x2B], reply: reply + [1, 0, 2, 0, 3, 0], at: ADXL345.address)])
    let freeFall = try require(ADXL345.FreeFall(threshold: Q16(1, over: 2), time: .milliseconds(100)))
    var driver = ADXL345.Device(
      bus: ScriptedBus(script),
      configuration: ADXL345.Configuration(detection: ADXL345.Detection(freeFall: freeFall)))
    _ = try driver.start()
    var measurement: Measurement?
    let error = sensorError { () throws(SensorError) in measurement = try driver.measure() }
    let isWhole = index == 0 ? byte < 0x80 : index == 5 || byte == Self.registers[index]
    expect(error, equals: isWhole ? nil : .configurationLost)
    expect(measurement?.force, equals: (isWhole ? Still(x: 1, y: 2, z: 3).vector : nil))
    let events = index == 5 ? byte : 0
    if let findings = measurement?.findings {
      expect(findings.singleTap, equals: events & 0x40 != 0)
      expect(findings.doubleTap, equals: events & 0x20 != 0)
      expect(findings.freeFall, equals: events & 0x04 != 0)
      expect(findings.tapAxes, equals: 0)
    }
    expect(script.complaints, equals: [])
  }

  @Test(arguments: 0..<8 as Range<UInt8>)
  static func `the axes of a tap, and only of a tap, come from ACT_TAP_STATUS, X first`(_ axes: UInt8) throws {
    for events: UInt8 in [0x40, 0x20, 0x04] {
      var reply = Self.registers
      (reply[0], reply[5]) = (axes, events)
      let freeFall = try require(ADXL345.FreeFall(threshold: Q16(1, over: 2), time: .milliseconds(100)))
      var driver = ADXL345.Device(
        bus: ScriptedBus(Self.start + [.writeRead([0x2B], reply: reply + [0, 0, 0, 0, 0, 0], at: ADXL345.address)]),
        configuration: ADXL345.Configuration(detection: ADXL345.Detection(freeFall: freeFall)))
      _ = try driver.start()
      let found = try driver.measure().findings
      // In the register X is bit 2 and Z bit 0.
      let expected = axes >> 2 | axes & 2 | axes << 2 & 4
      expect(found.tapAxes, equals: events == 0x04 ? 0 : expected)
    }
  }
}
