/// Whether the sensor is read.
package enum SensorHealth: Equatable, Sendable {
  case read
  /// It is not, for this reason.
  case notRead(String)

  /// The health when the last sample came `age` seconds ago, nil if none has come, from a sensor with a sample each
  /// `period` seconds; `cause` is the fault that it has, in words.
  ///
  /// The sensor is read if the last sample is not older than five periods, and at least two seconds: a fault that is
  /// over sooner is in the counters.
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
