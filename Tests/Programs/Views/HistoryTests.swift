import PlumbViews
import TestSupport
import Testing

struct HistoryTests {
  @Test
  static func `a slice keeps the minimum and maximum of its samples, and the last pose`() {
    var history = History(interval: 0.1)
    for (time, x) in [(0.01, 0.5), (0.05, -0.75), (0.09, 0.25), (0.11, 1.0)] {
      history.take(Scene.Force(x, -x, 2 * x), time < 0.05 ? 0 : 3, at: time)
    }
    expect(history.slices.map(\.ranges), equals: [[-0.75...0.5, -0.5...0.75, -1.5...1], [1...1, -1...(-1), 2...2]])
    expect(history.slices.map(\.pose), equals: [3, 3])
  }

  @Test
  static func `time without samples is empty, and a pose lasts until it is given up`() {
    var history = History(interval: 0.1)
    history.take(Scene.Force(0, 1, 0), 0, at: 0.05)
    history.take(nil, nil, at: 0.45)
    history.take(Scene.Force(0, 1, 0), 4, at: 0.65)
    expect(history.slices.map { $0.ranges != nil }, equals: [true, false, false, false, false, false, true])
    expect(history.slices.map(\.pose), equals: [0, 0, 0, 0, nil, nil, 4])
  }

  @Test
  static func `its size is bounded, however long it runs or nothing comes`() {
    var history = History(interval: 0.1)
    for step in 0..<20_000 {
      history.take(Scene.Force(0, 1, Double(step)), 0, at: Double(step) / 10)
      expect(history.slices.count, isAtMost: 2_400)
    }
    expect(history.slices.count, isAtLeast: 1_200)
    expect(history.slices.last?.ranges?[2], equals: 19_999...19_999)
    history.take(Scene.Force(0, 1, 0), 0, at: 1e9)
    expect(history.slices.count, isAtMost: 4_800)
    // Time that runs backwards stays where it was.
    history.take(Scene.Force(0, 1, 0.5), 1, at: 3)
    expect(history.slices.last?.pose, equals: 1)
  }
}
