internal import FixedPoint
package import JSON
package import Monitor
internal import Orientation

// The fields of `counters`, of the counters in a hello, and of a summary.
extension JSONWriter {
  /// Writes the counters, without the kinds of faults and the reasons unless `hasKinds`.
  package mutating func fields(countersOf snapshot: borrowing Snapshot, hasKinds: Bool) {
    field("samples", snapshot.counters.samples)
    field("pose_changes", snapshot.counters.poseChanges)
    field("faults", snapshot.counters.faults)
    field("recoveries", snapshot.counters.recoveries)
    field("give_ups", snapshot.counters.giveUps)
    field("notices", snapshot.counters.notices)
    field("late_samples", snapshot.counters.lateSamples)
    field("lost_samples", snapshot.counters.lostSamples)
    field("shakes", snapshot.counters.shakes)
    if let count = snapshot.transactions { field("transactions", count) }
    if let count = snapshot.outputWrites { field("output_writes", count) }
    field("restarts", snapshot.counters.restarts)
    if snapshot.force != nil, let temperature = snapshot.temperature {
      field("temperature_c", temperature, places: 1)
    }
    guard hasKinds else { return }
    field(snapshot.counters.faultKinds)
    field(snapshot.counters.unknown)
  }

  /// Writes `fault_kinds`, an object with the count of each kind of fault that occurred.
  package mutating func field(_ kinds: FaultCounts) {
    beginObject("fault_kinds")
    kinds.forEachPositive { kind, count in field(kind, count) }
    endObject()
  }

  /// Writes `unknown`, an object with the count of each reason for which the pose became unknown.
  package mutating func field(_ reasons: UnknownCounts) {
    beginObject("unknown")
    reasons.forEachPositive { reason, count in field(reason, count) }
    endObject()
  }
}

extension Snapshot {
  /// Takes over the counters of an object.
  package mutating func take(counters object: JSONValue) {
    counters = Counters(object)
    (transactions, outputWrites) = (object["transactions"]?.count, object["output_writes"]?.count)
    temperature = object["temperature_c"]?.q16
  }
}

extension Counters {
  /// The counts in `object`. A missing one is 0, because kinds and reasons that did not occur are left out.
  package init(_ object: JSONValue) {
    self.init()
    func count(_ key: StaticString) -> UInt64 { object[key]?.count ?? 0 }
    (samples, poseChanges, recoveries) = (count("samples"), count("pose_changes"), count("recoveries"))
    (giveUps, notices, shakes) = (count("give_ups"), count("notices"), count("shakes"))
    (lateSamples, lostSamples, restarts) = (count("late_samples"), count("lost_samples"), count("restarts"))
    if let kinds = object["fault_kinds"] {
      for index in 0..<FaultKind.allCases.count {
        let kind = FaultKind.allCases[index]
        faultKinds[kind] = kinds[kind.name]?.count ?? 0
      }
    }
    let (all, named) = (count("faults"), faultKinds.total)
    faultKinds.others = all > named ? all &- named : 0
    if let reasons = object["unknown"] {
      unknown.update { reason, count in count = reasons[reason.name]?.count ?? 0 }
    }
  }
}
