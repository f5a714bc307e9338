import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// What the emulated part finds in a moving board, read by the driver.
@Suite struct DetectedEventTests {
  /// Short forces of 6 g on Y, in milliseconds from the beginning; else at rest.
  struct Knocks: Motion {
    var milliseconds: [Range<Int64>]
    var duration: Microseconds { .zero }
    func specificForce(at time: Microseconds) -> Vector3 {
      let isKnocked = milliseconds.contains { $0.contains(time.count / 1_000) }
      return Still(x: 0, y: isKnocked ? 1_536 : 0, z: 256).vector
    }
  }

  static let atRest = Still(x: 0, y: 0, z: 256)

  /// A driver with a started part, at rest for half a second, of which nothing is left to tell.
  private func rig(_ detection: ADXL345.Detection, _ interrupts: ADXL345.Interrupts = ADXL345.Interrupts()) throws
    -> Rig
  {
    let rig = Rig(DetectedEventTests.atRest, ADXL345.Configuration(detection: detection, interrupts: interrupts))
    rig.clock.advance(by: try rig.driver.start())
    rig.clock.advance(by: .milliseconds(500))
    _ = try rig.driver.events()
    return rig
  }

  /// The events that come of `motion` within `time`: those of bits 6 to 2 alone.
  private func events(of motion: some Motion, for time: Microseconds, on rig: Rig) throws -> ADXL345.EventReport {
    rig.part.play(motion)
    rig.clock.advance(by: time)
    var report = try rig.driver.events()
    report.events = report.events.intersection(ADXL345.Events(rawValue: 0b0111_1100))
    #expect(try rig.driver.events().events.intersection(ADXL345.Events(rawValue: 0b0111_1100)) == .none)
    return report
  }

