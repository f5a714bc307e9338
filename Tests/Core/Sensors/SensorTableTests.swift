import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// What each family of sensors is, and how a wish becomes its configuration, against tables written out in the tests.
struct SensorTableTests {
  @Test static func `each family has the addresses, rates, ranges and abilities of its data sheet`() {
    expect(SensorFacts.all.map(\.model.rawValue), equals: (0..<UInt8(SensorModel.count)).map { $0 })
    for row in SensorFacts.all {
      let traits = row.model.traits
      expect("\(row.model.name)", equals: row.name)
      expect("\(row.model.properName)", equals: "\(traits.properName)")
      expect([traits.addresses.low.rawValue, traits.addresses.high.rawValue], equals: row.addresses, "\(row.name)")
      expect((UInt8(0)...0x7F).filter { I2CAddress($0).map(traits.canBe) == true }, equals: row.addresses.sorted())
      expect("\(traits.addressPin)", equals: row.addressPin)
      expect(traits.identityRegister, equals: row.identity.register)
      expect(traits.highestRate, equals: row.highestRate, "\(row.name)")
      expect(traits.usualRange, equals: row.usualRange, "\(row.name)")
      expect((0..<4).map { traits.ranges[$0] }.filter { $0 != 0 }, equals: row.ranges)
      expect((-1...2_001).filter { traits.hasRange($0) }, equals: row.ranges)
      let gyroscope = traits.gyroscopeRanges
      expect(gyroscope.map { ranges in (0..<6).map { ranges[$0] }.filter { $0 != 0 } }, equals: row.gyroscope)
      expect((-1...4_001).filter { traits.hasGyroscopeRange($0) }, equals: row.gyroscope ?? [])
      expect(traits.hasGyroscope, equals: row.gyroscope != nil)
      expect(traits.hasThermometer, equals: row.hasThermometer)
      expect(traits.findsKnocks, equals: row.findsKnocks)
      expect(traits.selfTest, equals: row.selfTest)
      expect(traits.keepsSamples, equals: row.keepsSamples, "\(row.name)")
      expect(traits.hasRelatives, equals: row.hasRelatives, "\(row.name)")
      expect(row.model.part(identity: row.identity.value)?.admission, equals: .accepted)
    }
  }

  @Test static func `what a part must at least say of itself is all that a list of traits has by default`() {
    let traits = SensorTraits(
      name: "x", properName: "X", addresses: (ADXL345.address, MPU6050.address), addressPin: "A", identityRegister: 7,
      highestRate: 9, ranges: [2, 0, 0, 0], usualRange: 2)
    #expect(traits.gyroscopeRanges == nil && !traits.hasThermometer && !traits.keepsSamples && !traits.findsKnocks)
    #expect(traits.selfTest == .none && !traits.hasRelatives && traits.interruptPin == nil)
    // An unused place is no range.
    expect((-1...20).filter { traits.hasRange($0) }, equals: [2])
    expect(that: !traits.hasGyroscopeRange(0))
  }

  @Test static func `a range of the gyroscope has its degrees per second, and other numbers have no range`() {
    let ranges: [(MPU6050.GyroscopeRange, Int32)] = [
      (.dps250, 250), (.dps500, 500), (.dps1000, 1_000), (.dps2000, 2_000),
    ]
    for (range, number) in ranges { expect(range.degreesPerSecond, equals: number) }
    for number in Int32(-3)...4_100 {
      expect(MPU6050.GyroscopeRange(degreesPerSecond: number), equals: ranges.first { $0.1 == number }?.0)
    }
    let forces: [(MPU6050.Range, Int32)] = [(.g2, 2), (.g4, 4), (.g8, 8), (.g16, 16)]
    for (range, number) in forces { expect(range.g, equals: number) }
  }

