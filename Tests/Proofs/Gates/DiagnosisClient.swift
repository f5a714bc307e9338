import BoardFile
import Diagnosis

/// Uses the diagnosis, because generic code is checked only if it is specialised.
@c public func diagnosisClient() -> Int32 {
  var system = LinuxSystem()
  let diagnosis = Diagnosis(of: .emulated, in: &system)
  var letters = 0
  for index in 0..<UInt8(Aspect.count) {
    guard let aspect = Aspect(rawValue: index), let finding = diagnosis[aspect].finding else { continue }
    letters &+= diagnosis.message(of: finding).count &+ diagnosis.fix(of: finding).count
    letters &+= finding.identifier.utf8CodeUnitCount
  }
  return diagnosis.exitCode &+ Int32(truncatingIfNeeded: letters)
}
