import Emulation
import FixedPoint
import Foundation
import HAL
import Sensors
import TestSupport
import Testing

/// Checks that each row of the table of models is true, can be emulated and is documented.
struct SensorModelTests {
  static let models = (0..<SensorModel.count).compactMap { SensorModel(rawValue: UInt8($0)) }

  /// A perfect, motionless specimen, by its name in the emulators' own table.
  private static func bus(_ model: SensorModel, at address: I2CAddress, _ clock: VirtualClock) throws -> EmulatedBus {
    let part = try require(EmulatedPart(rawValue: "\(model.name)"), "no emulator has the name \(model.name)")
    var specimen = Specimen()
    specimen.isNoisy = false
    return EmulatedBus(part.target(specimen, motion: AttitudePath.hold(.faceUp)) { clock.now }, at: address) {
      clock.now
    }
  }

  private static func start(_ sensor: inout AnySensor<EmulatedBus>, _ clock: VirtualClock) throws {
    clock.advance(by: try sensor.start())
    while let wait = try sensor.proceed() { clock.advance(by: wait) }
    clock.advance(by: sensor.samplePeriod)
  }

  @Test(arguments: models)
  static func `a specimen is found at both of its addresses and reports its model`(_ model: SensorModel) throws {
    let traits = model.traits
    expect(traits.addresses.low, isNot: traits.addresses.high)
    for address in [traits.addresses.low, traits.addresses.high] {
      var bus = try bus(model, at: address, VirtualClock())
      guard case .usable(let part) = bus.probe(address)?.answer else {
        Issue.record("a probe does not know the \(model.name) at \(address)")
        continue
      }
      expect(part.model, equals: model)
      expect(part.admission, equals: .accepted)
      expect(that: "\(part.name)".contains("\(model.properName)"))
    }
  }

  @Test(arguments: models)
  static func `its driver measures the same force in each range, and its full scale is the range's end`(
    _ model: SensorModel
  )
    throws
  {
    for index in 0..<4 where model.traits.ranges[index] > 0 {
      let range = model.traits.ranges[index]
      let clock = VirtualClock()
      var configuration = SensorConfiguration(model)
      let isSet = configuration.setRange(range)
      expect(that: isSet)
      expect(configuration.rangeInG, equals: range)
      let address = model.traits.addresses.high
      var sensor = configuration.device(on: try bus(model, at: address, clock), at: address)
      try start(&sensor, clock)
      let force = try sensor.sample()
      expect(abs(force.z.raw - 65_536), isAtMost: 300)
      expect(abs(force.x.raw), isAtMost: 300)
      expect(abs(force.y.raw), isAtMost: 300)
      expect(sensor.fullScale, isBelow: Q16(whole: range))
      expect(sensor.fullScale.raw, isAbove: range * 65_000)
    }
    var configuration = SensorConfiguration(model)
    expect(configuration.rangeInG, equals: model.traits.usualRange)
    expect(that: model.traits.hasRange(model.traits.usualRange))
    let before = configuration
    let isNone = [configuration.setRange(0), configuration.setRange(3)]
    expect(isNone, equals: [false, false])
    expect(configuration, equals: before)
  }

  @Test(arguments: models)
  static func `it has the gyroscope and the thermometer that its row says`(_ model: SensorModel) throws {
    let clock = VirtualClock()
    var configuration = SensorConfiguration(model)
    let isNone = configuration.setGyroscope(1)
    expect(that: !isNone)
    expect(that: !configuration.usesGyroscope)
    if let ranges = model.traits.gyroscopeRanges {
      let isOn = configuration.setGyroscope(ranges[0])
      expect(that: isOn)
    }
    let address = model.traits.addresses.low
    var sensor = configuration.device(on: try bus(model, at: address, clock), at: address)
    try start(&sensor, clock)
    let measurement = try sensor.measure()
    expect(sensor.rotationFullScale != nil, equals: model.traits.hasGyroscope)
    expect(measurement.rotation != nil, equals: model.traits.hasGyroscope)
    expect(measurement.temperature != nil, equals: model.traits.hasThermometer)
  }