  @Test static func `a wish is 100 Hz in the usual range, one sample at a time, and nothing else`() {
    for row in SensorFacts.all {
      let wish = SensorConfiguration(row.model)
      expect(wish.millihertz, equals: 100_000)
      expect(wish.rangeInG, equals: row.usualRange)
      expect(wish.rangeInDegreesPerSecond, equals: nil)
      expect(wish.batch, equals: 1)
      expect(that: !wish.signalsDataReady)
      expect(that: !wish.acceptsUnverifiedParts)
      expect(that: !wish.usesGyroscope)
      expect(wish.taps, equals: nil)
      expect(wish.fall, equals: nil)
    }
  }

  /// Whole rates, and a millihertz to either side.
  private static let wishes = (1...1_000 as ClosedRange<Int32>).flatMap { hertz in
    [-1, 0, 1].map { hertz * 1_000 + $0 }
  }

  @Test static func `an MPU-6050 gets the lowest sufficient rate, and the widest filter that ends at half of it`() {
    let cutOffs: [(Int32, MPU6050.Filter)] = [
      (184, .hz184), (94, .hz94), (44, .hz44), (21, .hz21), (10, .hz10), (5, .hz5),
    ]
    var wrong: [Int32] = []
    for wish in Self.wishes {
      var wanted = SensorConfiguration(.mpu6050)
      wanted.millihertz = wish
      let found = MPU6050.Configuration(wanted)
      // At least 25 Hz, and at most 1 kHz.
      let rate = max(25_000, wish)
      let period = (1...256).last { 1_000_000 >= Int($0) * Int(rate) } ?? 1
      let filter = cutOffs.first { 2_000 * $0.0 <= wish }?.1 ?? .hz5
      let isDefault = wish / 1_000 == Int32(1_000 / period)
      let expected = MPU6050.Configuration(
        rate: MPU6050.SampleRate(divider: UInt8(period - 1)), range: .g4, filter: filter,
        samplesPerWatch: isDefault ? nil : UInt16(wish / 1_000))
      if found != expected || found.period != .milliseconds(Int64(period)) { wrong.append(wish) }
    }
    expect(empty: wrong, "\(wrong.prefix(9))")
  }

  @Test static func `an ADXL345 and an LIS3DH get the lowest sufficient rate`() {
    var wrong: [Int32] = []
    for wish in Self.wishes {
      var (first, second) = (SensorConfiguration(.adxl345), SensorConfiguration(.lis3dh))
      (first.millihertz, second.millihertz) = (wish, wish)
      let least = Double(max(25_000, wish)) / 1_000
      let (a, b) = (ADXL345.Configuration(first), LIS3DH.Configuration(second))
      let rate = rates.first { $0.hertz >= least && $0.hertz <= 800 }?.rate ?? .hz800
      let other = LIS3DHFacts.rates.first { Double($0.hertz) >= least }?.rate ?? .hz1344
      if a != ADXL345.Configuration(rate: rate) || b != LIS3DH.Configuration(rate: other) { wrong.append(wish) }
      if first.outputPeriod != rate.period || second.outputPeriod != other.period { wrong.append(wish) }
    }
    expect(empty: wrong, "\(wrong.prefix(9))")
  }

  /// The lowest of rates in 1/1000 Hz that is enough for a wish, of which 25 Hz are the least.
  private static func index(of wish: Int32, in rates: [Int32]) -> Int? { rates.firstIndex { $0 >= max(25_000, wish) } }

