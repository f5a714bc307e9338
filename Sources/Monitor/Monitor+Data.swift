public import FixedPoint

extension Monitor {
  /// The sensor says at `now` that it has a sample: deadlines count from here on, so that they stay with a sensor whose
  /// clock is not that of this computer. Tell the sample, or the failure, after that. Nothing where no sample is next.
  public mutating func follow(at now: Instant) {
    guard schedule.task == .sample else { return }
    schedule.set(.sample, at: now)
  }
}
