public import FixedPoint
internal import HAL
internal import Orientation

extension Indicator {
  /// What the lines say, and how LEDs blink.
  public struct Configuration: Equatable, Sendable {
    /// Half the period of the blinking that means `stale`; 0 or less: lit, without blinking. Default 500 ms.
    public var slowHalfPeriod: Microseconds
    /// Half the period of the blinking that means `fault`; 0 or less: lit, without blinking. Default 125 ms.
    public var fastHalfPeriod: Microseconds
    /// How long each flash lasts that is counted out for `ambiguous`, `accelerating` and `freeFall`, and the darkness
    /// between two; 0 or less: no flashes, dark. Default 200 ms.
    public var flash: Microseconds
    /// The darkness after the last flash; at least `flash`. Default 1 s.
    public var pause: Microseconds

    /// What the lines say. Default `leds`; of what is above, other codes use nothing.
    public var code: LineCode
    /// With a code for another controller: how long its valid line is off at least before the others change, and again
    /// after; 0 or less: no longer than a request takes. Default 5 ms.
    public var hold: Microseconds

    /// The defaults: 1 Hz and 4 Hz, flashes of 200 ms and a pause of 1 s; LEDs.
    public init(
      slowHalfPeriod: Microseconds = .milliseconds(500), fastHalfPeriod: Microseconds = .milliseconds(125),
      flash: Microseconds = .milliseconds(200), pause: Microseconds = .seconds(1), code: LineCode = .leds,
      hold: Microseconds = .milliseconds(5)
    ) {
      self.slowHalfPeriod = slowHalfPeriod
      self.fastHalfPeriod = fastHalfPeriod
      self.flash = flash
      self.pause = pause
      self.code = code
      self.hold = hold
    }
  }
}

/// What lines do while a state lasts.
enum Pattern {
  /// They stay as they are.
  case steady(Levels)
  /// All are lit so many times for `flash`, with as long a darkness in between and `pause` after the last.
  case flashes(UInt8, flash: Microseconds, pause: Microseconds)
}

extension Indicator.Configuration {
  func pattern(of state: PoseState, _ hasGivenUp: Bool) -> Pattern {
    switch state {
    case .known(let pose): .steady(.oneHot(pose))
    case .unknown(_) where hasGivenUp: .steady(.all)
    case .unknown(.notYetSampled): .steady(.off)
    case .unknown(.ambiguous): counted(1)
    case .unknown(.accelerating): counted(2)
    case .unknown(.freeFall): counted(3)
    case .unknown(.stale): blinking(slowHalfPeriod)
    case .unknown(.fault): blinking(fastHalfPeriod)
    }
  }

  private func counted(_ count: UInt8) -> Pattern {
    flash > .zero ? .flashes(count, flash: flash, pause: max(flash, pause)) : .steady(.off)
  }

  private func blinking(_ half: Microseconds) -> Pattern {
    half > .zero ? .flashes(1, flash: half, pause: half) : .steady(.all)
  }
}