  @Test
  static func `an LSM6DS and an LSM9DS1 get the lowest sufficient rate, which the gyroscope shifts in the second`() {
    let first: [Int32] = [12_500, 26_000, 52_000, 104_000, 208_000, 416_000, 833_000, 1_666_000]
    let second: [Int32] = [10_000, 50_000, 119_000, 238_000, 476_000, 952_000]
    let turning: [Int32] = [14_900, 59_500, 119_000, 238_000, 476_000, 952_000]
    var wrong: [Int32] = []
    for wish in Self.wishes {
      for isTurning in [false, true] {
        var (a, b) = (SensorConfiguration(.lsm6ds), SensorConfiguration(.lsm9ds1))
        (a.millihertz, b.millihertz) = (wish, wish)
        if isTurning, !a.setGyroscope(500) || !b.setGyroscope(500) { wrong.append(wish) }
        let fast = Self.index(of: wish, in: first).map { LSM6DSFacts.rates[$0].rate }
        let other = Self.index(of: wish, in: isTurning ? turning : second).map { LSM9DS1Facts.rates[$0].rate } ?? .hz952
        if LSM6DS.Configuration(a) != LSM6DS.Configuration(rate: fast ?? .hz833, gyroscope: isTurning ? .dps500 : nil)
          || LSM9DS1.Configuration(b) != LSM9DS1.Configuration(rate: other, gyroscope: isTurning ? .dps500 : nil)
          || a.outputPeriod != fast?.period || b.outputPeriod != other.period(withGyroscope: isTurning)
        {
          wrong.append(wish)
        }
      }
    }
    expect(empty: wrong, "\(wrong.prefix(9))")
  }

  @Test static func `an ICM-20948 gets the lowest sufficient rate, and the widest filter of about half of it`() {
    let filters: [(Int32, ICM20948.Filter)] = [
      (946_000, .hz473), (492_000, .hz246), (222_000, .hz111), (100_000, .hz50), (47_000, .hz24), (23_000, .hz12),
    ]
    var wrong: [Int32] = []
    for wish in Self.wishes {
      var wanted = SensorConfiguration(.icm20948)
      wanted.millihertz = wish
      let share = (1...256).last { 1_125_000 >= $0 * Int(max(25_000, wish)) } ?? 1
      let isDefault = wish / 1_000 == Int32(1_125 / share)
      let expected = ICM20948.Configuration(
        rate: ICM20948.SampleRate(divider: UInt8(share - 1)), filter: filters.first { $0.0 <= wish }?.1 ?? .hz6,
        samplesPerWatch: isDefault ? nil : UInt16(wish / 1_000))
      if ICM20948.Configuration(wanted) != expected || wanted.outputPeriod != expected.period { wrong.append(wish) }
    }
    expect(empty: wrong, "\(wrong.prefix(9))")
  }

