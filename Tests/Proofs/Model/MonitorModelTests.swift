import FixedPoint
import HAL
import Indication
import Monitor
import Orientation
import Sensors
import Testing

/// Every state of a monitor in its loop that is reachable by samples, faults and delays in any order.
@Suite(.serialized) struct MonitorModelTests {
  static let setups: [MonitorMachine.Setup] = {
    let (portrait, left, up) = (Place.centre(.portrait), Place.centre(.landscapeLeft), Place.centre(.faceUp))
    let strong = Place(turn: 0, inclination: 90, size: 1.6)
    let nothing = Place("nothing", .zero)
    let some: [SensorError] = [
      .bus(.noAcknowledge), .unexpectedIdentity(found: 0, expected: 0xE5), .configurationLost,
    ]
    let end = Place("end of the range", Vector3(x: Q16(whole: 2), y: .zero, z: .zero))
    let every: [SensorError] = [
      .bus(.noAcknowledge), .bus(.arbitrationLost), .bus(.timedOut), .bus(.shortRead(expected: 6, received: 2)),
      .bus(.unsupported), .bus(.notPermitted), .bus(.busy), .bus(.unavailable), .bus(.other(code: 5)),
      .unexpectedIdentity(found: 0, expected: 0xE5), .configurationLost, .resetTimedOut,
      .configurationRejected(register: 0x31, wrote: 0x0B, read: 0), .rateTooHigh(busHertz: 1, highestHertz: 1),
    ]
    var setups: [MonitorMachine.Setup] = [
      .init(name: "six LEDs", places: [portrait, left, up, strong, nothing], errors: some),
      .init(name: "one-hot code", places: [portrait, left, up, strong], errors: some, code: .oneHot),
      .init(name: "binary code", places: [portrait, left, up, strong], errors: some, code: .binary),
      .init(name: "every kind of fault", places: [portrait, left], errors: every, remembersCauses: false),
      .init(name: "given up after two attempts", places: [portrait, left], errors: some),
      .init(name: "samples at fault", places: [portrait, portrait.shifted, end, nothing], errors: [some[0]]),
      .init(name: "asleep until moved", places: [portrait, left], errors: some),
    ]
    setups[4].faults.restartLimit = 2
    setups[5].faults.implausibleLimit = 3
    setups[5].depth = 12
    setups[5].faults.weightlessLimit = .milliseconds(200)
    setups[6].sleep = Sleep(after: .milliseconds(300), darkens: true, checkPeriod: .seconds(1))
    setups[6].depth = 10
    return setups
  }()

  @Test(arguments: setups.indices)
  static func `from every state a monitor recovers, lines match the pose, and no pose lacks evidence`(
    _ number: Int
  ) throws {
    let setup = Self.setups[number]
    let search = Search(from: try MonitorMachine(setup), limit: setup.depth.map { modelDepth ?? $0 } ?? 1_000)
    search.report(setup.name)
    #expect(search.counterexample == nil)
    #expect(search.isComplete || setup.depth != nil)
    #expect(search.states > 4_000)
  }
}
