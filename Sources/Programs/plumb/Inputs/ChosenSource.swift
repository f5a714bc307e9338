package import ArgumentParser
package import BoardFile
import Emulation
package import FixedPoint
package import Monitor
package import Orientation
import PlumbStream
import PlumbViews
import Sensors
import Stream
package import ToolOutput

/// The source that a command's options name: the stream of a sensor's owner, or a local board. What a command does with
/// it does not depend on which it is.
///
/// A local board is opened by `begin`, which must come first.
package struct ChosenSource: ObservationSource, ~Copyable {
  /// The board, as far as its owner describes it.
  package let description: BoardDescription
  /// Whether another process owns the sensor.
  package let hasOwner: Bool
  private let emulated: EmulatedBoard
  private var stream: StreamSource?
  private var board: LiveBoard?

  /// Connects to the owner that `source` names, or takes the board of `describe`, which behaves as `emulated` if it is
  /// emulated.
  ///
  /// Ends `command` with wrong usage if the options do not go together; `own` are those that need a local board.
  package init<Command: ParsableCommand>(
    _ source: SourceOptions, for command: Command.Type, own: [OwnBoardOption] = [],
    _ settings: StreamSource.Settings,
    _ emulated: EmulatedBoard, describe: () throws -> BoardDescription
  ) throws {
    self.emulated = emulated
    if let stream = try source.stream(for: command, own: own, settings) {
      (description, hasOwner) = (stream.description, true)
      self.stream = stream
    } else {
      (description, hasOwner) = (try describe(), false)
    }
  }

  /// Opens a local board; does nothing for a stream.
  package mutating func begin(_ settings: LiveBoard.Settings) throws(ToolError) {
    if !hasOwner { board = try LiveBoard(description, emulated, settings) }
  }

  /// The length of an emulated board's motion; nil, for no end, for any other board.
  package var motionLength: Microseconds? { emulated.duration(on: description) }

  /// The watched board, in words.
  package var title: String {
    look({ $0.greeting }, { [emulated] in $0.description.sensorWords(emulated.motion) }, "")
  }
  /// The owner and its sensor, in words; nil for a local board.
  package var ownerWords: String? { look({ $0.greeting }, { _ in nil }, nil) }
  /// Where the owner is, for messages about it.
  package var ownerPlace: String { look({ " at \($0.address)" }, { _ in "" }, "") }
  /// The owner's first line; nil for a local board.
  package var hello: String? { look({ $0.helloLine }, { _ in nil }, nil) }
  /// The section that the board file lacks, the owner's if there is one, for events of `group`; nil if they are
  /// detected, or an owner does not say.
  package func missingSection(for group: Event.Group) -> BoardSection? {
    let isDetected = stream.map { $0.hello.undetected?.contains(group) != true } ?? false
    // The description of an owner's board has none of these sections.
    return isDetected ? nil : description.missingSection(for: group)
  }

  /// The attitude in which angles are zero.
  package var tare: Tare { look({ $0.tare }, { $0.description.tare }, .none) }
  /// Whether the sensor was running already, and nothing was written to it.
  package var isAdopted: Bool { look({ _ in true }, { $0.isAdopted }, false) }
  /// The error of a local sensor that was given up.
  package var lastError: ToolError? {
    look(
      { _ in nil },
      { board in
        guard case .gaveUp(let cause?, _) = board.ending else { return nil }
        return board.refusal ?? ToolError(cause, of: board.description.sensor)
      }, nil)
  }

  /// Why a sensor that was to be adopted could be neither adopted nor started; nil otherwise.
  package var refusal: ToolError? { look({ _ in nil }, { $0.refusal }, nil) }

  /// Asks the owner for one fresh reading; nil for a local board.
  package mutating func ask() throws(ToolError) -> FreshReading? { try stream?.read() }

  package var start: Instant { look({ $0.start }, { $0.start }, Instant(microseconds: 0)) }
  package var now: Instant { look({ $0.now }, { $0.now }, Instant(microseconds: 0)) }
  package var summary: Summary {
    look({ $0.summary }, { $0.summary }, Summary(duration: .zero, counters: Counters()))
  }
  package var remark: OwnerRemark? { look({ $0.remark }, { $0.remark }, nil) }
  package var error: ToolError? { look({ $0.error }, { $0.error }, nil) }
  package var wasStopped: Bool { look({ $0.wasStopped }, { $0.wasStopped }, false) }

  package mutating func next() throws(ToolError) -> Observation? {
    hasOwner ? try stream?.next() : try board?.next()
  }

  package mutating func close() throws(ToolError) {
    try stream?.close()
    try board?.close()
  }

  package mutating func askForTare() -> String? { hasOwner ? stream?.askForTare() : board?.askForTare() }
  package mutating func undoTare() -> String? { hasOwner ? stream?.undoTare() : board?.undoTare() }
  package var takesTare: Bool { look({ $0.takesTare }, { $0.takesTare }, false) }

  package mutating func wantEachSample(_ isWanted: Bool) { stream?.wantEachSample(isWanted) }

  /// The value for whichever source this is; `otherwise` before a local board is opened.
  private func look<Value>(
    _ ofStream: (StreamSource) -> Value, _ ofBoard: (LiveBoard) -> Value,
    _ otherwise: @autoclosure () -> Value
  ) -> Value {
    if let stream { return ofStream(stream) }
    return board.map(ofBoard) ?? otherwise()
  }
}
