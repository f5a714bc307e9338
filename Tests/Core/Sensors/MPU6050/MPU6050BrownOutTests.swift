import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// Parts that lose their configuration, do not come out of reset, or go away.
@Suite struct MPU6050BrownOutTests {
  static let plain = MPU6050Rig.force.vector
  /// What a part that came up awake, at ±2 g, gives to a driver that believes in ±4 g.
  static var doubled: Vector3 {
    Vector3(x: Q16(raw: plain.x.raw * 2), y: Q16(raw: plain.y.raw * 2), z: Q16(raw: plain.z.raw * 2))
  }

  @Test(arguments: emulatedParts)
  func `a lost configuration is noticed within the watch period and never sooner forgotten`(
    _ part: EmulatedMPU6050.Part
  ) throws {
    for offset in [0, 1, 13, 49, 50] {
      let rig = MPU6050Rig(part, MPU6050.Configuration(samplesPerWatch: 50, acceptsUnverifiedParts: true))
      try rig.start()
      for _ in 0..<offset { #expect(try rig.nextSample() == Self.plain) }
      rig.part.powerCycle()
      var samples = 0
      let error = sensorError { () throws(SensorError) in
        while samples < 1_000 {
          let sample = try rig.nextSample()
          #expect(sample == .zero || sample == Self.doubled)
          samples += 1
        }
      }
      #expect(error == .configurationLost)
      // A part asleep gives zeros, and one that comes up awake needs 30 ms: both are looked at again at once.
      #expect(samples <= 2)
      for _ in 0..<3 { #expect(throws: SensorError.configurationLost) { try rig.nextSample() } }
      try rig.start()
      #expect(try rig.nextSample() == Self.plain)
    }
  }

  @Test func `a part that measures on, with the wrong range, is noticed within a second`() throws {
    for offset in 0..<100 {
      let rig = MPU6050Rig(.mpu6500)
      try rig.start()
      for _ in 0..<offset { _ = try rig.nextSample() }
      rig.part.powerCycle()
      // So long that the first sample after the dip is not zero.
      rig.clock.advance(by: .milliseconds(100))
      var samples = 0
      let error = sensorError { () throws(SensorError) in
        while samples < 1_000 {
          #expect(try rig.nextSample() == Self.doubled)
          samples += 1
        }
      }
      #expect(error == .configurationLost)
      #expect(samples == 99 - offset)
    }
  }

  static let setups: [(part: EmulatedMPU6050.Part, configuration: MPU6050.Configuration)] = [
    (.mpu6050, MPU6050.Configuration(samplesPerWatch: 3)),
    (.mpu6050, MPU6050.Configuration(gyroscope: .dps250, fifo: MPU6050.FIFO(), samplesPerWatch: 3)),
    (.mpu6500, MPU6050.Configuration(samplesPerWatch: 3)),
    (.mpu9250, MPU6050.Configuration(gyroscope: .dps2000, fifo: MPU6050.FIFO(), samplesPerWatch: 3)),
    (.icm20689, MPU6050.Configuration(samplesPerWatch: 3)),
  ]

  @Test(arguments: setups)
  func `a dip of the supply at any transaction ends in an error or in samples that are right`(
    _ row: (part: EmulatedMPU6050.Part, configuration: MPU6050.Configuration)
  ) throws {
    for transaction in 0..<36 {
      let rig = MPU6050Rig(row.part, row.configuration, plan: [.init(.brownOut, .transaction(transaction))])
      var last = Vector3.zero
      let error = sensorError { () throws(SensorError) in
        try rig.start()
        for _ in 0..<25 {
          last = try rig.nextSample()
          #expect(last == .zero || last == Self.plain || last == Self.doubled, "at \(transaction)")
        }
      }
      if error == nil { #expect(last == Self.plain, "at \(transaction)") }
      if let error { #expect(Self.isLossOfConfiguration(error)) }
      try rig.start()
      for _ in 0..<5 { #expect(try rig.nextSample() == Self.plain) }
      #expect(rig.log.faultCount == 0)
    }
  }

  private static func isLossOfConfiguration(_ error: SensorError) -> Bool {
    switch error {
    case .configurationLost, .configurationRejected: true
    default: false
    }
  }

  @Test(arguments: [(0, 0), (100, 0), (101, 1), (110, 1), (150, 5), (200, 10)])
  func `a reset that takes long is waited for`(_ row: (milliseconds: Int64, questions: Int)) throws {
    let rig = MPU6050Rig { $0.resetTime = .milliseconds(row.milliseconds) }
    try rig.start()
    #expect(try rig.nextSample() == Self.plain)
    #expect(rig.log.transactions.filter { $0.written == [0x6B] }.count == 1 + row.questions)
  }

  @Test func `a reset that never ends is an error after 200 ms, and so is the next`() {
    for resetTime in [nil, .milliseconds(201)] as [Microseconds?] {
      let rig = MPU6050Rig { $0.resetTime = resetTime }
      for _ in 0..<(resetTime == nil ? 3 : 1) {
        let before = rig.clock.now
        #expect(sensorError { () throws(SensorError) in try rig.start() } == .resetTimedOut)
        #expect(rig.clock.now - before == .milliseconds(200))
        #expect(throws: SensorError.configurationLost) { try rig.driver.sample() }
      }
    }
  }

  static let effects: [FaultPlan.Effect] = [
    .noAcknowledge, .timedOut, .arbitrationLost, .shortRead(received: 0), .fault(.other(code: 5)), .brownOut,
    .unplugged, .hang(.milliseconds(50)), .slow(.milliseconds(7)), .identity(0x00), .identity(0xFF),
  ]

  @Test(arguments: setups)
  func `whatever goes wrong for a while, samples come again after at most three starts and are right`(
    _ row: (part: EmulatedMPU6050.Part, configuration: MPU6050.Configuration)
  ) throws {
    for effect in Self.effects {
      for first in 0..<30 {
        let rig = MPU6050Rig(
          row.part, row.configuration, plan: [.init(effect, .transactions(first..<(first + 2)))])
        var starts = 0
        for _ in 0..<4 {
          starts += 1
          let error = sensorError { () throws(SensorError) in
            try rig.start()
            for _ in 0..<20 { _ = try rig.nextSample() }
          }
          if error == nil { break }
        }
        #expect(starts <= 3, "\(effect) at \(first)")
        for _ in 0..<4 { #expect(try rig.nextSample() == Self.plain, "\(effect) at \(first)") }
        #expect(rig.driver.transactions == UInt64(rig.log.transactionCount))
      }
    }
  }

  @Test func `a specimen that reads all zero gives zeros, each of them watched`() throws {
    let rig = MPU6050Rig { $0.readsAllZero = true }
    try rig.start()
    for _ in 0..<20 { #expect(try rig.nextSample() == .zero) }
    #expect(rig.log.transactions.suffix(19).allSatisfy { $0.written == [0x37] && $0.read.count == 10 })
  }

  @Test func `an hour at 100 Hz is one transaction a sample, six bytes but for one in a hundred`() throws {
    let rig = MPU6050Rig { $0.noiseMicrogPerRootHertz = 400 }
    try rig.start()
    let before = rig.log.transactionCount
    for _ in 0..<360_000 { _ = try rig.nextSample() }
    #expect(rig.log.transactionCount == before + 360_000)
    let lengths = rig.log.transactions.suffix(50_000).map(\.read.count)
    #expect(lengths.count { $0 == 6 } == 49_500)
    #expect(lengths.count { $0 == 10 } == 500)
  }
}
