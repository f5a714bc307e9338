import Plumb

/// An application: a box with two lamps. The first is lit while the box is not upright, both while the pose is unknown.
public struct TipAlarm<Sensor: Accelerometer & ~Copyable, Lamps: OutputBank & ~Copyable>: ~Copyable {
  /// How often the sensor could not be read.
  public private(set) var faults = 0
  private var sensor: Sensor
  private var lamps: Lamps
  private var levels: Levels?
  private var isStarted = false

  /// An alarm that has not taken a sample yet.
  public init(sensor: consuming Sensor, lamps: consuming Lamps) {
    self.sensor = sensor
    self.lamps = lamps
  }

  /// Takes a sample, and sets the lamps if they change. Call it every 100 ms.
  public mutating func step() throws(OutputFault) {
    guard let news = look(), news != levels else { return }
    try lamps.write(news)
    levels = news
  }

  /// What the lamps should show; nil until the sensor has settled.
  private mutating func look() -> Levels? {
    do throws(SensorError) {
      if isStarted { return Levels(bits: try sensor.sample().z < Q16(1, over: 2) ? 0b01 : 0b00) }
      _ = try sensor.start()
      isStarted = true
      return nil
    } catch {
      faults += 1
      isStarted = false
      return Levels(bits: 0b11)
    }
  }
}
