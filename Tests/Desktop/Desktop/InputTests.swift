import CDesktop
import Desktop
import FixedPoint
import Foundation
import Gestures
import Monitor
import Orientation
import Sensors
import Service
import TestSupport
import Testing
import Text

/// What an owner says of a board held in one attitude, without a stream.
private struct Owner {
  var force = vector(-1, 0, 0)
  var rotation: Vector3?
  var pose: Pose? = .landscapeRight
  var steering = BinaryAngle.zero
  var isStill: Bool?
  var tare = Tare.none
  var silence: UnknownReason?
  var now = Instant(microseconds: 1_000_000)

  /// The board in its own plane, at `degrees` to the right of straight landscape, its face up by `back`.
  mutating func hold(_ degrees: Double, back: Double = 0) {
    let (turn, lean) = (degrees * .pi / 180, back * .pi / 180)
    force = vector(-cos(turn) * cos(lean), -sin(turn) * cos(lean), sin(lean))
    steering = BinaryAngle(degrees: Q16(raw: Int32(degrees * 65_536)))
  }

  func snapshot() -> Snapshot {
    var snapshot = Snapshot.unknown
    if let pose { snapshot.take(Occurrence(at: now, .pose(from: nil, to: pose, force: nil))) }
    (snapshot.steering, snapshot.tare, snapshot.isStill) = (steering, tare, isStill)
    if let silence { snapshot.take(Occurrence(at: now, .trouble(silence, cause: nil))) }
    return snapshot
  }

  func sample() -> Observation {
    var seen = Observation(snapshot())
    seen.reading = Reading(
      instant: now, force: force, rotation: rotation, gravity: force, isFused: false, steering: nil,
      state: seen.snapshot.state)
    return seen
  }

  func event(_ event: Event) -> Observation {
    var seen = Observation(snapshot())
    seen.add(Occurrence(at: now, event))
    return seen
  }
}

private func vector(_ x: Double, _ y: Double, _ z: Double) -> Vector3 {
  Vector3(
    x: Q16(raw: Int32((x * 65_536).rounded())), y: Q16(raw: Int32((y * 65_536).rounded())),
    z: Q16(raw: Int32((z * 65_536).rounded())))
}

/// ABS_X and the codes after it: Y, Z, RX, RY, RZ.
private func axis(_ index: Int) -> Int { CDESKTOP_ABS_X + index }

/// An event.
private struct Sent: Equatable, CustomStringConvertible {
  var code: Int
  var value: Int32

  init(_ code: Int, _ value: Int32) { (self.code, self.value) = (code, value) }

  var description: String { "(\(code), \(value))" }
}

extension InputReport {
  fileprivate var sent: [Sent] {
    (0..<count).map { Sent(Int(events[$0].about), events[$0].value) }
  }
}

/// A device without the kernel.
private struct Device<Logic: InputLogic> {
  var logic: Logic
  private(set) var report = InputReport()

  init(_ logic: Logic) { self.logic = logic }

  mutating func taking(_ seen: Observation, at now: Instant) -> [Sent] {
    report.clear()
    logic.take(seen, at: now, &report)
    if seen.snapshot.silence != nil { report.rest() }
    return report.sent
  }

  mutating func turning(at now: Instant) -> [Sent] {
    report.clear()
    report.turn(at: now)
    return report.sent
  }

  mutating func resting() -> [Sent] {
    var nothing = Snapshot.unknown
    nothing.state = .unknown(.stale)
    return taking(Observation(nothing), at: Instant(microseconds: 0))
  }
}

struct SteeringWheelTests {
  private var wheel = Device(SteeringWheel(range: 90, hasButtons: true))
  private var owner = Owner()

  private mutating func send() -> [Sent] {
    owner.now = owner.now + .milliseconds(20)
    return wheel.taking(owner.sample(), at: owner.now)
  }

