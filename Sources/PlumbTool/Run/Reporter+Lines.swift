import BoardFile
import HAL
import Indication
import Orientation

// The lines as they are shown, in either format.
extension Reporter {
  /// The heading above `linesRow`, with the two spaces behind it.
  var linesHeading: String { (code == .leds ? "LEDs" : "lines").padded(to: linesRow(.off).count + 2) }

  /// The lines in a row: the letter of each that is on, a dot for each that is off. A valid line comes first; the bits of a
  /// number are 0 and 1, the greatest first.
  func linesRow(_ levels: Levels) -> String {
    let valid = levels.isOn(0) ? "V" : "·"
    switch code {
    case .leds: return "[\(poses(levels, from: 0))]"
    case .oneHot: return "[\(valid) \(poses(levels, from: 1))]"
    case .binary: return "[\(valid) " + [3, 2, 1].map { levels.isOn($0) ? "1" : "0" }.joined() + "]"
    }
  }

  private func poses(_ levels: Levels, from first: Int) -> String {
    String("PULRFD".enumerated().map { levels.isOn(first + $0.offset) ? $0.element : "·" })
  }

  /// The same as fields of an object: `leds`, an array in the order of the poses, or `lines`, by the names of the board file.
  func linesFields(_ levels: Levels) -> String {
    func digit(_ index: Int) -> String { levels.isOn(index) ? "1" : "0" }
    let indices = 0..<code.lineCount
    if code == .leds { return "\"leds\":[" + indices.map(digit).joined(separator: ",") + "]" }
    let lines = indices.map { "\"\(BoardKey(line: $0, of: code).name)\":\(digit($0))" }
    return "\"code\":\"\(code.name)\",\"lines\":{" + lines.joined(separator: ",") + "}"
  }
}
