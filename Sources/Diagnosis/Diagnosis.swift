public import BoardFile
internal import Orientation

/// What is wrong with a set-up: the outcome of every aspect, in the order in which one needs the other.
///
/// It looks and asks, and changes nothing: of the bus it takes one transaction, or four where nobody answers at the
/// sensor's address, which do no harm to a sensor that runs (see `I2CBus.probe()`).
public struct Diagnosis: Sendable {
  /// The board that was looked at.
  public let board: BoardDescription
  /// The computer, by its own name; empty where it gives none.
  public internal(set) var machine = ShortText<64>()
  /// The bus's clock frequency in hertz; 0 where it is not known.
  public internal(set) var busHertz: UInt32 = 0
  /// The number of the lines' chip; -1 where it was not found.
  public internal(set) var chipNumber: Int32 = -1
  /// The label of that chip.
  public internal(set) var chipLabel = ShortText<32>()

  private var outcomes = InlineArray<10, Outcome>(repeating: .unknown)

  /// Looks at all that `board` needs of `system`.
  public init<System: SystemView & ~Copyable>(of board: BoardDescription, in system: inout System) {
    self.board = board
    examineMachine(in: &system)
    switch board.bus {
    case .emulated: settle(.bus, .identity, as: .emulated)
    case .linux(let path): examineBus(path, in: &system)
    }
    if board.lines.isEmulated {
      settle(.linesAccess, .pins, as: .emulated)
    } else {
      examineLines(in: &system)
    }
  }

  /// Gives the aspects from `first` to `last` the same outcome.
  private mutating func settle(_ first: Aspect, _ last: Aspect, as outcome: Outcome) {
    for index in Int(truncatingIfNeeded: first.rawValue)...Int(truncatingIfNeeded: last.rawValue) {
      outcomes[index] = outcome
    }
  }

  /// What came of `aspect`.
  public internal(set) subscript(aspect: Aspect) -> Outcome {
    get { outcomes[Int(truncatingIfNeeded: aspect.rawValue)] }
    set { outcomes[Int(truncatingIfNeeded: aspect.rawValue)] = newValue }
  }

  /// The first error, which is the one to cure first; nil where there is none.
  public var firstError: Problem? {
    for index in 0..<Aspect.count {
      guard let aspect = Aspect(index: index), let problem = self[aspect].problem else { continue }
      if problem.severity == .error { return problem }
    }
    return nil
  }

  /// What a program should end with: 0 where nothing keeps the board from working, else the greatest code of a problem.
  public var exitCode: Int32 {
    var code: Int32 = 0
    for index in 0..<Aspect.count {
      if let aspect = Aspect(index: index), let problem = self[aspect].problem { code = max(code, problem.exitCode) }
    }
    return code
  }

  /// Whether the computer says that it is a Raspberry Pi.
  var isRaspberryPi: Bool {
    let words: StaticString = "Raspberry Pi"
    return words.withUTF8Buffer { buffer in
      for index in 0..<buffer.count where unsafe machine[index] != buffer[index] { return false }
      return true
    }
  }

  private mutating func examineMachine<System: SystemView & ~Copyable>(in system: inout System) {
    if let model = system.text(of: FilePath("/proc/device-tree/model")) { machine = model.line() }
    if board.bus == .emulated && board.lines.isEmulated {
      self[.machine] = .emulated
    } else if !isRaspberryPi {
      self[.machine] = .found(.notRaspberryPi)
    } else {
      self[.machine] = isKnownModel ? .passed : .found(.unknownModel)
    }
  }

  /// "Raspberry Pi 4 Model B", "Raspberry Pi Zero W", "Raspberry Pi Model B Plus", "Raspberry Pi Compute Module 4" and the
  /// like.
  private var isKnownModel: Bool {
    switch machine[13] {
    case UInt8(ascii: "2")...UInt8(ascii: "5"), UInt8(ascii: "Z"), UInt8(ascii: "M"), UInt8(ascii: "C"): true
    default: false
    }
  }

  /// What keeps the process from `devices` that it may not open.
  func refusal<System: SystemView & ~Copyable>(of devices: Problem.Devices, in system: inout System) -> Problem {
    switch system.membership(of: devices.group) {
    case .noSuchGroup: .noGroup(devices)
    case .none: .notMember(devices)
    case .atNextLogin: .loginNeeded(devices)
    case .active: .wrongOwner(devices)
    }
  }
}