  @Test func `a knock is a tap if it is short and hard enough, on an axis that counts`() throws {
    let tap = try #require(ADXL345.Tap(threshold: Q16(whole: 3), duration: .milliseconds(10)))
    let rig = try rig(ADXL345.Detection(tap: tap))
    let report = try events(of: Knocks(milliseconds: [5..<10]), for: .milliseconds(100), on: rig)
    #expect(report.events == .singleTap)
    #expect(report.tapAxes == ADXL345.Axes(y: true))
    #expect(try events(of: Knocks(milliseconds: [5..<20]), for: .milliseconds(100), on: rig).events == .none)
    #expect(try events(of: Still(x: 0, y: 700, z: 256), for: .milliseconds(100), on: rig).events == .none)
    let onX = try #require(
      ADXL345.Tap(threshold: Q16(whole: 3), duration: .milliseconds(10), axes: ADXL345.Axes(x: true)))
    let other = try self.rig(ADXL345.Detection(tap: onX))
    #expect(try events(of: Knocks(milliseconds: [5..<10]), for: .milliseconds(100), on: other).events == .none)
  }

  @Test func `two knocks are a double tap if the second comes in the window`() throws {
    let second = try #require(ADXL345.SecondTap(latency: .milliseconds(25), window: .milliseconds(100)))
    let tap = try #require(ADXL345.Tap(threshold: Q16(whole: 3), duration: .milliseconds(10), kind: .double(second)))
    let rig = try rig(ADXL345.Detection(tap: tap))
    let late = Knocks(milliseconds: [5..<10, 200..<205])
    #expect(
      try events(of: Knocks(milliseconds: [5..<10, 80..<85]), for: .milliseconds(300), on: rig).events == .doubleTap)
    #expect(try events(of: Knocks(milliseconds: [5..<10]), for: .milliseconds(300), on: rig).events == .none)
    #expect(try events(of: late, for: .milliseconds(400), on: rig).events == .none)
  }

  @Test func `unrest between two knocks spoils a double tap only where that is asked for`() throws {
    for rejectsUnrest in [false, true] {
      let second = try #require(
        ADXL345.SecondTap(latency: .milliseconds(50), window: .milliseconds(100), rejectsUnrest: rejectsUnrest))
      let tap = try #require(
        ADXL345.Tap(threshold: Q16(whole: 3), duration: .milliseconds(10), kind: .singleAndDouble(second)))
      let rig = try rig(ADXL345.Detection(tap: tap))
      let found = try events(of: Knocks(milliseconds: [5..<10, 30..<33, 80..<85]), for: .milliseconds(400), on: rig)
      #expect(found.events.contains(.singleTap))
      #expect(found.events.contains(.doubleTap) == !rejectsUnrest)
    }
  }

  @Test func `a change of the force is activity, on the axis that showed it`() throws {
    let activity = try #require(ADXL345.Activity(threshold: Q16(1, over: 2)))
    let rig = try rig(ADXL345.Detection(activity: activity))
    let none = try events(of: Still(x: 100, y: -100, z: 356), for: .milliseconds(100), on: rig)
    #expect(none.events == .none)
    let report = try events(of: Still(x: 150, y: 0, z: 256), for: .milliseconds(100), on: rig)
    #expect(report.events == .activity)
    #expect(report.activityAxes == ADXL345.Axes(x: true))
  }

  @Test func `absolute activity counts from nothing, so that rest on the axis is activity`() throws {
    let onZ = ADXL345.Axes(z: true)
    for isRelative in [false, true] {
      let activity = try #require(ADXL345.Activity(threshold: Q16(1, over: 2), axes: onZ, isRelative: isRelative))
      let rig = try rig(ADXL345.Detection(activity: activity))
      let report = try events(of: DetectedEventTests.atRest, for: .milliseconds(100), on: rig)
      #expect(report.events == (isRelative ? .none : .activity))
    }
  }

  @Test func `rest for the time set is inactivity, and not before`() throws {
    let inactivity = try #require(ADXL345.Inactivity(threshold: Q16(1, over: 4), time: .seconds(3)))
    let rig = try rig(ADXL345.Detection(inactivity: inactivity))
    #expect(try events(of: Still(x: 200, y: 0, z: 0), for: .milliseconds(2_900), on: rig).events == .none)
    #expect(try events(of: Still(x: 200, y: 0, z: 0), for: .milliseconds(200), on: rig).events == .inactivity)
  }

  @Test func `weightlessness for the time set is free fall, and not before`() throws {
    let freeFall = try #require(ADXL345.FreeFall(threshold: Q16(7, over: 16), time: .milliseconds(200)))
    let rig = try rig(ADXL345.Detection(freeFall: freeFall))
    let fall = Still(x: 10, y: -10, z: 10)
    #expect(try events(of: fall, for: .milliseconds(190), on: rig).events == .none)
    #expect(try events(of: fall, for: .milliseconds(20), on: rig).events == .freeFall)
    #expect(try events(of: Still(x: 0, y: 128, z: 0), for: .milliseconds(500), on: rig).events == .none)
  }

  @Test func `what is not looked for is not found`() throws {
    let rig = try rig(ADXL345.Detection())
    #expect(try events(of: Knocks(milliseconds: [5..<10]), for: .milliseconds(300), on: rig).events == .none)
    #expect(try events(of: Still(x: 0, y: 0, z: 0), for: .seconds(1), on: rig).events == .none)
  }

  @Test func `an event drives the pin that it is mapped to, until it is read`() throws {
    let freeFall = try #require(ADXL345.FreeFall(threshold: Q16(7, over: 16), time: .milliseconds(200)))
    for onSecond in [false, true] {
      for isActiveLow in [false, true] {
        let rig = try rig(
          ADXL345.Detection(freeFall: freeFall),
          ADXL345.Interrupts(onInterrupt2: onSecond ? .freeFall : .none, isActiveLow: isActiveLow))
        let idle = isActiveLow
        #expect(rig.part.isINT1High == idle && rig.part.isINT2High == idle)
        rig.part.play(Still(x: 0, y: 0, z: 0))
        rig.clock.advance(by: .milliseconds(250))
        #expect(rig.part.isINT1High == (onSecond ? idle : !idle))
        #expect(rig.part.isINT2High == (onSecond ? !idle : idle))
        _ = try rig.driver.events()
        #expect(rig.part.isINT1High == idle && rig.part.isINT2High == idle)
      }
    }
  }

  @Test func `data ready drives its pin from each sample until it is read, the first after a start too`() throws {
    let configuration = ADXL345.Configuration(interrupts: ADXL345.Interrupts(conditions: .dataReady))
    let rig = Rig(Rig.force, configuration)
    for _ in 0..<3 {
      _ = try rig.driver.start()
      // Whatever was not read before drives nothing.
      #expect(!rig.part.isINT1High)
      for _ in 0..<5 {
        rig.clock.advance(by: .milliseconds(12))
        #expect(rig.part.isINT1High)
        #expect(try rig.driver.sample() == Rig.force.vector)
        #expect(!rig.part.isINT1High)
      }
      rig.clock.advance(by: .milliseconds(50))
    }
  }

  @Test func `what happened before a start is forgotten by it`() throws {
    let freeFall = try #require(ADXL345.FreeFall(threshold: Q16(7, over: 16), time: .milliseconds(200)))
    let rig = try rig(ADXL345.Detection(freeFall: freeFall))
    rig.part.play(Still(x: 0, y: 0, z: 0))
    rig.clock.advance(by: .milliseconds(250))
    rig.part.play(DetectedEventTests.atRest)
    rig.clock.advance(by: try rig.driver.start())
    #expect(!(try rig.driver.events().events.contains(.freeFall)))
  }

  @Test func `an event that came before a drain is told by the next events`() throws {
    let freeFall = try #require(ADXL345.FreeFall(threshold: Q16(7, over: 16), time: .milliseconds(200)))
    let rig = Rig(
      DetectedEventTests.atRest,
      ADXL345.Configuration(
        fifo: .stream(watermark: .init(nearest: 16)), detection: ADXL345.Detection(freeFall: freeFall)))
    rig.clock.advance(by: try rig.driver.start())
    rig.part.play(Still(x: 0, y: 0, z: 0))
    rig.clock.advance(by: .milliseconds(250))
    rig.part.play(DetectedEventTests.atRest)
    var batch = ADXL345.Batch()
    try rig.driver.drain(into: &batch)
    try rig.driver.drain(into: &batch)
    #expect(try rig.driver.events().events.contains(.freeFall))
    #expect(!(try rig.driver.events().events.contains(.freeFall)))
  }
}

