public import FixedPoint
public import Monitor

extension Monitor.Configuration {
  /// How to watch `board`, whose sensor has these ranges. `movement` is not part of a board file; `sleeps` decides
  /// whether the sensor sleeps until moved where the file says so.
  public init(
    _ board: BoardDescription, fullScale: Q16, rotationFullScale: Q16?, movement: Movement.Configuration? = nil,
    sleeps: Bool = true
  ) {
    self.init(
      period: board.sensor.batchPeriod, fullScale: fullScale,
      pipeline: Pipeline.Configuration(
        alignment: board.sensor.alignment, gravity: board.gravity, tracker: board.poses),
      indicator: board.lines.indicator, movement: movement,
      rotationFullScale: rotationFullScale,
      knocks: Knocks.Configuration(taps: board.taps, fall: board.freeFall, areFoundBySensor: board.sensorFindsKnocks),
      sleep: sleeps ? board.power.map { Sleep(after: $0.still, darkens: $0.darkens) } : nil)
  }
}
