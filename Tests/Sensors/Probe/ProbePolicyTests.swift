import Emulation
import FixedPoint
import HAL
import Sensors
import Testing

/// What a probe makes of identities: the policy, and that the drivers have the same.
@Suite struct ProbePolicyTests {
  /// The table of identities at 0x68 and 0x69, written out.
  static let family: [UInt8: Probe.Answer] = [
    0x68: .usable(.mpu6050(.mpu6050), .accepted), 0x70: .usable(.mpu6050(.mpu6500), .accepted),
    0x71: .usable(.mpu6050(.mpu9250), .accepted), 0x73: .usable(.mpu6050(.mpu9255), .accepted),
    0x74: .usable(.mpu6050(.mpu6515), .accepted), 0x78: .usable(.mpu6050(.mpu6880), .acceptedWithNotice),
    0x98: .usable(.mpu6050(.icm20689), .acceptedWithNotice), 0xAF: .usable(.mpu6050(.icm20608), .acceptedWithNotice),
    0xAE: .usable(.mpu6050(.icm20608D), .acceptedWithNotice), 0xA6: .usable(.mpu6050(.icm20609), .acceptedWithNotice),
    0x11: .usable(.mpu6050(.icm20600), .acceptedWithNotice), 0x12: .usable(.mpu6050(.icm20602), .acceptedWithNotice),
    0x20: .usable(.mpu6050(.icm20690), .acceptedWithNotice), 0xA9: .usable(.mpu6050(.iam20680), .acceptedWithNotice),
    0x72: .usable(.mpu6050(.clone72), .onlyIfAsked), 0x69: .refused(.defectiveMPU6050(identity: 0x69)),
    0x75: .refused(.defectiveMPU6050(identity: 0x75)), 0x00: .noIdentity(reading: 0x00),
    0xFF: .noIdentity(reading: 0xFF),
  ]

  /// The same at 0x53 and 0x1D.
  static let analog: [UInt8: Probe.Answer] = [
    0xE5: .usable(.adxl345, .accepted), 0xE6: .refused(.adxl346), 0x00: .noIdentity(reading: 0x00),
    0xFF: .noIdentity(reading: 0xFF),
  ]

  @Test func `every identity means at every place what the policy says`() throws {
    for (place, number, register) in probedPlaces {
      let table = register == 0x75 ? Self.family : Self.analog
      for identity: UInt8 in 0...255 {
        var bus = try busWith([(number, impostor(identity))])
        #expect(bus.probe(place)?.answer == table[identity] ?? .unknown(identity: identity))
      }
    }
  }

  @Test func `what a probe calls usable is what the MPU-6050 driver starts`() throws {
    for identity: UInt8 in 0...255 {
      for asked in [false, true] {
        var bus = try busWith([(0x68, impostor(identity))])
        let answer = bus.probe(.mpu6050)?.answer
        var device = MPU6050.Device(
          bus: bus, configuration: MPU6050.Configuration(acceptsUnverifiedParts: asked))
        let isStarted = starts { () throws(SensorError) in _ = try device.start() }
        switch answer {
        case .usable(.mpu6050, let admission):
          #expect(isStarted == (asked || admission != .onlyIfAsked))
          if isStarted { #expect((device.notice != nil) == (admission != .accepted)) }
        default: #expect(!isStarted)
        }
      }
    }
  }

  @Test func `what a probe calls usable is what the ADXL345 driver starts`() throws {
    let clock = VirtualClock()
    for identity: UInt8 in 0...255 {
      let part = EmulatedADXL345(motion: AttitudePath.tumble) { clock.now }
      var bus = try busWith([(0x53, part)], plan: [.init(.identity(identity), .always)], clock)
      let answer = bus.probe(.adxl345)?.answer
      var device = ADXL345.Device(bus: bus)
      let isStarted = starts { () throws(SensorError) in _ = try device.start() }
      #expect(isStarted == (answer == .usable(.adxl345, .accepted)))
    }
  }

  @Test func `every part of the emulator is known by its name`() throws {
    let clock = VirtualClock()
    let parts: [(EmulatedMPU6050.Part, MPU6050.Part)] = [
      (.mpu6050, .mpu6050), (.mpu6500, .mpu6500), (.mpu6515, .mpu6515), (.mpu9250, .mpu9250), (.mpu9255, .mpu9255),
      (.mpu6880, .mpu6880), (.icm20600, .icm20600), (.icm20602, .icm20602), (.icm20608, .icm20608),
      (.icm20608D, .icm20608D), (.icm20609, .icm20609), (.icm20689, .icm20689), (.icm20690, .icm20690),
      (.iam20680, .iam20680), (.clone98, .icm20689), (.clone72, .clone72),
    ]
    for (emulated, expected) in parts {
      let target = EmulatedMPU6050(motion: AttitudePath.tumble, configuration: .init(emulated)) { clock.now }
      var bus = try busWith([(0x69, target)], clock)
      #expect(bus.probe(.mpu6050Alternate)?.answer == .usable(.mpu6050(expected), expected.admission))
    }
  }

  @Test func `a number at 0x68 that may be a time is said to be one, and no other`() throws {
    for (place, number, _) in probedPlaces {
      for identity: UInt8 in 0...255 {
        var bus = try busWith([(number, impostor(identity))])
        let isTime = number == 0x68 && (0...59).contains { $0 / 10 * 16 + $0 % 10 == Int(identity) }
        #expect(bus.probe(place)?.mayBeClock == isTime)
      }
    }
  }

  /// Whether `body` found its sensor.
  private func starts(_ body: () throws(SensorError) -> Void) -> Bool {
    do throws(SensorError) {
      try body()
      return true
    } catch {
      if case .unexpectedIdentity = error { return false }
      Issue.record("an error other than of the identity: \(error)")
      return false
    }
  }
}
