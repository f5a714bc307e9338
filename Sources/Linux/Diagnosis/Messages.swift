internal import BoardFile
internal import FixedPoint
internal import HAL
internal import IIO
internal import LinuxHAL
internal import SenseHAT
internal import Sensors
public import Text

// What is wrong.
extension Diagnosis {
  /// What was found, in one sentence.
  public func message(of finding: Finding) -> Message {
    switch finding {
    case .notRaspberryPi:
      var text: Message = "this is "
      if machine.count > 0 { text.append("\(machine), ") }
      text.append(
        "not a Raspberry Pi: only what Linux reports on any computer can be checked")
      return text
    case .unknownModel:
      return "this program does not know the model \(machine), and assumes the same header as on other models"
    case .i2cOff: return "I2C is switched off, so there is no \(busPath)"
    case .restartNeeded:
      return
        "I2C was switched on in config.txt after the Pi started, so there is no \(busPath) yet"
    case .moduleMissing: return "the kernel module i2c-dev is not loaded, so there is no \(busPath)"
    case .deviceMissing:
      return "the bus and its module are there, but udev has not created \(busPath)"
    case .noBus: return "there is no \(busPath)"
    case .noBuses: return "there is no \(busPath): this computer has no I2C bus"
    case .notABus: return "\(busPath) is not a usable I2C bus"
    case .notMember(let devices):
      return access(to: devices, "you are not in the group \(devices.group)")
    case .loginNeeded(let devices):
      return access(
        to: devices, "you joined the group \(devices.group) after your last login")
    case .noGroup(let devices): return access(to: devices, "there is no group \(devices.group)")
    case .wrongOwner(let devices):
      return access(to: devices, "you are in the group \(devices.group), but the devices do not belong to it")
    case .busTooSlow(let busHertz, let highestHertz):
      return """
        the bus runs at \(widened(busHertz), over: 1_000, places: 1) kHz, which is enough for \
        \(widened(highestHertz), "sample", "samples") a second, not for the rate in the board file
        """
    case .addressHeld, .silent, .elsewhere, .busStuck, .busFault: return addressMessage(finding)
    case .otherModel, .unverifiedPart, .unsupportedPart, .refusedPart, .unknownPart, .noIdentity:
      return identityMessage(finding)
    case .deviceUnusable: return deviceError?.message ?? "the kernel's device cannot be used"
    case .deviceUnbuffered:
      return """
        the kernel gives this user no buffer of the device, so each axis is read for itself: in movement, angles are less \
        exact
        """
    case .noChip, .otherHeader, .noSuchLine, .lineHeld, .otherFunction: return lineMessage(finding)
    case .noMatrix:
      return "the kernel has no frame buffer \(FrameBuffer.name), and there is no response at 0x46 on \(busPath)"
    case .matrixHeld:
      return "a kernel driver uses 0x46, the matrix, but there is no frame buffer \(FrameBuffer.name)"
    }
  }

  /// The bus's path.
  private var busPath: ShortText<64> {
    if case .linux(let path) = board.bus { return path }
    return "/dev/i2c-1"
  }

  private func access(to devices: Finding.Devices, _ reason: Message) -> Message {
    switch devices {
    case .buses: "no permission to use \(busPath); \(reason)"
    case .chips: "no permission to use the GPIO chips; \(reason)"
    case .frames: "no permission to use /dev/fb\(frameNumber); \(reason)"
    }
  }

  private func addressMessage(_ finding: Finding) -> Message {
    let address = board.sensor.address
    switch finding {
    case .addressHeld(let name):
      return name.count > 0
        ? "the address \(address) is in use by the kernel driver \(name)"
        : "the address \(address) is in use by a kernel driver"
    case .silent:
      return "no response at \(address) or at any other address that these sensors can have"
    case .elsewhere(let place, let part):
      return "no response at \(address), but \(part.name) responds at \(place)"
    case .busFault(let fault): return fault.message(at: address)
    default: return "the bus hangs: a wire or a part holds SDA or SCL low"
    }
  }

