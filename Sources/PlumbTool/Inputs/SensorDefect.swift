import ArgumentParser
import Emulation
import FixedPoint

/// What can be wrong with an emulated sensor, so that one can see what a self-test says of it.
enum SensorDefect: String, CaseIterable {
  /// An axis that does not move.
  case deadX = "dead-x"
  case deadY = "dead-y"
  case deadZ = "dead-z"
  /// An axis that moves less or more than it should, or the wrong way.
  case weakX = "weak-x"
  case reversedY = "reversed-y"
  case strongZ = "strong-z"
  /// A copy of the MPU-6050 without the figures of a factory.
  case noCodes = "no-codes"
  /// A sensor that answers no more, once it has been started.
  case mute

  static var names: [String] { allCases.map(\.rawValue) }

  /// The defect of that name, for a command line.
  static func named(_ name: String) throws -> SensorDefect {
    guard let defect = SensorDefect(rawValue: name) else {
      throw Misspelling.error("There is no defect '\(name)'", name, names)
    }
    return defect
  }

  /// What goes wrong on the bus; nil for nothing.
  var faults: FaultPlan? { self == .mute ? [.init(.noAcknowledge, .transactions(40..<Int.max))] : nil }

  /// What becomes of what the self-test adds to each axis.
  func spoil(_ force: inout Vector3) {
    switch self {
    case .deadX: force.x = .zero
    case .deadY: force.y = .zero
    case .deadZ: force.z = .zero
    case .weakX: force.x = Q16(raw: force.x.raw / 8)
    case .reversedY: force.y = Q16(raw: -force.y.raw)
    case .strongZ: force.z = Q16(raw: force.z.raw * 3)
    case .noCodes, .mute: break
    }
  }

  func spoil(_ specimen: inout EmulatedADXL345.Configuration) { spoil(&specimen.selfTest) }

  func spoil(_ specimen: inout EmulatedMPU6050.Configuration) {
    if self == .noCodes { specimen.selfTestCodes = EmulatedMPU6050.PerAxis(x: 0, y: 0, z: 0) }
    // What the specimen's codes 16, 19 and 11 stand for, in g.
    var force = Vector3(x: Q16(2_291, over: 4_096), y: Q16(2_531, over: 4_096), z: Q16(1_941, over: 4_096))
    spoil(&force)
    specimen.selfTestDeflection = force
  }
}
