import FixedPoint
import Gestures
import HAL
import Indication
import Monitor
import Orientation

/// All that the turns of a loop leave for whoever looks at the board: figures without heap, which cost nothing to copy.
struct BoardFigures: Sendable {
  var reading: Reading?
  var pose = PoseState.unknown(.notYetSampled)
  var levels = Levels.off
  var counters = Counters()
  var transactions: UInt64 = 0
  var position = TiltScroll.Position.start
  var steering = BinaryAngle.zero
  /// When the loop was heard of last.
  var elapsed: Microseconds = .zero

  /// Takes in what one turn of the loop brought.
  mutating func take(
    _ report: Monitor.Report, _ monitor: borrowing Monitor, transactions: UInt64, elapsed: Microseconds
  ) {
    (pose, levels, counters) = (monitor.state, monitor.levels, monitor.counters)
    (position, steering) = (monitor.movement?.position ?? .start, monitor.steeringAngle)
    (self.transactions, self.elapsed) = (transactions, elapsed)
    if let reading = report.reading { self.reading = reading }
  }

  /// Whether the last sample is one of now.
  var isFresh: Bool {
    switch pose {
    case .unknown(.fault), .unknown(.stale), .unknown(.notYetSampled): false
    default: true
    }
  }
}
