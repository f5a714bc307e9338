import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The bytes on the wire, pinned once; other suites test what they do.
struct WireFormatTests {
  /// Every feature in use, with different values in all registers.
  static func everything() throws -> ADXL345.Configuration {
    let second = try require(
      ADXL345.SecondTap(latency: .milliseconds(25), window: .milliseconds(100), rejectsUnrest: true))
    return ADXL345.Configuration(
      rate: .hz25, range: .g4, fifo: .stream(watermark: .init(nearest: 16)),
      detection: ADXL345.Detection(
        tap: ADXL345.Tap(
          threshold: Q16(whole: 3), duration: .milliseconds(10), axes: ADXL345.Axes(x: true, z: true),
          kind: .singleAndDouble(second)),
        freeFall: ADXL345.FreeFall(threshold: Q16(7, over: 16), time: .milliseconds(200))),
      interrupts: ADXL345.Interrupts(
        conditions: .watermark, onInterrupt2: ADXL345.Events.freeFall.union(.watermark), isActiveLow: true))
  }

  /// A driver on a script, run through `body`.
  private static func run(
    _ steps: [BusScript.Step], _ configuration: ADXL345.Configuration = ADXL345.Configuration(),
    _ body: (inout ADXL345.Device<ScriptedBus>) throws(SensorError) -> Void
  ) {
    let script = BusScript(steps)
    var driver = ADXL345.Device(bus: ScriptedBus(script), configuration: configuration)
    expect(sensorError { () throws(SensorError) in try body(&driver) }, equals: nil)
    expect(script.mismatches, equals: [])
    expect(script.leftovers, equals: [])
    expect(driver.transactions, equals: UInt64(steps.count))
  }

  /// A start at 50 Hz and ±8 g.
  private static let start: [BusScript.Step] = [
    .writeRead([0x00], reply: [0xE5], at: ADXL345.address),
    .write([0x2D, 0x00], to: ADXL345.address),
    .write([0x2E, 0x00], to: ADXL345.address),
    .write([0x1E, 0x00, 0x00, 0x00], to: ADXL345.address),
    .write([0x2C, 0x09], to: ADXL345.address),
    .write([0x31, 0x0A], to: ADXL345.address),
    .write([0x38, 0x00], to: ADXL345.address),
    .writeRead([0x1E], reply: [0x00, 0x00, 0x00], at: ADXL345.address),
    .writeRead([0x2C], reply: [0x09, 0x00, 0x00, 0xFF, 0x83, 0x0A], at: ADXL345.address),
    .writeRead([0x38], reply: [0x00], at: ADXL345.address),
    .write([0x2D, 0x08], to: ADXL345.address),
    .writeRead([0x2D], reply: [0x08], at: ADXL345.address),
  ]

  @Test static func `start configures the part with exactly these bytes`() throws {
    run(
      Self.start, ADXL345.Configuration(rate: .hz50, range: .g8)
    ) { driver throws(SensorError) in
      let wait = try driver.start()
      expect(wait, equals: Microseconds(41_100))
    }
  }

  @Test static func `watching for movement is set up with exactly these bytes and this wait, however often`() throws {
    let address = ADXL345.address
    let watch: [BusScript.Step] = [
      .write([0x2D, 0x00], to: address), .write([0x2E, 0x00], to: address),
      .write([0x24, 0x02, 0x00, 0x00, 0xF0], to: address), .write([0x2F, 0x00], to: address),
      .write([0x38, 0x00], to: address),
      .writeRead([0x24], reply: [0x02, 0x00, 0x00, 0xF0], at: address), .writeRead([0x2F], reply: [0x00], at: address),
      .writeRead([0x38], reply: [0x00], at: address), .writeRead([0x30], reply: [0x83], at: address),
      .write([0x2E, 0x10], to: address), .writeRead([0x2E], reply: [0x10], at: address),
      .write([0x2D, 0x0C], to: address), .writeRead([0x2D], reply: [0x0C], at: address),
    ]
    run(
      Self.start + watch + watch + Self.start, ADXL345.Configuration(rate: .hz50, range: .g8)
    ) { driver throws(SensorError) in
      let wait = try driver.start()
      for _ in 0..<2 {
        try expect(driver.watchForMovement(), equals: .milliseconds(150))
        try expect(driver.watchForMovement(), equals: nil)
      }
      try expect(driver.wake(), equals: wait)
    }
  }

  /// A start with every feature: the functions, then the map, then the interrupts, then measuring.
  private static let everythingStart: [BusScript.Step] = {
    let address = ADXL345.address
    // Thresholds in steps of 62.5 mg: 48, 7. Times: 10 ms in steps of 625 µs, 25 and 100 ms of 1.25 ms, 200 ms of 5
    // ms.
    let functions: [UInt8] = [
      0x30, 0x00, 0x00, 0x00, 0x10, 0x14, 0x50, 0x00, 0x00, 0x00, 0x00, 0x07, 0x28, 0b0000_1101,
    ]
    return [
      .writeRead([0x00], reply: [0xE5], at: address),
      .write([0x2D, 0x00], to: address),
      .write([0x2E, 0x00], to: address),
      .write([0x1D] + functions, to: address),
      .write([0x2C, 0x08], to: address),
      .write([0x31, 0x29], to: address),
      .write([0x38, 0x00], to: address),
      .writeRead([0x32], reply: [1, 2, 3, 4, 5, 6], at: address),
      .write([0x38, 0b1001_0000], to: address),
      .write([0x2F, 0b0000_0110], to: address),
      .writeRead([0x1D], reply: functions, at: address),
      .writeRead([0x2C], reply: [0x08, 0x00, 0x00, 0x06, 0xFF, 0x29], at: address),
      .writeRead([0x38], reply: [0x90], at: address),
      .write([0x2E, 0b0110_0110], to: address),
      .writeRead([0x2E], reply: [0x66], at: address),
      .write([0x2D, 0x08], to: address),
      .writeRead([0x2D], reply: [0x08], at: address),
    ]
  }()

