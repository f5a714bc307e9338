import Emulation
import FixedPoint
import HAL
import TestSupport
import Testing

struct RandomFaultTests {
  /// The numbers of the transactions that fail under `plan`, with one every millisecond.
  private static func failures(_ plan: FaultPlan, of count: Int, at address: I2CAddress = WireRig.first) -> [Int] {
    let wire = WireRig(plan, capacity: 0)
    return (0..<count).filter { _ in
      defer { wire.clock.advance(by: .milliseconds(1)) }
      return wire.faultOfRead(at: address) != nil
    }
  }

  @Test(arguments: [2, 10, 1_000] as [Int], 1...5 as ClosedRange<UInt64>)
  static func `faults come at the given rate, and independently`(_ oneIn: Int, _ seed: UInt64) {
    // At least 200 faults.
    let count = max(50_000, oneIn * 200)
    let numbers = failures(.random(seed: seed, oneIn: oneIn, [.noAcknowledge]), of: count)
    // Five standard deviations of a binomial distribution: a wrong rate never passes, and a right one always does.
    let mean = Double(count) / Double(oneIn)
    let deviation = (mean * (1 - 1 / Double(oneIn))).squareRoot()
    expect(abs(Double(numbers.count) - mean), isBelow: 5 * deviation)
    // Gaps between independent faults are geometric: a gap of one is as likely as a fault.
    let neighbours = zip(numbers, numbers.dropFirst()).filter { $1 - $0 == 1 }.count
    let expected = mean / Double(oneIn)
    expect(abs(Double(neighbours) - expected), isBelow: 6 * max(1, expected).squareRoot())
    // Neither half of the run has more than its share.
    let early = numbers.prefix { $0 < count / 2 }.count
    expect(abs(Double(early) - mean / 2), isBelow: 5 * deviation)
  }

  @Test static func `the same seed gives the same faults, and another seed others`() {
    func numbers(_ seed: UInt64) -> [Int] {
      failures(.random(seed: seed, oneIn: 20, [.noAcknowledge, .timedOut]), of: 4_000)
    }
    expect(numbers(7), equals: numbers(7))
    for seed: UInt64 in 0..<20 {
      let (a, b) = (Set(numbers(seed)), Set(numbers(seed + 1)))
      // Chance alone gives one in twenty of some 200.
      expect(a.intersection(b).count, isBelow: 40)
    }
  }

  @Test static func `effects are equally frequent, and other rules do not shift them`() {
    let effects: [FaultPlan.Effect] = [.noAcknowledge, .timedOut, .arbitrationLost, .shortRead(received: 0)]
    let plan = FaultPlan.random(seed: 3, oneIn: 25, effects)
    expect(plan.rules.count, equals: 4)
    let wire = WireRig(plan, capacity: 0)
    for _ in 0..<100_000 { _ = wire.faultOfRead() }
    for effect in effects { expect(abs(wire.log.injectionCount(of: effect) - 1_000), isBelow: 160, "\(effect)") }
    expect(wire.log.injectionCount, equals: wire.log.faultCount)
    let other: FaultPlan = [.init(.slow(.zero), .always), .init(.identity(3), .random(oneIn: 3, seed: 1))]
    expect(failures(plan, of: 5_000), equals: failures(other + plan, of: 5_000))
  }

  @Test static func `a duration is drawn uniformly from its range`() {
    let plan = FaultPlan.random(
      seed: 11, oneIn: 1_000, [.noAcknowledge], lasting: .milliseconds(3) ... .milliseconds(9))
    let numbers = failures(plan, of: 600_000)
    var lengths: [Int] = []
    var previous = -2
    for number in numbers {
      if number == previous + 1 { lengths[lengths.count - 1] += 1 } else { lengths.append(1) }
      previous = number
    }
    // A span that begins at a transaction and lasts 3 000 to 9 000 µs covers 3 to 9 transactions, or up to twice as
    // many if two are adjacent.
    expect(abs(lengths.count - 600), isBelow: 125)
    let single = lengths.filter { $0 <= 9 }
    expect(lengths.count - single.count, isBelow: 6)
    expect(lengths.min() ?? 0, isAtLeast: 3)
    for length in 4...9 { expect(abs(single.filter { $0 == length }.count - 100), isBelow: 60, "\(length)") }
  }

