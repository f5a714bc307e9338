import BoardFile
import Orientation

extension BoardKey {
  /// When the line that the key names is on, for people.
  var meaning: String {
    if let pose { return pose.meaning }
    switch self {
    case .valid: return "the other lines say a pose"
    case .bit0: return "the pose's number has the 1"
    case .bit1: return "the pose's number has the 2"
    case .bit2: return "the pose's number has the 4"
    default: return ""
    }
  }
}
