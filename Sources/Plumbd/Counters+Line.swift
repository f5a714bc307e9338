internal import BoardFile
internal import Text
internal import Monitor

extension Counters {
  /// The counters in one line; faults by kind where there were any.
  func line(transactions: UInt64, outputWrites: UInt64) -> Line {
    var line = Line("counters:")
    line.append(samples, "samples")
    line.append(transactions, "transactions", ",")
    line.append(poseChanges, "pose changes", ",")
    line.append(faults, "faults", ",")
    line.append(restarts, "restarts", ",")
    line.append(recoveries, "recoveries", ",")
    line.append(lateSamples, "late samples", ",")
    line.append(outputWrites, "output writes", ",")
    guard faults > 0 else { return line }
    line.append("; faults:")
    line.append(faultKinds)
    return line
  }
}

extension ShortText where capacity == 1000 {
  /// Adds how many samples were taken by time, because the data-ready line told of none.
  mutating func append(missedEdges count: UInt64) { append(count, "waits without data-ready", ";") }
}

extension ShortText {
  fileprivate mutating func append(_ count: UInt64, _ name: StaticString, _ before: StaticString = "") {
    append(before)
    append(" ")
    append(decimal: count)
    append(" ")
    append(name)
  }

  fileprivate mutating func append(_ kinds: FaultCounts) {
    appendPositive(kinds.noAcknowledge, "noAcknowledge")
    appendPositive(kinds.arbitrationLost, "arbitrationLost")
    appendPositive(kinds.timedOut, "timedOut")
    appendPositive(kinds.shortRead, "shortRead")
    appendPositive(kinds.unsupported, "unsupported")
    appendPositive(kinds.notPermitted, "notPermitted")
    appendPositive(kinds.busy, "busy")
    appendPositive(kinds.unavailable, "unavailable")
    appendPositive(kinds.otherBusFault, "otherBusFault")
    appendPositive(kinds.unexpectedIdentity, "unexpectedIdentity")
    appendPositive(kinds.configurationRejected, "configurationRejected")
    appendPositive(kinds.configurationLost, "configurationLost")
    appendPositive(kinds.resetTimedOut, "resetTimedOut")
    appendPositive(kinds.rateTooHigh, "rateTooHigh")
    appendPositive(kinds.frozen, "frozen")
    appendPositive(kinds.stuckAtFullScale, "stuckAtFullScale")
    appendPositive(kinds.weightless, "weightless")
  }

  private mutating func appendPositive(_ count: UInt64, _ name: StaticString) {
    if count > 0 { append(count, name) }
  }
}