/// What the part says has happened.
@Suite struct EventTests {
  /// The registers from ACT_TAP_STATUS to INT_SOURCE as they are at 100 Hz with free fall looked for.
  static let registers: [UInt8] = [0x00, 0x0A, 0x08, 0x04, 0x00, 0x00]

  static func configuration() throws -> ADXL345.Configuration {
    let freeFall = try #require(ADXL345.FreeFall(threshold: Q16(1, over: 2), time: .milliseconds(100)))
    return ADXL345.Configuration(
      fifo: .stream(watermark: .init(nearest: 31)), detection: ADXL345.Detection(freeFall: freeFall))
  }

  @Test(arguments: 0..<6, UInt8.min...UInt8.max)
  func `a register between the axes and INT_SOURCE that is not as written shows a lost configuration`(
    _ index: Int, _ byte: UInt8
  ) throws {
    var reply = EventTests.registers
    reply[index] = byte
    var driver = ADXL345.Device(
      bus: ScriptedBus([.writeRead([0x2B], reply: reply, at: ADXL345.address)]),
      configuration: try EventTests.configuration())
    var report = ADXL345.EventReport()
    let error = sensorError { () throws(SensorError) in report = try driver.events() }
    switch index {
    case 0: #expect(error == (byte < 0x80 ? nil : .configurationLost))
    case 5: #expect(error == nil && report.events.rawValue == byte)
    default: #expect(error == (byte == EventTests.registers[index] ? nil : .configurationLost))
    }
  }

  @Test func `INT_MAP may read anything while nothing is mapped`() {
    for byte in UInt8.min...UInt8.max {
      var driver = ADXL345.Device(
        bus: ScriptedBus([.writeRead([0x2B], reply: [0, 0x0A, 0x08, 0x00, byte, 0], at: ADXL345.address)]))
      #expect(sensorError { () throws(SensorError) in _ = try driver.events() } == nil)
    }
  }

  @Test func `an event that a drain has seen is told by the next events, once, with conditions of that moment`() throws
  {
    let script = BusScript([
      .writeRead([0x38], reply: [0x9F, 0x00], at: ADXL345.address),
      .writeRead([0x2B], reply: [0x10, 0x0A, 0x08, 0x04, 0x00, 0b0000_0100], at: ADXL345.address),
      .writeRead([0x38], reply: [0x9F, 0x00], at: ADXL345.address),
      .writeRead([0x2B], reply: [0x10, 0x0A, 0x08, 0x04, 0x00, 0b0001_0011], at: ADXL345.address),
      .writeRead([0x2B], reply: [0x20, 0x0A, 0x08, 0x04, 0x00, 0b1000_0000], at: ADXL345.address),
      .writeRead([0x2B], reply: [0x20, 0x0A, 0x08, 0x04, 0x00, 0b0000_0000], at: ADXL345.address),
    ])
    var driver = ADXL345.Device(bus: ScriptedBus(script), configuration: try EventTests.configuration())
    var batch = ADXL345.Batch()
    try driver.drain(into: &batch)
    try driver.drain(into: &batch)
    let first = try driver.events()
    #expect(first.events.rawValue == 0b1001_0100)
    #expect(first.activityAxes == ADXL345.Axes(y: true))
    let second = try driver.events()
    #expect(second.events == .none)
    #expect(script.mismatches == [])
    #expect(script.leftovers == [])
  }

  @Test func `a dip of the supply is noticed by the next events`() throws {
    let rig = Rig(Rig.force)
    rig.clock.advance(by: try rig.driver.start())
    rig.part.powerCycle()
    #expect(throws: SensorError.configurationLost) { try rig.driver.events() }
  }
}
