import FixedPoint
import Orientation
import Testing

@Suite struct InterfaceRotationCrossFadeTests {
  /// What is shown in each sixteenth of a turn: `.` the old orientation, `#` the new one.
  private static let parts = Array("...#...#.###.###")

  private func drawing(_ duration: Int64, from first: Int64, through last: Int64) -> String {
    let fade = CrossFade(over: Microseconds(duration))
    return String((first...last).map { fade.showsNew(after: Microseconds($0)) ? "#" : "." })
  }

  @Test
  func `old and new alternate: mostly old in the first half, mostly new in the second, new from the end on`() {
    #expect(drawing(16, from: -3, through: 18) == "......#...#.###.######")
    #expect(drawing(32, from: -1, through: 33) == ".......##......##..######..########")
    #expect(drawing(0, from: -2, through: 1) == "..##")
    #expect(drawing(1, from: -2, through: 1) == "...#")
  }

  @Test
  func
    `Each microsecond of any turn up to 200 µs shows its sixteenth, and the standard turn does at every microsecond`()
  {
    for duration in Array(1...200 as ClosedRange<Int64>) + [300_000] {
      let fade = CrossFade(over: Microseconds(duration))
      let wrong = (0..<duration).filter { elapsed in
        fade.showsNew(after: Microseconds(elapsed)) != (Self.parts[Int(elapsed * 16 / duration)] == "#")
      }
      #expect(wrong.isEmpty, "\(duration) µs")
    }
  }

  @Test
  func `the next flip is the first instant at which something else is shown; once the new one stays there is none`() {
    for duration in 0...100 as ClosedRange<Int64> {
      let fade = CrossFade(over: Microseconds(duration))
      for elapsed in -5...duration + 3 {
        let shown = fade.showsNew(after: Microseconds(elapsed))
        let next = (elapsed...duration + 3).first { fade.showsNew(after: Microseconds($0)) != shown }
        let told = fade.nextFlip(after: Microseconds(elapsed))?.count
        #expect(told == next, "\(elapsed) of \(duration) µs")
      }
    }
  }

  @Test
  func `a duration out of range is taken for the nearest in it, and no time makes it stop the program`() {
    #expect(CrossFade(over: Microseconds(Int64.min)).duration == .zero)
    #expect(CrossFade(over: Microseconds(Int64.max)).duration == .seconds(60))
    let longest = CrossFade(over: .seconds(60))
    #expect(!longest.showsNew(after: Microseconds(Int64.min)) && longest.showsNew(after: Microseconds(Int64.max)))
    #expect(longest.nextFlip(after: Microseconds(Int64.min)) == Microseconds(11_250_000))
    #expect(longest.nextFlip(after: Microseconds(Int64.max)) == nil)
    #expect(!longest.showsNew(after: Microseconds(11_249_999)) && longest.showsNew(after: Microseconds(11_250_000)))
  }

  @Test
  func `lamps of an interface that turns follow the cross-fade between old and new, also past an overdue end`() throws {
    var interface = try RotatingInterface(duration: 160)
    func lamps(_ times: some Sequence<Int64>) -> String {
      String(times.map { letter(interface.rotation.shown(at: Instant(microseconds: $0))) })
    }
    #expect(lamps([0, 1_000]) == "PP")
    _ = interface.step(.landscapeLeft, at: 1_000)
    let middles = stride(from: 1_005 as Int64, to: 1_180, by: 10)
    #expect(lamps(middles) == "PPPRPPPRPRRRPRRRRR")
    #expect(lamps([0, 999, 1_159, 1_160, Int64.max]) == "PPRRR")
    _ = interface.step(.landscapeRight, at: 1_040)
    #expect(lamps(middles.dropFirst(4)) == "PPPLPLLLPLLLLL")
    _ = interface.step(.portrait, at: 1_050)
    #expect(lamps(middles.dropFirst(5)) == "PPPPPPPPPPPPP")
    #expect(interface.rotation.nextFlip(after: Instant(microseconds: 1_050)) == nil)
    _ = interface.step(.portrait, at: 1_160)
    #expect(lamps([0, 1_160, 2_000]) == "PPP")
  }

  @Test
  func `whoever looks only at each next flip sees every change of the lamps`() throws {
    var interface = try RotatingInterface(duration: 160)
    _ = interface.step(.landscapeLeft, at: -40)
    _ = interface.step(.landscapeLeft, at: -20)
    var flips: [Int64] = []
    var now = Instant(microseconds: -20)
    while let next = interface.rotation.nextFlip(after: now), flips.count < 20 {
      #expect(interface.rotation.shown(at: next) != interface.rotation.shown(at: next - Microseconds(1)))
      flips.append(next.microseconds + 40)
      now = next
    }
    #expect(flips == [30, 40, 70, 80, 90, 120, 130])
  }
}
