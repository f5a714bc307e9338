internal import BoardFile
internal import FixedPoint
internal import HAL
internal import LinuxHAL
internal import Sensors
public import Text

// What is wrong.
extension Diagnosis {
  /// What was found, in one sentence.
  public func message(of finding: Finding) -> Message {
    var text = Message()
    switch finding {
    case .notRaspberryPi:
      text.append("this is ")
      if machine.count > 0 {
        text.append(machine)
        text.append(", ")
      }
      text.append("not a Raspberry Pi: only what Linux reports on any computer is known of its bus and pins")
    case .unknownModel:
      text.append(machine)
      text.append(" is newer than this program, which assumes the header of the other models")
    case .i2cOff, .restartNeeded, .moduleMissing, .deviceMissing, .noBus, .notABus: appendBus(finding, to: &text)
    case .notMember, .loginNeeded, .noGroup, .wrongOwner: appendAccess(finding, to: &text)
    case .busTooSlow(let busHertz, let highestHertz):
      text.append("the bus runs at ")
      text.append(widened(busHertz), over: 1_000, places: 1)
      text.append(" kHz, which is enough for ")
      text.append(decimal: widened(highestHertz))
      text.append(" samples a second, not for the rate in the board file")
    case .addressHeld, .silent, .elsewhere, .busStuck, .busFault: appendAddress(finding, to: &text)
    case .unverifiedPart, .refusedPart, .unknownPart, .noIdentity: appendIdentity(finding, to: &text)
    case .noChip, .otherHeader, .noSuchLine, .lineHeld, .otherFunction: appendLines(finding, to: &text)
    }
    return text
  }

  /// The bus's path.
  private var busPath: ShortText<64> {
    if case .linux(let path) = board.bus { return path }
    return ShortText("/dev/i2c-1")
  }

  private func appendBus(_ finding: Finding, to text: inout Message) {
    switch finding {
    case .i2cOff: text.append("I2C is switched off, so there is no ")
    case .restartNeeded:
      text.append("I2C is switched on in config.txt, but was not when the Pi started, so there is no ")
    case .moduleMissing: text.append("the kernel module i2c-dev is not loaded, so there is no ")
    case .deviceMissing: text.append("the bus and its module are there, but udev has not created ")
    case .noBus: text.append("there is no ")
    default: text.append("not a usable I2C bus: ")
    }
    text.append(busPath)
  }

  private func appendAccess(_ finding: Finding, to text: inout Message) {
    let (devices, before, after): (Finding.Devices, StaticString, StaticString) =
      switch finding {
      case .notMember(let devices): (devices, "you are not in the group ", "")
      case .loginNeeded(let devices): (devices, "you are in the group ", ", but only since after your last login")
      case .wrongOwner(let devices): (devices, "you are in the group ", ", but it is not the owner")
      case .noGroup(let devices): (devices, "there is no group ", "")
      default: (.buses, "", "")
      }
    text.append("no permission to use ")
    if devices == .buses { text.append(busPath) } else { text.append("the GPIO chips") }
    text.append("; ")
    text.append(before)
    text.append(devices.group)
    text.append(after)
  }

  private func appendAddress(_ finding: Finding, to text: inout Message) {
    let address = board.sensor.address.rawValue
    switch finding {
    case .addressHeld(let name):
      text.append("a kernel driver holds the address ")
      text.append(hex: address)
      if name.count > 0 {
        text.append(": ")
        text.append(name)
      }
    case .silent:
      text.append("no response at ")
      text.append(hex: address)
      text.append(", nor at the other addresses that such sensors can have")
    case .elsewhere(let place, let sensor):
      text.append("no response at ")
      text.append(hex: address)
      text.append(", but ")
      text.append(sensor.name)
      text.append(" responds at ")
      text.append(hex: place.rawValue)
    case .busStuck: text.append("the bus hangs: SDA or SCL is held low, by a wire or by a part on it")
    case .busFault(let fault): text = fault.message(at: board.sensor.address)
    default: break
    }
  }

