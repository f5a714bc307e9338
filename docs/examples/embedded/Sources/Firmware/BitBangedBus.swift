import Board
import Plumb

/// Two open-drain lines with pull-ups.
///
/// On this board they are bits of a register; on yours, two pins. The bus below needs nothing else of the board.
struct Lines {
  enum Line: UInt32 {
    case clock = 1
    case data = 2
  }

  private let register: UInt = 0x4002_A000

  /// Releases a line, which is then high unless a target holds it low.
  func release(_ line: Line) { board_write(register, line.rawValue) }

  /// Pulls a line low.
  func pull(_ line: Line) { board_write(register &+ 4, line.rawValue) }

  /// Whether a line is high.
  func isHigh(_ line: Line) -> Bool { board_read(register) & line.rawValue != 0 }
}

/// An I2C bus in software, at 100 kHz or less, for chips without a free I2C controller.
struct BitBangedBus: I2CBus, ~Copyable {
  private let lines = Lines()

  var frequency: UInt32? { 100_000 }

  mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    do throws(I2CFault) {
      try start()
      try send(bytes, to: address)
    } catch {
      stop()
      throw error
    }
    stop()
  }

  mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)
  {
    do throws(I2CFault) {
      try start()
      try send(bytes, to: address)
      try start()
      try send(address.rawValue &<< 1 | 1)
      for index in buffer.indices { buffer[index] = try receive(isLast: index == buffer.count &- 1) }
    } catch {
      stop()
      throw error
    }
    stop()
  }

  /// Nine clocks free a target that was left in the middle of a byte.
  mutating func reopen() throws(I2CFault) {
    lines.release(.data)
    for _ in 0..<9 {
      lines.pull(.clock)
      board_pause()
      try raiseClock()
    }
    stop()
  }
}

extension BitBangedBus {
  private func send(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    try send(address.rawValue &<< 1)
    for index in bytes.indices { try send(bytes[index]) }
  }

  /// START, or repeated START: data falls while the clock is high.
  private func start() throws(I2CFault) {
    lines.release(.data)
    board_pause()
    try raiseClock()
    guard lines.isHigh(.data) else { throw .timedOut }
    lines.pull(.data)
    board_pause()
    lines.pull(.clock)
  }

  /// STOP: data rises while the clock is high.
  private func stop() {
    lines.pull(.data)
    board_pause()
    lines.release(.clock)
    board_pause()
    lines.release(.data)
    board_pause()
  }

  /// Eight bits, the highest first, and the target's acknowledgement.
  private func send(_ byte: UInt8) throws(I2CFault) {
    var rest = byte
    for _ in 0..<8 {
      if rest & 0x80 != 0 { lines.release(.data) } else { lines.pull(.data) }
      rest = rest &<< 1
      board_pause()
      try raiseClock()
      lines.pull(.clock)
    }
    guard try receiveBit() == 0 else { throw .noAcknowledge }
  }

  /// Eight bits, acknowledged unless they are the last.
  private func receive(isLast: Bool) throws(I2CFault) -> UInt8 {
    var byte: UInt8 = 0
    for _ in 0..<8 { byte = byte &<< 1 | (try receiveBit()) }
    if !isLast { lines.pull(.data) }
    board_pause()
    try raiseClock()
    lines.pull(.clock)
    lines.release(.data)
    return byte
  }

  private func receiveBit() throws(I2CFault) -> UInt8 {
    lines.release(.data)
    board_pause()
    try raiseClock()
    let bit: UInt8 = lines.isHigh(.data) ? 1 : 0
    lines.pull(.clock)
    return bit
  }

  /// Lets the clock rise, and keeps it high for half a bit. A target may hold it low for some 25 ms.
  private func raiseClock() throws(I2CFault) {
    lines.release(.clock)
    for _ in 0..<5_000 {
      board_pause()
      if lines.isHigh(.clock) { return }
    }
    throw .timedOut
  }
}
