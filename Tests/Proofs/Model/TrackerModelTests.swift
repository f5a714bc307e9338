import FixedPoint
import Orientation
import Testing

/// Every state of the tracker that is reachable by inputs in any order.
@Suite(.serialized) struct TrackerModelTests {
  @Test static func `from every state of the tracker each pose is found, and none is taken or kept without evidence`()
    throws
  {
    // Little evidence is required, so nearly every sample has enough; and times are arbitrary.
    let search = Search(from: try TrackerMachine(evidence: Q16(1, over: 1_000), oddTimes: true), limit: 1_000)
    search.report("tracker, little evidence, odd times")
    #expect(search.counterexample == nil)
    #expect(search.isComplete)
  }

  @Test static func `the same if evidence has to accumulate`() throws {
    let search = Search(from: try TrackerMachine(oddTimes: false), limit: modelDepth.map { $0 * 10 } ?? 9)
    search.report("tracker, default evidence")
    #expect(search.counterexample == nil)
    #expect(search.states > 15_000)
  }

  @Test static func `a fingerprint includes private properties, but not the time of day`() throws {
    let fingerprint = try Fingerprint<PoseTracker>(without: ["configuration"], horizon: 1_000_000)
    func hash(_ begin: Int64, _ places: [Place], spans: [Int64]) -> Hash {
      var tracker = PoseTracker()
      var now = begin
      for (place, span) in zip(places, spans) {
        now += span
        _ = tracker.step(place.force, at: Instant(microseconds: now))
      }
      var hash = Hash()
      fingerprint.add(tracker, at: now, to: &hash)
      return hash
    }
    let (up, left) = (Place.centre(.portrait), Place.centre(.landscapeLeft))
    let kept = hash(5_000_000, [up, left], spans: [10_000, 10_000])
    #expect(kept == hash(99_000_000, [up, left], spans: [10_000, 10_000]))
    // The pose is portrait in all of these; the evidence for another one differs.
    #expect(kept != hash(5_000_000, [up, up], spans: [10_000, 10_000]))
    #expect(kept != hash(5_000_000, [up, left], spans: [10_000, 11_000]))
    #expect(throws: Fingerprint<PoseTracker>.Unreadable.self) {
      try Fingerprint<PoseTracker>(without: ["no such property"], horizon: 1)
    }
  }
}
