import Emulation
import FixedPoint
import HAL
import Sensors

/// Sixty-four bytes behind an auto-incrementing pointer, some of which never change.
final class PlainMemory: EmulatedTarget {
  private(set) var bytes: [UInt8]
  private let stuck: [UInt8: UInt8]
  private var pointer = 0

  /// Reads like an ADXL345 that measures `data`; the registers in `stuck` read what is said there, whatever is written.
  init(identity: UInt8 = 0xE5, data: [UInt8] = [0, 0, 0, 0, 0, 0], stuck: [UInt8: UInt8] = [:]) {
    bytes = [UInt8](repeating: 0x5A, count: 64)
    bytes[0] = identity
    bytes.replaceSubrange(0x32..<0x38, with: data)
    self.stuck = stuck
  }

  func receive(_ written: Span<UInt8>) {
    for index in written.indices {
      if index == 0 {
        pointer = Int(written[0])
      } else {
        bytes[pointer] = written[index]
        pointer += 1
      }
    }
  }

  func transmit(into buffer: inout MutableSpan<UInt8>) {
    for index in buffer.indices {
      buffer[index] = stuck[UInt8(pointer)] ?? bytes[pointer]
      pointer += 1
    }
  }

  func powerCycle() {}

  /// A driver for this memory.
  func driver(
    _ configuration: ADXL345.Configuration = ADXL345.Configuration(), log: BusLog = BusLog()
  ) -> ADXL345.Device<EmulatedBus> {
    let bus = EmulatedBus(self, at: ADXL345.address, log: log) { Instant(microseconds: 0) }
    return ADXL345.Device(bus: bus, configuration: configuration)
  }
}
