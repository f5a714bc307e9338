import Emulation
import FixedPoint
import HAL
import Sensors

/// 256 bytes behind a pointer that stays at 0x74, some of which never change; resets clear themselves at once.
final class MPU6050Memory: EmulatedTarget {
  private(set) var bytes: [UInt8]
  private let stuck: [UInt8: UInt8]
  private var pointer = 0

  /// Reads like a part with `identity` that measures `data`; the registers in `stuck` read what is said there.
  init(identity: UInt8 = 0x68, data: [UInt8] = [], stuck: [UInt8: UInt8] = [:]) {
    bytes = [UInt8](repeating: 0, count: 256)
    bytes[0x75] = identity
    bytes.replaceSubrange(0x3B..<(0x3B + data.count), with: data)
    self.stuck = stuck
  }

  func receive(_ written: Span<UInt8>) {
    for index in written.indices {
      if index == 0 {
        pointer = Int(written[0])
      } else {
        bytes[pointer] =
          pointer == 0x6B ? written[index] & 0x7F : pointer == 0x6A ? written[index] & 0xFB : written[index]
        pointer += 1
      }
    }
  }

  func transmit(into buffer: inout MutableSpan<UInt8>) {
    for index in buffer.indices {
      buffer[index] = stuck[UInt8(pointer)] ?? bytes[pointer]
      if pointer != 0x74 { pointer += 1 }
    }
  }

  func powerCycle() {}

  /// A driver for this memory on a bus of its own.
  func driver(
    _ configuration: MPU6050.Configuration = MPU6050.Configuration(), frequency: UInt32? = nil, log: BusLog = BusLog()
  ) -> MPU6050.Device<EmulatedBus> {
    let bus = EmulatedBus(self, at: MPU6050.address, frequency: frequency, log: log) { Instant(microseconds: 0) }
    return MPU6050.Device(bus: bus, configuration: configuration)
  }
}

/// What `body` threw; nil when it went through.
func sensorError(of body: () throws(SensorError) -> Void) -> SensorError? {
  do throws(SensorError) {
    try body()
    return nil
  } catch { return error }
}

extension MPU6050.Device where Bus: ~Copyable {
  /// Starts the part; `wait` is told each time to let pass. Gives up where there is no end to it.
  mutating func startWholly(_ wait: (Microseconds) -> Void = { _ in }) throws(SensorError) {
    wait(try start())
    for _ in 0..<100 {
      guard let time = try proceed() else { return }
      wait(time)
    }
  }
}

/// What WHO_AM_I reads and how it is to be treated; written from the register maps and Linux's inv_mpu6050 driver.
enum MPU6050Facts {
  static let accepted: [UInt8] = [0x68, 0x70, 0x71, 0x73, 0x74]
  static let withNotice: [UInt8] = [0x78, 0x98, 0xAF, 0xAE, 0xA6, 0x11, 0x12, 0x20, 0xA9]
  static let onlyIfAsked: [UInt8] = [0x72]
  static var all: [UInt8] { accepted + withNotice + onlyIfAsked }
}
