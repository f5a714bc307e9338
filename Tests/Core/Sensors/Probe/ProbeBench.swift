import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The registers that a probe reads at an address at which nothing is known: the MPU-6050's identity, and the ICM-20948's
/// with its bank.
func questions(at place: (address: UInt8, register: UInt8)) -> [UInt8] {
  place.register == 0x75 ? [0x75, 0x00, 0x7F] : [place.register]
}

/// The data sheets' four addresses and the identity register at each.
let probedPlaces: [(address: UInt8, register: UInt8)] = [(0x1D, 0x00), (0x53, 0x00), (0x68, 0x75), (0x69, 0x75)]

/// All probed addresses, ascending, and the register read at each: those above, and those of other models, by their
/// rows.
let allPlaces: [(address: UInt8, register: UInt8)] = {
  var (places, all) = (Probe.Places(), [] as [(UInt8, UInt8)])
  while let place = places.next() {
    let model = SensorModelTests.models.first { $0.traits.canBe(at: place) }
    let pinned = probedPlaces.first { $0.address == place.rawValue }?.register
    all.append((place.rawValue, pinned ?? model?.traits.identityRegister ?? 0xFF))
  }
  return all
}()

extension Probe.Answer {
  /// A usable part of `model`; nil for an identity that the driver does not use.
  static func usable(_ model: SensorModel, _ identity: UInt8) -> Probe.Answer? {
    model.part(identity: identity).flatMap { $0.admission == .refused ? nil : .usable($0) }
  }

  /// A part known at the addresses of `model`, but not used.
  static func refused(_ model: SensorModel, _ identity: UInt8) -> Probe.Answer? {
    model.part(identity: identity).flatMap { $0.admission == .refused ? .refused($0) : nil }
  }
}

extension Probe.Report {
  /// The answer at that address; nil if there was no response.
  subscript(number: UInt8) -> Probe.Answer? { I2CAddress(number).flatMap { self[$0] } }
}

extension EmulatedBus {
  /// Probes that address.
  mutating func probe(_ number: UInt8) -> Probe.Finding? { I2CAddress(number).flatMap { probe($0) } }
}

/// A part with as many registers as `bytes` behind a pointer that wraps, like an EEPROM or a clock.
final class ForeignPart: EmulatedTarget {
  private(set) var bytes: [UInt8]
  /// The number of bytes written after the one that selects a register.
  private(set) var writes = 0
  private var pointer = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func receive(_ written: Span<UInt8>) {
    for index in written.indices {
      if index == 0 {
        pointer = Int(written[0]) % bytes.count
      } else {
        bytes[pointer] = written[index]
        pointer = (pointer + 1) % bytes.count
        writes += 1
      }
    }
  }

  func transmit(into buffer: inout MutableSpan<UInt8>) {
    for index in buffer.indices {
      buffer[index] = bytes[pointer]
      pointer = (pointer + 1) % bytes.count
    }
  }

  func powerCycle() {}
}

/// A part of 128 registers that reads `identity` at each identity register, and 0x5A at all others.
func impostor(_ identity: UInt8) -> ForeignPart {
  var bytes = [UInt8](repeating: 0x5A, count: 128)
  bytes[0x00] = identity
  bytes[0x0F] = identity
  bytes[0x75] = identity
  return ForeignPart(bytes)
}

/// An address, from a number.
func i2cAddress(_ number: UInt8) throws -> I2CAddress { try require(I2CAddress(number)) }

/// A bus in virtual time with these targets.
func busWith(
  _ targets: [(address: UInt8, target: any EmulatedTarget)], plan: FaultPlan = .none, log: BusLog = BusLog(),
  _ clock: VirtualClock = VirtualClock()
) throws -> EmulatedBus {
  var bus = EmulatedBus(plan: plan, log: log, pass: { clock.advance(by: $0) }, now: { clock.now })
  for (number, target) in targets { bus.attach(target, at: try i2cAddress(number)) }
  return bus
}

/// The findings, in order.
func findings(of report: Probe.Report) -> [Probe.Finding] { (0..<report.count).compactMap { report[$0] } }
