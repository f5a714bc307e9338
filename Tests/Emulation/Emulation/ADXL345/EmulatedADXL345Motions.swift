import Emulation
import FixedPoint
import HAL
import TestSupport

/// A constant force, in 1/65536 g: independent of the module's own motions.
struct Constant: Motion {
  var x: Int32 = 0
  var y: Int32 = 0
  var z: Int32 = 0
  var duration: Microseconds { .zero }
  func specificForce(at time: Microseconds) -> Vector3 {
    Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))
  }
}

/// A force on X that counts microseconds, 256 (one full-resolution LSB) each, so a sample shows its instant.
struct Ramp: Motion {
  var duration: Microseconds { .zero }
  var microsecondsPerCount: Int64 = 1
  func specificForce(at time: Microseconds) -> Vector3 {
    Vector3(x: Q16(raw: Int32(truncatingIfNeeded: time.count / microsecondsPerCount * 256)), y: .zero, z: .zero)
  }
}

/// A force that differs for some spans of time, in 1/65536 g; the first span that contains the time counts.
struct Spans: Motion {
  private let base: Constant
  private let times: TimeSpans
  private let forces: [Constant]

  init(base: Constant = Constant(z: 65_536), spans: [(from: Int64, to: Int64, force: Constant)]) {
    self.base = base
    times = TimeSpans(spans.map { $0.from..<$0.to })
    forces = spans.map(\.force)
  }

  var duration: Microseconds { .zero }
  func specificForce(at time: Microseconds) -> Vector3 {
    let index = times.firstIndex(with: time.count)
    return (index < 0 ? base : forces[index]).specificForce(at: time)
  }
}

/// Undecimated readings come every 312.5 µs, the first one that long after the turn-on time of 1.1 ms.
enum Step {
  /// The microsecond of reading `number` (from 1), counted from Measure.
  static func instant(_ number: Int) -> Int64 { 1_100 + Int64(number) * 3_125 / 10 }
}

extension Spans {
  /// `force` at `count` undecimated readings from reading `first` on, for a motion that begins with Measure.
  static func steps(_ first: Int, _ count: Int, _ force: Constant) -> (from: Int64, to: Int64, force: Constant) {
    (Step.instant(first) - 100, Step.instant(first + count) - 100, force)
  }
}

extension EmulatedADXL345.Configuration {
  /// A specimen without noise.
  static var quiet: EmulatedADXL345.Configuration {
    var configuration = EmulatedADXL345.Configuration()
    configuration.noise = .zero
    return configuration
  }
}

/// An emulated ADXL345.
typealias ADXL345Bench = PartBench<EmulatedADXL345>

extension PartBench where Part == EmulatedADXL345 {
  convenience init(
    _ motion: any Motion = Constant(z: 65_536), _ configuration: EmulatedADXL345.Configuration = .quiet,
    plan: FaultPlan = .none, seed: UInt64 = 1
  ) {
    let clock = VirtualClock()
    let device = EmulatedADXL345(motion: motion, configuration: configuration, seed: seed) { clock.now }
    self.init(device, at: EmulatedADXL345.address, clock, plan: plan)
  }

  /// The three axes as signed counts.
  func counts() throws(I2CFault) -> [Int] {
    let bytes = try read(0x32, 6)
    return [0, 2, 4].map { Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) }
  }

  /// Full resolution ±16 g at 100 Hz, measuring, with one sample ready.
  func start(format: UInt8 = 0x0B) throws(I2CFault) {
    try write(0x31, format)
    try write(0x2D, 0x08)
    pass(11_100)
  }
}
