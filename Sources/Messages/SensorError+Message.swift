public import BoardFile
internal import FixedPoint
internal import HAL
public import Sensors

extension SensorError {
  /// What happened and what to look at, of `sensor`.
  public func message(of sensor: BoardDescription.Sensor) -> Message {
    var text = Message()
    let (place, name) = (sensor.address, sensor.model.properName)
    switch self {
    case .bus(let fault): return fault.message(at: place)
    case .unexpectedIdentity(let found, let expected):
      text.append("the part at ", place)
      text.append(" gives the identity ")
      text.append(hex: found)
      text.append(" where ")
      text.append(hex: expected)
      text.append(" (")
      text.append(name)
      text.append(") was expected: ")
      text.appendPart(known: found, by: sensor)
    case .configurationRejected(let register, let wrote, let read):
      text.append("register ")
      text.append(hex: register)
      text.append(" of the part at ", place)
      text.append(" reads ")
      text.append(hex: read)
      text.append(" after ")
      text.append(hex: wrote)
      text.append(" was written: is it an ")
      text.append(name)
      if sensor.model == .mpu6050 { text.append(" or a relative") }
      text.append(", and are its supply and wires sound?")
    case .rateTooHigh(let busHertz, let highestHertz): text.appendRateTooHigh(busHertz, highestHertz)
    default: text.appendState(self, of: sensor)
    }
    return text
  }
}

extension SensorNotice {
  /// What a user should know of `sensor`.
  public func message(of sensor: BoardDescription.Sensor) -> Message {
    var text = Message()
    switch self {
    case .compatiblePart(let identity):
      text.append("the part at ", sensor.address)
      text.append(" is no ")
      text.append(sensor.model.properName)
      text.append(" but ")
      text.append(MPU6050.Part(rawValue: identity)?.name ?? "another")
      text.append(" (identity ")
      text.append(hex: identity)
      text.append("); it is used like one")
    }
    return text
  }
}

extension ShortText {
  /// Adds what the sensor is found in that has nothing to do with figures.
  fileprivate mutating func appendState(_ error: SensorError, of sensor: BoardDescription.Sensor) {
    append(error == .resetTimedOut ? "the part at " : "the sensor at ", sensor.address)
    switch error {
    case .configurationLost:
      append(" has lost its configuration: its supply dipped, check power and ground wires")
    case .resetTimedOut: append(" does not come out of its reset: check its supply, or switch it off and on")
    case .weightless:
      append(" measures next to nothing: ")
      switch sensor.model {
      case .adxl345:
        append("an ADXL375, which counts 49 mg to the LSB and has the same identity, or a defective part")
      case .mpu6050: append("a defective part, or one of the copies that give nothing but zeros")
      }
    case .frozen: append(" gives the same sample again and again: it has stopped measuring")
    default: append(" stays at the end of its range: it is defective, or shaken beyond it")
    }
  }

  fileprivate mutating func appendRateTooHigh(_ busHertz: UInt32, _ highestHertz: UInt32) {
    // Sensors know no bus above 400 kHz.
    let isSlowBus = busHertz < 400_000
    append("the rate is too high for a bus of ")
    append(widened(busHertz), over: 1_000, places: 1)
    append(" kHz: choose ")
    if highestHertz > 0 {
      append("a rate of ")
      append(decimal: Int32(truncatingIfNeeded: highestHertz))
      append(" Hz or less")
      if isSlowBus { append(", or ") }
    }
    if isSlowBus { append("a faster bus (dtparam=i2c_arm_baudrate=400000 in config.txt, restart)") }
  }

  /// Adds which part is known by the identity `found`, where that of `sensor` was looked for.
  fileprivate mutating func appendPart(known found: UInt8, by sensor: BoardDescription.Sensor) {
    switch (sensor.model, found) {
    case (_, 0x00), (_, 0xFF): append("no part has that; check power, ground, SDA and SCL")
    case (.adxl345, 0xE6): append("that is an ADXL346, which must not be run at 3.3 V")
    case (.adxl345, 0xAD): append("that is a part of the ADXL355 or ADXL362 family, which has other registers")
    case (.mpu6050, ADXL345.identity): append("that is an ADXL345; in the board file write model = adxl345")
    case (.mpu6050, 0x69), (.mpu6050, 0x75): append("only defective parts are known by it")
    case (.mpu6050, 0x40...0x47): append("that is probably one of the ICM-426xx, which have other registers")
    default: appendFamily(found, by: sensor)
    }
  }

  private mutating func appendFamily(_ found: UInt8, by sensor: BoardDescription.Sensor) {
    guard let part = MPU6050.Part(rawValue: found) else {
      append("no such part is known by it")
      // A clock's first register is its seconds, two decimal digits.
      let readsLikeTime = found < 0x60 && found & 0x0F < 0x0A
      guard sensor.model == .mpu6050 && sensor.address == MPU6050.address && readsLikeTime else { return }
      return append("; is it a real-time clock (DS1307, DS3231)? Those are at this address too")
    }
    append("that is ")
    append(part.name)
    if sensor.model != .mpu6050 { return append("; in the board file write model = mpu6050") }
    append(
      part.admission == .onlyIfAsked
        ? ", used where the board file says unverified-parts = yes" : ", which cannot do what is asked of it")
  }
}
