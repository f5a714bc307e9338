import ArgumentParser
package import BoardFile
package import Emulation
package import FixedPoint
import HAL
import Orientation
import Sensors
import ToolOutput

/// How a board behaves, and what goes wrong with it, if its bus is emulated.
package struct EmulatedBoard {
  package var motion: NamedMotion
  /// Whether the motion repeats.
  package var repeats = false
  /// The seed of noise and errors; nil for the board's seed, or 1 if it has none.
  package var seed: UInt64?
  /// Whether time passes as fast as possible.
  package var isFast = false
  package var faults = FaultPlan.none
  package var defect: SensorDefect?
  /// The interrupt pin of its sensor.
  let wire = EmulatedWire()

  package init(
    motion: NamedMotion, repeats: Bool = false, seed: UInt64? = nil, isFast: Bool = false, faults: FaultPlan = .none,
    defect: SensorDefect? = nil
  ) {
    (self.motion, self.repeats, self.seed, self.isFast) = (motion, repeats, seed, isFast)
    (self.faults, self.defect) = (faults, defect)
  }

  /// The length of the motion if `board` is emulated; nil, for no end, if it is not.
  package func duration(on board: BoardDescription) -> Microseconds? {
    board.bus == .emulated ? motion.motion.duration : nil
  }

  /// A bus with the sensor of `board` on it, with the errors and mounting of `emulation` in the board file.
  package func bus(of board: BoardDescription, now: @escaping () -> Instant) -> EmulatedBus {
    let (sensor, emulation) = (board.sensor, board.emulation)
    let seed = seed ?? emulation.seed ?? 1
    let once = motion.motion(seed: seed)
    let played: any Motion = repeats ? RepeatedMotion(once) : once
    let felt = MountedMotion(played, on: emulation.mounting ?? sensor.mounting)
    var specimen = Specimen()
    specimen.errors = SpecimenErrors(
      seed: seed, offset: emulation.offsetError, sensitivity: emulation.scaleError)
    (specimen.gyroscopeErrors, specimen.selfHeating) = (.usual, Q16(whole: 5))
    specimen.defect = defect
    // A test ensures that there is a part for each model.
    let target = EmulatedPart(rawValue: "\(sensor.model.name)")?.target(specimen, motion: felt, seed: seed, now: now)
    wire.target = target
    // A log that counts but stores nothing, so that a long run does not grow.
    var bus = EmulatedBus(plan: faults, log: BusLog(capacity: 0), now: now)
    if let target { bus.attach(target, at: sensor.address) }
    bus.readsPerTransaction = 21
    return bus
  }
}

/// Connects the interrupt pin of an emulated sensor to a clock.
final class EmulatedWire {
  /// The sensor; nil before it is created.
  var target: (any EmulatedTarget)?

  var isHigh: Bool { target?.isInterruptHigh ?? false }
}

extension FaultPlan {
  /// While the board tumbles, its sensor does not answer during this span, in the middle of a pose.
  package static func usual(during motion: NamedMotion) -> FaultPlan {
    guard motion == .tumble else { return .none }
    return [FaultPlan.Rule(.noAcknowledge, .during(.milliseconds(5_500)..<Microseconds.milliseconds(5_900)))]
  }
}

/// A motion of the board as felt by a sensor with its own mounting.
private struct MountedMotion: Motion {
  private let motion: any Motion
  private let mounting: Mounting

  init(_ motion: any Motion, on mounting: Mounting) {
    self.motion = motion
    self.mounting = mounting
  }

  var duration: Microseconds { motion.duration }

  func specificForce(at time: Microseconds) -> Vector3 { mounting.undone(on: motion.specificForce(at: time)) }
  func rotationRate(at time: Microseconds) -> Vector3 { mounting.undone(on: motion.rotationRate(at: time)) }
  func up(at time: Microseconds) -> Vector3 { mounting.undone(on: motion.up(at: time)) }
}

/// A motion that repeats, with a short turn from its end to its beginning.
private struct RepeatedMotion: Motion {
  private let motion: any Motion

  init(_ motion: any Motion) { self.motion = motion }

  /// Practically endless: a century.
  var duration: Microseconds { .seconds(3_155_760_000) }

  private static let turn = Microseconds.milliseconds(500)

  func specificForce(at time: Microseconds) -> Vector3 {
    switch phase(at: time) {
    case .playing(let phase): return motion.specificForce(at: phase)
    case .turning(let phase):
      let part = phase.count * 256 / Self.turn.count
      let (end, begin) = (motion.specificForce(at: motion.duration), motion.specificForce(at: .zero))
      func between(_ a: Q16, _ b: Q16) -> Int64 { (Int64(a.raw) * (256 - part) + Int64(b.raw) * part) / 256 }
      let chord = (between(end.x, begin.x), between(end.y, begin.y), between(end.z, begin.z))
      // On the sphere, not through it.
      let length = Double(chord.0 * chord.0 + chord.1 * chord.1 + chord.2 * chord.2).squareRoot()
      guard length > 6_554 else { return end }
      func scaled(_ value: Int64) -> Q16 { Q16(raw: Int32((Double(value) / length * 65_536).rounded())) }
      return Vector3(x: scaled(chord.0), y: scaled(chord.1), z: scaled(chord.2))
    }
  }

  func rotationRate(at time: Microseconds) -> Vector3 {
    switch phase(at: time) {
    case .playing(let phase): return motion.rotationRate(at: phase)
    case .turning(let phase):
      // About the axis perpendicular to both ends, as fast as the chord turns: |begin × end| / |chord|² of its
      // parameter.
      func wide(_ force: Vector3) -> SIMD3<Double> {
        SIMD3(Double(force.x.raw), Double(force.y.raw), Double(force.z.raw)) / 65_536
      }
      let (end, begin) = (wide(motion.specificForce(at: motion.duration)), wide(motion.specificForce(at: .zero)))
      let part = Double(phase.count) / Double(Self.turn.count)
      let chord = end + part * (begin - end)
      let square = chord.x * chord.x + chord.y * chord.y + chord.z * chord.z
      guard square > 0.01 else { return .zero }
      let axis = SIMD3(
        begin.y * end.z - begin.z * end.y, begin.z * end.x - begin.x * end.z, begin.x * end.y - begin.y * end.x)
      let rate = axis / square * (180 / Double.pi * 1_000_000 / Double(Self.turn.count))
      func rounded(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }
      return Vector3(x: rounded(rate.x), y: rounded(rate.y), z: rounded(rate.z))
    }
  }

  func up(at time: Microseconds) -> Vector3 {
    switch phase(at: time) {
    case .playing(let phase): motion.up(at: phase)
    case .turning: specificForce(at: time)
    }
  }

  private enum Phase {
    /// This long after its beginning.
    case playing(Microseconds)
    /// This long after its end.
    case turning(Microseconds)
  }

  private func phase(at time: Microseconds) -> Phase {
    guard motion.duration > .zero && time > .zero else { return .playing(time) }
    let phase = Microseconds(time.count % (motion.duration + Self.turn).count)
    return phase < motion.duration ? .playing(phase) : .turning(phase - motion.duration)
  }
}

// The defects of an emulated sensor, for a command line.
extension SensorDefect {
  package static var names: [String] { allCases.map(\.rawValue) }

  /// The defect called `name`.
  package static func named(_ name: String) throws -> SensorDefect {
    try Misspelling.value(name, "defect", of: allCases, by: \.rawValue)
  }
}
