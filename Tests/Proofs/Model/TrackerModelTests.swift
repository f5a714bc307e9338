import FixedPoint
import Orientation
import Testing

/// Every state of the tracker that any order of inputs leads to.
@Suite(.serialized) struct TrackerModelTests {
  @Test func `from every state of the tracker each pose is found, and none is taken or kept without evidence`() throws {
    // Little evidence is asked for, so that nearly every sample brings enough; and time does as it likes.
    let search = Search(from: try TrackerMachine(evidence: Q16(1, over: 1_000), oddTimes: true), limit: 1_000)
    search.report("tracker, little evidence, odd times")
    #expect(search.counterexample == nil)
    #expect(search.isComplete)
  }

  @Test func `the same where evidence has to be gathered`() throws {
    let search = Search(from: try TrackerMachine(oddTimes: false), limit: modelDepth.map { $0 * 10 } ?? 9)
    search.report("tracker, default evidence")
    #expect(search.counterexample == nil)
    #expect(search.states > 15_000)
  }

  @Test func `a fingerprint is of what is private too, but not of the time of day`() throws {
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
    // The pose is portrait in all of these; how much there is to say for another is not.
    #expect(kept != hash(5_000_000, [up, up], spans: [10_000, 10_000]))
    #expect(kept != hash(5_000_000, [up, left], spans: [10_000, 11_000]))
    #expect(throws: Fingerprint<PoseTracker>.Unreadable.self) {
      try Fingerprint<PoseTracker>(without: ["no such property"], horizon: 1)
    }
  }
}
