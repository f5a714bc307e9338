package import Emulation
package import FixedPoint
package import HAL

/// The sensors on an emulated bus and what they measure, parsed from text.
///
///     adxl345@0x53=0.1,-0.2,0.95; mpu6050@0x68=0,0,1 turn=10,-20,30 temperature=31.5
///
/// Semicolons separate the sensors. Each has a part, an address, and the specific force in g along its axes; a part
/// with a gyroscope also has the rate of turn in degrees a second (default 0) and the temperature in °C (default 25).
/// With `noise=no` the sensor measures exactly that; otherwise it has the noise of its data sheet. An empty text is a
/// bus without sensors.
package struct BusDescription: Equatable, Sendable {
  /// One sensor.
  package struct Sensor: Equatable, Sendable {
    /// Its part.
    package var part: EmulatedPart
    /// Its address.
    package var address: I2CAddress
    /// The specific force in g.
    package var force: Vector3
    /// The rate of turn in degrees a second; ignored without a gyroscope.
    package var turn = Vector3.zero
    /// The temperature in °C; ignored without a gyroscope.
    package var temperature = Q16(whole: 25)
    /// Whether it has noise.
    package var isNoisy = true
  }

  /// The sensors, in the order of the text.
  package private(set) var sensors: [Sensor] = []

  /// The bus described by `text`.
  package init(_ text: String) throws(BridgeError) {
    for part in text.split(separator: ";") where !part.allSatisfy(\.isWhitespace) {
      let sensor = try Self.sensor(part)
      guard !sensors.contains(where: { $0.address == sensor.address }) else {
        throw BridgeError(part, "has the address of another sensor")
      }
      sensors.append(sensor)
    }
  }

  private static func sensor(_ text: Substring) throws(BridgeError) -> Sensor {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let first = words.first, let (place, force) = halves(of: first, at: "="),
      let (name, address) = halves(of: place, at: "@")
    else { throw BridgeError(text, "is not PART@ADDRESS=X,Y,Z") }
    guard let part = EmulatedPart(rawValue: name.lowercased()) else {
      let known = EmulatedPart.allCases.map(\.rawValue).joined(separator: ", ")
      throw BridgeError(name, "is not a part that can be emulated; the parts are \(known)")
    }
    guard address.lowercased().hasPrefix("0x"), let number = UInt8(address.dropFirst(2), radix: 16),
      let target = I2CAddress(number)
    else { throw BridgeError(address, "is not an address from 0x08 to 0x77") }
    var sensor = Sensor(part: part, address: target, force: try vector(force))
    for word in words.dropFirst() { try set(word, of: &sensor) }
    return sensor
  }

  private static func set(_ word: Substring, of sensor: inout Sensor) throws(BridgeError) {
    switch halves(of: word, at: "=") {
    case ("turn", let value)? where sensor.part.hasGyroscope: sensor.turn = try vector(value)
    case ("temperature", let value)? where sensor.part.hasGyroscope: sensor.temperature = try number(value)
    case ("noise", "yes")?: sensor.isNoisy = true
    case ("noise", "no")?: sensor.isNoisy = false
    default: throw BridgeError(word, "cannot be set for the \(sensor.part.rawValue)")
    }
  }

  private static func vector(_ text: Substring) throws(BridgeError) -> Vector3 {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw BridgeError(text, "is not three numbers X,Y,Z") }
    return Vector3(x: try number(parts[0]), y: try number(parts[1]), z: try number(parts[2]))
  }

  /// A decimal number, rounded to the nearest Q16.16.
  private static func number(_ text: Substring) throws(BridgeError) -> Q16 {
    guard let value = Double(text), abs(value) < 32_767 else {
      throw BridgeError(text, "is not a number between -32767 and 32767")
    }
    return Q16(raw: Int32((value * 65_536).rounded()))
  }

  private static func halves(of text: Substring, at mark: Character) -> (Substring, Substring)? {
    guard let index = text.firstIndex(of: mark) else { return nil }
    return (text[..<index], text[text.index(after: index)...])
  }
}

/// The time of the emulated sensors; it does not advance during a transaction.
final class BusClock {
  var now: Instant
  init(_ now: Instant) { self.now = now }
}

/// A board that does not move.
private struct Still: Motion {
  let force: Vector3
  var duration: Microseconds { .zero }
  func specificForce(at time: Microseconds) -> Vector3 { force }
}

extension BusDescription.Sensor {
  /// The sensor, switched on now: a specimen without errors. It also has no noise if its readings are to be compared
  /// with the values that were set; no real sensor is that quiet, so programs consider such a sensor broken.
  func emulated(_ clock: BusClock) -> any EmulatedTarget {
    var specimen = Specimen()
    (specimen.isNoisy, specimen.turn, specimen.temperature) = (isNoisy, turn, temperature)
    return part.target(specimen, motion: Still(force: force)) { clock.now }
  }
}
