internal import CSupport
package import FixedPoint
internal import Service
package import Text

/// Checks whether there is an owner of a sensor.
package struct OwnerVisit {
  /// Connects to the owner and waits, for at most `patience`, for its hello. Returns nil, or what is wrong.
  package static func trouble<Owner: OwnerSource & ~Copyable>(
    with owner: inout Owner, patience: Microseconds
  ) -> ShortText<256>? {
    let end = Instant(microseconds: csupport_clock_now()) + patience
    while true {
      switch owner.receive() {
      case .line: return nil
      case .gone(let why): return why
      case nil: break
      }
      let now = Instant(microseconds: csupport_clock_now())
      guard now < end else { return "the owner of the sensor does not respond" }
      let left = owner.milliseconds
      let deadline = left < 0 ? end : min(end, now + .milliseconds(widened(left)))
      var descriptor = csupport_wait_descriptor(
        descriptor: owner.descriptor, is_written_to: owner.waitsToWrite, is_ready: false)
      _ = unsafe csupport_wait_for(&descriptor, 1, deadline.microseconds)
    }
  }

  /// Prints whether there is an owner, as `--check` of a service does; returns `code`, or that of an owner that is not
  /// available.
  package static func report<Owner: OwnerSource & ~Copyable>(on owner: consuming Owner, _ code: Int32) -> Int32 {
    let trouble = trouble(with: &owner, patience: .seconds(15))
    let words: LogLine = trouble.map { "error: \($0)" } ?? "OK"
    LogLine("owner of the sensor: \(words)").print()
    return trouble == nil ? code : ProgramError.Code.unavailable.rawValue
  }
}
