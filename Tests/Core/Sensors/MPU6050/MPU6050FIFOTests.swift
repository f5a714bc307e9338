import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The FIFO of an emulated part at 1 kHz, read late.
struct MPU6050FIFOTests {
  /// A force that counts milliseconds on X, in counts of ±4 g, and is constant on Y and Z.
  struct Milliseconds: Motion {
    static let modulus: Int32 = 30_000
    var duration: Microseconds { .seconds(3_600) }

    func specificForce(at time: Microseconds) -> Vector3 {
      let count = Int32((time.count + 1_000_000_000) / 1_000 % Int64(Self.modulus))
      return Vector3(x: Q16(raw: count * 8), y: Q16(raw: 5_000 * 8), z: Q16(raw: -7_777 * 8))
    }
  }

  /// Checks that each record follows the one before.
  struct Sequence {
    var last: Int32?
    var count = 0
    var isSound = true
    var jumps = 0
    /// The number of gaps reported. The first records after every start count as following one.
    var gaps = 0
    var mayJump = false

    /// Takes a batch; a jump is sound only if this batch or an earlier one reported a gap.
    mutating func take(_ batch: SampleBatch, followsGap: Bool) {
      if followsGap { mayJump = true }
      if followsGap, batch.count > 0 { gaps += 1 }
      for index in 0..<batch.count {
        guard let force = batch[index]?.force else {
          isSound = false
          return
        }
        let number = force.x.raw / 8
        if force.y.raw != 5_000 * 8 || force.z.raw != -7_777 * 8 { isSound = false }
        if let last {
          let step = (number - last + Milliseconds.modulus) % Milliseconds.modulus
          // Whatever is lost, no record comes twice.
          if step == 0 || step > Milliseconds.modulus / 2 { isSound = false }
          if step != 1 {
            jumps += 1
            if !mayJump { isSound = false }
          }
        }
        mayJump = false
        last = number
        count += 1
      }
    }
  }

  /// Takes all waiting records, 64 at a time.
  private static func takeAll(_ rig: MPU6050Rig, _ sequence: inout Sequence) throws(SensorError) {
    var batch = SampleBatch()
    var left = 0
    repeat {
      let waiting = try rig.driver.waiting()
      batch.removeAll()
      do throws(SensorError) {
        try rig.driver.take(waiting.count, into: &batch)
      } catch {
        // The records taken cannot be trusted.
        expect(batch.count, equals: 0)
        sequence.take(batch, followsGap: waiting.followsGap)
        throw error
      }
      sequence.take(batch, followsGap: waiting.followsGap)
      left = batch.count == 0 ? 0 : waiting.count - batch.count
    } while left > 0
  }

  /// Parts whose FIFO the driver uses, its contents, and how many records may wait: as many as leave room for more
  /// than three.
  static let setups: [(part: EmulatedMPU6050.Part, fifo: MPU6050.FIFO, limit: Int64)] = {
    let sizes: [(part: EmulatedMPU6050.Part, bytes: Int64)] = [
      (.mpu6050, 1_024), (.mpu6500, 512), (.mpu6515, 512), (.mpu9250, 512), (.mpu9255, 512), (.mpu6880, 4_096),
      (.icm20608, 512), (.icm20608D, 512), (.icm20609, 4_096), (.icm20689, 512), (.iam20680, 512), (.clone98, 512),
      (.clone72, 512),
    ]
    let layouts: [(temperature: Bool, rotation: Bool, burst: UInt8, bytes: Int64)] = [
      (false, false, 30, 6), (true, false, 30, 8), (false, true, 30, 12), (true, true, 30, 14), (false, false, 255, 6),
      (true, true, 1, 14),
    ]
    return sizes.flatMap { size in
      layouts.map { layout in
        let fifo = MPU6050.FIFO(
          includesTemperature: layout.temperature, includesRotation: layout.rotation, longestBurst: layout.burst)
        return (size.part, fifo, (size.bytes - 1) / layout.bytes - 3)
      }
    }
  }()

  private static func rig(
    _ part: EmulatedMPU6050.Part, _ fifo: MPU6050.FIFO, plan: FaultPlan = .none,
    _ adjust: (inout EmulatedMPU6050.Configuration) -> Void = { _ in }
  ) -> MPU6050Rig {
    let configuration = MPU6050.Configuration(
      rate: .hz1000, gyroscope: fifo.includesRotation ? .dps250 : nil, fifo: fifo, acceptsUnverifiedParts: true)
    return MPU6050Rig(part, configuration, motion: Milliseconds(), plan: plan, adjust)
  }