  @Test static func `ranges, pins and batches reach the configuration of each family`() {
    for (index, g) in [2, 4, 8, 16].enumerated() as EnumeratedSequence<[Int32]> {
      for batch in [1, 2, 31, 32, 1_000] as [Int32] {
        for isOn in [false, true] {
          func wish(_ model: SensorModel) -> SensorConfiguration {
            var wanted = SensorConfiguration(model)
            let isSet = wanted.setRange(g)
            expect(that: isSet)
            (wanted.batch, wanted.signalsDataReady, wanted.acceptsUnverifiedParts) = (batch, isOn, isOn)
            return wanted
          }
          let level = min(batch, 31)
          let first = ADXL345.Configuration(wish(.adxl345))
          expect(first.range, equals: ranges[index].range)
          expect(first.fifo, equals: batch > 1 ? .stream(watermark: .init(nearest: level)) : .bypass)
          expect(first.interrupts, equals: ADXL345.Interrupts(conditions: isOn ? .dataReady : .none))
          let second = LIS3DH.Configuration(wish(.lis3dh))
          expect(second.range, equals: LIS3DHFacts.ranges[index].range)
          expect(second.resolution, equals: .high)
          expect(second.fifo, equals: batch > 1 ? .stream(watermark: .init(nearest: level)) : .bypass)
          expect(second.interrupts, equals: DataReadyPin(signalsDataReady: isOn))
          for row in SensorFacts.all.dropFirst(3) where row.keepsSamples {
            var wanted = wish(row.model)
            for turning in [nil] + (row.gyroscope ?? []).map(Optional.some) {
              let isSet = wanted.setGyroscope(turning)
              let signals = isOn
              switch row.model {
              case .lsm6ds:
                let range = LSM6DSFacts.gyroscopeRanges.first { $0.dps == turning }?.range
                let expected = LSM6DS.Configuration(
                  range: LSM6DSFacts.ranges[index].range, gyroscope: range, usesFIFO: batch > 1,
                  interrupts: DataReadyPin(signalsDataReady: signals))
                expect(that: isSet)
                expect(LSM6DS.Configuration(wanted), equals: expected)
              case .lsm9ds1:
                let range = LSM9DS1Facts.gyroscopes.first { $0.limit == turning }?.range
                let expected = LSM9DS1.Configuration(
                  range: LSM9DS1Facts.ranges[index].range, gyroscope: range,
                  fifo: batch > 1 ? .continuous(threshold: .init(nearest: level)) : .bypass,
                  interrupts: DataReadyPin(signalsDataReady: signals))
                expect(that: isSet)
                expect(LSM9DS1.Configuration(wanted), equals: expected)
              default:
                let both = turning != nil
                let fifo = ICM20948.FIFO(includesTemperature: both, includesRotation: both, longestBurst: 240)
                let expected = ICM20948.Configuration(
                  range: ICM20948Facts.ranges[index].range, gyroscope: turning.flatMap { .init(degreesPerSecond: $0) },
                  interrupts: ICM20948.Interrupts(signalsDataReady: signals), fifo: batch > 1 ? fifo : nil,
                  samplesPerWatch: 100, acceptsUnverifiedParts: isOn)
                expect(that: isSet)
                expect(ICM20948.Configuration(wanted), equals: expected)
              }
            }
          }
          var wanted = wish(.mpu6050)
          for turning in [nil, 250, 500, 1_000, 2_000] as [Int32?] {
            let isSet = wanted.setGyroscope(turning)
            let found = MPU6050.Configuration(wanted)
            expect(that: isSet)
            expect(found.gyroscope?.degreesPerSecond, equals: turning)
            expect(found.range.g, equals: g)
            let isTurning = turning != nil
            let fifo = MPU6050.FIFO(
              includesTemperature: isTurning, includesRotation: isTurning, longestBurst: 240)
            expect(found.fifo, equals: batch > 1 ? fifo : nil)
            expect(found.acceptsUnverifiedParts, equals: isOn)
            expect(found.interrupts, equals: MPU6050.Interrupts(signalsDataReady: isOn))
          }
        }
      }
    }
    expect(MPU6050.FIFO().longestBurst, equals: 30)
    expect(that: !MPU6050.FIFO().includesTemperature)
  }

  @Test(arguments: SensorModelTests.models)
  static func `a driver delivers at least the rate that its model allows in a board file`(_ model: SensorModel) {
    var wanted = SensorConfiguration(model)
    let slow = (1...model.traits.highestRate).filter { hertz in
      wanted.millihertz = hertz * 1_000
      // In whole microseconds.
      return wanted.outputPeriod.count > 1_000_000 / Int64(hertz) + 1
    }
    expect(empty: slow, "\(slow.prefix(9))")
  }

  @Test static func `taps and falls that are wanted reach an ADXL345 by axis`() throws {
    for bits in 0...255 as ClosedRange<UInt8> {
      for isDouble in [false, true] {
        var wanted = SensorConfiguration(.adxl345)
        wanted.taps = SensorConfiguration.Taps(
          threshold: Q16(whole: 3), duration: .milliseconds(10), latency: .milliseconds(50),
          window: .milliseconds(200), axes: bits, findsDoubleTaps: isDouble)
        wanted.fall = SensorConfiguration.Fall(threshold: Q16(1, over: 2), time: .milliseconds(100))
        let found = ADXL345.Configuration(wanted)
        expect(found.detection.freeFall?.threshold, equals: Q16(1, over: 2))
        expect(found.detection.freeFall?.time, equals: .milliseconds(100))
        expect(found.detection.tap == nil, equals: bits & 7 == 0)
        expect(found.interrupts.onInterrupt2, equals: found.detection.events)
        guard let tap = found.detection.tap else { continue }
        expect([tap.axes.x, tap.axes.y, tap.axes.z], equals: [1, 2, 4].map { bits & $0 != 0 }, "\(bits)")
        expect(tap.threshold, equals: Q16(whole: 3))
        expect(tap.duration, equals: .milliseconds(10))
        guard case .singleAndDouble(let second) = tap.kind else {
          expect(that: !isDouble)
          expect(tap.kind, equals: .single)
          continue
        }
        expect(that: isDouble)
        expect(second.latency, equals: .milliseconds(50))
        expect(second.window, equals: .milliseconds(200))
        expect(that: !second.rejectsUnrest)
      }
    }
    var wanted = SensorConfiguration(.adxl345)
    expect(ADXL345.Configuration(wanted).detection, equals: ADXL345.Detection())
    // A second tap that the part cannot time.
    wanted.taps = SensorConfiguration.Taps(
      threshold: Q16(whole: 3), duration: .milliseconds(10), latency: .seconds(5), window: .milliseconds(200), axes: 7,
      findsDoubleTaps: true)
    expect(ADXL345.Configuration(wanted).detection, equals: ADXL345.Detection())
  }
}

