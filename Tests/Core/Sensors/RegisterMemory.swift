import Emulation
import FixedPoint
import HAL
import Sensors

/// Bytes behind a pointer that advances with each of them, some of which never change.
class RegisterMemory: EmulatedTarget {
  private(set) var bytes: [UInt8]
  private let stuck: [UInt8: UInt8]
  private var pointer = 0

  /// Holds `bytes`; the registers in `stuck` always read the given values.
  init(_ bytes: [UInt8], stuck: [UInt8: UInt8]) {
    self.bytes = bytes
    self.stuck = stuck
  }

  /// The value stored when `value` is written to `register`.
  func kept(_ value: UInt8, in register: Int) -> UInt8 { value }

  /// Whether a read of `register` advances the pointer.
  func movesOn(from register: Int) -> Bool { true }

  final func receive(_ written: Span<UInt8>) {
    for index in written.indices {
      if index == 0 {
        pointer = Int(written[0])
      } else {
        bytes[pointer] = kept(written[index], in: pointer)
        pointer += 1
      }
    }
  }

  final func transmit(into buffer: inout MutableSpan<UInt8>) {
    for index in buffer.indices {
      buffer[index] = stuck[UInt8(pointer)] ?? bytes[pointer]
      if movesOn(from: pointer) { pointer += 1 }
    }
  }

  final func powerCycle() {}
}

/// Sixty-four registers of an ADXL345.
final class PlainMemory: RegisterMemory {
  /// Reads like an ADXL345 that measures `data`.
  init(identity: UInt8 = 0xE5, data: [UInt8] = [0, 0, 0, 0, 0, 0], stuck: [UInt8: UInt8] = [:]) {
    var bytes = [UInt8](repeating: 0x5A, count: 64)
    bytes[0] = identity
    bytes.replaceSubrange(0x32..<0x38, with: data)
    super.init(bytes, stuck: stuck)
  }

  /// A driver for this memory.
  func driver(
    _ configuration: ADXL345.Configuration = ADXL345.Configuration(), log: BusLog = BusLog()
  ) -> ADXL345.Device<EmulatedBus> {
    let bus = EmulatedBus(self, at: ADXL345.address, log: log) { Instant(microseconds: 0) }
    return ADXL345.Device(bus: bus, configuration: configuration)
  }
}

/// 256 registers of an MPU-6050, whose pointer stays at 0x74; resets clear themselves at once.
final class MPU6050Memory: RegisterMemory {
  /// Reads like a part with `identity` that measures `data`.
  init(identity: UInt8 = 0x68, data: [UInt8] = [], stuck: [UInt8: UInt8] = [:]) {
    var bytes = [UInt8](repeating: 0, count: 256)
    bytes[0x75] = identity
    bytes.replaceSubrange(0x3B..<(0x3B + data.count), with: data)
    super.init(bytes, stuck: stuck)
  }

  override func kept(_ value: UInt8, in register: Int) -> UInt8 {
    register == 0x6B ? value & 0x7F : register == 0x6A ? value & 0xFB : value
  }

  override func movesOn(from register: Int) -> Bool { register != 0x74 }

  /// A driver for this memory on its own bus.
  func driver(
    _ configuration: MPU6050.Configuration = MPU6050.Configuration(), frequency: UInt32? = nil, log: BusLog = BusLog()
  ) -> MPU6050.Device<EmulatedBus> {
    let bus = EmulatedBus(self, at: MPU6050.address, frequency: frequency, log: log) { Instant(microseconds: 0) }
    return MPU6050.Device(bus: bus, configuration: configuration)
  }
}
