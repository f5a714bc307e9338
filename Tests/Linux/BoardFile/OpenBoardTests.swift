import BoardFile
import Emulation
import FixedPoint
import Foundation
import HAL
import Indication
import LinuxHAL
import Monitor
import OpenBoard
import Sensors
import TestSupport
import Testing

/// Boards opened from their descriptions.
struct OpenBoardTests {
  private static let boards = URL(filePath: #filePath).appending(path: "../../../../boards").standardized

  @Test(arguments: ["emulated", "emulated-mpu6050"])
  static func `a sensor of any model behaves like its driver`(name: String) throws {
    let board = try BoardDescription.read(path: Self.boards.appending(path: name + ".ini").path)
    /// Starts a sensor and takes a second of samples.
    func samples(_ sensor: consuming some BatchingAccelerometer & ~Copyable, _ clock: VirtualClock) throws -> [Vector3]
    {
      clock.advance(by: try sensor.start())
      while let pause = try sensor.proceed() { clock.advance(by: pause) }
      var result = [Vector3(x: sensor.fullScale, y: Q16(raw: Int32(sensor.samplePeriod.count)), z: .zero)]
      for _ in 0..<100 {
        clock.advance(by: sensor.samplePeriod)
        result.append(try sensor.measure().force)
      }
      result.append(Vector3(x: Q16(raw: Int32(sensor.transactions)), y: .zero, z: .zero))
      return result
    }
    let (clock, twin) = (VirtualClock(), VirtualClock())
    let (address, configuration) = (board.sensor.address, board.sensor.configuration)
    let any: [Vector3]
    let driver: [Vector3]
    if let own = configuration.adxl345 {
      any = try samples(
        configuration.device(on: EmulatedBus.adxl345(moving: AttitudePath.tumble, by: clock), at: address), clock)
      driver = try samples(
        ADXL345.Device(
          bus: EmulatedBus.adxl345(moving: AttitudePath.tumble, by: twin), address: address, configuration: own), twin)
    } else {
      any = try samples(
        configuration.device(on: EmulatedBus.mpu6050(moving: AttitudePath.tumble, by: clock), at: address), clock)
      driver = try samples(
        MPU6050.Device(
          bus: EmulatedBus.mpu6050(moving: AttitudePath.tumble, by: twin), address: address,
          configuration: try require(configuration.mpu6050)), twin)
    }
    expect(any, equals: driver)
    expect(Set(any.map(\.x.raw)).count, isAbove: 3)
  }

  @Test static func `an error of the sensor leaves it usable`() throws {
    let clock = VirtualClock()
    let plan: FaultPlan = [FaultPlan.Rule(.noAcknowledge, .transactions(0..<1))]
    let described = BoardDescription.emulated.sensor
    var sensor = described.configuration.device(
      on: EmulatedBus.adxl345(moving: AttitudePath.tumble, by: clock, plan: plan), at: described.address)
    var fault: SensorError?
    do throws(SensorError) { _ = try sensor.start() } catch { fault = error }
    expect(fault, equals: .bus(.noAcknowledge))
    clock.advance(by: try sensor.start())
    let pause = try sensor.proceed()
    expect(pause, equals: nil)
  }

  @Test static func `a monitor follows the board file`() throws {
    var board = BoardDescription.emulated
    let isSet = board.sensor.setBatch(5)
    expect(that: isSet)
    board.power = BoardDescription.Power(still: .seconds(7), darkens: true)
    let full = Q16(whole: 16)
    let configuration = Monitor.Configuration(board, fullScale: full, rotationFullScale: nil)
    expect(configuration.period, equals: board.sensor.pace * 5)
    expect(configuration.fullScale, equals: full)
    expect(configuration.rotationFullScale, equals: nil)
    expect(configuration.sleep, equals: Sleep(after: .seconds(7), darkens: true))
    expect(configuration.indicator.code, equals: board.lines.code)
    expect(configuration.pipeline.gravity, equals: board.gravity)
    expect(configuration.pipeline.alignment, equals: board.sensor.alignment)
    expect(configuration.movement, equals: nil)
    expect(that: configuration.detectsRest)
    expect(Monitor.Configuration(board, fullScale: full, rotationFullScale: nil, sleeps: false).sleep, equals: nil)
  }

  @Test static func `a board that cannot be opened reports the reason`() {
    func error(_ name: String) -> BoardError? {
      do {
        try Board.withLoop(Self.boards.appending(path: name).path) { _ in }
        return nil
      } catch {
        return error as? BoardError
      }
    }
    expect(error("emulated.ini"), equals: .emulatedBus)
    if case .file(let cause) = error("no-such.ini") {
      expect(cause.cause, equals: .missingFile)
    } else {
      Issue.record("a missing file is another error")
    }
    expect("\(BoardError.emulatedBus)", contains: "/dev/i2c-1")
  }
}
