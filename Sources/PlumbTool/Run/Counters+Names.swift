import Monitor

extension FaultCounts {
  /// Each kind of fault that came, by its name in the JSON summary.
  var named: [(name: String, count: UInt64)] {
    [
      ("noAcknowledge", noAcknowledge), ("arbitrationLost", arbitrationLost), ("timedOut", timedOut),
      ("shortRead", shortRead), ("unsupported", unsupported), ("notPermitted", notPermitted), ("busy", busy),
      ("unavailable", unavailable), ("otherBusFault", otherBusFault), ("unexpectedIdentity", unexpectedIdentity),
      ("configurationRejected", configurationRejected), ("configurationLost", configurationLost),
      ("resetTimedOut", resetTimedOut), ("rateTooHigh", rateTooHigh), ("frozen", frozen),
      ("stuckAtFullScale", stuckAtFullScale), ("weightless", weightless),
    ].filter { $0.1 > 0 }
  }
}