  @Test static func `a start with every feature programs the functions, the map, the interrupts, then measures`()
    throws
  {
    run(Self.everythingStart, try WireFormatTests.everything()) { driver throws(SensorError) in
      let wait = try driver.start()
      expect(wait, equals: Microseconds(81_100))
    }
  }

  @Test static func `taps and falls come in a sample's burst, the axes before INT_SOURCE, whose read clears`() throws {
    run(
      Self.everythingStart + [
        .writeRead(
          [0x2B], reply: [0b0101_0010, 0x08, 0x08, 0x66, 0x06, 0b1101_0110, 0x29, 0x01, 0x00, 0x02, 0x00, 0x03, 0x00],
          at: ADXL345.address)
      ], try WireFormatTests.everything()
    ) { driver throws(SensorError) in
      _ = try driver.start()
      // A tap on Y, and free fall.
      let expected = Measurement(force: Still(x: 1, y: 2, z: 3).vector, findings: Findings(rawValue: 0x52))
      try expect(driver.measure(), equals: expected)
    }
  }

  @Test static func `taps and falls come once per batch, in a burst after its samples`() throws {
    let address = ADXL345.address
    run(
      Self.everythingStart + [
        .writeRead([0x38], reply: [0x90, 0x02], at: address),
        .writeRead([0x32], reply: [0x01, 0x00, 0x02, 0x00, 0x03, 0x00, 0x90, 0x01], at: address),
        .writeRead([0x32], reply: [0x04, 0x00, 0x05, 0x00, 0x06, 0x00, 0x90, 0x00], at: address),
        .writeRead([0x2B], reply: [0b0101_0010, 0x08, 0x08, 0x66, 0x06, 0b1101_0110], at: address),
        // Nothing waits, so nothing is read.
        .writeRead([0x38], reply: [0x90, 0x00], at: address),
      ], try WireFormatTests.everything()
    ) { driver throws(SensorError) in
      _ = try driver.start()
      var batch = SampleBatch()
      try driver.take(try driver.waiting().count, into: &batch)
      expect(batch[0], equals: Measurement(force: Still(x: 1, y: 2, z: 3).vector))
      expect(batch[1], equals: Measurement(force: Still(x: 4, y: 5, z: 6).vector, findings: Findings(rawValue: 0x52)))
      batch.removeAll()
      try driver.take(try driver.waiting().count, into: &batch)
      expect(batch.count, equals: 0)
    }
  }

  @Test static func `a sample is one burst of seven bytes from DATA_FORMAT on`() throws {
    let script = BusScript([
      .writeRead([0x31], reply: [0x0B, 0x34, 0x02, 0xCC, 0xFD, 0x00, 0x01], at: ADXL345.alternateAddress)
    ])
    var driver = ADXL345.Device(bus: ScriptedBus(script), address: ADXL345.alternateAddress)
    // 0x0234 = 564, 0xFDCC = -564 and 0x0100 = 256 counts of 1/256 g.
    try expect(driver.sample(), equals: Still(x: 564, y: -564, z: 256).vector)
    expect(script.mismatches, equals: [])
    expect(script.leftovers, equals: [])
    expect(driver.transactions, equals: 1)
  }

  @Test static func `a batch is the number of entries, and one burst for each with the status after it`() throws {
    let address = ADXL345.address
    run(
      [
        .writeRead([0x38], reply: [0x81, 0x02], at: address),
        .writeRead([0x32], reply: [0x01, 0x00, 0x02, 0x00, 0x03, 0x00, 0x81, 0x01], at: address),
        .writeRead([0x32], reply: [0xFF, 0xFF, 0xFE, 0xFF, 0xFD, 0xFF, 0x81, 0x00], at: address),
        // Nothing waits.
        .writeRead([0x38], reply: [0x81, 0x00], at: address),
      ], ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 1)))
    ) { driver throws(SensorError) in
      var batch = SampleBatch()
      let waiting = try driver.waiting()
      expect(waiting, equals: WaitingSamples(count: 2, unreachable: 1))
      try driver.take(waiting.count, into: &batch)
      expect(batch.count, equals: 2)
      expect(batch[0]?.force, equals: Still(x: 1, y: 2, z: 3).vector)
      expect(batch[1]?.force, equals: Still(x: -1, y: -2, z: -3).vector)
      expect(batch[2], equals: nil)
      expect(batch[-1], equals: nil)
      expect(batch[Int.max], equals: nil)
      try expect(driver.waiting(), equals: WaitingSamples(count: 0, unreachable: nil))
    }
  }

  @Test static func `without a FIFO a count of waiting samples is an error, without a transaction`() throws {
    run([]) { driver throws(SensorError) in
      expect(sensorError { () throws(SensorError) in _ = try driver.waiting() }, equals: .configurationLost)
    }
  }

  @Test static func `the addresses are those of the data sheet`() {
    expect(ADXL345.address.rawValue, equals: 0x53)
    expect(ADXL345.alternateAddress.rawValue, equals: 0x1D)
    expect(ADXL345.identity, equals: 0xE5)
  }
}
