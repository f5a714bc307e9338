public import BoardFile
internal import CSupport
internal import HAL
public import FixedPoint
public import IIO
internal import Indication
public import LinuxHAL
public import Monitor
internal import Orientation
public import Sensors
internal import Text
public import Vibration

/// The loop of a board on this computer, with a sensor of any model. It performs `Duty` while it waits.
public typealias BoardLoop<Duty: Chore> = Loop<
  SensorOrDevice<Batched<AnySensor<LinuxI2CBus>>>, BoardLines, ReadyClock<Duty>
>

extension BoardDescription {
  /// Opens the lines, the data-ready line and the bus, in this order, so that the lines are off before anything else
  /// happens. Returns a loop over them that has not begun: nothing has been read from the sensor yet.
  ///
  /// The loop performs `duty` while it waits; `movement` is as in `Monitor.Configuration`. Not inlined, because the
  /// stack it needs would stay resident as long as the loop turns.
  @inline(never)
  public func openLoop<Duty: Chore>(
    doing duty: consuming Duty, movement: Movement.Configuration? = nil
  ) throws(BoardError) -> BoardLoop<Duty> {
    guard bus != .emulated else { throw .emulatedBus }
    guard picoBus == nil else { throw .pico }
    let bank = try BoardLines(opening: self)
    let clock = ReadyClock(line: try openDataReady(), period: sensor.pace, duty: duty)
    let source = try openSensor()
    let configuration = Monitor.Configuration(
      suited(to: source), fullScale: source.fullScale, rotationFullScale: source.rotationFullScale, movement: movement)
    var loop = Loop(
      sensor: source, bank: bank, clock: clock, configuration: configuration, vibration: try watchVibration())
    if tare != .none { loop.apply(tare) }
    return loop
  }

  /// Opens the same loop without a chore.
  public func openLoop(movement: Movement.Configuration? = nil) throws(BoardError) -> BoardLoop<NoChore> {
    try openLoop(doing: NoChore(), movement: movement)
  }

  private func watchVibration() throws(BoardError) -> VibrationDetector? {
    do throws(VibrationError) { return try VibrationDetector(of: self) } catch { throw .vibration(error) }
  }

  /// Opens the bus with the sensor on it, or the kernel's device.
  private func openSensor() throws(BoardError) -> SensorOrDevice<Batched<AnySensor<LinuxI2CBus>>> {
    guard case .linux(let path) = bus else {
      do throws(IIOError) { return try openDevice() } catch { throw .device(error) }
    }
    let bus = try openBus(path)
    return SensorOrDevice(
      Batched(sensor.configuration.device(on: bus, at: sensor.address), size: Int(sensor.batch)))
  }

  /// Opens the kernel's device that is the sensor.
  package func openDevice<Sensor: Accelerometer & ~Copyable>() throws(IIOError) -> SensorOrDevice<Sensor> {
    try SensorOrDevice(
      IIOSensor(
        named: sensor.device?.name ?? IIODevice.Name(), millihertz: sensor.rate.millihertz,
        usesGyroscope: sensor.configuration.usesGyroscope, needsGyroscope: sensor.device?.needsGyroscope == true))
  }

  /// The same board, with the gravity filter that suits the kernel's device: fusion in its ranges, or none if it has no
  /// gyroscope.
  package func suited<Sensor: Accelerometer & ~Copyable>(to source: borrowing SensorOrDevice<Sensor>) -> Self {
    guard sensor.device != nil, case .fusion(var fusion) = gravity else { return self }
    var board = self
    if let range = source.rotationFullScale {
      (fusion.rateRange, fusion.forceRange) = (range, source.fullScale)
      board.gravity = .fusion(fusion)
    } else {
      board.gravity = .standard
    }
    return board
  }

  /// Opens the bus, and owns the sensor on it.
  private func openBus(_ path: ShortText<64>) throws(BoardError) -> LinuxI2CBus {
    do throws(LinuxI2CError) {
      var bus = try LinuxI2CBus(path: path)
      try bus.own(sensor.address)
      return bus
    } catch {
      throw .bus(error)
    }
  }

  private func openDataReady() throws(BoardError) -> DataReadyLine? {
    do throws(GPIOError) { return try DataReadyLine(of: self) } catch { throw .lines(error) }
  }
}

extension VibrationDetector {
  /// Watches the vibration of `board`; nil if its file does not ask for it.
  public init?(of board: BoardDescription) throws(VibrationError) {
    guard let configuration = board.vibration else { return nil }
    try self.init(configuration, period: board.sensor.pace)
  }

  /// Watches samples that arrive every `period`, 200 µs…1 s, in memory mapped for it. Throws `memory` if the system has
  /// none.
  public init(_ configuration: VibrationConfiguration, period: Microseconds) throws(VibrationError) {
    let size = Self.byteCount(period: period)
    guard let memory = unsafe csupport_memory_map(size) else { throw .memory }
    do throws(VibrationError) {
      self = try unsafe VibrationDetector(configuration, period: period, in: memory) { memory, size in
        unsafe csupport_memory_unmap(memory, size)
      }
    } catch {
      unsafe csupport_memory_unmap(memory, size)
      throw error
    }
  }
}

extension DataReadyLine {
  /// Requests the line that a program for `board` waits for; nil if it waits for none.
  public init?(of board: BoardDescription) throws(GPIOError) {
    guard let offset = board.awaitedLine else { return nil }
    try self.init(chipLabel: board.dataReadyChip, offset: offset)
  }
}