  private func identityMessage(_ finding: Finding) -> Message {
    let address = board.sensor.address
    switch finding {
    case .otherModel(let part):
      let model = board.sensor.model
      return """
        the part at \(address) is \(part.name), not \(model.article) \(model.properName)\(clockRemark(part.identity))
        """
    case .unsupportedPart(let part):
      return """
        the part at \(address) is \(part.name) (identity \(hex: part.identity)), which lacks the \(lacking(part).name) of \
        the board file
        """
    case .unverifiedPart(let identity):
      return
        "the part at \(address) has the identity \(hex: identity), that of copies with unverified behaviour"
    case .refusedPart(let part):
      let (name, remark) = (part.name, part.remark)
      return
        "the part at \(address) is \(name) (identity \(hex: part.identity)), \(remark)\(clockRemark(part.identity))"
    case .unknownPart(let identity):
      let model = board.sensor.model
      return """
        the part at \(address) is not \(model.article) \(model.properName): its identity register reads \
        \(hex: identity)\(clockRemark(identity))
        """
    case .noIdentity(let reading):
      return
        "the identity register of the part at \(address) reads \(hex: reading): its supply or wiring is at fault"
    default: return Message()
    }
  }

  /// The key whose value `part` does not have.
  private func lacking(_ part: SensorPart) -> BoardKey {
    var sensor = board.sensor
    return sensor.setBatch(1) && sensor.configuration.isSupported(by: part.identity) ? .batch : .gyroscopeRange
  }

  /// The remark that a part with this identity may be a clock; empty if it cannot be one.
  private func clockRemark(_ identity: UInt8) -> StaticString {
    Probe.mayBeClock(identity, at: board.sensor.address) ? "; it may be a real-time clock (DS1307, DS3231)" : ""
  }

  private func lineMessage(_ finding: Finding) -> Message {
    switch finding {
    case .noChip(let labels):
      var text: Message = "no GPIO chip is labelled \(board.lines.chip)"
      if board.lines.isAnyRaspberryPi { text.append(" (\(HeaderChip.labels()))") }
      text.append(labels.count > 0 ? "; found: \(labels)" : "; found no GPIO chip")
      return text
    case .otherHeader(let label):
      return "no GPIO chip is labelled \(board.lines.chip): on this model the header's chip is \(label)"
    case .noSuchLine(let offset, let lineCount):
      return """
        the GPIO chip \(chipLabel) has no line \(offset): it has \(widened(lineCount), "line", "lines"), numbered from 0
        """
    case .lineHeld(let offset, let holder, let more):
      let others: ShortText<48> =
        more == 0 ? "is" : more == 1 ? "and 1 other line are" : "and \(more) other lines are"
      return holder.count > 0
        ? "\(gpio(offset)) \(others) in use by \(quoted: holder)"
        : "\(gpio(offset)) \(others) in use by an unnamed program"
    case .otherFunction(let function, let offset):
      return "\(function.name) is switched on and also uses \(gpio(offset))"
    default: return Message()
    }
  }

  /// A GPIO with its use, such as `GPIO17 (portrait)`.
  private func gpio(_ offset: UInt32) -> Message {
    var text: Message = "GPIO\(offset)"
    for index in 0..<board.lines.count where board.lines.offsets[index] == offset {
      text.append(" (\(board.lines.key(of: index).name))")
    }
    if board.sensor.dataReady == offset { text.append(" (data-ready)") }
    return text
  }
}

