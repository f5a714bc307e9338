public import HAL
public import Indication
public import Orientation

extension BoardDescription {
  /// The output lines.
  public struct Lines: Equatable, Sendable {
    /// The label of the GPIO chip, which tells it whatever its number; `raspberry-pi` for that of the header of any model,
    /// `emulated` for lines inside the program.
    public var chip: ShortText<32>
    /// What the lines say.
    public var code: LineCode
    /// The GPIO of each line that the code has, in the order of `Levels`; 0 beyond `count`.
    public var offsets: InlineArray<7, UInt32>
    /// What the lines are set to when the program ends. A valid line is off then, whatever the others are.
    public var idle: Levels
    /// Whether a line is on when its voltage is low.
    public var isActiveLow: Bool

    /// Lines with an LED a pose; what is left out is as in a board file that leaves it out.
    public init(
      chip: ShortText<32>, offsets: InlineArray<6, UInt32>, idle: Levels = .off, isActiveLow: Bool = false
    ) {
      var all = InlineArray<7, UInt32>(repeating: 0)
      for index in 0..<6 { all[index] = offsets[index] }
      self.init(chip: chip, code: .leds, offsets: all, idle: idle, isActiveLow: isActiveLow)
    }

    /// Lines of any code; what is left out is as in a board file that leaves it out.
    public init(
      chip: ShortText<32>, code: LineCode, offsets: InlineArray<7, UInt32>, idle: Levels = .off,
      isActiveLow: Bool = false
    ) {
      self.chip = chip
      self.code = code
      self.offsets = offsets
      self.idle = idle
      self.isActiveLow = isActiveLow
    }

    /// How many lines there are: the first of `offsets`.
    public var count: Int { code.lineCount }

    /// What comes before the idle levels where the lines are at `levels`: the valid line goes off before others change; nil
    /// where it is off.
    public func withdrawn(_ levels: Levels) -> Levels? {
      let rest = levels.without(code.valid)
      return rest == levels ? nil : rest
    }

    /// Whether the lines are inside the program.
    public var isEmulated: Bool { chip == "emulated" }

    /// The key that names line `index`, 0 up to `count`.
    public func key(of index: Int) -> BoardKey { BoardKey(line: index, of: code) }

    /// The GPIO of the line of `pose`; nil where poses have none of their own.
    public func offset(of pose: Pose) -> UInt32? {
      for index in 0..<count where key(of: index) == BoardKey(pose) { return offsets[index] }
      return nil
    }

    /// Whether both are the same in all.
    public static func == (a: Lines, b: Lines) -> Bool {
      for index in 0..<7 where a.offsets[index] != b.offsets[index] { return false }
      return a.chip == b.chip && a.code == b.code && a.idle == b.idle && a.isActiveLow == b.isActiveLow
    }
  }
}
