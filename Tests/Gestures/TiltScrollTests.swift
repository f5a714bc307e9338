import FixedPoint
import Gestures
import TestSupport
import Testing

@Suite struct TiltScrollTests {
  /// The position to 2^-31.
  private func fine(_ position: TiltScroll.Position) -> (x: Double, y: Double) {
    let whole = TiltScroll.PixelSize(width: .max, height: .max)
    let offset = position.offset(of: whole, in: TiltScroll.PixelSize(width: 0, height: 0))
    return (Double(offset.x) / Double(Int32.max), Double(offset.y) / Double(Int32.max))
  }

  @Test(arguments: [(5_000, 5_000, 30_000), (1_000, 200, 30_000), (0, 3_000, 16_667), (123_457, 1, 1_000)])
  func `long random runs stay within 1e-6 of the published recipe in Double`(
    viscosity: Int32, first: Int32, interval: Int64
  ) throws {
    for seed in 41...44 as ClosedRange<UInt64> {
      var generator = SplitMix64(seed: seed)
      let configuration = try TiltScroll.Configuration(
        viscosity: viscosity, acceleration: first, interval: Microseconds(interval))
      var scroll = TiltScroll(configuration)
      var model = ScrollModel(viscosity: Double(viscosity) / 1e6, first: Double(first) / 1e6, interval: interval)
      var now: Int64 = -7_000_000
      var worst = 0.0
      var lean = Force(z: 0.5)
      for index in 0..<100_000 {
        now += Int64.random(in: 0...60_000, using: &generator)
        if index % 20_000 == 19_999 { now += index % 40_000 == 39_999 ? 1_000_001 : -5 }
        // Wanders about rest; at times exactly at rest, at times far out.
        if index % 50 == 0 { lean = Force(x: generator.normal() * 0.2, z: 0.5 + generator.normal() * 0.2) }
        var force = lean.noisy(0.03, &generator).vector
        if index % 977 == 0 { force = Vector3(x: .zero, y: .one, z: Q16(1, over: 2)) }
        if index % 7_919 == 0 { force = Force.random(&generator).noisy(10, &generator).vector }
        let position = scroll.step(force, at: Instant(microseconds: now))
        model.step(force.force, at: now)
        let (x, y) = fine(position)
        worst = max(worst, abs(x - model.axes.x.offset), abs(y - model.axes.y.offset))
      }
      #expect(worst < 1e-6, "seed \(seed): \(worst)")
    }
  }

  @Test func `the first samples are those of the recipe worked by hand`() {
    var scroll = TiltScroll()
    let force = Vector3(x: Q16(-1, over: 2), y: Q16(1, over: 2), z: .zero)
    // x = -0.5, y = 1. Velocities of the samples at 0, 20, 40, 60 ms: 0.005, 0.010, 0.015, 0.020 times 0.5 and -1.
    // Ticks at 30 ms (with the second) and 60 ms (with the fourth): 0.005 + 0.010.
    for index in 0..<4 as Range<Int64> { scroll.step(force, at: Instant(microseconds: index * 20_000)) }
    #expect(abs(fine(scroll.position).x - 0.015) < 1e-9)
    #expect(scroll.position.y == .zero)
    #expect(scroll.position.x == Q16(15, over: 1_000))
  }

  @Test func `ticks follow real time: without viscosity the sampling makes no difference`() throws {
    let configuration = try TiltScroll.Configuration(viscosity: 0, acceleration: 5_000)
    let force = Vector3(x: Q16(-1, over: 2), y: .zero, z: Q16(1, over: 2))
    var generator = SplitMix64(seed: 45)
    for longest in [1_000, 5_000, 30_000, 30_001, 95_000, 900_000] as [Int64] {
      var scroll = TiltScroll(configuration)
      var now: Int64 = 0
      while now < 5_000_000 {
        scroll.step(force, at: Instant(microseconds: now))
        now += Int64.random(in: 1...longest, using: &generator)
      }
      let position = scroll.step(force, at: Instant(microseconds: 5_000_000))
      // 166 ticks of 0.0025.
      #expect(abs(fine(position).x - 0.415) < 1e-6, "samples up to \(longest) µs apart")
    }
  }

