import Plumb
import PlumbEmulation

/// An emulated TL3 on a moving board, written from the data sheet and not from the driver.
final class EmulatedTL3: EmulatedTarget {
  private let motion: any Motion
  private let noise: NoiseSource
  private let now: () -> Instant
  private var conditions = TargetConditions()
  private var pointer: UInt8 = 0
  private var setup: UInt8 = 0x00
  private var data: [UInt8] = [0, 0, 0, 0, 0, 0]
  private var startOfRun = Instant(microseconds: 0)

  init(
    _ motion: any Motion, noise: NoiseSource = NoiseSource(standardDeviation: .zero, seed: 1),
    now: @escaping () -> Instant
  ) {
    self.motion = motion
    self.noise = noise
    self.now = now
  }

  func prepare(under conditions: TargetConditions) { self.conditions = conditions }

  func receive(_ bytes: Span<UInt8>) {
    measure()
    for index in bytes.indices {
      if index == 0 {
        pointer = bytes[0]
      } else {
        if pointer == 0x01 { set(bytes[index] & 0xB3) }
        pointer &+= 1
      }
    }
  }

  func transmit(into buffer: inout MutableSpan<UInt8>) {
    measure()
    for index in buffer.indices {
      switch pointer {
      case 0x00: buffer[index] = conditions.identity ?? 0x3A
      case 0x01: buffer[index] = setup
      case 0x02...0x07: buffer[index] = data[Int(pointer) - 2]
      default: buffer[index] = 0
      }
      pointer &+= 1
    }
  }

  func powerCycle() {
    pointer = 0
    setup = 0x00
    data = [0, 0, 0, 0, 0, 0]
  }

  private func set(_ value: UInt8) {
    if value & 0x80 != 0 && value != setup { startOfRun = now() }
    setup = value
  }

  /// Updates the data to the last sample that was due.
  private func measure() {
    guard setup & 0x80 != 0, conditions.measurement != .frozen else { return }
    let period: Int64 = [20_000, 10_000, 5_000, 2_500][Int(setup >> 4 & 3)]
    let count = ((now() - startOfRun).count - 5_000) / period
    guard count >= 1 else { return }
    let instant = startOfRun + Microseconds(5_000 + count * period)
    let force = motion.specificForce(at: instant - Instant(microseconds: 0))
    let error = noise.sample(at: UInt64(count))
    let gravities = [2, 4, 8, 8][Int(setup & 3)]
    data = [(force.x, error.x), (force.y, error.y), (force.z, error.z)].flatMap { force, error in
      let measured = ((Double(force.raw) + Double(error.raw)) / Double(gravities * 2)).rounded()
      let value = conditions.measurement == .fullScale ? 32_767 : Int16(max(-32_768, min(32_767, measured)))
      return [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
  }
}
