import BoardFile
import Emulation
import FixedPoint

/// A run whose options have been checked: opens bus and lines, real or emulated, and drives the loop to its end.
struct RunPlan: BoardLoop {
  /// How long to run; nil for as long as the motion lasts, or on a real bus without end.
  var duration: Microseconds?
  var format: Format
  var showing: Showing
  /// Whether the LEDs of the old and the new pose alternate during a turn.
  var crossFades: Bool
  var motion: NamedMotion
  /// The seed of the emulated sensor; nil for the board's.
  var seed: UInt64?
  var isFast: Bool
  /// After how long an outage the sensor is given up; nil for never.
  var patience: Microseconds?

  /// While the board tumbles its sensor does not answer for this span, in the middle of a pose.
  static let tumbleFaults: FaultPlan = [
    FaultPlan.Rule(.noAcknowledge, .during(.milliseconds(5_500)..<Microseconds.milliseconds(5_900)))
  ]
}
