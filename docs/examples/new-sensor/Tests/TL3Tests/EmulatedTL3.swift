import Plumb
import PlumbEmulation

/// An emulated TL3 on a moving board, written from the data sheet and not from the driver.
struct EmulatedTL3: EmulatedChip {
  /// WHO, SETUP and the data; SETUP keeps the bits that exist.
  private static let map = RegisterMap(
    identity: 0x00,
    .registers(0x00, reset: 0x3A), .registers(0x01, writable: 0xB3), .registers(0x02...0x07))

  var state: ChipState
  /// The standard deviation of the noise, in g.
  private let noise: Vector3

  init(_ motion: any Motion, noise: Vector3 = .zero, at now: Instant) {
    state = ChipState(Self.map, Analogue(motion: motion, at: now, seed: 1), at: now)
    self.noise = noise
  }

  /// Starts and stops the sample clock. The first tick comes 5 ms and one period after run is set.
  mutating func wrote(_ value: UInt8, to register: Int, over before: UInt8) {
    guard state[register] != before else { return }
    let period: Int64 = [20_000, 10_000, 5_000, 2_500][Int(value >> 4 & 3)]
    let isRunning = value & 0x80 != 0
    state.clock =
      isRunning ? SampleClock(origin: state.present + .milliseconds(5), period: Microseconds(period)) : nil
  }

  mutating func sample(at instant: Instant, of clock: Int) {
    switch state.conditions.measurement {
    case .frozen: break
    case .fullScale: state.store(AxisValues(all: 32_767), at: 0x02, highFirst: true)
    case .live:
      let force = state.analogue.force(at: instant) + state.analogue.noise(state.sampleCount, deviation: noise)
      // In 1/65536 g; at ±2 g a count is 1/16384 g.
      let unit: Int64 = [4, 8, 16, 16][Int(state[0x01] & 3)]
      state.store(force.counts(over: unit), at: 0x02, highFirst: true)
    }
  }
}