/// Findings of a sensor, over all bytes.
struct FollowedFindingsTests {
  @Test static func `findings that follow others add to them, with the axes of the last tap`() {
    var wrong: [String] = []
    for before in UInt8.min...UInt8.max {
      let first = Findings(rawValue: before)
      expect(first.singleTap, equals: before & 16 != 0)
      expect(first.doubleTap, equals: before & 32 != 0)
      expect(first.freeFall, equals: before & 64 != 0)
      expect(first.tapAxes, equals: before & 7)
      for after in UInt8.min...UInt8.max {
        let axes = after & 48 != 0 ? after & 7 : before & 7
        let expected = (before | after) & 0x70 | axes
        if first.followed(by: Findings(rawValue: after)).rawValue != expected { wrong.append("\(before), \(after)") }
        if first.withTap(onAxes: after).rawValue != before & 0x70 | after & 7 { wrong.append("\(before) on \(after)") }
      }
    }
    expect(empty: wrong, "\(wrong.prefix(5))")
    expect(Findings.none.rawValue, equals: 0)
    expect(Measurement(force: .zero).findings, equals: .none)
  }

  @Test static func `a batch holds 64 samples, and marks the last of them`() {
    var batch = SampleBatch()
    let isMarked = batch.mark(Findings(rawValue: 0x41))
    #expect(!isMarked && batch.count == 0 && batch.room == 64 && batch[0] == nil && SampleBatch.capacity == 64)
    for number in 0..<66 as Range<Int32> {
      batch.append(Measurement(force: Vector3(x: Q16(raw: number), y: .zero, z: .zero)))
      expect(batch.count, equals: Int(min(number + 1, 64)))
      expect(batch.room, equals: 64 - batch.count)
    }
    for index in [-1, 64, Int.min, Int.max] { expect(batch[index], equals: nil) }
    for index in 0..<64 { expect(batch[index]?.force.x.raw, equals: Int32(index)) }
    let found = [batch.mark(Findings(rawValue: 0x11)), batch.mark(Findings(rawValue: 0x42))]
    #expect(found == [true, true] && batch[63]?.findings.rawValue == 0x51 && batch[62]?.findings == Findings.none)
    batch.removeAll()
    #expect(batch.count == 0 && batch.room == 64 && batch[0] == nil)
  }

  @Test static func `only a byte that may be a number of seconds, at the address of clocks, may be one`() {
    for address in UInt8(8)...0x77 {
      guard let place = I2CAddress(address) else { continue }
      let found = (UInt8.min...UInt8.max).filter { Probe.mayBeClock($0, at: place) }
      let seconds = (0...5 as ClosedRange<UInt8>).flatMap { tens in (0...9 as ClosedRange<UInt8>).map { tens * 16 + $0 }
      }
      expect(found, equals: address == 0x68 ? seconds : [])
    }
  }
}