  @Test static func `both ends of the range are drawn`() {
    let wire = WireRig([
      .init(.noAcknowledge, .random(oneIn: 100, seed: 6, lasting: Microseconds(1)...Microseconds(2)))
    ])
    var lengths: [Int] = []
    var isFailing = false
    for _ in 0..<40_000 {
      let fails = wire.faultOfRead() != nil
      if fails && isFailing { lengths[lengths.count - 1] += 1 } else if fails { lengths.append(1) }
      isFailing = fails
      wire.clock.advance(by: Microseconds(1))
    }
    for length in 1...2 { expect(abs(lengths.filter { $0 == length }.count - 197), isBelow: 60) }
  }

  @Test static func `reopening and transactions draw separately, and do not start each other's spans`() {
    let lasting = Microseconds.milliseconds(3) ... .milliseconds(5)
    let plan =
      FaultPlan.random(seed: 12, oneIn: 6, [.noAcknowledge], lasting: lasting)
      + .random(seed: 13, oneIn: 6, [.reopenFault(.busy)], lasting: lasting)
    func run(transactions: Bool, reopenings: Bool) -> (transactions: [Bool], reopenings: [Bool]) {
      let wire = WireRig(plan)
      var found: (transactions: [Bool], reopenings: [Bool]) = ([], [])
      for _ in 0..<300 {
        if transactions { found.transactions.append(wire.faultOfRead() != nil) }
        if reopenings { found.reopenings.append(wire.reopen() != nil) }
        wire.clock.advance(by: .milliseconds(1))
      }
      return found
    }
    let both = run(transactions: true, reopenings: true)
    expect(both.transactions, equals: run(transactions: true, reopenings: false).transactions)
    expect(both.reopenings, equals: run(transactions: false, reopenings: true).reopenings)
    expect(that: both.transactions.contains(true))
    expect(that: both.transactions.contains(false))
    expect(that: both.reopenings.contains(true))
    expect(that: both.reopenings.contains(false))
  }

  @Test static func `extreme rates are never or always, and none traps`() {
    for oneIn in [Int.min, -1, 0] {
      expect(failures([.init(.timedOut, .random(oneIn: oneIn, seed: 1))], of: 1_000), equals: [])
    }
    expect(failures([.init(.timedOut, .random(oneIn: 1, seed: 1))], of: 100), equals: Array(0..<100))
    expect(failures(.random(seed: 1, oneIn: .max, [.timedOut, .noAcknowledge]), of: 1_000), equals: [])
    expect(failures(.random(seed: 1, oneIn: 1, []), of: 100), equals: [])
    let widest = Microseconds(.min)...Microseconds(.max)
    expect(failures([.init(.timedOut, .random(oneIn: 1, seed: 1, lasting: widest))], of: 100).count, equals: 100)
  }

  @Test static func `a random fault can apply to one target`() {
    let plan = FaultPlan.random(seed: 5, oneIn: 3, [.noAcknowledge], at: WireRig.second)
    expect(failures(plan, of: 1_000), equals: [])
    expect(abs(failures(plan, of: 3_000, at: WireRig.second).count - 1_000), isBelow: 130)
  }

  @Test static func `reopening draws separately`() {
    let plan = FaultPlan.random(seed: 2, oneIn: 4, [.reopenFault(.unavailable)])
    let wire = WireRig(plan)
    var faults = 0
    for _ in 0..<4_000 where wire.reopen() == .unavailable { faults += 1 }
    expect(abs(faults - 1_000), isBelow: 140)
    expect(wire.log.injectionCount, equals: faults)
    expect(all: (0..<100)) { _ in wire.faultOfRead() == nil }
  }

  @Test static func `random brown-outs and unplugging clear the registers, exactly as often as counted`() {
    let wire = WireRig(
      .random(seed: 8, oneIn: 50, [.brownOut, .unplugged], at: WireRig.first), capacity: 0)
    var losses = 0
    var faults = 0
    for _ in 0..<20_000 {
      let cycles = wire.memory.powerCycles
      if wire.faultOfRead() != nil { faults += 1 }
      if wire.memory.powerCycles > cycles { losses += 1 } else { continue }
      expect(wire.memory.bytes, equals: [UInt8](repeating: 0, count: 16))
    }
    expect(wire.log.injectionCount(of: .unplugged), equals: faults)
    expect(wire.log.injectionCount, equals: wire.memory.powerCycles)
    expect(losses, isAbove: 300)
    expect(faults, isAbove: 150)
  }
}
