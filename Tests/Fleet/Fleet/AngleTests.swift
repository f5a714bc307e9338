import Fleet
import Foundation
import TestSupport
import Testing

/// Angles: their pace, their step and their mean.
struct AngleTests {
  /// The force of a board with its top edge up by `degrees`.
  private static func tilted(_ degrees: Double, noise: Double = 0) -> String {
    let angle = (degrees + noise) * .pi / 180
    return OwnerLine.sample(y: sin(angle), z: cos(angle))
  }

  @Test static func `angles within the step are published only with the heartbeat`() {
    var rig = PublisherRig.running("[values]\nstep = 0.5\nheartbeat = 60\n")
    rig.pass(55) { _ in Self.tilted(0.49) }
    expect(empty: rig.take("state"))
    rig.pass(10) { _ in Self.tilted(0.49) }
    expect(rig.take("state").count, equals: 1)
  }

  @Test(arguments: [(1.0, 10), (5.0, 2), (0.2, 50)])
  static func `angles that change all the time are published at the pace`(interval: Double, count: Int) {
    var rig = PublisherRig.running("[values]\ninterval = \(interval)\n")
    rig.pass(10) { Self.tilted($0 * 10) }
    let states = rig.take("state")
    expect(states.count, isIn: count - 1...count + 1, "\(states.count) states")
    expect(all: zip(states, states.dropFirst())) { $1.seconds - $0.seconds >= interval - 1e-9 }
  }

  @Test static func `an angle is the mean of the last second`() throws {
    var rig = PublisherRig.running()
    var state = 1
    rig.pass(70) { _ in
      state = -state
      return Self.tilted(20, noise: Double(state) * 8)
    }
    let pitch = try require(rig.take("state").last?.object["pitch_deg"] as? Double)
    expect(abs(pitch - 20), isBelow: 0.1, "\(pitch)")
  }

  @Test static func `a new pose comes with the current angles, not with the mean from before`() throws {
    var rig = PublisherRig.running("[values]\ninterval = 60\n")
    rig.pass(1.5) { _ in Self.tilted(0) }
    rig.pass(0.2) { _ in Self.tilted(80) }
    _ = rig.take()
    rig.owner(OwnerLine.pose("portrait"))
    let pitch = try require(rig.take("state").last?.object["pitch_deg"] as? Double)
    expect(abs(pitch - 80), isBelow: 0.1, "\(pitch)")
  }

  @Test static func `a single tilt that is over within the window is not published`() {
    var rig = PublisherRig.running("[values]\nstep = 2\n")
    var count = 0
    rig.pass(20) { _ in
      count += 1
      return Self.tilted(count == 100 ? 15 : 0)
    }
    expect(empty: rig.take("state"))
  }

  @Test static func `undefined angles are null`() throws {
    var rig = PublisherRig.running()
    rig.pass(3) { _ in OwnerLine.sample(y: 1, z: 0) }
    var state = try require(rig.take("state").last)
    expect(state["roll_deg"], equals: "<null>")
    expect(state["angle_deg"], equals: "0")
    expect(state["pitch_deg"], equals: "90")
    rig.pass(3) { _ in OwnerLine.sample() }
    state = try require(rig.take("state").last)
    expect(state["angle_deg"], equals: "<null>")
    expect(state["roll_deg"], equals: "0")
    expect(state["inclination_deg"], equals: "0")
  }

  @Test static func `angles count from the owner's tare, and from a new one at once`() throws {
    var rig = PublisherRig.running("", OwnerLine.hello(tare: "[0.5,0,0.866025]"))
    rig.pass(3) { _ in OwnerLine.sample(x: 0.5, z: 0.866025) }
    var state = try require(rig.take("state").last)
    expect(state["roll_deg"], equals: "0")
    expect(state["pitch_deg"], equals: "0")
    expect(state["inclination_deg"], equals: "0")
    rig.owner(OwnerLine.hello(tare: "[0,0,1]"), OwnerLine.sample(x: 0.5, z: 0.866025))
    rig.pass(70) { _ in OwnerLine.sample(x: 0.5, z: 0.866025) }
    state = try require(rig.take("state").last)
    expect(state["roll_deg"], equals: "-30")
    expect(state["inclination_deg"], equals: "30")
    for nonsense in ["null", "[1]", "\"x\"", "[9,9,9]", "[0.5,0,null]"] {
      rig.owner(OwnerLine.hello(tare: "[0.5,0,0.866025]"), OwnerLine.sample(x: 0.5, z: 0.866025))
      rig.pass(70) { _ in OwnerLine.sample(x: 0.5, z: 0.866025) }
      rig.owner(OwnerLine.hello(tare: nonsense), OwnerLine.sample(x: 0.5, z: 0.866025))
      rig.pass(70) { _ in OwnerLine.sample(x: 0.5, z: 0.866025) }
      expect(rig.take("state").last?["roll_deg"], equals: "-30", "\(nonsense)")
    }
  }

  @Test static func `with fusion the angles are those of up, and there is a heading`() throws {
    var rig = PublisherRig.running(
      "[values]\nangles = pitch heading\n", OwnerLine.hello(sensor: "mpu6050", gyroscope: "2000"))
    rig.pass(3) { _ in OwnerLine.fused(up: (0, 0.5, 0.866025), heading: "179.5") }
    expect(rig.take("state").last?["heading_deg"], equals: "179.5")
    // Across the seam: the mean of 179 and -179 is 180, not 0.
    var sign = 1.0
    rig.pass(70) { _ in
      sign = -sign
      return OwnerLine.fused(up: (0, 0.5, 0.866025), heading: "\(sign * 179)")
    }
    let state = try require(rig.take("state").last)
    let heading = try require(state.object["heading_deg"] as? Double)
    expect(abs(abs(heading) - 180), isBelow: 0.3, "\(heading)")
    expect(state["pitch_deg"], equals: "30")
    rig.pass(3) { _ in OwnerLine.fused(up: (0, 0.5, 0.866025), heading: "null") }
    expect(rig.take("state").last?["heading_deg"], equals: "<null>")
  }

  @Test static func `only an owner with a gyroscope has a heading`() {
    var rig = PublisherRig.running("[values]\nangles = pitch heading\n")
    rig.owner(OwnerLine.pose("portrait"))
    let state = rig.take("state").last?.object ?? [:]
    expect(that: state.keys.contains("pitch_deg"))
    expect(that: !state.keys.contains("heading_deg"))
  }

  @Test(arguments: ["pitch", "roll", "inclination", "angle"])
  static func `only the chosen angles are published`(name: String) {
    var rig = PublisherRig.running("[values]\nangles = \(name)\n")
    rig.owner(OwnerLine.pose("portrait"))
    let keys = (rig.take("state").last?.object ?? [:]).keys.filter { $0.hasSuffix("_deg") }
    expect(Array(keys), equals: ["\(name)_deg"])
  }

  @Test(arguments: ["40000", "-40000", "1e300", "-1e300", "0", "1e-300", "\"1\"", "null", "32767.99", "-32768"])
  static func `impossible forces do no harm`(figure: String) {
    var rig = PublisherRig.running("[values]\ninterval = 0.1\n")
    for _ in 0..<50 {
      rig.pass(0.1)
      rig.owner("{\"event\":\"sample\",\"t\":1,\"x\":\(figure),\"y\":\(figure),\"z\":\(figure),\"up\":[\(figure),1,2]}")
    }
    expect(all: rig.take()) { !$0.object.isEmpty }
  }
}