  @Test(arguments: [(90, 90.0, 32_767), (90, -45, -16_383), (45, 45, 32_767), (45, -90, -32_767), (30, 15, 16_383)])
  mutating func `full lock is at the range, and a turn to the right is positive`(range: Int, angle: Double, x: Int)
    throws
  {
    wheel = Device(SteeringWheel(range: Int32(range), hasButtons: true))
    owner.hold(angle)
    let sent = send()
    #expect(sent.count == 1 && sent[0].code == axis(0) && abs(sent[0].value - Int32(x)) <= 1, "\(sent)")
  }

  @Test mutating func `with the left edge down a turn to the right is positive too`() {
    (owner.pose, owner.force) = (.landscapeLeft, vector(1, 0, 0))
    owner.steering = BinaryAngle(degrees: 45)
    expect(send(), equals: [Sent(axis(0), -16_383)])
    // Past a quarter turn it is no landscape; the lock stays on its side.
    (owner.pose, owner.force) = (.portrait, vector(0, 1, 0))
    owner.steering = BinaryAngle(degrees: 90)
    expect(send(), equals: [Sent(axis(0), -32_767)])
  }

  @Test mutating func `a wheel that was straight in another attitude has its direction`() throws {
    owner.tare = try Tare(vector(1, 0, 0))
    (owner.pose, owner.force) = (.landscapeRight, vector(1, 0, 0))
    owner.steering = BinaryAngle(degrees: 45)
    expect(send(), equals: [Sent(axis(0), -16_383)])
    owner.tare = try Tare(vector(0, 1, 0))
    owner.pose = .portrait
    expect(send().first, equals: Sent(axis(0), 16_383))
  }

  @Test mutating func `leaning back is negative on Y, whatever the steering, and relative to the tare`() throws {
    owner.hold(0, back: 45)
    var sent = send()
    #expect(sent.count == 1 && sent[0].code == axis(1) && abs(sent[0].value + 16_383) <= 1, "\(sent)")
    owner.hold(60, back: 45)
    expect(send().map(\.code), equals: [axis(0)])
    owner.tare = try Tare(vector(-1, 0, 1))
    owner.hold(60, back: 30)
    sent = send()
    #expect(sent.count == 1 && abs(sent[0].value - 5_461) <= 2, "\(sent)")
  }

  @Test mutating func `only changes are sent, and none of a still board's noise`() {
    owner.hold(10, back: 20)
    expect(send().count, equals: 2)
    expect(send(), equals: [])
    owner.hold(10.05, back: 20.05)
    expect(send(), equals: [])
    owner.hold(10.2, back: 20.2)
    expect(send().count, equals: 2)
    owner.isStill = true
    for offset in [-0.5, 0.5, 0.9, -0.9] {
      owner.hold(10.2 + offset, back: 20.2 - offset)
      expect(send(), equals: [])
    }
    owner.hold(12, back: 20.2)
    expect(send().map(\.code), equals: [axis(0)])
  }

  @Test mutating func `a tap presses the first button, a double tap the second, long enough for a game`() {
    let press = Microseconds.milliseconds(50)
    expect(wheel.taking(owner.event(.tap(Tap(.z, sign: 1))), at: owner.now), equals: [Sent(CDESKTOP_BTN_TRIGGER, 1)])
    expect(wheel.report.due, equals: owner.now + press)
    expect(wheel.turning(at: owner.now + .milliseconds(49)), equals: [])
    expect(wheel.turning(at: owner.now + press), equals: [Sent(CDESKTOP_BTN_TRIGGER, 0)])
    expect(wheel.report.due, equals: nil)
    expect(wheel.turning(at: owner.now + .seconds(1)), equals: [])
    _ = wheel.taking(owner.event(.tap(Tap(.z, sign: 1))), at: owner.now)
    let released = [Sent(CDESKTOP_BTN_TRIGGER, 0), Sent(CDESKTOP_BTN_THUMB, 1)]
    expect(wheel.taking(owner.event(.doubleTap(Tap(.z, sign: 1))), at: owner.now), equals: released)
    expect(wheel.resting(), equals: [Sent(CDESKTOP_BTN_THUMB, 0)])
  }

