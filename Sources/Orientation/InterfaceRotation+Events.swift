public import FixedPoint

/// What happens to an interface that turns: the four phases of a turn in their order, and a change of its goal.
public enum RotationEvent: Equatable, Sendable {
  /// The first phase: a turn is about to begin that takes `duration`. The two orientations differ.
  case willRotate(from: InterfaceOrientation, to: InterfaceOrientation, duration: Microseconds)
  /// The second phase: the first half begins, at the same instant.
  case firstHalf
  /// The third phase: the second half begins. From here on the goal of this turn is settled.
  case secondHalf
  /// The fourth phase: the turn is over.
  case didRotate(from: InterfaceOrientation)
  /// Not a phase: in its first half the turn that is under way got another goal, and will be over in `remaining`. The
  /// goal can be where the turn began.
  case redirected(to: InterfaceOrientation, remaining: Microseconds)

  /// The name as in documentation and JSON.
  public var name: StaticString {
    switch self {
    case .willRotate: "willRotate"
    case .firstHalf: "firstHalf"
    case .secondHalf: "secondHalf"
    case .didRotate: "didRotate"
    case .redirected: "redirected"
    }
  }
}

/// The rotation events of one step, in order.
public struct RotationEvents: Sendable {
  /// One step can end a turn that is overdue, and begin another: four phases.
  public static var capacity: Int { 4 }

  private var storage = InlineArray<4, RotationEvent?>(repeating: nil)
  /// How many there are.
  public private(set) var count = 0

  /// No events.
  public init() {}

  /// The event number `index`; nil beyond the last.
  public subscript(index: Int) -> RotationEvent? {
    index >= 0 && index < count && index < Self.capacity ? storage[index] : nil
  }

  mutating func append(_ event: RotationEvent) {
    guard count >= 0 && count < Self.capacity else { return }
    storage[count] = event
    count &+= 1
  }
}
