public import FixedPoint

/// Why an interface cannot rotate so.
public enum InterfaceRotationError: Error, Equatable, Sendable {
  /// No orientation is supported: nothing could be shown.
  case noOrientation
  /// The mask has bits beyond the four orientations.
  case unknownOrientation
  /// The orientation to begin with is not a supported one.
  case unsupportedStart
  /// A turn must take between 0 and 60 s.
  case duration
}

/// The orientations that an interface supports: at least one.
public struct SupportedOrientations: Equatable, Sendable {
  /// Bit n stands for the orientation of raw value n; 1…15.
  public let bits: UInt8

  /// The orientations of a mask: bit n stands for the orientation of raw value n.
  ///
  /// Throws `noOrientation` for 0 and `unknownOrientation` beyond 15.
  public init(bits: UInt8) throws(InterfaceRotationError) {
    guard bits != 0 else { throw .noOrientation }
    guard bits <= 15 else { throw .unknownOrientation }
    self.bits = bits
  }

  /// One orientation alone, so that the interface never turns.
  public init(_ orientation: InterfaceOrientation) { bits = orientation.bit }

  private init(checked bits: UInt8) { self.bits = bits }

  /// All four.
  public static var all: SupportedOrientations { SupportedOrientations(checked: 15) }
  /// All but upside down, as is usual on a phone.
  public static var allButUpsideDown: SupportedOrientations {
    SupportedOrientations(checked: 15 & ~InterfaceOrientation.portraitUpsideDown.bit)
  }
  /// The two sideways ones.
  public static var landscape: SupportedOrientations {
    SupportedOrientations(.landscapeLeft).and(.landscapeRight)
  }

  /// These and one more.
  public func and(_ orientation: InterfaceOrientation) -> SupportedOrientations {
    SupportedOrientations(checked: bits | orientation.bit)
  }

  /// These without one; throws `noOrientation` if none is left.
  public func without(_ orientation: InterfaceOrientation) throws(InterfaceRotationError) -> SupportedOrientations {
    try SupportedOrientations(bits: bits & ~orientation.bit)
  }

  /// Whether `orientation` is supported.
  public func contains(_ orientation: InterfaceOrientation) -> Bool { bits & orientation.bit != 0 }

  /// The supported orientation of the lowest raw value: portrait where it is supported.
  public var first: InterfaceOrientation {
    if contains(.portrait) { return .portrait }
    if contains(.portraitUpsideDown) { return .portraitUpsideDown }
    return contains(.landscapeLeft) ? .landscapeLeft : .landscapeRight
  }
}

extension InterfaceOrientation {
  fileprivate var bit: UInt8 { 1 &<< rawValue }
}

extension InterfaceRotation {
  /// Where an interface can turn to, and how long that takes.
  public struct Configuration: Equatable, Sendable {
    /// Only these orientations are ever shown. Default: all four.
    public let supported: SupportedOrientations
    /// What is shown before any pose is known. Default: portrait if supported, else the first that is.
    public let start: InterfaceOrientation
    /// How long a turn takes, 0…60 s. Default 300 ms. At 0 all four phases come at once, in order.
    public let duration: Microseconds

    /// A checked configuration. Throws `unsupportedStart` and `duration`.
    public init(
      supported: SupportedOrientations = .all, start: InterfaceOrientation? = nil,
      duration: Microseconds = .milliseconds(300)
    ) throws(InterfaceRotationError) {
      let first = start ?? supported.first
      guard supported.contains(first) else { throw .unsupportedStart }
      guard duration >= .zero && duration <= .seconds(60) else { throw .duration }
      self.init(checked: supported, first, duration)
    }

    /// The defaults.
    public static var standard: Configuration { Configuration(checked: .all, .portrait, .milliseconds(300)) }

    private init(
      checked supported: SupportedOrientations, _ start: InterfaceOrientation, _ duration: Microseconds
    ) {
      self.supported = supported
      self.start = start
      self.duration = duration
    }

    /// When the second half begins, from the start of a turn; of an odd duration the second half is the longer.
    var half: Microseconds { Microseconds(duration.count &>> 1) }
  }
}
