package import ArgumentParser
package import Orientation
import PlumbViews
package import Recordings
package import ToolOutput

/// How to read a recording, and which filter to use: options of several commands.
package struct RecordingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The columns of time, of force in x, y and z, and of rotation about x, y and z if there is any, for a recording whose "
        + "header is not known: four or seven names or numbers (from 1), separated by commas.", valueName: "list"))
  package var columns: String?

  @Option(help: "The unit of force: g or m/s2 (default: by the header, else g).")
  package var unit: RecordingFormat.Unit?

  @Option(help: "The unit of rotation: dps (°/s) or rad/s (default: by the header, else dps).")
  package var rotationUnit: RecordingFormat.RotationUnit?

  @Option(
    help: """
      The gravity filter: low-pass, adaptive, or fusion with the gyroscope (default: fusion for a recording with \
      rotation rates, else low-pass).
      """)
  package var gravity: Gravity?

  package init() {}

  /// A gravity filter.
  package enum Gravity: String, ExpressibleByArgument, CaseIterable {
    case lowPass = "low-pass"
    case adaptive, fusion
  }

  package func validate() throws {
    guard let columns else { return }
    guard !names.contains(""), Set(names).count == names.count, [4, 7].contains(names.count) else {
      throw ValidationError(
        "--columns takes four different columns, such as 1,2,3,4, or seven with rotation, not '\(printable(columns))'.")
    }
  }

  /// The filter for `recording`. Ends the program with wrong usage of `command` if fusion was chosen and there is no
  /// gyroscope.
  package func gravity(
    for recording: borrowing Recording, in command: any ParsableCommand.Type
  ) -> GravityFilter.Configuration {
    switch gravity ?? (recording.hasRotation ? .fusion : .lowPass) {
    case .lowPass: return .standard
    case .adaptive: return .adaptive(AdaptiveFilterConfiguration())
    case .fusion:
      guard recording.hasRotation else {
        UsageError.end(
          "--gravity fusion needs rotation rates, and \(recording.name) has none: a header with x_dps, y_dps and z_dps, or "
            + "seven --columns.", in: command)
      }
      return .fusion(Fusion.Configuration())
    }
  }

  /// The recording in the file at `path`, after reading its header.
  package func open(_ path: String) throws(ToolError) -> Recording {
    var choice = RecordingFormat.Choice()
    (choice.columns, choice.unit, choice.rotationUnit) = (names, unit, rotationUnit)
    do {
      return try Recording(try InputFile(path), choice)
    } catch {
      guard error.cause == .missing, let near = Self.nearest(to: path) else { throw ToolError(error) }
      throw ToolError(.noInput, "\(error.message) (did you mean \(printable(near))?)")
    }
  }

  /// The recording in the same folder whose name is closest to that of `path`, if one is close.
  private static func nearest(to path: String) -> String? {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let names = BoardCatalogue.names(in: folder.isEmpty ? "." : folder) ?? []
    let near = Misspelling.nearest(to: String(path.dropFirst(folder.count)), in: names.filter { $0.hasSuffix(".csv") })
    return near.map { folder + $0 }
  }

  /// Whether none of the options was given.
  package var isUsual: Bool { columns == nil && unit == nil && rotationUnit == nil && gravity == nil }

  /// The names in `columns`.
  package var names: [String] {
    columns.map { list in
      list.split(separator: ",", omittingEmptySubsequences: false).map { RecordingFormat.trimmedName($0.utf8) }
    } ?? []
  }
}

extension RecordingFormat.Unit: ExpressibleByArgument {}

extension RecordingFormat.RotationUnit: ExpressibleByArgument {}
