import FixedPoint
import Orientation
import Testing

/// A calibration whose sensor fails in mid-hold.
@Suite struct SixPositionInterruptTests {
  /// Samples at 100 Hz of a board that lies face up, from number `first` on.
  private func hold(_ calibration: inout SixPositionCalibration, from first: Int64, count: Int64)
    -> [SixPositionCalibration.Status]
  {
    (first..<(first + count)).map { number in
      calibration.step(Vector3(x: .zero, y: .zero, z: .one), at: Instant(microseconds: number * 10_000))
    }
  }

  @Test func `an interruption begins the face anew, however short it was`() {
    for held: Int64 in [1, 10, 25, 26, 60, 125] {
      var calibration = SixPositionCalibration()
      let before = hold(&calibration, from: 0, count: held)
      #expect(!before.contains(.accepted(.plusZ)))
      calibration.interrupt()
      let after = hold(&calibration, from: held, count: 200)
      // 250 ms of settling and 1 s of averaging, from the first sample after it.
      #expect(after.firstIndex(of: .accepted(.plusZ)) == 125, "held for \(held) samples")
      #expect(after.first == .moving)
    }
  }

  @Test func `faces that are done stay done`() {
    var calibration = SixPositionCalibration()
    #expect(hold(&calibration, from: 0, count: 200).contains(.accepted(.plusZ)))
    calibration.interrupt()
    #expect(calibration.isDone(.plusZ) && calibration.doneCount == 1)
    #expect(hold(&calibration, from: 200, count: 200).last == .alreadyDone(.plusZ))
  }
}
