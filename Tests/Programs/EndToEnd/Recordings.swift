import Foundation
import TestSupport

/// Recordings made for a test.
enum Recordings {
  /// The header of a recording with rotation rates.
  static let rotating = "time_s,x_g,y_g,z_g,x_dps,y_dps,z_dps\n"

  /// `recording`, which has three columns, with three more for the rotation of each row.
  static func adding(rotation: (Int) -> [String], to recording: String) -> String {
    var text = rotating
    text.reserveCapacity(2 * recording.utf8.count)
    // Not as a sequence of characters, because a million rows would then take ten seconds.
    for (index, row) in recording.linesAsBytes.dropFirst().enumerated() {
      text += row
      for value in rotation(index) {
        text += ","
        text += value
      }
      text += "\n"
    }
    return text
  }
}
