import Foundation

/// Recordings made for a test.
enum Recordings {
  /// The header of a recording with rotation rates.
  static let rotating = "time_s,x_g,y_g,z_g,x_dps,y_dps,z_dps\n"

  /// `recording`, which has three columns, with three more for the rotation of each row.
  static func adding(rotation: (Int) -> [String], to recording: String) -> String {
    let rows = recording.split(whereSeparator: \.isNewline).dropFirst()
    return rotating
      + rows.enumerated().map { $1 + "," + rotation($0).joined(separator: ",") + "\n" }.joined()
  }
}
