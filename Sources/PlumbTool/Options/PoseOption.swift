import ArgumentParser
import Orientation

extension Pose {
  /// The names of all poses, in the order of the LEDs.
  static var names: [String] { (0..<UInt8(Pose.count)).compactMap(Pose.init(rawValue:)).map { "\($0.name)" } }

  /// The pose of that name, for a command line.
  static func named(_ name: String) throws -> Pose {
    guard let index = names.firstIndex(of: name), let pose = Pose(rawValue: UInt8(index)) else {
      throw Misspelling.error("There is no pose '\(name)'", name, names)
    }
    return pose
  }
}