/// Parts of a register that are numbers.
struct NumberFieldTests {
  @Test static func `a number beyond the bits of its field reaches no other bit`() throws {
    var standby = try require(InvenSense.StandbyField(decoding: 0))
    var sources = try require(MPU6050.SourcesField(decoding: 0))
    for number in UInt8.min...UInt8.max {
      (standby.accelerometerAxes, standby.gyroscopeAxes) = (number, 0)
      expect(standby.encoded, equals: number % 8 * 8)
      (standby.accelerometerAxes, standby.gyroscopeAxes) = (0, number)
      expect(standby.encoded, equals: number % 8)
      (sources.gyroscopeAxes, sources.auxiliaries) = (number, 0)
      expect(sources.encoded, equals: number % 8 * 16)
      (sources.gyroscopeAxes, sources.auxiliaries) = (0, number)
      expect(sources.encoded, equals: number % 8)
      expect(LIS3DH.RateField(rate: nil, axes: number).encoded, equals: number % 8)
      expect(LIS3DH.FIFOControlField(mode: .bypass, watermark: number).encoded, equals: number % 32)
      expect(ADXL345.FIFOControlField(mode: .bypass, samples: number).encoded, equals: number % 32)
    }
  }

  @Test static func `the codes of a factory trim are the bits that the register map names`() {
    // XA_TEST, YA_TEST and ZA_TEST: bits 4 to 2 in registers 13 to 15, bits 1 and 0 in 16.
    for high in UInt8.min...UInt8.max {
      for low in [0x00, 0x15, 0x2A, 0x3F, 0x40, 0x80, 0xFF, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20] as [UInt8] {
        let codes = MPU6050.selfTestCodes([high, ~high, high &+ 77, low], .factoryTrim)
        func code(_ byte: UInt8, _ shift: UInt8) -> UInt8 { byte / 32 * 4 + (low >> shift) % 4 }
        expect((0..<3).map { codes[$0] }, equals: [code(high, 4), code(~high, 2), code(high &+ 77, 0)])
        let whole = MPU6050.selfTestCodes([high, ~high, high &+ 77, low], .informative)
        expect((0..<3).map { whole[$0] }, equals: [high, ~high, high &+ 77])
      }
    }
  }
}

/// Drivers that were not started, or were interrupted.
struct InterruptedDriverTests {
  @Test static func `a driver that was not started reads a part that another one has configured, or asks for a start`()
    throws
  {
    let (adxl345, lis3dh, mpu6050) = (ADXL345Rig(), LIS3DHRig(), MPU6050Rig())
    for rig in [adxl345, lis3dh, mpu6050] as [any SensorRig] {
      try rig.start()
      rig.clock.advanceByPeriod(rig)
      let guest = rig.guest(plan: .none)
      let error = sensorError { () throws(SensorError) in _ = try guest.sample() }
      expect(error, equals: rig is MPU6050Rig ? .configurationLost : nil)
    }
  }

  @Test static func `a driver that was not started knows of no gap, no finding and no sleep`() throws {
    let fifo = ADXL345.Configuration(fifo: .stream(watermark: .init(nearest: 9)))
    let first = ADXL345Rig(ADXL345Rig.force, fifo)
    let second = LIS3DHRig(LIS3DHRig.force, LIS3DH.Configuration(fifo: .stream(watermark: .init(nearest: 9))))
    try first.start()
    try second.start()
    second.clock.advance(by: .milliseconds(55))
    // Unsettled sets of the start are discarded by the driver that knows of them.
    _ = try second.driver.waiting()
    for rig in [first, second] as [any SensorRig] {
      rig.clock.advance(by: .milliseconds(55))
      let guest = rig.guest(plan: .none)
      var batch: (samples: [Vector3], followsGap: Bool) = ([], false)
      try guest.takeWaiting(into: &batch)
      expect(batch.samples.count, isAtLeast: 5)
      expect(that: !batch.followsGap)
    }
    var adxl345 = ADXL345.Device(
      bus: EmulatedBus(first.part, at: ADXL345.address) { first.clock.now }, configuration: fifo)
    try expect(adxl345.measure().findings, equals: .none)
    try expect(adxl345.watchForMovement(), equals: .milliseconds(150))
    var lis3dh = LIS3DH.Device(bus: EmulatedBus(second.part, at: LIS3DH.address) { second.clock.now })
    try expect(lis3dh.watchForMovement(), equals: .milliseconds(300))
    try expect(lis3dh.watchForMovement(), equals: nil)
  }