  @Test func `a pause and time running backwards move nothing and start the velocities anew`() {
    for jump in [1_000_001, 3_600_000_000, -1, -1_000_000] as [Int64] {
      var scroll = TiltScroll()
      let force = Force(x: -0.1, z: 0.4).vector
      var now: Int64 = 0
      for _ in 0..<20 {
        scroll.step(force, at: Instant(microseconds: now))
        now += 20_000
      }
      let before = scroll.position
      #expect(before.x > .zero)
      now += jump - 20_000
      scroll.step(force, at: Instant(microseconds: now))
      #expect(scroll.position == before, "jump of \(jump) µs")
      var fresh = TiltScroll(at: before)
      fresh.step(force, at: Instant(microseconds: now))
      #expect(scroll == fresh, "jump of \(jump) µs")
    }
  }

  @Test func `accelerations that have grown as far as they can give the recipe's positions`() throws {
    let configuration = try TiltScroll.Configuration(viscosity: 1_000_000, acceleration: 1_000_000)
    for size in [1, 2, 65_536, Int32.max] {
      var scroll = TiltScroll(configuration)
      var model = ScrollModel(viscosity: 1, first: 1)
      for index in 0..<140_000 {
        let sign: Int32 = index < 70_000 ? -1 : index % 100 < 50 ? 1 : -1
        let force = Vector3(x: Q16(raw: sign * size), y: .zero, z: Q16(raw: sign < 0 ? .min : .max))
        let now = Int64(index) * 10_000
        let position = scroll.step(force, at: Instant(microseconds: now))
        model.step(force.force, at: now)
        let (x, y) = fine(position)
        guard abs(x - model.axes.x.offset) < 1e-6 && abs(y - model.axes.y.offset) < 1e-6 else {
          Issue.record("size \(size), sample \(index): \(x) \(y) and not \(model.axes)")
          return
        }
      }
    }
  }

  @Test func `forces at the ends of the range and times at the ends of the clock do no harm`() {
    let ends: [Int32] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    let times: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    var generator = SplitMix64(seed: 46)
    var scroll = TiltScroll()
    for _ in 0..<20_000 {
      let picks = (0..<3).map { _ in Q16(raw: ends[Int.random(in: 0..<7, using: &generator)]) }
      let now = Instant(microseconds: times[Int.random(in: 0..<7, using: &generator)])
      let position = scroll.step(Vector3(x: picks[0], y: picks[1], z: picks[2]), at: now)
      #expect(position.x >= .zero && position.x <= .one && position.y >= .zero && position.y <= .one)
    }
    // And it still works.
    scroll.jump(to: .start)
    for index in 0..<3 as Range<Int64> {
      scroll.step(Force(x: -1, z: 0.5).vector, at: Instant(microseconds: 5_000_000 + index * 30_000))
    }
    #expect(scroll.position.x > .zero && scroll.position.x < .one)
  }

  @Test func `the position can be set, and stays through settling`() {
    let place = TiltScroll.Position(x: Q16(1, over: 4), y: Q16(3, over: 4))
    var scroll = TiltScroll()
    scroll.jump(to: place)
    scroll.settle()
    #expect(scroll.position == place)
    #expect(scroll == TiltScroll(at: place))
    #expect(TiltScroll.Position(x: Q16(whole: -3), y: Q16(whole: 3)) == .init(x: .zero, y: .one))
  }

  @Test func `a configuration that cannot work is refused with its reason`() throws {
    typealias Fault = TiltScrollError
    #expect(try TiltScroll.Configuration() == .standard)
    #expect(refusal { () throws(Fault) in try .init(viscosity: -1) } == .viscosity)
    #expect(refusal { () throws(Fault) in try .init(viscosity: 1_000_001) } == .viscosity)
    #expect(refusal { () throws(Fault) in try .init(acceleration: 0) } == .acceleration)
    #expect(refusal { () throws(Fault) in try .init(acceleration: 1_000_001) } == .acceleration)
    #expect(refusal { () throws(Fault) in try .init(interval: Microseconds(999)) } == .interval)
    #expect(refusal { () throws(Fault) in try .init(interval: Microseconds(1_000_001)) } == .interval)
    #expect(refusal { () throws(Fault) in try .init(longestGap: .zero) } == .longestGap)
    #expect(refusal { () throws(Fault) in try .init(longestGap: .seconds(3_601)) } == .longestGap)
    #expect(refusal { () throws(Fault) in try .init(viscosity: 0, acceleration: 1) } == nil)
  }

  private func refusal(_ make: () throws(TiltScrollError) -> TiltScroll.Configuration) -> TiltScrollError? {
    do throws(TiltScrollError) {
      _ = try make()
      return nil
    } catch {
      return error
    }
  }
}

extension Vector3 {
  /// What the fixed-point numbers stand for.
  var force: Force { Force(x: Double(x.raw) / 65_536, y: Double(y.raw) / 65_536, z: Double(z.raw) / 65_536) }
}
