internal import BoardFile
internal import FixedPoint
internal import HAL
public import Text
internal import Sensors

extension Diagnosis {
  /// What is wrong, in one sentence.
  public func message(of problem: Problem) -> Message {
    var text = Message()
    switch problem {
    case .notRaspberryPi:
      text.append("this is no Raspberry Pi")
      if machine.count > 0 {
        text.append(" but ")
        text.append(machine)
      }
      text.append(": of its bus and pins only what Linux tells of any computer is known")
    case .unknownModel:
      text.append(machine)
      text.append(" is newer than this program: its header is taken to be like that of the others")
    case .i2cOff, .restartNeeded, .moduleMissing, .deviceMissing, .noBus, .notABus: appendBus(problem, to: &text)
    case .notMember, .loginNeeded, .noGroup, .wrongOwner: appendAccess(problem, to: &text)
    case .busTooSlow(let busHertz, let highestHertz): appendSpeed(busHertz, highestHertz, to: &text)
    case .addressHeld, .silent, .elsewhere, .busStuck, .busFault: appendAddress(problem, to: &text)
    case .unverifiedPart, .refusedPart, .unknownPart, .noIdentity: appendIdentity(problem, to: &text)
    default: appendLines(problem, to: &text)
    }
    return text
  }

  /// The bus's path.
  var busPath: ShortText<64> {
    if case .linux(let path) = board.bus { return path }
    return ShortText("/dev/i2c-1")
  }

  private func appendBus(_ problem: Problem, to text: inout Message) {
    switch problem {
    case .i2cOff: text.append("I2C is switched off, so that there is no ")
    case .restartNeeded:
      text.append("I2C is switched on in config.txt, but was not when the Pi started, so that there is no ")
    case .moduleMissing: text.append("the kernel's module i2c-dev is not loaded, so that there is no ")
    case .deviceMissing: text.append("bus and module are there, but udev has made no ")
    case .noBus: text.append("there is no ")
    default: text.append("not an I2C bus that can be used: ")
    }
    text.append(busPath)
  }

  private func appendAccess(_ problem: Problem, to text: inout Message) {
    let (devices, reason): (Problem.Devices, StaticString) =
      switch problem {
      case .notMember(let devices): (devices, "you are not in the group ")
      case .loginNeeded(let devices): (devices, "you are in it since after your last login: the group ")
      case .noGroup(let devices): (devices, "there is no group ")
      case .wrongOwner(let devices): (devices, "you are in it, but it does not belong to the group ")
      default: (.buses, "")
      }
    text.append("this program may not use ")
    if devices == .buses { text.append(busPath) } else { text.append("the GPIO chips") }
    text.append("; ")
    text.append(reason)
    text.append(devices.group)
  }

  private func appendSpeed(_ busHertz: UInt32, _ highestHertz: UInt32, to text: inout Message) {
    text.append("the bus runs at ")
    text.append(widened(busHertz), over: 1_000, places: 1)
    text.append(" kHz, which is enough for ")
    text.append(decimal: widened(highestHertz))
    text.append(" samples a second, not for the rate in the board file")
  }

  private func appendAddress(_ problem: Problem, to text: inout Message) {
    switch problem {
    case .addressHeld(let name):
      text.append("a driver of the kernel's has the address ")
      text.append(hex: board.sensor.address.rawValue)
      if name.count > 0 {
        text.append(": ")
        text.append(name)
      }
    case .silent:
      text.append("nobody answers at ")
      text.append(hex: board.sensor.address.rawValue)
      text.append(", nor where such sensors can be else")
    case .elsewhere(let place, let sensor):
      text.append("nobody answers at ")
      text.append(hex: board.sensor.address.rawValue)
      text.append(", but ")
      text.append(Self.name(of: sensor))
      text.append(" does at ")
      text.append(hex: place.rawValue)
    case .busStuck: text.append("the bus hangs: SDA or SCL is held low, by a wire or by a part on it")
    case .busFault(let fault): text = fault.message(at: board.sensor.address)
    default: break
    }
  }

  static func name(of sensor: Probe.Sensor) -> StaticString {
    switch sensor {
    case .adxl345: "an ADXL345"
    case .mpu6050(let part): part.name
    }
  }

  private func appendIdentity(_ problem: Problem, to text: inout Message) {
    text.append("the part at ")
    text.append(hex: board.sensor.address.rawValue)
    switch problem {
    case .unverifiedPart(let identity):
      text.append(" gives the identity ")
      text.append(hex: identity)
      text.append(", which copies have of which only hearsay is known")
    case .refusedPart(.adxl346): text.append(" is an ADXL346, which is for 2.75 V at most")
    case .refusedPart(.defectiveMPU6050(let identity)):
      text.append(" gives the identity ")
      text.append(hex: identity)
      text.append(", by which only defective MPU-6050 are known")
    case .unknownPart(let identity):
      text.append(" gives ")
      text.append(hex: identity)
      text.append(" where an ")
      text.append(board.sensor.model.properName)
      text.append(" has its identity: it is something else")
      // A real-time clock has seconds or minutes there: two decimal digits, up to 59.
      if board.sensor.address.rawValue == 0x68 && identity < 0x60 && identity & 0x0F < 0x0A {
        text.append(", perhaps a real-time clock (DS1307, DS3231)")
      }
    case .noIdentity(let reading):
      text.append(" reads ")
      text.append(hex: reading)
      text.append(" where a sensor has its identity: its supply or its wires are at fault")
    default: break
    }
  }
}