  @Test(arguments: models)
  static func `it batches samples and tests itself if its row says so`(_ model: SensorModel) throws {
    var clock = VirtualClock()
    var configuration = SensorConfiguration(model)
    configuration.batch = 4
    let address = model.traits.addresses.low
    var sensor = configuration.device(on: try bus(model, at: address, clock), at: address)
    expect(sensor.keepsSamples, equals: model.traits.keepsSamples)
    try start(&sensor, clock)
    let findings = try sensor.testItself(supply: 3_300, by: &clock)
    expect(findings?.force == nil, equals: model.traits.selfTest == .none)
    // Where a data sheet has no limits, nothing can pass.
    let good: [SelfTestFindings.Outcome] = [.icm20948, .lsm9ds1].contains(model) ? [.plausible] : [.passed]
    for index in 0..<3 { if let force = findings?.force { expect(good, contains: force[index].outcome) } }
  }

  @Test(arguments: models)
  static func `the highest rate is possible, and none that a bus cannot carry`(_ model: SensorModel) throws {
    var configuration = SensorConfiguration(model)
    configuration.millihertz = model.traits.highestRate * 1_000
    expect(configuration.outputPeriod.count * Int64(model.traits.highestRate), isAtMost: 1_000_000)
    try configuration.check(against: 400_000)
    expect(throws: SensorError.self) { try configuration.check(against: 10_000) }
  }

  @Test(arguments: models)
  static func `its module has a pin for each wire, and an interrupt pin if its row names one`(_ model: SensorModel) {
    let pins = (0..<9).compactMap { model.module.pins[$0] }
    for use in [.supply, .ground, .data, .clock, .address] as [SensorModule.Use] {
      expect(pins.count { $0.use == use }, equals: 1)
    }
    expect(pins.first { $0.use == .address }.map { "\($0.name)" }, equals: "\(model.traits.addressPin)")
    expect(pins.first { $0.use == .interrupt }.map { "\($0.name)" }, equals: model.traits.interruptPin.map { "\($0)" })
  }

  @Test static func `names differ, and a report has room for all addresses`() {
    expect(Set(Self.models.map { "\($0.name)" }).count, equals: SensorModel.count)
    var (places, count) = (Probe.Places(), 0)
    while places.next() != nil { count += 1 }
    expect(count, isAtMost: Probe.Report.capacity)
    let addresses = Self.models.flatMap { [$0.traits.addresses.low.rawValue, $0.traits.addresses.high.rawValue] }
    expect(Set(addresses).count, equals: count)
  }

  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

  private static func page(_ name: String) throws -> String {
    try String(contentsOf: root.appending(path: name), encoding: .utf8)
  }

  @Test(arguments: models)
  static func `the README and the changelog mention it`(_ model: SensorModel) throws {
    for file in ["README.md", "CHANGELOG.md"] {
      let text = try page(file)
      #expect(text.contains("\(model.properName)") || text.contains("\(model.name)"), "\(file) lacks the \(model.name)")
    }
  }

  @Test(arguments: models)
  static func `a board file has it without hardware`(_ model: SensorModel) throws {
    let folder = root.appending(path: "boards").path
    let texts = try FileManager.default.contentsOfDirectory(atPath: folder).map { try page("boards/\($0)") }
    let boards = texts.filter { $0.contains("\nmodel = \(model.name)\n") && $0.contains("\nbus = emulated\n") }
    expect(boards.count, isAtLeast: 1, "no file in boards has an emulated \(model.name)")
  }

  @Test(arguments: models)
  static func `docs/sensors.md has rows of it, one with its addresses, and one with its board file`(
    _ model: SensorModel
  ) throws {
    let rows = try page("docs/sensors.md").split(separator: "\n").filter { $0.hasPrefix("|") }
    expect(
      rows.count { $0.hasPrefix("| \(model.properName)") }, equals: 3,
      "each of the three tables has one row that begins with \(model.properName)")
    let (low, high) = model.traits.addresses
    let addresses = [low, high].map { "0x" + String($0.rawValue, radix: 16, uppercase: true) }.joined(separator: " or ")
    let name = "`\(model.name)`, \(addresses)"
    expect(rows.count { $0.contains("| \(name) |") }, equals: 1, "a row with \(name)")
    let board = "raspberry-pi-\(model.name)"
    let isThere = FileManager.default.fileExists(atPath: root.appending(path: "boards/\(board).ini").path)
    expect(rows.count { $0.contains("| `\(board)`") }, equals: isThere ? 1 : 0, "rows with `\(board)`")
  }
}