  @Test mutating func `without buttons a tap does nothing`() {
    wheel = Device(SteeringWheel(range: 90, hasButtons: false))
    expect(wheel.taking(owner.event(.tap(Tap(.z, sign: 1))), at: owner.now), equals: [])
    expect(wheel.report.due, equals: nil)
  }

  @Test(arguments: [false, true])
  mutating func `without an owner, or a sensor, it is centred`(isSensorGone: Bool) {
    owner.hold(30, back: 30)
    _ = send()
    owner.silence = .fault
    let centred = [Sent(axis(0), 0), Sent(axis(1), 0)]
    expect(
      (isSensorGone ? wheel.taking(Observation(owner.snapshot()), at: owner.now) : wheel.resting()), equals: centred)
    expect(wheel.resting(), equals: [])
  }
}

struct TiltWheelTests {
  private var wheel = Device(TiltWheel(speed: 10))
  private var owner = Owner()

  init() { owner.pose = .portrait }

  /// The sums of fine and coarse steps in a second, up and to the right, at a tilt that leaves rest by `y` and `x`.
  private mutating func second(y: Double = 0, x: Double = 0) -> [Int: Int32] {
    owner.force = vector(-x, 0.8, (1 - y) / 2)
    var sums: [Int: Int32] = [:]
    for _ in 0..<50 {
      owner.now = owner.now + .milliseconds(20)
      for event in wheel.taking(owner.sample(), at: owner.now) {
        expect(event.value, isNot: 0)
        sums[event.code, default: 0] += event.value
      }
    }
    return sums
  }

  @Test(arguments: [(1.0, 1_200), (-1, -1_200), (0.6, 600), (2, 1_200), (-0.25, -75)])
  mutating func `speed grows with the tilt, in units of 120 to the detent`(tilt: Double, units: Int) {
    _ = second(y: tilt)
    let sums = second(y: tilt)
    let fine = sums[CDESKTOP_REL_WHEEL_HI_RES] ?? 0
    expect(abs(fine - Int32(units)), isAtMost: 2, "\(fine)")
    #expect(abs((sums[CDESKTOP_REL_WHEEL] ?? 0) * 120 - fine) <= 120 && sums[CDESKTOP_REL_HWHEEL_HI_RES] == nil)
  }

  @Test mutating func `the lower edge scrolls sideways: to the right if the right edge is down`() {
    _ = second(x: 1)
    expect(abs((second(x: 1)[CDESKTOP_REL_HWHEEL_HI_RES] ?? 0) - 1_200), isAtMost: 2)
    expect(second(x: -1)[CDESKTOP_REL_HWHEEL] ?? 0, isIn: -10 ... -9)
  }

  @Test mutating func `each detent comes with the 120th unit`() {
    owner.force = vector(0, 0.8, 0)
    var (fine, coarse): (Int32, Int32) = (0, 0)
    for _ in 0..<200 {
      owner.now = owner.now + .milliseconds(20)
      for event in wheel.taking(owner.sample(), at: owner.now) {
        if event.code == CDESKTOP_REL_WHEEL { coarse += event.value } else { fine += event.value }
      }
      expect(coarse, equals: fine / 120)
    }
    #expect(coarse == 39 || coarse == 40)
  }

  @Test mutating func `nothing turns near rest, still, flat, of unknown pose or after a pause`() throws {
    expect(empty: second(y: 0.19, x: -0.19))
    owner.isStill = true
    expect(empty: second(y: 1))
    (owner.isStill, owner.pose) = (false, .faceUp)
    expect(empty: second(y: -1))
    owner.pose = nil
    expect(empty: second(y: 1))
    owner.pose = .portrait
    _ = second(y: 1)
    owner.now = owner.now + .milliseconds(251)
    expect(wheel.taking(owner.sample(), at: owner.now), equals: [])
    expect(wheel.resting(), equals: [])
  }

