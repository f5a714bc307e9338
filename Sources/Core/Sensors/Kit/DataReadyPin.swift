/// What drives a part's interrupt pin, which is push-pull.
public struct DataReadyPin: Equatable, Sendable {
  /// Whether a new sample drives the pin until it is read.
  public var signalsDataReady: Bool
  /// Whether the pin is low while an interrupt is active.
  public var isActiveLow: Bool

  /// A pin. The defaults are none, and active high.
  public init(signalsDataReady: Bool = false, isActiveLow: Bool = false) {
    (self.signalsDataReady, self.isActiveLow) = (signalsDataReady, isActiveLow)
  }
}