  @Test(arguments: setups)
  static func `no record is lost or doubled while the reader is late by up to the FIFO's depth`(
    _ row: (part: EmulatedMPU6050.Part, fifo: MPU6050.FIFO, limit: Int64)
  ) throws {
    let rig = rig(row.part, row.fifo)
    try rig.start()
    let before = rig.part.sampleCount
    var random = SplitMix64(seed: 6_050)
    var sequence = Sequence()
    for turn in 0..<200 {
      rig.clock.advance(by: .milliseconds(turn % 3 == 0 ? row.limit : Int64.random(in: 0...row.limit, using: &random)))
      try takeAll(rig, &sequence)
    }
    expect(that: sequence.isSound)
    expect(sequence.jumps, equals: 0)
    expect(sequence.gaps, equals: 1)
    expect(sequence.count, equals: Int(rig.part.sampleCount - before))
  }

  @Test(arguments: setups)
  static func `a later reader gets one report, and its records are complete after it`(
    _ row: (part: EmulatedMPU6050.Part, fifo: MPU6050.FIFO, limit: Int64)
  ) throws {
    for lateness in [1, 2, 3, 4, 5, 100, 5_000] as [Int64] {
      let rig = rig(row.part, row.fifo)
      try rig.start()
      var sequence = Sequence()
      for turn in 1...3 {
        rig.clock.advance(by: .milliseconds(row.limit))
        try takeAll(rig, &sequence)
        expect(sequence.gaps, equals: turn)
        rig.clock.advance(by: .milliseconds(row.limit + lateness))
        try expect(rig.driver.waiting(), equals: WaitingSamples(count: 0, followsGap: true))
      }
      rig.clock.advance(by: .milliseconds(10))
      try takeAll(rig, &sequence)
      expect(that: sequence.isSound)
      expect(sequence.jumps, equals: 3)
    }
  }

  @Test static func `an overflow between the count and the last burst spoils the batch and is reported`() throws {
    for slow in 1..<6 {
      let rig = rig(.mpu6050, MPU6050.FIFO())
      try rig.start()
      var sequence = Sequence()
      rig.clock.advance(by: .milliseconds(20))
      try takeAll(rig, &sequence)
      let number = rig.log.transactionCount + slow
      let late = self.rig(.mpu6050, MPU6050.FIFO(), plan: [.init(.slow(.milliseconds(200)), .transaction(number))])
      try late.start()
      sequence = Sequence()
      for turn in 1...7 {
        late.clock.advance(by: .milliseconds(20))
        try takeAll(late, &sequence)
        // The second is spoilt; the third restarts the FIFO, and the fourth brings what came after that.
        expect(sequence.count, equals: (turn == 1 ? 20 : 20 * max(1, turn - 2)))
        expect(sequence.gaps, equals: turn < 4 ? 1 : 2)
      }
      expect(that: sequence.isSound)
      expect(sequence.jumps, equals: 1)
    }
  }

  @Test(arguments: [-150_000 as Int32, -50_000, -9_999, 0, 10_000, 50_000, 100_000])
  static func `an inaccurate sample clock loses nothing either`(_ partsPerMillion: Int32) throws {
    let rig = rig(.mpu6050, MPU6050.FIFO()) { $0.internalOscillatorPartsPerMillion = partsPerMillion }
    try rig.start()
    let before = rig.part.sampleCount
    var sequence = Sequence()
    for _ in 0..<600 {
      rig.clock.advance(by: .milliseconds(100))
      try takeAll(rig, &sequence)
    }
    expect(sequence.gaps, equals: 1)
    expect(sequence.count, equals: Int(rig.part.sampleCount - before))
    expect(abs(Double(sequence.count) - 60_000 * (1 + Double(partsPerMillion) / 1e6)), isAtMost: 2)
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  static func `with random faults no record is doubled or torn, and every jump is reported`(_ seed: UInt64) throws {
    let effects: [FaultPlan.Effect] = [
      .noAcknowledge, .timedOut, .arbitrationLost, .shortRead(received: 3), .hang(.milliseconds(30)),
      .slow(.milliseconds(250)), .brownOut, .fault(.other(code: 5)),
    ]
    let part: EmulatedMPU6050.Part = seed % 2 == 0 ? .mpu6050 : .mpu9250
    let rig = rig(part, MPU6050.FIFO(), plan: .random(seed: seed, oneIn: 40, effects))
    var sequence = Sequence()
    var isStarted = false
    var errors = 0
    for _ in 0..<4_000 {
      let error = sensorError { () throws(SensorError) in
        if !isStarted {
          try rig.start()
          isStarted = true
        }
        rig.clock.advance(by: .milliseconds(25))
        try takeAll(rig, &sequence)
      }
      guard let error else { continue }
      errors += 1
      if case .bus = error { continue }
      isStarted = false
    }
    expect(that: sequence.isSound)
    expect(errors, isAbove: 200)
    expect(sequence.count, isAbove: 30_000)
    expect(sequence.jumps, isAbove: 20)
  }
}
