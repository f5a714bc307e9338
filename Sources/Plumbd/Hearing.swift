internal import BoardFile
internal import CSupport
internal import Text

/// Tells once that nothing is heard of the data-ready line while the sensor gives samples, and once that it is heard again.
struct Hearing {
  private enum Told {
    case nothing, silence, sound
  }

  private var told = Told.nothing

  /// As many samples without an edge before them are no accident.
  private static var patience: UInt32 { 8 }

  /// Takes a good sample of `board`, before which `silence` waits in a row ended without an edge.
  mutating func note(silence: UInt32, of board: BoardDescription) {
    switch told {
    case .nothing where silence >= Self.patience: told = .silence
    case .silence where silence == 0: told = .sound
    default: return
    }
    guard let offset = board.sensor.dataReady else { return }
    var line = Line("data-ready on GPIO")
    line.append(decimal: Int32(truncatingIfNeeded: offset))
    if told == .sound {
      line.append(" is heard again: samples come as the sensor makes them")
      return line.say(CSUPPORT_NOTICE)
    }
    line.append(" is not heard: is it wired to ")
    line.append(board.sensor.model == .adxl345 ? "INT1" : "INT")
    line.append(" of the sensor? Samples come by timer meanwhile")
    line.say(CSUPPORT_WARNING)
  }
}
