import FixedPoint
import Monitor
import Orientation
import PlumbViews
import Stream
import Synchronization
import ToolInputs
import ToolOutput

/// Where the loop leaves what it sees, and the server finds it: the latest figures, how far the force went meanwhile,
/// and what happened. What is not collected in time is dropped; the loop neither waits nor allocates for it.
final class ServeMailbox: Sendable {
  private let pending: Mutex<Update>
  private let start: Instant

  /// The number of events kept between two collections; at twenty collections a second none is ever dropped.
  private static let capacity = 256

  /// What was left since the last collection.
  struct Update: Sendable {
    var figures = BoardFigures()
    /// The least and the greatest force; nil where no sample came.
    var extremes: (least: Vector3, greatest: Vector3)?
    /// What happened, in order. Its storage is given once and goes to and fro.
    var events: [ReportedEvent] = []
    /// How much more happened than could be kept.
    var missed: UInt64 = 0

    init() { events.reserveCapacity(ServeMailbox.capacity) }
  }

  /// What happened, and what the owner of the sensor says of it where that is another process.
  struct ReportedEvent: Sendable {
    var occurrence: Occurrence
    var remark: OwnerRemark?
  }

  init(start: Instant) {
    self.start = start
    pending = Mutex(Update())
  }

  /// Leaves what the board brought at `now`.
  func put(_ seen: Observation, _ remark: OwnerRemark?, at now: Instant) {
    pending.withLock { pending in
      pending.figures.take(seen, elapsed: now - start)
      pending.missed += remark?.missed ?? 0
      if let force = seen.reading?.force { Self.widen(&pending.extremes, force) }
      seen.forEachEvent { occurrence in
        guard Self.isShown(occurrence.event) else { return }
        if pending.events.count < Self.capacity {
          pending.events.append(ReportedEvent(occurrence: occurrence, remark: remark))
        } else {
          pending.missed += 1
        }
      }
    }
  }

  /// Takes what was left. `update` is what was taken before, whose storage is used again.
  func collect(into update: inout Update) {
    update.events.removeAll(keepingCapacity: true)
    pending.withLock { pending in
      swap(&update, &pending)
      pending.figures = update.figures
      pending.extremes = nil
      pending.missed = 0
    }
  }

  /// The phases of a rotation are for programs that draw an interface; `plumb run` reports them.
  private static func isShown(_ event: Event) -> Bool {
    if case .rotation = event { return false }
    return true
  }

  private static func widen(_ extremes: inout (least: Vector3, greatest: Vector3)?, _ force: Vector3) {
    guard let (least, greatest) = extremes else { return extremes = (force, force) }
    extremes = (
      Vector3(x: min(least.x, force.x), y: min(least.y, force.y), z: min(least.z, force.z)),
      Vector3(x: max(greatest.x, force.x), y: max(greatest.y, force.y), z: max(greatest.z, force.z))
    )
  }
}