  /// A first failure at each transaction of falling asleep.
  @Test(arguments: [EmulatedMPU6050.Part.mpu6050, .mpu6500])
  static func `a part whose falling asleep failed is not sampled, and begins again`(_ part: EmulatedMPU6050.Part) throws
  {
    let clean = MPU6050Rig(part)
    try clean.start()
    let begin = clean.log.transactionCount
    var waits: [Microseconds] = []
    while let wait = try clean.driver.watchForMovement() {
      waits.append(wait)
      clean.clock.advance(by: wait)
    }
    let count = clean.log.transactionCount - begin
    expect(count, equals: part == .mpu6050 ? 15 : 13)
    for number in 0..<count {
      let rig = MPU6050Rig(part, plan: [.init(.noAcknowledge, .transaction(begin + number))])
      try rig.start()
      let error = sensorError { () throws(SensorError) in
        while let wait = try rig.driver.watchForMovement() { rig.clock.advance(by: wait) }
      }
      expect(error, equals: .bus(.noAcknowledge))
      let before = rig.log.transactionCount
      expect(sensorError { () throws(SensorError) in _ = try rig.driver.sample() }, equals: .configurationLost)
      expect(rig.log.transactionCount, equals: before)
      // From the beginning, whatever has been done.
      var again: [Microseconds] = []
      while let wait = try rig.driver.watchForMovement() {
        again.append(wait)
        rig.clock.advance(by: wait)
      }
      expect(again, equals: waits, "at \(number)")
      expect(rig.log.transactionCount - before, equals: count, "at \(number)")
      try expect(rig.driver.hasMoved(from: nil), equals: false)
    }
  }

  @Test static func `a self-test says what it measured, in units of the range, with the part's own limits`() throws {
    let steps = MPU6050SelfTestTests.steps(
      [0xE0, 0x20, 0x80, 0x39], quiet: [0, 0, 0xFF, 0x9C, 0x10, 0], moved: [0x0E, 0xB8, 0x06, 0x08, 0x17, 0xD0])
    var rig = MPU6050Script(MPU6050Script.start + steps)
    try rig.driver.startWholly()
    var clock = VirtualClock()
    let findings = try require(rig.driver.testItself(supply: 0, by: &clock))
    let force = try require(findings.force)
    expect(absent: findings.rotation)
    // 4096 LSB are 1 g.
    for (index, counts) in [(3_768, 3_768), (1_644, 1_644), (2_000, 2_368)].enumerated()
      as EnumeratedSequence<
        [(response: Int32, trim: Int32)]
      >
    {
      let (axis, trim) = (force[index], counts.trim * 16)
      expect(axis.change.raw, equals: counts.response * 16)
      expect(axis.factory?.raw, equals: trim)
      expect(axis.limits?.weakest.raw, equals: trim * 86 / 100)
      expect(axis.limits?.strongest.raw, equals: trim * 114 / 100)
      expect(axis.outcome, equals: index == 2 ? .failed : .passed)
    }
  }

  @Test static func `each trim of later parts is the formula's, rounded`() {
    for code in 1...255 as ClosedRange<UInt8> {
      let growth = (1..<code).reduce(1.0) { product, _ in product * 1.01 }
      expect(Double(MPU6050.factoryTrim(code, .informative)), equals: (655 * growth).rounded(), "\(code)")
      expect(Double(MPU6050.rotationTrim(code, .informative)), equals: (2_620 * growth).rounded(), "\(code)")
    }
  }
}

extension VirtualClock {
  fileprivate func advanceByPeriod(_ rig: any SensorRig) { advance(by: rig.samplePeriod * 10) }
}
