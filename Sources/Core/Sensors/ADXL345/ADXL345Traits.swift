public import FixedPoint
public import HAL

extension ADXL345: SensorDriver {
  /// - Datasheet: Rev. E, "I2C" (addresses; 800 Hz), tables 19 and 21.
  public static var traits: SensorTraits {
    SensorTraits(
      name: "adxl345", properName: "ADXL345", addresses: (address, alternateAddress), addressPin: "SDO",
      identityRegister: Register.identity, interruptPin: "INT1", highestRate: 800, ranges: [2, 4, 8, 16],
      usualRange: 16, keepsSamples: true, findsKnocks: true, selfTest: .dependsOnSupply,
      impostor: "an ADXL375, which has the same identity but 49 mg/LSB")
  }

  /// The common module, often sold as GY-291.
  public static var module: SensorModule {
    SensorModule(
      name: "ADXL345",
      pins: [
        .init("VCC", .supply, "3.3 V only, 5 V destroys it"), .init("GND", .ground), .init("CS", .selectsI2C),
        .init("INT1", .interrupt), .init("INT2", .unused), .init("SDO", .address, "; never leave it open"),
        .init("SDA", .data, "the Pi has the pull-up resistors"), .init("SCL", .clock), nil,
      ],
      supplyWarning: "VCC to 3.3 V only: 5 V destroys the ADXL345.",
      addressRemark:
        "Some ADXL345 modules connect SDO to GND: on these, a wire from SDO to 3.3 V shorts the supply. Check with a multimeter; on such a module leave SDO open and use address 0x53."
    )
  }

  /// Only its samples identify an ADXL375.
  ///
  /// - Datasheet: ADXL346 Rev. C, table 1; ADXL355 Rev. A, DEVID_AD.
  public static func part(identity: UInt8) -> SensorPart? {
    switch identity {
    case Self.identity: SensorPart(.adxl345, identity, "an ADXL345 or ADXL343")
    case 0xE6:
      SensorPart(
        .adxl345, identity, "an ADXL346",
        refusedBecause: "which must not be powered from 3.3 V: it takes 2.75 V at most")
    case 0xAD:
      SensorPart(
        .adxl345, identity, "a part of the ADXL355 or ADXL362 family", refusedBecause: "which has other registers")
    default: nil
    }
  }
}

extension ADXL345.Configuration: DriverConfiguration {
  /// The lowest output data rate that provides the wanted rate. Detected events drive INT2, so that INT1 remains for
  /// data-ready.
  public init(_ wanted: SensorConfiguration) {
    let detection = ADXL345.Detection(
      tap: wanted.taps.flatMap { ADXL345.Tap($0) },
      freeFall: wanted.fall.flatMap { ADXL345.FreeFall(threshold: $0.threshold, time: $0.time) })
    self.init(
      rate: ADXL345.OutputDataRate(atLeastMillihertz: wanted.outputMillihertz) ?? .hz800,
      range: ADXL345.Range(g: wanted.rangeInG) ?? .g16,
      fifo: wanted.batch > 1 ? .stream(watermark: ADXL345.FIFO.Level(nearest: wanted.batch)) : .bypass,
      detection: detection,
      interrupts: ADXL345.Interrupts(
        conditions: wanted.signalsDataReady ? .dataReady : .none, onInterrupt2: detection.events))
  }

  /// The period of the output data rate.
  public var period: Microseconds { rate.period }

  /// Whether the FIFO is in stream mode.
  public var usesFIFO: Bool { fifo != .bypass }
}

extension ADXL345.Tap {
  /// Nil outside the part's limits, which are those of a board file.
  fileprivate init?(_ taps: SensorConfiguration.Taps) {
    guard let second = ADXL345.SecondTap(latency: taps.latency, window: taps.window) else { return nil }
    let bits = taps.axes
    self.init(
      threshold: taps.threshold, duration: taps.duration,
      axes: ADXL345.Axes(x: bits & 1 != 0, y: bits & 2 != 0, z: bits & 4 != 0),
      kind: taps.findsDoubleTaps ? .singleAndDouble(second) : .single)
  }
}

extension ADXL345.Device where Bus: ~Copyable {
  /// Runs `selfTest` with the limits for the supply; those for 3.3 V if there are none for `millivolts`.
  public mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings? {
    let supply = ADXL345.SupplyVoltage(millivolts: millivolts) ?? .volts3_3
    return try selfTest(supply: supply, clock: &clock).map { test in
      SelfTestFindings(force: [.init(test.x), .init(test.y), .init(test.z)])
    }
  }
}

extension SelfTestFindings.Axis {
  fileprivate init(_ axis: ADXL345.SelfTest.Axis) {
    self.init(
      change: axis.change, limits: (axis.weakest, axis.strongest),
      outcome: axis.verdict == .failed ? .failed : axis.verdict == .passed ? .passed : .strong)
  }
}
