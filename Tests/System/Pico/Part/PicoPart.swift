// The emulated sensors for an emulated Pico, as a library that `part.py` loads: between START and STOP, byte by byte, in
// the time of the Pico. All times are in microseconds, all forces in 1/65536 g; a part is a number from 0.
internal import Emulation
internal import FixedPoint
internal import Glibc
internal import HAL

/// A part, its time, and the board that it is on.
private final class PicoPart {
  var now = Instant(microseconds: 0)
  /// By default not yet powered on: see `pico_part`.
  var sensor: EmulatedSensor?
  /// The force that acts along its axes in the end.
  var force = Vector3(x: .zero, y: .zero, z: Q16(whole: 1))
}

/// A board that turns so that up goes the shortest way from one direction to another, at a uniform rate, and is held
/// there; between opposite directions, half-way between two axes.
private struct TurnedOnce: Motion {
  let start: SIMD3<Double>
  let side: SIMD3<Double>
  let axis: SIMD3<Double>
  let angle: Double
  let length: Double
  let duration: Microseconds

  init(from start: Vector3, to end: Vector3, in duration: Microseconds) {
    self.duration = duration
    length = Self.length(Self.wide(end))
    self.start = Self.wide(start) / max(Self.length(Self.wide(start)), 1e-9)
    let target = Self.wide(end) / max(length, 1e-9)
    var axis = Self.cross(self.start, target)
    let (sine, cosine) = (Self.length(axis), (self.start * target).sum())
    if sine < 1e-6 { axis = Self.cross(self.start, SIMD3(self.start.y, self.start.z, self.start.x) + SIMD3(0.1, 0, 0)) }
    self.axis = axis / max(Self.length(axis), 1e-9)
    angle = atan2(sine, cosine)
    side = Self.cross(self.axis, self.start)
  }

  private static func wide(_ vector: Vector3) -> SIMD3<Double> {
    SIMD3(Double(vector.x.raw), Double(vector.y.raw), Double(vector.z.raw)) / 65_536
  }
  private static func length(_ vector: SIMD3<Double>) -> Double { (vector * vector).sum().squareRoot() }
  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
  private static func narrow(_ vector: SIMD3<Double>) -> Vector3 {
    func rounded(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }
    return Vector3(x: rounded(vector.x), y: rounded(vector.y), z: rounded(vector.z))
  }

  func specificForce(at time: Microseconds) -> Vector3 {
    let share = duration > .zero ? min(1, max(0, Double(time.count) / Double(duration.count))) : 1
    return Self.narrow((start * cos(share * angle) + side * sin(share * angle)) * length)
  }

  func rotationRate(at time: Microseconds) -> Vector3 {
    guard time >= .zero, time < duration else { return .zero }
    return Self.narrow(axis * (-angle * 180 / .pi * 1_000_000 / Double(duration.count)))
  }
}

nonisolated(unsafe) private var parts: [PicoPart] = []

private func at<Value>(_ part: Int32, _ now: Int64, otherwise: Value, _ body: (EmulatedSensor) -> Value) -> Value {
  let index = Int(part)
  guard unsafe parts.indices.contains(index), let sensor = unsafe parts[index].sensor else { return otherwise }
  unsafe parts[index].now = Instant(microseconds: now)
  return body(sensor)
}

/// Powers on a part of that name of ``EmulatedPart``, on a board held face up; returns its number, or -1 if there is
/// no such part.
@c(pico_part)
public func picoPart(_ name: UnsafePointer<CChar>, _ now: Int64, _ seed: UInt64, _ isNoisy: Bool) -> Int32 {
  guard let kind = unsafe EmulatedPart(rawValue: String(cString: name)) else { return -1 }
  let part = PicoPart()
  part.now = Instant(microseconds: now)
  var specimen = Specimen()
  specimen.isNoisy = isNoisy
  let motion = TurnedOnce(from: part.force, to: part.force, in: .zero)
  part.sensor = kind.target(specimen, motion: motion, seed: seed) { part.now } as? EmulatedSensor
  guard part.sensor != nil else { return -1 }
  unsafe parts.append(part)
  return unsafe Int32(parts.count - 1)
}

/// Turns the board within this time so that this force then acts along its axes.
@c(pico_part_hold)
public func picoPartHold(_ part: Int32, _ now: Int64, _ x: Int32, _ y: Int32, _ z: Int32, _ time: Int64) {
  at(part, now, otherwise: ()) {
    let force = Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))
    let before = unsafe parts[Int(part)].force
    $0.play(TurnedOnce(from: before, to: force, in: Microseconds(time)))
    unsafe parts[Int(part)].force = force
  }
}

/// The identity that it has from now on; -1 is its own.
@c(pico_part_identity)
public func picoPartIdentity(_ part: Int32, _ now: Int64, _ identity: Int32) {
  at(part, now, otherwise: ()) { $0.prepare(under: TargetConditions(identity: UInt8(exactly: identity))) }
}

/// Loses its supply and regains it.
@c(pico_part_power_cycle)
public func picoPartPowerCycle(_ part: Int32, _ now: Int64) { at(part, now, otherwise: ()) { $0.powerCycle() } }

/// Takes the bytes of a write that ends now.
@c(pico_part_write)
public func picoPartWrite(_ part: Int32, _ now: Int64, _ bytes: UnsafePointer<UInt8>, _ count: Int32) {
  let bytes = unsafe UnsafeBufferPointer(start: bytes, count: Int(count))
  at(part, now, otherwise: ()) { unsafe $0.receive(bytes.span) }
}

/// The next byte of a read.
@c(pico_part_read)
public func picoPartRead(_ part: Int32, _ now: Int64) -> UInt8 { at(part, now, otherwise: 0xFF) { $0.transmitByte() } }

/// Ends a read.
@c(pico_part_end_read)
public func picoPartEndRead(_ part: Int32, _ now: Int64) { at(part, now, otherwise: ()) { $0.endRead() } }

/// Whether its interrupt pin is high.
@c(pico_part_pin)
public func picoPartPin(_ part: Int32, _ now: Int64) -> Bool { at(part, now, otherwise: false) { $0.isInterruptHigh } }

/// The number of samples that it has taken.
@c(pico_part_samples)
public func picoPartSamples(_ part: Int32, _ now: Int64) -> UInt64 {
  at(part, now, otherwise: 0) { sensor in
    _ = sensor.isInterruptHigh
    return sensor.sampleCount
  }
}
