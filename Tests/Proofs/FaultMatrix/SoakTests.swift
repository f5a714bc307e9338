import Foundation
import TestSupport
import Testing

/// Hours and days in virtual time. Each runs in its own process, so that its memory can be measured.
@Suite(.serialized) struct SoakTests {
  private static func check(_ soak: Soak) throws {
    let result = try soak.run()
    expect(empty: result.complaints, "\(result.complaints.prefix(10).joined(separator: "\n"))")
    // Faults may take up to a tenth of the samples.
    expect(result.samples, isAbove: Int(soak.hours) * 360_000 * 9 / 10)
    expect(result.faults, isAbove: UInt64(soak.hours) * 100)
    expect(result.growth, isBelow: 1 << 20, "\(result.growth) bytes more")
  }

  @Test static func `an ADXL345 for 24 hours at 100 Hz with random faults: every event, exact counters`() async {
    await #expect(processExitsWith: .success) {
      try SoakTests.check(Soak(kind: .adxl345, hours: 24, seed: 11))
    }
  }

  @Test static func `an MPU-6050 for four hours at 100 Hz with random faults: every event, exact counters`()
    async
  {
    await #expect(processExitsWith: .success) {
      try SoakTests.check(Soak(kind: .mpu6050, hours: 4, seed: 12))
    }
  }

  @Test static func `an MPU-6500 for four hours at 100 Hz with random faults: every event, exact counters`()
    async
  {
    await #expect(processExitsWith: .success) {
      try SoakTests.check(Soak(kind: .mpu6500, hours: 4, seed: 13))
    }
  }

  /// Only with PLUMB_LONG_TESTS=1.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["PLUMB_LONG_TESTS"] == "1"))
  static func `each of the sensors for three days with random faults: every event, exact counters`() async {
    await #expect(processExitsWith: .success) {
      for (number, kind) in Kind.thorough.enumerated() {
        try SoakTests.check(Soak(kind: kind, hours: 72, seed: 20 + UInt64(number)))
      }
    }
  }
}