// How to fix it.
extension Diagnosis {
  /// How to fix it: a command, or an instruction where no command does it.
  public func fix(of finding: Finding) -> Message {
    switch finding {
    case .notRaspberryPi: "no fix needed; to try plumb without hardware: plumb run"
    case .unknownModel: "no fix needed; if something does not work, look for a newer plumb"
    case .i2cOff: "sudo raspi-config nonint do_i2c 0"
    case .restartNeeded: "sudo reboot"
    case .moduleMissing:
      "sudo modprobe i2c-dev && echo i2c-dev | sudo tee /etc/modules-load.d/i2c-dev.conf"
    case .deviceMissing: "sudo udevadm trigger --subsystem-match=i2c-dev"
    case .noBus: "ls /dev/i2c-*  # lists the buses; use one of them instead of \(busPath)"
    case .noBuses:
      "use a computer with an I2C bus, such as a Raspberry Pi; without hardware: `plumb run --board emulated`"
    case .notABus: "use /dev/i2c-1, the bus of a Raspberry Pi's header, or another I2C bus"
    case .notMember(let devices): "sudo usermod -aG \(devices.group) $USER  # then log in again"
    case .loginNeeded(let devices):
      "log out and in again, or for this shell: newgrp \(devices.group)"
    case .noGroup(.buses): "sudo apt install i2c-tools && sudo usermod -aG i2c $USER  # then log in again"
    case .noGroup(.chips), .wrongOwner(.chips):
      """
      sudo groupadd -rf gpio; echo 'SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="gpio", MODE="0660"' \
      | sudo tee /etc/udev/rules.d/60-plumb-gpio.rules; sudo udevadm control --reload; \
      sudo udevadm trigger --subsystem-match=gpio; sudo usermod -aG gpio $USER  # then log in again
      """
    case .noGroup(.frames), .wrongOwner(.frames): "sudo apt install --reinstall udev && sudo reboot"
    case .deviceUnusable: "plumb probe  # lists the devices of the kernel that can be used"
    case .deviceUnbuffered: "no fix needed; as root, or with the udev rule in docs/iio.md, there may be a buffer"
    case .noMatrix: "switch the Pi off and seat the HAT; with a HAT of another kind use another board file"
    case .matrixHeld: "sudo modprobe rpisense-fb"
    case .wrongOwner(.buses): "sudo apt install --reinstall i2c-tools && sudo udevadm trigger"
    case .busTooSlow(let busHertz, let highestHertz): speedFix(busHertz, highestHertz)
    case .addressHeld: driverFix
    case .elsewhere(let place, let sensor):
      sensor.model == board.sensor.model
        ? "write address = \(place) in [sensor] of the board file"
        : "write model = \(sensor.model.name) and address = \(place) in [sensor] of the board file"
    case .busStuck:
      "switch the Pi off and on again; if that does not help, check SDA and SCL"
    case .otherModel(let part): "write model = \(part.model.name) in [sensor] of the board file"
    case .unverifiedPart: "write unverified-parts = yes in [sensor] of the board file"
    case .unsupportedPart(let part):
      lacking(part) == .batch
        ? "remove batch from [sensor] of the board file" : "write gyroscope-range = 2000 in [sensor] of the board file"
    case .refusedPart: "switch the Pi off and remove the sensor: use one that Plumb drives, and that takes 3.3 V"
    case .unknownPart: "plumb probe  # lists what is at which address"
    case .silent, .busFault, .noIdentity: Message(Self.wireFix)
    case .noChip:
      "gpiodetect  # lists the labels; write the right one after chip = in the board file"
    case .otherHeader:
      "write chip = raspberry-pi in the board file: it stands for the header of any model"
    case .noSuchLine: "write another GPIO in [lines] of the board file"
    case .lineHeld(_, let holder, _):
      holder == "plumb" || holder == "plumbd"
        ? "sudo systemctl stop plumbd  # or stop the running plumb"
        : "gpioinfo  # lists the user of each line; stop that program, or choose other lines in the board file"
    case .otherFunction(.serialConsole, _):
      "sudo raspi-config nonint do_serial_cons 1 && sudo reboot"
    case .otherFunction(.spi, _): "sudo raspi-config nonint do_spi 1"
    case .otherFunction(.audio, _):
      "remove dtparam=i2s=on or the sound card's overlay from config.txt, then restart"
    case .otherFunction(.oneWire, _): "sudo raspi-config nonint do_onewire 1 && sudo reboot"
    }
  }

  /// What to do if no sensor responds.
  public static var wireFix: StaticString {
    "switch the Pi off and check the wires of supply, ground, SDA and SCL: plumb wiring"
  }

  private func speedFix(_ busHertz: UInt32, _ highestHertz: UInt32) -> Message {
    var text = Message()
    if busHertz < 400_000 && isRaspberryPi {
      text.append(
        "echo dtparam=i2c_arm_baudrate=400000 | sudo tee -a /boot/firmware/config.txt && sudo reboot"
      )
      if highestHertz > 0 { text.append(", or ") }
    }
    if highestHertz > 0 { text.append("write rate = \(highestHertz) in the board file, or less") }
    return text
  }

  private var driverFix: Message {
    if heldDevice.count > 0 {
      return """
        write part = iio and device = \(heldDevice) in [sensor] of the board file, without model, address and [i2c]; or \
        unbind the driver: docs/iio.md
        """
    }
    guard let device = DeviceTree.device(at: board.sensor.address, ofBus: busPath) else {
      return "unbind the kernel driver that uses the address"
    }
    return "echo \(device) | sudo tee /sys/bus/i2c/devices/\(device)/driver/unbind"
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

// For a program that cannot open its bus.
extension Diagnosis {
  /// What is wrong with the bus at `path` and how to fix it, in one line; nil if nothing is wrong with the bus itself.
  public static func advice<System: SystemView & ~Copyable>(
    onBus path: ShortText<64>, in system: inout System
  ) -> Message? {
    var board = BoardDescription.emulated
    board.bus = .linux(path: path)
    let diagnosis = Diagnosis(of: board, in: &system)
    guard let finding = diagnosis[.bus].finding ?? diagnosis[.busAccess].finding else { return nil }
    return "\(diagnosis.message(of: finding)). Fix: \(diagnosis.fix(of: finding))"
  }
}
