import FixedPoint
import Monitor
import Orientation
import PlumbViews
import Stream
import Synchronization
import ToolInputs
import ToolOutput

/// Where the loop leaves what it observes and the server finds it: the latest figures, the extremes of the force since
/// the last collection, and the events. What is not collected in time is dropped; the loop neither waits nor allocates
/// for it.
final class ServeMailbox: Sendable {
  private let pending: Mutex<Update>
  private let start: Instant

  /// The number of events kept between two collections; at twenty collections a second none is ever dropped.
  private static let capacity = 256

  /// What was left since the last collection.
  struct Update: Sendable {
    var figures = BoardFigures()
    /// The least and the greatest force; nil if no sample came.
    var extremes: (least: Vector3, greatest: Vector3)?
    /// The events, in order. The storage is allocated once and passed back and forth.
    var events: [ReportedEvent] = []
    /// How many more events came than could be kept.
    var missed: UInt64 = 0

    init() { events.reserveCapacity(ServeMailbox.capacity) }
  }

  /// An event, and what the owner of the sensor says about it if that is another process.
  struct ReportedEvent: Sendable {
    var occurrence: Occurrence
    var remark: OwnerRemark?
  }

  init(start: Instant) {
    self.start = start
    pending = Mutex(Update())
  }

  /// Leaves what was observed at `now`.
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

  /// Collects what was left into `update`; the storage of the previous collection in it is reused.
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
