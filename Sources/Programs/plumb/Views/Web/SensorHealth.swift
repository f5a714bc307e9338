/// Whether the sensor is being read.
package enum SensorHealth: Equatable, Sendable {
  case read
  /// It is not, for this reason.
  case notRead(String)

  /// The health if the last sample arrived `age` seconds ago (nil if none has arrived), from a sensor with a sample
  /// every `period` seconds; `cause` is its fault, in words.
  ///
  /// The sensor counts as read if the last sample is at most five periods old, or two seconds if that is longer:
  /// shorter faults show in the counters.
  package init(age: Double?, period: Double, cause: String?) {
    let more = cause.map { ": \($0)" } ?? ""
    guard let age else {
      self = .notRead("no sample yet" + more)
      return
    }
    let limit = max(2, 5 * period)
    self = age <= limit ? .read : .notRead("no sample for \(decimalText(age, places: 1)) s" + more)
  }

  package var isRead: Bool { self == .read }
}
