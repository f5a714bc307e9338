import Emulation
import FixedPoint
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing

/// The cost of a sample in steady state, on the emulated bus.
struct SteadyCostTests {
  /// The transactions of ten seconds, and the number of samples.
  private static func run(_ kind: Kind) throws -> (transactions: [BusLog.Transaction], samples: Int) {
    let log = BusLog()
    let tally = Tally()
    let clock = VirtualClock()
    try kind.run(Carousel(), plan: .none, log: log, tally: tally, clock: clock) { _, _, _ in
      clock.now.microseconds < 10_500_000
    }
    expect(tally.errors, equals: 0)
    expect(log.reopenCount, equals: 0)
    return (Array(log.transactions.suffix(1_000)), tally.samples)
  }

  @Test static func `an ADXL345 takes one transaction of seven bytes per sample, which checks its configuration`()
    throws
  {
    let (transactions, samples) = try run(.adxl345)
    expect(samples, isAtLeast: 1_040)
    expect(all: transactions) { $0.written == [0x31] && $0.read.count == 7 && $0.read[0] == 0x0B }
    let instants = transactions.map(\.instant.microseconds)
    expect(all: zip(instants, instants.dropFirst())) { $1 - $0 == 10_000 }
  }

  @Test(arguments: [Kind.mpu6050, .mpu6500])
  static func `an MPU-6050 takes one transaction of six bytes per sample, and once a second one of ten`(_ kind: Kind)
    throws
  {
    let (transactions, samples) = try run(kind)
    expect(samples, isAtLeast: 1_015)
    let instants = transactions.map(\.instant.microseconds)
    expect(all: zip(instants, instants.dropFirst())) { $1 - $0 == 10_000 }
    let watched = transactions.indices.filter { transactions[$0].written == [0x37] }
    expect(watched.count, equals: 10)
    expect(all: zip(watched, watched.dropFirst())) { $1 - $0 == 100 }
    expect(all: watched) { transactions[$0].read.count == 10 }
    let others = transactions.filter { $0.written == [0x3B] && $0.read.count == 6 }
    expect(others.count, equals: 990)
  }

  @Test static func `with the gyroscope a sample is one transaction of fourteen bytes, and once a second eighteen`()
    throws
  {
    let (transactions, samples) = try run(.turningMPU6050)
    expect(samples, isAtLeast: 1_010)
    let instants = transactions.map(\.instant.microseconds)
    expect(all: zip(instants, instants.dropFirst())) { $1 - $0 == 10_000 }
    let watched = transactions.indices.filter { transactions[$0].written == [0x37] }
    expect(watched.count, equals: 10)
    expect(all: zip(watched, watched.dropFirst())) { $1 - $0 == 100 }
    expect(all: watched) { transactions[$0].read.count == 18 }
    expect(transactions.count { $0.written == [0x3B] && $0.read.count == 14 }, equals: 990)
  }

  @Test(arguments: Kind.thorough)
  static func `no sample is read before the part makes one, and none twice`(_ kind: Kind) throws {
    let (transactions, _) = try run(kind)
    // With noise on three axes two samples are hardly ever equal; an extra transaction would read the same one again.
    let data = transactions.map { $0.read.suffix(kind == .turningMPU6050 ? 14 : 6) }
    let repeated = zip(data, data.dropFirst()).count { $0 == $1 }
    expect(repeated, isAtMost: 60, "\(repeated)")
  }
}