  private func appendIdentity(_ finding: Finding, to text: inout Message) {
    text.append("the part at ")
    text.append(hex: board.sensor.address.rawValue)
    switch finding {
    case .unverifiedPart(let identity):
      text.append(" has the identity ")
      text.append(hex: identity)
      text.append(", that of copies whose behaviour is unverified")
    case .refusedPart(.adxl346): text.append(" is an ADXL346, which is for 2.75 V at most")
    case .refusedPart(.defectiveMPU6050(let identity)):
      text.append(" has the identity ")
      text.append(hex: identity)
      text.append(", which only defective MPU-6050 are known to have")
    case .unknownPart(let identity):
      text.append(" reads ")
      text.append(hex: identity)
      text.append(" where an ")
      text.append(board.sensor.model.properName)
      text.append(" has its identity: it is another part")
      if board.sensor.address == MPU6050.address && Probe.isTime(identity) {
        text.append(", perhaps a real-time clock (DS1307, DS3231)")
      }
    case .noIdentity(let reading):
      text.append(" reads ")
      text.append(hex: reading)
      text.append(" where a sensor has its identity: its supply or its wires are at fault")
    default: break
    }
  }

  private func appendLines(_ finding: Finding, to text: inout Message) {
    switch finding {
    case .noChip(let labels):
      text.append("no GPIO chip is labelled ")
      text.append(board.lines.chip)
      if board.lines.isAnyRaspberryPi {
        text.append(" (")
        text.appendHeaderLabels()
        text.append(")")
      }
      text.append(labels.count > 0 ? "; there are: " : "; there is no GPIO chip at all")
      text.append(labels)
    case .otherHeader(let label):
      text.append("no GPIO chip is labelled ")
      text.append(board.lines.chip)
      text.append(": on this model the header's is ")
      text.append(label)
    case .noSuchLine(let offset, let lineCount):
      text.append("the GPIO chip ")
      text.append(chipLabel)
      text.append(" has ")
      text.append(decimal: widened(lineCount))
      text.append(" lines, none numbered ")
      text.append(decimal: widened(offset))
    case .lineHeld(let offset, let holder, let more):
      appendGPIO(offset, to: &text)
      if more > 0 {
        text.append(" and ")
        text.append(decimal: Int32(truncatingIfNeeded: more))
        text.append(more == 1 ? " other line" : " other lines")
      }
      text.append(more > 0 ? " are in use by " : " is in use by ")
      if holder.count > 0 { text.append(quoted: holder) } else { text.append("a program that gives no name") }
    case .otherFunction(let function, let offset):
      text.append(function.name)
      text.append(" is switched on and uses ")
      appendGPIO(offset, to: &text)
      text.append(" too")
    default: break
    }
  }

  /// `GPIO17 (portrait)`.
  private func appendGPIO(_ offset: UInt32, to text: inout Message) {
    text.append("GPIO")
    text.append(decimal: widened(offset))
    for index in 0..<board.lines.count where board.lines.offsets[index] == offset {
      text.append(" (")
      text.append(board.lines.key(of: index).name)
      text.append(")")
    }
    if board.sensor.dataReady == offset { text.append(" (data-ready)") }
  }
}

