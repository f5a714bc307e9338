package import BoardFile
import Diagnosis
package import Emulation
package import FixedPoint
package import HAL
package import IIO
import Indication
package import LinuxHAL
import OpenBoard
import SenseHAT
package import Sensors
package import ToolOutput

/// The bus of a board: the kernel's, or an emulated one.
package struct BoardBus: I2CBus, ~Copyable {
  // One of the two.
  private var linux: LinuxI2CBus?
  private var emulated: EmulatedBus?

  /// Opens the bus of `board`, and checks that no kernel driver uses the sensor's address, nor, if the program `owns`
  /// the sensor, any other program.
  package init(
    of board: BoardDescription, _ emulated: EmulatedBoard, _ clock: BoardClock, owns: Bool
  ) throws(ToolError) {
    switch board.bus {
    case .linux(let path):
      var bus = try openBus(path.description)
      do throws(LinuxI2CError) {
        if owns { try bus.own(board.sensor.address) } else { try bus.claim(board.sensor.address) }
      } catch {
        throw ToolError(error)
      }
      linux = consume bus
    case .emulated: self.emulated = emulated.bus(of: board) { clock.now }
    case .pico: throw ToolError(.configuration, "\(BoardDescription.picoWords)")
    case .iio:
      throw ToolError(
        .unavailable, "the kernel drives this sensor, \(board.sensor.place.words): no program reaches its registers")
    }
  }

  package var frequency: UInt32? {
    switch linux {
    case .some(let bus): bus.frequency
    case nil:
      switch emulated {
      case .some(let bus): bus.frequency
      case nil: nil
      }
    }
  }

  package mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    try linux?.write(bytes, to: address)
    try emulated?.write(bytes, to: address)
  }

  package mutating func writeRead(
    _ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    try linux?.writeRead(bytes, into: &buffer, at: address)
    try emulated?.writeRead(bytes, into: &buffer, at: address)
  }

  package var readsPerTransaction: Int {
    switch linux {
    case .some(let bus): bus.readsPerTransaction
    case nil:
      switch emulated {
      case .some(let bus): bus.readsPerTransaction
      case nil: 1
      }
    }
  }

  package mutating func writeReads(
    _ bytes: Span<UInt8>, each length: Int, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    try linux?.writeReads(bytes, each: length, into: &buffer, at: address)
    try emulated?.writeReads(bytes, each: length, into: &buffer, at: address)
  }

  package mutating func reopen() throws(I2CFault) {
    try linux?.reopen()
    try emulated?.reopen()
  }
}

/// Opens a Linux bus. If that fails, the error gives the same advice as `plumb doctor`.
package func openBus(_ path: String) throws(ToolError) -> LinuxI2CBus {
  do {
    return try LinuxI2CBus(path: path)
  } catch {
    var failure = ToolError(error)
    if let advice = Diagnosis.advice(onBus: path) { failure.message = advice }
    throw failure
  }
}

extension ToolError {
  /// Why a bus, or a sensor on it, cannot be used.
  package init(_ error: LinuxI2CError) {
    self.init(error.fault == .notPermitted ? .noPermission : .unavailable, error.description)
  }

  /// Why the kernel's device cannot be used.
  package init(_ error: IIOError) {
    self.init(Code(rawValue: error.exitCode) ?? .unavailable, error.description)
  }

  /// Why lines cannot be used.
  package init(_ error: GPIOError) {
    if case .notPermitted = error {
      self.init(.noPermission, error.description)
    } else {
      self.init(.unavailable, error.description)
    }
  }
}

/// Opens the kernel's device that is the sensor of a board.
package func openingDevice<Sensor: Accelerometer & ~Copyable>(
  of board: BoardDescription
) throws(ToolError) -> SensorOrDevice<Sensor> {
  do throws(IIOError) { return try board.openDevice() } catch { throw ToolError(error) }
}

/// Opens something on a GPIO chip.
func openingLines<Opened: ~Copyable>(_ open: () throws(GPIOError) -> Opened) throws(ToolError) -> Opened {
  do throws(GPIOError) { return try open() } catch { throw ToolError(error) }
}

/// Opens something of a board.
func openingBoard<Opened: ~Copyable>(_ open: () throws(BoardError) -> Opened) throws(ToolError) -> Opened {
  do throws(BoardError) { return try open() } catch {
    switch error {
    case .bus(let error): throw ToolError(error)
    case .device(let error): throw ToolError(error)
    case .lines(let error): throw ToolError(error)
    case .matrix(let error): throw ToolError(error.isPermission ? .noPermission : .unavailable, error.description)
    default: throw ToolError(.unavailable, error.description)
    }
  }
}

/// The time of a board: real, or as fast as possible.
package enum BoardClock: MonotonicClock {
  case linux(LinuxClock)
  case virtual(VirtualClock)

  /// Real time, unless `isFast` and an emulated bus make waiting unnecessary.
  package init(of board: BoardDescription, isFast: Bool) {
    self = isFast && board.bus == .emulated ? .virtual(VirtualClock()) : .linux(LinuxClock())
  }

  package var now: Instant {
    switch self {
    case .linux(let clock): clock.now
    case .virtual(let clock): clock.now
    }
  }

  package func sleep(until deadline: Instant) -> Bool {
    switch self {
    case .linux(let clock): clock.sleep(until: deadline)
    case .virtual(let clock): clock.sleep(until: deadline)
    }
  }
}

/// The time of a board under observation, with its data-ready line if it is waited for.
struct LiveClock: MonotonicClock, ~Copyable {
  private let base: BoardClock
  /// The clock that waits for the line; nil if there is none, or it is not waited for.
  private var ready: ReadyClock<NoChore>?
  /// The interrupt pin of an emulated sensor.
  private var wire: EmulatedWire?

  /// The time of `base`.
  init(_ base: BoardClock) { self.base = base }

  /// Linux's time, with the data-ready line of `board`; the time of `base` if the board has none.
  init(
    _ base: BoardClock, waitingFor board: BoardDescription, _ wire: EmulatedWire
  ) throws(ToolError) {
    self.base = base
    if board.bus == .emulated { self.wire = wire }
    guard
      let line = try openingLines({ () throws(GPIOError) in try DataReadyLine(of: board) })
    else { return }
    ready = ReadyClock(line: line, period: board.sensor.pace, duty: NoChore())
  }

  var now: Instant { base.now }

  /// How many waits ended without an edge, in a row and in total; nil if no line is waited for.
  var missedEdges: (inARow: UInt32, inAll: UInt64)? {
    switch ready {
    case .some(let clock): (clock.silence, clock.missedEdges)
    case nil: nil
    }
  }

  mutating func sleep(until deadline: Instant) -> Bool {
    ready?.sleep(until: deadline) ?? base.sleep(until: deadline)
  }

  mutating func forgetEdges() { ready?.forgetEdges() }

  mutating func awaitMovement(until deadline: Instant) -> Awakening {
    if let wire {
      var wired = WiredClock(base) { wire.isHigh }
      return wired.awaitMovement(until: deadline)
    }
    return ready?.awaitMovement(until: deadline) ?? (base.sleep(until: deadline) ? .time : .interrupted)
  }

  mutating func awaitSample(due: Instant) -> Awakening {
    ready?.awaitSample(due: due) ?? (base.sleep(until: due) ? .time : .interrupted)
  }
}
