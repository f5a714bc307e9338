import ArgumentParser
import BoardFile

extension UpdateRate {
  /// The rate that a command line asks for.
  static func parsed(_ text: String) throws -> UpdateRate {
    guard let rate = UpdateRate(text) else {
      throw ValidationError("A rate is a number of hertz from 1 to 1000 with at most 3 decimals, not '\(text)'.")
    }
    return rate
  }

  /// Hertz, with what decimals it has.
  var text: String { decimalText(Int64(millihertz), over: 1_000, places: 3) }

  /// Has `sensor` asked as often, or says why that cannot be.
  func refusal(by sensor: inout BoardDescription.Sensor) -> String? {
    guard !sensor.setRate(self) else { return nil }
    return "--rate takes at most \(sensor.model.highestRate.text) Hz with an \(sensor.model.properName), not \(text)."
  }
}
