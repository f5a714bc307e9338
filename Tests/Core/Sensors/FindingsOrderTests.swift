import Sensors
import Testing

struct FindingsOrderTests {
  @Test static func `findings that follow each other are all kept, with the axes of the later tap`() {
    // Every combination of axes and kinds.
    let all = (0..<128 as Range<UInt8>).filter { $0 & 0x08 == 0 }.map { Findings(rawValue: $0) }
    for earlier in all {
      for later in all {
        let both = earlier.followed(by: later)
        let axes = later.singleTap || later.doubleTap ? later.tapAxes : earlier.tapAxes
        let isRight =
          both.singleTap == (earlier.singleTap || later.singleTap)
          && both.doubleTap == (earlier.doubleTap || later.doubleTap)
          && both.freeFall == (earlier.freeFall || later.freeFall) && both.tapAxes == axes
        if !isRight { Issue.record("\(earlier) and \(later): \(both)") }
      }
    }
  }
}
