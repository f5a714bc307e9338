import BoardFile
import Diagnosis
import Text

extension Diagnosis {
  /// What is wrong with the bus at `path`, in one line with its fix: the words of `plumb doctor`, for every command
  /// that opens a bus. Nil where nothing is wrong with the bus itself.
  static func advice(onBus path: String) -> String? {
    let bus = ShortText<64>(cutting: path)
    guard !bus.isCut else { return nil }
    var board = BoardDescription.emulated
    board.bus = .linux(path: bus)
    var system = LinuxSystem()
    let diagnosis = Diagnosis(of: board, in: &system)
    guard let finding = diagnosis[.bus].finding ?? diagnosis[.busAccess].finding else { return nil }
    return diagnosis.advice(on: finding)
  }

  /// What is wrong and how to fix it, in one line.
  func advice(on finding: Finding) -> String {
    printable("\(message(of: finding)). Fix: \(fix(of: finding))")
  }
}
