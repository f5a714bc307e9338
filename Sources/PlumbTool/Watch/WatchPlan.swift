import BoardFile
import Emulation
import FixedPoint

/// Drives a board's loop for somebody who watches on a terminal.
struct WatchPlan: ShownBoard {
  var motion: NamedMotion
  var seed: UInt64?

  func invite(to board: BoardDescription, start: Instant) throws(Failure) -> WatchAudience {
    try .invite(to: WatchRoom(board, motion, start: start))
  }
}
