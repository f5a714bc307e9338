package import Diagnosis
import PlumbViews
import Text

extension Diagnosis {
  /// What is wrong with the bus at `path`, in one line with its fix: the words of `plumb doctor`, for every command
  /// that opens a bus. Nil if nothing is wrong with the bus itself.
  package static func advice(onBus path: String) -> String? {
    let bus = ShortText<64>(cutting: path)
    guard !bus.isCut else { return nil }
    var system = LinuxSystem()
    return advice(onBus: bus, in: &system).map { printable($0.description) }
  }
}