  @Test mutating func `the attitude of a tare is its rest`() throws {
    (owner.tare, owner.pose) = (try Tare(vector(0, 0, 1)), .faceUp)
    owner.force = vector(0, 0, 1)
    owner.now = owner.now + .milliseconds(20)
    _ = wheel.taking(owner.sample(), at: owner.now)
    owner.now = owner.now + .milliseconds(20)
    expect(wheel.taking(owner.sample(), at: owner.now), equals: [])
    owner.force = vector(0, 0.5, 0.866)
    owner.now = owner.now + .milliseconds(20)
    expect(wheel.taking(owner.sample(), at: owner.now).first?.value ?? 0, isAbove: 0)
  }
}

struct MotionAxesTests {
  private var motion = Device(MotionAxes())
  private var owner = Owner()

  private mutating func send() -> [Sent] {
    owner.now = owner.now + .milliseconds(10)
    return motion.taking(owner.sample(), at: owner.now)
  }

  @Test mutating func `force is in 2048ths of a g, as SDL has its sign`() {
    owner.force = vector(-0.5, 1, 0.25)
    expect(motion.logic.kind, equals: CDESKTOP_INPUT_NONE)
    let stamp = Sent(CDESKTOP_MSC_TIMESTAMP, 1_010_000)
    expect(send(), equals: [Sent(axis(0), -1_024), Sent(axis(1), 2_048), Sent(axis(2), 512), stamp])
    expect(motion.logic.kind, equals: CDESKTOP_INPUT_FORCE)
    expect(send(), equals: [])
    owner.force = vector(-20, 20, 0.25)
    expect(send().map(\.value).prefix(2), equals: [-32_767, 32_767])
  }

  @Test mutating func `rates are in 16ths of a degree a second, and a still board does not turn`() {
    (owner.force, owner.rotation) = (.zero, vector(1, -2_000, 0.5))
    let sent = send()
    expect(motion.logic.kind, equals: CDESKTOP_INPUT_MOTION)
    expect(sent.dropLast(), equals: [Sent(axis(3), 16), Sent(axis(4), -32_000), Sent(axis(5), 8)])
    (owner.isStill, owner.rotation) = (true, vector(0.3, 0.2, 0.1))
    expect(send().dropLast().map(\.value), equals: [0, 0, 0])
    owner.force = vector(0.03, -0.03, 0.03)
    expect(send(), equals: [])
    owner.force = vector(0.05, 0, 0)
    expect(send().map(\.code), equals: [axis(0), CDESKTOP_MSC_TIMESTAMP])
  }

  @Test mutating func `without an owner nothing is known`() {
    (owner.force, owner.rotation) = (vector(0, 1, 0), vector(0, 0, 90))
    _ = send()
    expect(motion.resting(), equals: [Sent(axis(1), 0), Sent(axis(5), 0)])
  }
}

struct InputErrorTests {
  @Test(arguments: [
    (2, 69, "modprobe uinput"), (19, 69, "/etc/modules-load.d"), (13, 77, "udevadm trigger"), (1, 77, "root"),
    (16, 69, "busy"),
  ])
  static func `each error says what to do`(code: Int, exit: Int, words: String) {
    let error = inputError(Int32(code))
    expect(error.code.rawValue, equals: Int32(exit))
    expect(that: !error.message.isCut)
    expect("\(error.message)".lowercased(), contains: words, "\(error.message)")
    expect(error.message.count, isBelow: 256)
  }

  @Test static func `a report takes eight events`() {
    var report = InputReport()
    for value in 0..<9 as Range<Int32> { report.add(0, value) }
    expect(report.sent.map(\.value), equals: Array(0..<8))
  }

  @Test static func `what is no uinput is refused`() {
    unsafe expect(cdesktop_input_create("/nowhere/uinput", CDESKTOP_INPUT_WHEEL), equals: -2)
    unsafe expect(cdesktop_input_create("/dev/null", CDESKTOP_INPUT_WHEEL), equals: -25)
    let null = unsafe cdesktop_input_create("/dev/null", CDESKTOP_INPUT_NONE)
    expect(null, isAtLeast: 0)
    close(null)
  }
}
