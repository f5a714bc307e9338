public import BoardFile
public import HAL
internal import Indication
public import LinuxHAL

/// The lines of a board: those of a GPIO chip, or none if they are emulated.
public struct BoardLines: ~Copyable, OutputBank {
  private var bank: GPIOBank?

  /// No lines.
  public init() {}

  /// Requests the lines that a board file names, all of them off. They go to their idle levels at the end.
  public init(opening lines: BoardDescription.Lines) throws(GPIOError) {
    guard !lines.isEmulated else { return }
    bank = try GPIOBank(
      chipLabel: lines.chip, offsets: lines.offsets.span.extracting(first: lines.count),
      activeLow: lines.isActiveLow, idle: lines.idle, offFirst: lines.code.valid)
  }

  /// Sets all lines in one call.
  public mutating func write(_ levels: Levels) throws(OutputFault) { try bank?.write(levels) }
}
