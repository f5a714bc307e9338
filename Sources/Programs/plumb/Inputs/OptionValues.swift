import ArgumentParser
package import BoardFile
package import Emulation
package import FixedPoint
import Gestures
package import Orientation
import PlumbViews
import Sensors
import ToolOutput

extension UpdateRate {
  /// The rate in a command line.
  package static func parsed(_ text: String) throws -> UpdateRate {
    guard let rate = UpdateRate(text) else {
      throw ValidationError("--rate takes a number of hertz from 1 to 1000 with at most 3 decimals, not '\(text)'.")
    }
    return rate
  }

  /// The rate in hertz, with only the decimals it needs.
  package var text: String { decimalText(Int64(millihertz), over: 1_000, places: 3) }

  /// Sets the rate of `sensor`, or returns why it cannot be set.
  package func refusal(by sensor: inout BoardDescription.Sensor) -> String? {
    guard !sensor.setRate(self) else { return nil }
    let model = sensor.model
    return "--rate takes at most \(model.highestRate.text) Hz with \(model.article) \(model.properName), not \(text)."
  }

  /// Why this rate, which is that of `board`, is too low for the vibration in its file; nil if it is not.
  package func refusal(ofVibrationIn board: BoardDescription) -> String? {
    guard let vibration = board.vibration, let needed = board.sensor.rateMissing(for: vibration) else { return nil }
    return "--rate takes at least \(needed.text) Hz with [vibration] of this board file, not \(text)."
  }
}

extension BoardDescription.Sensor {
  /// The number of samples per second: the sensor's own rate if its data-ready line is waited for.
  package var paceText: String { awaitedLine == nil ? rate.text : decimalText(1_000_000, over: pace.count, places: 3) }
}

extension NamedMotion {
  /// The motion called `name`, for a command line.
  package static func named(_ name: String) throws -> NamedMotion {
    try Misspelling.value(name, "motion", of: allCases, by: \.rawValue)
  }
}

extension Pose {
  /// The names of all poses, in the order of the LEDs.
  package static var names: [String] { PoseMark.poses.map { "\($0.name)" } }

  /// The pose called `name`, for a command line.
  package static func named(_ name: String) throws -> Pose {
    try Misspelling.value(name, "pose", of: PoseMark.poses) { "\($0.name)" }
  }
}

/// Spans of time on the command line, in seconds.
package enum SecondsOption {
  /// The number in `text`, in decimal: neither hexadecimal nor words, as in a recording.
  package static func parsed(_ text: String) throws -> Double {
    let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }
    guard isDecimal, let value = Double(text), value.isFinite else {
      throw ValidationError("it takes a number of seconds, such as 60 or 2.5.")
    }
    return value
  }

  /// Refuses spans that cannot be counted in microseconds.
  package static func check(_ options: [(name: String, seconds: Double?)]) throws {
    for (name, seconds) in options {
      guard let seconds, !(seconds >= 1e-6 && seconds <= 1e9) else { continue }
      throw ValidationError("--\(name) takes a number of seconds from 0.000001 to 1000000000, not \(seconds).")
    }
  }

  /// The span of `seconds`.
  package static func microseconds(_ seconds: Double) -> Microseconds { Microseconds(Int64((seconds * 1e6).rounded())) }
}

extension InterfaceOrientation {
  package static var all: [InterfaceOrientation] { (0..<UInt8(count)).compactMap(InterfaceOrientation.init(rawValue:)) }

  /// The names of all orientations.
  package static var names: [String] { all.map { "\($0.name)" } }

  /// The orientations in a list of names.
  static func mask(_ text: String) throws -> SupportedOrientations {
    var mask: SupportedOrientations?
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      let orientation = try Misspelling.value(String(name), "orientation", of: all) { "\($0.name)" }
      mask = mask?.and(orientation) ?? SupportedOrientations(orientation)
    }
    guard let mask else { throw ValidationError("--orientations takes at least one orientation.") }
    return mask
  }
}

/// Sizes on the command line.
enum PixelSize {
  static func parsed(_ text: String) throws -> TiltScroll.PixelSize {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int32($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1], width > 0, height > 0 else {
      throw ValidationError("A size is two whole numbers with an x between, such as 640x4000, not '\(text)'.")
    }
    return TiltScroll.PixelSize(width: width, height: height)
  }
}
