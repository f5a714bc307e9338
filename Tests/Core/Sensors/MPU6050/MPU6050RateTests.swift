import Emulation
import HAL
import Sensors
import TestSupport
import Testing

/// Whether a bus can carry a configuration's samples.
struct MPU6050RateTests {
  /// A configuration, and the bits of a sample: 9 · (3 + bytes) + 3 for each burst, 4 watched bytes with the data,
  /// and 8 more for temperature and rotation. With a FIFO: a burst, a count of 2 bytes and the 4 watched ones, shared
  /// by the records of the burst.
  static let demands: [(configuration: MPU6050.Configuration, bits: Double)] = [
    (MPU6050.Configuration(), 120), (MPU6050.Configuration(gyroscope: .dps250), 192),
    (MPU6050.Configuration(fifo: MPU6050.FIFO()), ((9.0 * 33 + 3 + 48 + 66) / 5).rounded(.up)),
    (
      MPU6050.Configuration(
        gyroscope: .dps250, fifo: MPU6050.FIFO(includesTemperature: true, includesRotation: true)),
      ((9.0 * 31 + 3 + 48 + 66) / 2).rounded(.up)
    ),
    (MPU6050.Configuration(fifo: MPU6050.FIFO(longestBurst: 240)), ((9.0 * 243 + 3 + 48 + 66) / 40).rounded(.up)),
  ]

  @Test(arguments: demands)
  static func `a rate too high for the bus is rejected, and the error names the highest possible one`(
    _ row: (configuration: MPU6050.Configuration, bits: Double)
  ) {
    for busHertz in [1, 5_000, 10_000, 50_000, 100_000, 120_000, 192_000, 400_000, 1_000_000, 4_294_967_295] as [UInt32]
    {
      for divider in UInt8.min...UInt8.max {
        var configuration = row.configuration
        configuration.rate = MPU6050.SampleRate(divider: divider)
        let log = BusLog()
        var driver = MPU6050Memory().driver(configuration, frequency: busHertz, log: log)
        let error = sensorError { () throws(SensorError) in _ = try driver.start() }
        let fits = row.bits * 1_000 / (Double(divider) + 1) <= Double(busHertz)
        let periods = (1...256).first { row.bits * 1_000 / Double($0) <= Double(busHertz) }
        let highest = UInt32(periods.map { 1_000 / $0 } ?? 0)
        expect(error, equals: (fits ? nil : .rateTooHigh(busHertz: busHertz, highestHertz: highest)))
        expect(log.transactionCount, equals: fits ? 2 : 0)
      }
    }
  }

  @Test static func `the lowest rate that is at least the requested one is found`() {
    for divider in 0...255 as ClosedRange<Int32> {
      // 1 kHz / (1 + divider), rounded up and down to millihertz.
      let below = 1_000_000 / (divider + 1)
      let rate = MPU6050.SampleRate(atLeastMillihertz: below)
      expect(rate?.divider, equals: UInt8(divider), "\(below) mHz")
      let above = MPU6050.SampleRate(atLeastMillihertz: below + 1)
      expect(above?.divider, equals: divider == 0 ? nil : UInt8(divider - 1), "\(below + 1) mHz")
    }
    expect(MPU6050.SampleRate(atLeastMillihertz: 1)?.divider, equals: 255)
    for nonsense in [Int32.min, -1, 0, 1_000_001, Int32.max] {
      expect(MPU6050.SampleRate(atLeastMillihertz: nonsense), equals: nil)
    }
  }

  /// Common cases: at 100 kHz and at 400 kHz.
  static let examples: [(busHertz: UInt32, configuration: MPU6050.Configuration, highest: UInt32?)] = [
    (100_000, MPU6050.Configuration(rate: .hz500), nil),
    (100_000, MPU6050.Configuration(rate: .hz1000), 500),
    (400_000, MPU6050.Configuration(rate: .hz1000), nil),
    (100_000, MPU6050.Configuration(rate: .hz500, gyroscope: .dps250), nil),
    (100_000, MPU6050.Configuration(rate: .hz1000, gyroscope: .dps250), 500),
    (100_000, MPU6050.Configuration(rate: .hz1000, fifo: MPU6050.FIFO()), nil),
    (10_000, MPU6050.Configuration(rate: .hz100), 83),
  ]

  @Test(arguments: examples)
  static func `the common cases give the stated results`(
    _ row: (busHertz: UInt32, configuration: MPU6050.Configuration, highest: UInt32?)
  ) {
    var driver = MPU6050Memory().driver(row.configuration, frequency: row.busHertz)
    let expected = row.highest.map { SensorError.rateTooHigh(busHertz: row.busHertz, highestHertz: $0) }
    // Neither started nor checked.
    expect(sensorError { () throws(SensorError) in _ = try driver.adopt() }, equals: expected)
    if expected != nil { expect(driver.transactions, equals: 0) }
    expect(sensorError { () throws(SensorError) in _ = try driver.start() }, equals: expected)
  }

  @Test static func `a bus of unknown speed is trusted`() {
    var driver = MPU6050Memory().driver(MPU6050.Configuration(rate: .hz1000, gyroscope: .dps250))
    expect(sensorError { () throws(SensorError) in _ = try driver.start() }, equals: nil)
  }

  @Test static func `a bus that claims a speed of zero can carry nothing`() {
    var driver = MPU6050Memory().driver(MPU6050.Configuration(rate: MPU6050.SampleRate(divider: 255)), frequency: 0)
    let error = sensorError { () throws(SensorError) in _ = try driver.start() }
    expect(error, equals: .rateTooHigh(busHertz: 0, highestHertz: 0))
  }
}
