import Plumb
import PlumbEmulation

/// An emulated TL3 on a board that moves, written from the data sheet and not from the driver.
final class EmulatedTL3: EmulatedTarget {
  private let motion: any Motion
  private let now: () -> Instant
  private var conditions = TargetConditions()
  private var pointer: UInt8 = 0
  private var setup: UInt8 = 0x00
  private var data: [UInt8] = [0, 0, 0, 0, 0, 0]
  private var startOfRun = Instant(microseconds: 0)

  init(_ motion: any Motion, now: @escaping () -> Instant) {
    self.motion = motion
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

  /// Brings the data to the last sample that was due.
  private func measure() {
    guard setup & 0x80 != 0, conditions.measurement != .frozen else { return }
    let period: Int64 = [20_000, 10_000, 5_000, 2_500][Int(setup >> 4 & 3)]
    let count = ((now() - startOfRun).count - 5_000) / period
    guard count >= 1 else { return }
    let instant = startOfRun + Microseconds(5_000 + count * period)
    let force = motion.specificForce(at: instant - Instant(microseconds: 0))
    let gravities = [2, 4, 8, 8][Int(setup & 3)]
    data = [force.x, force.y, force.z].flatMap { component in
      let measured = (Double(component.raw) / Double(gravities * 2)).rounded()
      let value = conditions.measurement == .fullScale ? 32_767 : Int16(max(-32_768, min(32_767, measured)))
      return [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
  }
}
