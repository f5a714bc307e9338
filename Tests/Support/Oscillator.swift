/// An inaccurate oscillator with drift: when it makes each sample, in `Double`.
public struct Oscillator: Sendable {
  /// The nominal period in microseconds.
  public var period: Double
  /// How much faster it is than nominal at 0 s, in parts per million.
  public var partsPerMillion: Double
  /// How much faster it gets, in parts per million per second.
  public var drift: Double
  /// When sample 0 is made, in microseconds.
  public var phase = 3_456.25

  /// An oscillator that makes sample 0 at 3456.25 µs.
  public init(period: Double, partsPerMillion: Double, drift: Double) {
    self.period = period
    self.partsPerMillion = partsPerMillion
    self.drift = drift
  }

  /// The oscillator's own time at `time`, in microseconds.
  public func own(_ time: Double) -> Double { time * (1 + partsPerMillion / 1e6) + drift / 2e12 * time * time }

  /// When its own time is `own`.
  public func time(_ own: Double) -> Double {
    var time = own / (1 + partsPerMillion / 1e6)
    for _ in 0..<30 {
      let next = time - (self.own(time) - own) / (1 + partsPerMillion / 1e6 + drift / 1e12 * time)
      if next == time { break }
      time = next
    }
    return time
  }

  /// When sample `number` is made.
  public func sample(_ number: Int64) -> Double { time(phase + Double(number) * period) }

  /// The newest sample at `time`.
  public func newest(at time: Double) -> Int64 { Int64(((own(time) - phase) / period).rounded(.down)) }
}
