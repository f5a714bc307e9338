import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// A second driver that takes over a part as another has left it, for every part.
struct AdoptionTests {
  /// A part that another driver runs.
  private static func started(_ specimen: SensorSpecimen) throws(SensorError) -> any SensorRig {
    let rig = specimen.rig(.none)
    try rig.start()
    rig.clock.advance(by: .milliseconds(60))
    return rig
  }

  /// Takes samples for as long as a lost configuration may go unnoticed.
  private static func expectRight(_ specimen: SensorSpecimen, _ guest: any SensorRig, _ text: String = "") throws {
    // If samples wait in the part, another driver may have taken some of them before the first.
    var mayLack = guest.keepsSamples
    for turn in 0...max(2, specimen.samplesUntilNoticed) {
      let (samples, followsGap) = try guest.nextSamples()
      expect(followsGap, equals: mayLack, "turn \(turn) \(text)")
      expect(that: samples.allSatisfy { $0 == specimen.force }, "turn \(turn) \(text)")
      expect(that: !samples.isEmpty || mayLack, "turn \(turn) \(text)")
      if !samples.isEmpty { mayLack = false }
    }
    expect(that: !mayLack, "\(text)")
  }

  /// Checks that a driver that did not adopt the part reads nothing.
  private static func expectNothingRead(_ guest: any SensorRig) {
    let count = guest.log.transactionCount
    expect(sensorError { () throws(SensorError) in _ = try guest.sample() }, equals: .configurationLost)
    expect(guest.log.transactionCount, equals: count)
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a part that runs as configured is adopted by these reads, and gives samples at once`(
    _ specimen: SensorSpecimen
  )
    throws
  {
    let rig = try started(specimen)
    let guest = rig.guest(plan: .none)
    try expect(that: guest.adopt())
    expect(guest.log.transactions.map(\.written), equals: specimen.adoption.map { [$0.register] })
    expect(guest.log.transactions.map(\.read.count), equals: specimen.adoption.map(\.count))
    expect(guest.transactions, equals: UInt64(specimen.adoption.count))
    try expectRight(specimen, guest)
    // Only register addresses are written, except when a FIFO is restarted.
    #expect(guest.keepsSamples || guest.log.transactions.allSatisfy { $0.written.count == 1 })
    if guest.canWatchForMovement {
      try guest.fallAsleep()
      try expect(guest.hasMoved(from: nil), equals: false)
      try guest.wake()
      try expect(that: !guest.nextSamples().samples.isEmpty)
    }
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a flipped bit of a configuration register is named, and the part is not adopted`(
    _ specimen: SensorSpecimen
  )
    throws
  {
    var (refused, adopted, reported) = (0, 0, 0)
    for register in specimen.settings + specimen.others {
      for bit in 0..<8 {
        let rig = try started(specimen)
        let before = try rig.registers(register, 1)[0]
        try rig.write([register, before ^ (1 << bit)])
        // In which a reset ends.
        rig.clock.advance(by: .milliseconds(25))
        let now = try rig.registers(register, 1)[0]
        let isChanged = now != before && specimen.settings.contains(register)
        let found = sensorError { () throws(SensorError) in try rig.verifyConfiguration() }
        let named = SensorError.configurationChanged(register: register, wrote: before, read: now)
        // A few bits reset the part, look as if it had been, or stop the pointer; then the error may be another.
        expect(found != nil, equals: isChanged, "\(register), bit \(bit)")
        if found == named { reported += 1 }
        let guest = rig.guest(plan: .none)
        let isAdopted = try guest.adopt()
        expect(isAdopted, equals: !isChanged, "\(register), bit \(bit)")
        expect(all: guest.log.transactions) { $0.written.count == 1 }
        if isAdopted { adopted += 1 } else { refused += 1 }
        if !isAdopted { expectNothingRead(guest) }
      }
    }
    expect(refused, isAtLeast: specimen.writableBits * specimen.settings.count, "\(refused)")
    expect(adopted, isAtLeast: 3 * specimen.others.count, "\(adopted)")
    expect(reported, isAtLeast: refused - 4, "\(reported) of \(refused)")
    let rig = try started(specimen)
    try rig.verifyConfiguration()
    rig.powerCycle()
    expect(sensorError { () throws(SensorError) in try rig.verifyConfiguration() }, equals: .configurationLost)
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a part after power-on or a brown-out is not adopted, and can be started`(
    _ specimen: SensorSpecimen
  ) throws {
    let rig = specimen.rig(.none)
    for _ in 0..<2 {
      try expect(that: !rig.adopt())
      expectNothingRead(rig)
      try rig.start()
      try expect(all: rig.nextSamples().samples) { $0 == specimen.force }
      try expect(that: rig.adopt())
      rig.powerCycle()
    }
  }

  @Test(arguments: SensorSpecimen.all)
  static func `another identity is not adopted, after one read`(_ specimen: SensorSpecimen) throws {
    let rig = try started(specimen)
    for identity in UInt8.min...UInt8.max
    where identity != specimen.identity.expected && !specimen.identity.alike.contains(identity) {
      let guest = rig.guest(plan: [.init(.identity(identity), .always)])
      try expect(that: !guest.adopt())
      expect(guest.log.transactions.map(\.written), equals: [[specimen.identity.register]])
    }
  }

  @Test(arguments: SensorSpecimen.all)
  static func `every fault at every transaction is thrown, and harms no other program`(_ specimen: SensorSpecimen)
    throws
  {
    let faults = ConformanceTests.faults + [.shortRead(expected: 7, received: 3), .other(code: 121)]
    let effects = faults.map { FaultPlan.Effect.fault($0) } + [.hang(.milliseconds(20)), .shortRead(received: 0)]
    for number in specimen.adoption.indices {
      for effect in effects {
        let rig = try started(specimen)
        let guest = rig.guest(plan: [.init(effect, .transaction(number))])
        let thrown = sensorError { () throws(SensorError) in _ = try guest.adopt() }
        expect(thrown, equals: guest.log.transactions.last?.fault.map { .bus($0) }, "\(effect) at \(number)")
        expect(thrown, isNot: nil, "\(effect) at \(number)")
        expect(guest.log.transactionCount, equals: number + 1)
        expectNothingRead(guest)
        try expect(rig.sample(), equals: specimen.force)
        try expect(that: guest.adopt())
        try expectRight(specimen, guest, "\(effect) at \(number)")
      }
    }
  }

  @Test(arguments: SensorSpecimen.all)
  static func `a wrong byte, or a brown-out, ends in no adoption or shows in the samples`(
    _ specimen: SensorSpecimen
  )
    throws
  {
    var generator = SplitMix64(seed: 5)
    for (number, (first, count)) in specimen.adoption.enumerated() {
      for index in 0..<count where number > 0 {
        let rig = try started(specimen)
        let mask = UInt8.random(in: 1...255, using: &generator)
        let guest = rig.guest(plan: [.init(.corruptByte(index: index, mask: mask), .transaction(number))])
        let register = (first & 0x7F) + UInt8(index)
        let matters = specimen.settings.contains(register) || register == specimen.identity.register
        try expect(guest.adopt(), equals: !matters, "\(first) + \(index)")
        try expect(that: guest.adopt())
      }
      let guest = try started(specimen).guest(plan: [.init(.brownOut, .transaction(number))])
      let thrown = sensorError { () throws(SensorError) in
        guard try guest.adopt() else { return }
        for _ in 0...specimen.samplesUntilNoticed {
          // Its samples until then cannot be mistaken for a force.
          let samples = try guest.nextSamples().samples
          expect(all: samples, "\(samples)") { specimen.unconfigured.contains($0) }
        }
      }
      #expect(thrown == nil || thrown == .configurationLost)
      expect(sensorError { () throws(SensorError) in _ = try guest.sample() }, equals: .configurationLost)
    }
  }
}
