internal import BoardFile
internal import CPico
internal import FixedPoint
internal import HAL
internal import Indication
internal import Monitor
internal import Orientation
internal import PicoHAL
internal import Sensors
internal import SerialStream
internal import Text

/// The firmware: the loop of a board over a Pico's pins, forever.
@c(plumb_pico)
public func runFirmware() {
  let board = CompiledBoard.description
  let sensor = board.sensor
  let device = CompiledBoard.Driver.Device(
    bus: PicoI2CBus(CompiledBoard.bus, sda: CompiledBoard.sda, scl: CompiledBoard.scl), address: sensor.address,
    configuration: CompiledBoard.Driver.Configuration(sensor.configuration))
  let configuration = Monitor.Configuration(
    board, fullScale: device.fullScale, rotationFullScale: device.rotationFullScale, movement: Movement.Configuration())
  var loop = Loop(
    sensor: device,
    bank: PicoLines(board.lines.offsets, count: board.lines.count, isActiveLow: board.lines.isActiveLow),
    clock: PicoClock(line: board.awaitedLine, period: sensor.pace), configuration: configuration)
  if board.tare != .none { loop.apply(board.tare) }
  var owner = unsafe SerialOwner(
    board, CompiledBoard.name, identity: "pico-\(widened(cpico_random()))", at: Instant(microseconds: 0),
    over: PicoSerial(sensor: CompiledBoard.Driver.traits.name), in: streamMemory)
  var seen = Observation()
  while true {
    do throws(OutputFault) {
      if try loop.turn(into: &seen) { owner.observe(seen, of: &loop) } else { owner.serve(&loop) }
    } catch {}
  }
}

/// The memory of the stream.
private var streamMemory: UnsafeMutableBufferPointer<UInt8> {
  unsafe UnsafeMutableBufferPointer(start: cpico_stream_memory(), count: Int(CPICO_STREAM_MEMORY))
}
