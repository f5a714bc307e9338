internal import BoardFile
internal import CPico
internal import FixedPoint
internal import HAL
internal import Monitor
internal import Orientation
internal import PicoHAL
internal import Sensors
internal import SerialStream

/// The loop of the compiled board, over a Pico's pins.
private typealias PicoLoop = Loop<CompiledBoard.Driver.Device<PicoI2CBus>, PicoLines, PicoClock>

/// The firmware: turns the loop forever.
///
/// What lives as long is in memory of its own, made by functions that are not inlined, so that their stack is free
/// when the loop turns.
@c(plumb_pico)
public func runFirmware() {
  let loop = unsafe makeLoop()
  let owner = unsafe makeOwner()
  let seen = unsafe place(Observation())
  while true {
    do throws(OutputFault) {
      if try unsafe loop.pointee.turn(into: &seen.pointee) {
        unsafe owner.pointee.observe(seen.pointee, of: &loop.pointee)
      } else {
        unsafe owner.pointee.serve(&loop.pointee)
      }
    } catch {}
  }
}

@inline(never)
private func makeLoop() -> UnsafeMutablePointer<PicoLoop> {
  let board = CompiledBoard.description
  let device = CompiledBoard.Driver.Device(
    bus: PicoI2CBus(CompiledBoard.bus.number, sda: CompiledBoard.bus.sda, scl: CompiledBoard.bus.scl),
    address: board.sensor.address,
    configuration: CompiledBoard.Driver.Configuration(board.sensor.configuration))
  let configuration = Monitor.Configuration(
    board, fullScale: device.fullScale, rotationFullScale: device.rotationFullScale, movement: Movement.Configuration())
  let lines = board.lines
  let loop = unsafe place(
    Loop(
      sensor: device, bank: PicoLines(lines.offsets, count: lines.count, isActiveLow: lines.isActiveLow),
      clock: PicoClock(line: board.awaitedLine, period: board.sensor.pace), configuration: configuration))
  if board.tare != .none { unsafe loop.pointee.apply(board.tare) }
  return unsafe loop
}

@inline(never)
private func makeOwner() -> UnsafeMutablePointer<SerialOwner<PicoSerial>> {
  unsafe place(
    SerialOwner(
      CompiledBoard.description, CompiledBoard.name, identity: "pico-\(widened(cpico_random()))",
      at: Instant(microseconds: 0), over: PicoSerial(sensor: CompiledBoard.Driver.traits.name),
      in: UnsafeMutableBufferPointer(start: cpico_memory(3_072), count: 3_072)))
}

/// Moves `value` to memory that is never freed.
private func place<Value: ~Copyable>(_ value: consuming Value) -> UnsafeMutablePointer<Value> {
  let memory = unsafe UnsafeMutableRawPointer(cpico_memory(UInt32(truncatingIfNeeded: MemoryLayout<Value>.size)))
  let pointer = unsafe memory.assumingMemoryBound(to: Value.self)
  unsafe pointer.initialize(to: value)
  return unsafe pointer
}
