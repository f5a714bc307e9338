import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The defaults of a port or a driver that implements only what it must.
struct DefaultsTests {
  /// A bus with only its two required functions, on which every byte is 7.
  private struct Bus: I2CBus {
    var writes: [[UInt8]] = []

    mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
      writes.append(bytes.indices.map { bytes[$0] })
    }

    mutating func writeRead(
      _ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
    ) throws(I2CFault) {
      for index in buffer.indices { buffer[index] = 7 }
    }
  }

  @Test static func `a bus that only writes and reads joins no reads, has no known speed, and needs no reopening`()
    throws
  {
    var bus = Bus()
    expect(bus.frequency, equals: nil)
    expect(bus.readsPerTransaction, equals: 1)
    try bus.reopen()
    let register: [UInt8] = [0x32]
    var one = [UInt8](repeating: 0, count: 6)
    var single = one.mutableSpan
    try bus.writeReads(register.span, each: 6, into: &single, at: ADXL345.address)
    expect(one, equals: [7, 7, 7, 7, 7, 7])
    var two = [UInt8](repeating: 0, count: 12)
    var error: I2CFault?
    var joined = two.mutableSpan
    do throws(I2CFault) {
      try bus.writeReads(register.span, each: 6, into: &joined, at: ADXL345.address)
    } catch let fault {
      error = fault
    }
    expect(error, equals: .unsupported)
    expect(that: two.allSatisfy { $0 == 0 })
  }

  /// A clock that can only sleep.
  private struct Sleeper: MonotonicClock {
    var now = Instant(microseconds: 0)
    var isBrokenOff = false

    mutating func sleep(until deadline: Instant) -> Bool {
      guard !isBrokenOff else { return false }
      now = deadline
      return true
    }
  }

  @Test static func `a clock that can only sleep waits for samples and movement by time`() {
    var clock = Sleeper()
    expect(clock.awaitSample(due: Instant(microseconds: 5)), equals: .time)
    expect(clock.now.microseconds, equals: 5)
    expect(clock.awaitMovement(until: Instant(microseconds: 9)), equals: .time)
    expect(clock.now.microseconds, equals: 9)
    clock.forgetEdges()
    clock.isBrokenOff = true
    expect(clock.awaitSample(due: Instant(microseconds: 20)), equals: .interrupted)
    expect(clock.awaitMovement(until: Instant(microseconds: 20)), equals: .interrupted)
    expect(clock.now.microseconds, equals: 9)
  }

  /// A sensor with only its samples.
  private struct Plain: Accelerometer, ~Copyable {
    var starts = 0
    var fullScale: Q16 { Q16(whole: 2) }
    var transactions: UInt64 { 0 }
    mutating func start() throws(SensorError) -> Microseconds {
      starts += 1
      return .milliseconds(3)
    }
    mutating func sample() throws(SensorError) -> Vector3 { Vector3(x: .zero, y: .one, z: .zero) }
    mutating func reopen() throws(SensorError) {}
  }

  @Test static func `a sensor with only samples wakes by a start, and has no watch, batches or rotation`() throws {
    var sensor = Plain()
    expect(sensor.rotationFullScale, equals: nil)
    expect(sensor.notice, equals: nil)
    expect(sensor.timing, equals: nil)
    expect(that: !sensor.canWatchForMovement)
    expect(sensor.movementThreshold, equals: .zero)
    expect(that: !sensor.isBatching)
    expect(that: !sensor.hasNext)
    try expect(sensor.proceed(), equals: nil)
    try expect(sensor.adopt(), equals: false)
    try expect(sensor.measure(), equals: Measurement(force: Vector3(x: .zero, y: .one, z: .zero)))
    try expect(sensor.wake(), equals: .milliseconds(3))
    expect(sensor.starts, equals: 1)
    var errors: [SensorError] = []
    do throws(SensorError) { _ = try sensor.watchForMovement() } catch { errors.append(error) }
    do throws(SensorError) { _ = try sensor.hasMoved(from: nil) } catch { errors.append(error) }
    expect(errors, equals: [.configurationLost, .configurationLost])
    let clock = VirtualClock()
    #expect(try sensor.collect(by: clock) == clock.now && sensor.next() == nil)
    try expect(absent: sensor.newest(by: clock))
  }
}