// How to fix it.
extension Diagnosis {
  /// What fixes it: a command, or what to do where no command does.
  public func fix(of finding: Finding) -> Message {
    var text = Message()
    switch finding {
    case .notRaspberryPi: text.append("plumb run, without --board, needs no hardware")
    case .unknownModel: text.append("nothing to do; if something does not work, look for a newer plumb")
    case .i2cOff: text.append("sudo raspi-config nonint do_i2c 0")
    case .restartNeeded: text.append("sudo reboot")
    case .moduleMissing:
      text.append("sudo modprobe i2c-dev && echo i2c-dev | sudo tee /etc/modules-load.d/i2c-dev.conf")
    case .deviceMissing: text.append("sudo udevadm trigger --subsystem-match=i2c-dev")
    case .noBus: text.append("ls /dev/i2c-*  # and write the right one after bus = in the board file")
    case .notABus: text.append("write bus = /dev/i2c-1 in the board file: the bus of a Raspberry Pi's header")
    case .notMember(let devices):
      text.append("sudo usermod -aG ")
      text.append(devices.group)
      text.append(" $USER  # then log in again")
    case .loginNeeded(let devices):
      text.append("log out and in again, or for this shell: newgrp ")
      text.append(devices.group)
    case .noGroup(.buses): text.append("sudo apt install i2c-tools  # creates the group and its udev rule")
    case .noGroup(.chips), .wrongOwner(.chips): appendRule(to: &text)
    case .wrongOwner(.buses): text.append("sudo apt install --reinstall i2c-tools && sudo udevadm trigger")
    case .busTooSlow(let busHertz, let highestHertz): appendSpeed(busHertz, highestHertz, to: &text)
    case .addressHeld: appendUnbinding(to: &text)
    case .elsewhere(let place, let sensor): appendPlace(place, sensor.model, to: &text)
    case .busStuck: text.append("switch the Pi's supply off for a moment; if that does not help, check SDA and SCL")
    case .unverifiedPart: text.append("write unverified-parts = yes in [sensor] of the board file")
    case .refusedPart(.adxl346): text.append("switch the Pi off and take the sensor out: 3.3 V is too much for it")
    case .refusedPart, .unknownPart: text.append("plumb probe  # lists what is at which address")
    case .silent, .busFault, .noIdentity:
      text.append("switch the Pi off and check the wires of supply, ground, SDA and SCL: plumb wiring")
    case .noChip: text.append("gpiodetect  # lists the labels; write the right one after chip = in the board file")
    case .otherHeader: text.append("write chip = raspberry-pi in the board file: it stands for the header of any model")
    case .noSuchLine: text.append("write another GPIO in [lines] of the board file")
    case .lineHeld(_, let holder, _):
      text.append(
        holder == "plumb" || holder == "plumbd"
          ? "sudo systemctl stop plumbd  # or end the running plumb"
          : "gpioinfo  # lists who uses which line; end that program, or choose other lines in the board file")
    case .otherFunction(.serialConsole, _): text.append("sudo raspi-config nonint do_serial_cons 1 && sudo reboot")
    case .otherFunction(.spi, _): text.append("sudo raspi-config nonint do_spi 1")
    case .otherFunction(.audio, _):
      text.append("take dtparam=i2s=on or the sound card's overlay out of config.txt, restart")
    case .otherFunction(.oneWire, _): text.append("sudo raspi-config nonint do_onewire 1 && sudo reboot")
    }
    return text
  }

  private func appendRule(to text: inout Message) {
    text.append(
      "sudo groupadd -rf gpio; echo 'SUBSYSTEM==\"gpio\", KERNEL==\"gpiochip*\", GROUP=\"gpio\", MODE=\"0660\"'")
    text.append(" | sudo tee /etc/udev/rules.d/60-plumb-gpio.rules; sudo udevadm control --reload; ")
    text.append("sudo udevadm trigger --subsystem-match=gpio; sudo usermod -aG gpio $USER  # then log in again")
  }

  private func appendSpeed(_ busHertz: UInt32, _ highestHertz: UInt32, to text: inout Message) {
    if busHertz < 400_000 && isRaspberryPi {
      text.append("echo dtparam=i2c_arm_baudrate=400000 | sudo tee -a /boot/firmware/config.txt && sudo reboot")
      if highestHertz > 0 { text.append(", or ") }
    }
    guard highestHertz > 0 else { return }
    text.append("write rate = ")
    text.append(decimal: widened(highestHertz))
    text.append(" in the board file, or less")
  }

  private func appendPlace(_ place: Probe.Place, _ model: SensorModel, to text: inout Message) {
    text.append("write ")
    if model != board.sensor.model {
      text.append("model = ")
      text.append(model.name)
      text.append(" and ")
    }
    text.append("address = ")
    text.append(hex: place.rawValue)
    text.append(" in [sensor] of the board file")
  }

  private func appendUnbinding(to text: inout Message) {
    guard let device = DeviceTree.device(at: board.sensor.address, ofBus: busPath) else {
      return text.append("end the kernel driver that holds the address")
    }
    text.append("echo ")
    text.append(device)
    text.append(" | sudo tee /sys/bus/i2c/devices/")
    text.append(device)
    text.append("/driver/unbind")
  }
}

extension Finding.Function {
  fileprivate var name: StaticString {
    switch self {
    case .serialConsole: "the serial console"
    case .spi: "SPI"
    case .audio: "digital audio (I2S)"
    case .oneWire: "the 1-wire bus"
    }
  }
}
