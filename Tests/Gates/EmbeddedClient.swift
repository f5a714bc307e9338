// A firmware's use of the whole core, compiled without allocations: generic code is checked only where it is concrete.
internal import Accelerometers
internal import FixedPoint
internal import HAL
internal import Monitor
internal import Orientation

struct SilentBus: I2CBus, ~Copyable {
  mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) { throw .noAcknowledge }

  mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)
  {
    throw .shortRead(expected: buffer.count, received: 0)
  }
}

struct Port: OutputBank, ~Copyable {
  var register: UInt32 = 0

  mutating func write(_ levels: Levels) throws(OutputFault) { register = levels.bits }
}

struct Counter: MonotonicClock, ~Copyable {
  var now = Instant(microseconds: 0)

  mutating func sleep(until deadline: Instant) -> Bool {
    now = max(now, deadline)
    return true
  }
}

/// Runs the loop for `turns` turns and returns how many events there were.
public func runFirmware(turns: UInt32) -> Int {
  let configuration = ADXL345.Configuration(rate: .hz100, range: .g16)
  let device = ADXL345.Device(bus: SilentBus(), configuration: configuration)
  let fullScale = device.fullScale
  var loop = Loop(
    sensor: device, bank: Port(), clock: Counter(),
    configuration: Monitor.Configuration(period: configuration.rate.period, fullScale: fullScale))
  var events = 0
  for _ in 0..<turns {
    do throws(OutputFault) {
      guard let report = try loop.turn() else { return events }
      events &+= report.events.count
    } catch {
      return -1
    }
  }
  return events
}

/// The parts that the loop does not reach.
public func angles(x: Int32, y: Int32, z: Int32) -> Int32 {
  let force = Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))
  let sum = force.deviceAngle + force.levelAngle + force.pitch + force.roll + force.inclination
  return (sum + force.relativeAngle(to: .landscapeLeft)).degrees.squareRoot.raw
}
