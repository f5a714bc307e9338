public import BoardFile
public import HAL
internal import Indication
internal import LinuxHAL
package import SenseHAT

/// The lines of a board: those of a GPIO chip, the matrix of a Sense HAT, or none if they are emulated.
public struct BoardLines: ~Copyable, OutputBank {
  private var bank: GPIOBank?
  /// The matrix, as a frame buffer of the kernel or on the bus.
  private var frame: LEDMatrix<FrameBuffer>?
  private var matrix: LEDMatrix<MatrixController<LinuxI2CBus>>?

  /// No lines.
  public init() {}

  /// The lines behind a frame buffer, for tests.
  package init(_ frame: consuming LEDMatrix<FrameBuffer>) { self.frame = consume frame }

  /// Leaves a matrix dark; the lines of a chip go to their idle levels by themselves.
  deinit {
    var frame = frame
    var matrix = matrix
    // A fault here can no longer be reported.
    do throws(OutputFault) {
      try frame?.write(.off)
      try matrix?.write(.off)
    } catch {}
  }

  /// Requests the lines that a board file names, all of them off; or opens the matrix, which is dark. They go to their
  /// idle levels at the end.
  public init(opening board: BoardDescription) throws(BoardError) {
    let lines = board.lines
    guard !lines.isEmulated else { return }
    if lines.isMatrix {
      try openMatrix(of: board)
      return
    }
    do throws(GPIOError) {
      bank = try GPIOBank(
        chipLabel: lines.chip, offsets: lines.offsets.span.extracting(first: lines.count),
        activeLow: lines.isActiveLow, idle: lines.idle, offFirst: lines.code.valid)
    } catch {
      throw .lines(error)
    }
  }

  /// Opens the kernel's frame buffer, or, without one, the controller on the sensor's bus.
  private mutating func openMatrix(of board: BoardDescription) throws(BoardError) {
    do throws(MatrixError) {
      do throws(MatrixError) {
        frame = try LEDMatrix(brightness: board.lines.brightness)
      } catch {
        guard error == .absent, case .linux(let path) = board.bus else { throw error }
        matrix = try LEDMatrix(onBus: path, brightness: board.lines.brightness)
      }
    } catch {
      throw .matrix(error)
    }
  }

  /// Sets all lines in one call.
  public mutating func write(_ levels: Levels) throws(OutputFault) {
    try bank?.write(levels)
    try frame?.write(levels)
    try matrix?.write(levels)
  }
}
