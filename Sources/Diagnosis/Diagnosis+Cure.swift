internal import BoardFile
internal import FixedPoint
internal import HAL
public import Text
internal import Sensors

extension Diagnosis {
  /// What cures it: a command, or what to do where none does.
  public func cure(of problem: Problem) -> Message {
    var text = Message()
    switch problem {
    case .notRaspberryPi: text.append("plumb run, without --board, needs no hardware")
    case .unknownModel: text.append("nothing to do; if something is wrong, look for a newer plumb")
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
    case .noGroup(.buses): text.append("sudo apt install i2c-tools  # which makes the group and its rule")
    case .noGroup(.chips), .wrongOwner(.chips): appendRule(to: &text)
    case .wrongOwner(.buses): text.append("sudo apt install --reinstall i2c-tools && sudo udevadm trigger")
    case .busTooSlow(let busHertz, let highestHertz): appendSpeed(busHertz, highestHertz, to: &text)
    case .addressHeld, .silent, .elsewhere, .busStuck, .busFault: appendAddress(problem, to: &text)
    case .unverifiedPart: text.append("write unverified-parts = yes in [sensor] of the board file")
    case .refusedPart(.adxl346): text.append("switch the Pi off and take the sensor out: 3.3 V is too much for it")
    case .refusedPart, .unknownPart: text.append("plumb probe  # tells what is at which address")
    case .noIdentity: text.append("switch the Pi off, check the wires of supply, ground, SDA and SCL: plumb wiring")
    default: appendLinesCure(problem, to: &text)
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

  private func appendAddress(_ problem: Problem, to text: inout Message) {
    switch problem {
    case .addressHeld: appendUnbinding(to: &text)
    case .elsewhere(let place, let sensor):
      text.append("write ")
      let model: StaticString = sensor == .adxl345 ? "adxl345" : "mpu6050"
      if (sensor == .adxl345) != (board.sensor.model == .adxl345) {
        text.append("model = ")
        text.append(model)
        text.append(" and ")
      }
      text.append("address = ")
      text.append(hex: place.rawValue)
      text.append(" in [sensor] of the board file")
    case .busStuck: text.append("take the Pi off its supply for a moment; if that does not help, check SDA and SCL")
    default: text.append("switch the Pi off and check the wires of supply, ground, SDA and SCL: plumb wiring")
    }
  }

  private func appendUnbinding(to text: inout Message) {
    var device = ShortText<16>()
    let path = busPath
    for index in 9..<max(9, path.count) { device.append(byte: path[index]) }
    device.append("-00")
    let address = board.sensor.address.rawValue
    device.append(byte: 0x30 &+ (address &>> 4))
    let low = address & 0x0F
    device.append(byte: low < 10 ? 0x30 &+ low : 0x57 &+ low)
    text.append("echo ")
    text.append(device)
    text.append(" | sudo tee /sys/bus/i2c/devices/")
    text.append(device)
    text.append("/driver/unbind")
  }

  private func appendLinesCure(_ problem: Problem, to text: inout Message) {
    switch problem {
    case .noChip: text.append("gpiodetect  # lists the labels; write the right one after chip = in the board file")
    case .otherHeader: text.append("write chip = raspberry-pi in the board file: it stands for the header of any model")
    case .noSuchLine: text.append("write another GPIO in [lines] of the board file")
    case .lineHeld(_, let holder, _):
      if holder == "plumb" || holder == "plumbd" {
        text.append("sudo systemctl stop plumbd  # or end the plumb that runs")
      } else {
        text.append("gpioinfo  # shows all holders; end that program, or choose other lines in the board file")
      }
    case .otherFunction(.serialConsole, _): text.append("sudo raspi-config nonint do_serial_cons 1 && sudo reboot")
    case .otherFunction(.spi, _): text.append("sudo raspi-config nonint do_spi 1")
    case .otherFunction(.audio, _):
      text.append("take dtparam=i2s=on or the sound card's overlay out of config.txt, restart")
    case .otherFunction(.oneWire, _): text.append("sudo raspi-config nonint do_onewire 1 && sudo reboot")
    default: break
    }
  }
}
