import BoardFile
import Diagnosis
import PlumbViews
import ToolOutput

extension BoardDescription {
  /// Emulates a board with a Sense HAT on a computer that cannot have one, and says so: one that is not a Raspberry Pi,
  /// and has no such bus. A Raspberry Pi without the bus is an error, because its I2C is switched off.
  mutating func emulateMissingHAT() {
    guard lines.isMatrix, !lines.isEmulated, case .linux(let path) = bus else { return }
    var system = LinuxSystem()
    let diagnosis = Diagnosis(of: self, in: &system)
    let isMissing = [Finding.noBus, .noBuses].contains { diagnosis[.bus].finding == $0 }
    guard diagnosis[.machine].finding == .notRaspberryPi, isMissing else { return }
    bus = .emulated
    lines.chip = ShortText(Lines.emulatedMatrix)
    sensor.setDataReady(nil)
    writeToStandardError(
      fitForTerminal("plumb: no Sense HAT here (there is no \(printable(path.description))): it is emulated\n"))
  }
}
