// The emulated sensors for an emulated Pico, as a library that `part.py` loads: between START and STOP, byte by byte, in
// the time of the Pico. All times are in microseconds, all forces in 1/65536 g; a part is a number from 0.
internal import Emulation
internal import FixedPoint
internal import HAL

/// A part, its time, and the board that it is on.
private final class PicoPart {
  var now = Instant(microseconds: 0)
  /// By default not yet powered on: see `pico_part`.
  var sensor: EmulatedSensor?
}

/// A board that does not move.
private struct HeldStill: Motion {
  let force: Vector3
  var duration: Microseconds { .zero }
  func specificForce(at time: Microseconds) -> Vector3 { force }
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
  let motion = HeldStill(force: Vector3(x: .zero, y: .zero, z: Q16(whole: 1)))
  part.sensor = kind.target(specimen, motion: motion, seed: seed) { part.now } as? EmulatedSensor
  guard part.sensor != nil else { return -1 }
  unsafe parts.append(part)
  return unsafe Int32(parts.count - 1)
}

/// Holds the board so that this force acts along its axes from now on.
@c(pico_part_hold)
public func picoPartHold(_ part: Int32, _ now: Int64, _ x: Int32, _ y: Int32, _ z: Int32) {
  at(part, now, otherwise: ()) {
    $0.play(HeldStill(force: Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))))
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
