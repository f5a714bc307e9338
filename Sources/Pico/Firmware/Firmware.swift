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
  // Until there is a stream, its memory has the configuration.
  let memory = unsafe UnsafeMutableRawBufferPointer(
    start: cpico_memory(streamSize), count: Int(truncatingIfNeeded: streamSize))
  let configuration = unsafe memory.baseAddress?.assumingMemoryBound(to: Monitor.Configuration.self)
  guard let configuration = unsafe configuration else { return }
  unsafe makeConfiguration(at: configuration)
  let loop = unsafe makeLoop(configuration)
  let owner = unsafe makeOwner(memory.assumingMemoryBound(to: UInt8.self))
  let seen = unsafe makeObservation()
  while true {
    do throws(OutputFault) {
      if try unsafe loop.pointee.turn(into: &seen.pointee) {
        unsafe owner.pointee.observe(&seen.pointee, of: &loop.pointee)
      } else {
        unsafe owner.pointee.serve(&loop.pointee)
      }
    } catch {}
  }
}

// Each part asks for the description again, so that it is on the stack only as long as it is needed.

@inline(never)
private func makeLoop(_ configuration: UnsafeMutablePointer<Monitor.Configuration>) -> UnsafeMutablePointer<PicoLoop> {
  let loop: UnsafeMutablePointer<PicoLoop> = unsafe place()
  unsafe loop.initialize(
    to: Loop(sensor: makeDevice(), bank: makeLines(), clock: makeClock(), configuration: configuration.pointee))
  unsafe apply(CompiledBoard.tare, to: loop)
  return unsafe loop
}

@inline(never)
private func makeDevice() -> CompiledBoard.Driver.Device<PicoI2CBus> {
  let (bus, sensor) = (CompiledBoard.bus, CompiledBoard.sensor)
  return CompiledBoard.Driver.Device(
    bus: PicoI2CBus(bus.number, sda: bus.sda, scl: bus.scl), address: sensor.address,
    configuration: CompiledBoard.Driver.Configuration(sensor.configuration))
}

@inline(never)
private func makeConfiguration(at place: UnsafeMutablePointer<Monitor.Configuration>) {
  let ranges = ranges()
  unsafe place.initialize(
    to: Monitor.Configuration(
      CompiledBoard.description, fullScale: ranges.force, rotationFullScale: ranges.rotation,
      movement: Movement.Configuration()))
}

@inline(never)
private func ranges() -> (force: Q16, rotation: Q16?) {
  let device = makeDevice()
  return (device.fullScale, device.rotationFullScale)
}

@inline(never)
private func makeLines() -> PicoLines {
  let lines = CompiledBoard.lines
  return PicoLines(lines.offsets, count: lines.count, isActiveLow: lines.isActiveLow)
}

@inline(never)
private func makeClock() -> PicoClock {
  let board = CompiledBoard.description
  return PicoClock(line: board.awaitedLine, period: board.sensor.pace)
}

@inline(never)
private func apply(_ tare: Tare, to loop: UnsafeMutablePointer<PicoLoop>) {
  if tare.up != nil { unsafe loop.pointee.apply(tare) }
}

@inline(never)
private func makeOwner(_ memory: UnsafeMutableBufferPointer<UInt8>) -> UnsafeMutablePointer<SerialOwner<PicoSerial>> {
  let owner: UnsafeMutablePointer<SerialOwner<PicoSerial>> = unsafe place()
  unsafe owner.initialize(
    to: SerialOwner(
      CompiledBoard.description, CompiledBoard.name, identity: "pico-\(widened(cpico_random()))",
      at: Instant(microseconds: 0), over: PicoSerial(sensor: CompiledBoard.Driver.traits.name),
      in: memory))
  return unsafe owner
}

@inline(never)
private func makeObservation() -> UnsafeMutablePointer<Observation> {
  let seen: UnsafeMutablePointer<Observation> = unsafe place()
  unsafe seen.initialize(to: Observation())
  return unsafe seen
}

/// The bytes of requests, of a line, and of what is to be sent: two hellos.
private var streamSize: UInt32 { 512 + 1_024 + 1_792 }

/// Memory for a value that lives as long as the program.
private func place<Value: ~Copyable>() -> UnsafeMutablePointer<Value> {
  let memory = unsafe UnsafeMutableRawPointer(cpico_memory(UInt32(truncatingIfNeeded: MemoryLayout<Value>.size)))
  return unsafe memory.assumingMemoryBound(to: Value.self)
}
