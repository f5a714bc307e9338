internal import CSupport
internal import Glibc

/// Why lines could not be requested.
public enum GPIOError: Error, Equatable, Sendable {
  /// No chip has this label.
  case noSuchChip(label: String)
  /// No chip that the program may open has this label, and some it may not open.
  case notPermitted(label: String)
  /// Another program or a kernel driver holds the line; its name, where it gave one and still holds it.
  case lineBusy(label: String, offset: UInt32?, holder: String?)
  /// The chip has fewer lines.
  case noSuchLine(label: String, offset: UInt32, lineCount: Int)
  /// Not between 1 and 32 lines, or one of them twice.
  case unusableLines(offsets: [UInt32])
  /// Anything else, with the system's `errno`.
  case other(label: String, code: Int32)

  /// The error that `code` means, found out by asking the chip again where the code alone says too little.
  init(code: Int32, chipLabel label: String, offsets: [UInt32]) {
    switch code {
    case ENODEV: self = .noSuchChip(label: label)
    case EACCES, EPERM: self = .notPermitted(label: label)
    case EBUSY: self = GPIOError.busy(label: label, offsets: offsets)
    case EINVAL: self = GPIOError.invalid(label: label, offsets: offsets)
    default: self = .other(label: label, code: code)
    }
  }

  private static func busy(label: String, offsets: [UInt32]) -> GPIOError {
    var line = 0
    var name = [CChar](repeating: 0, count: 64)
    let code = unsafe label.withCString { label in
      unsafe offsets.withUnsafeBufferPointer { offsets in
        unsafe name.withUnsafeMutableBufferPointer { name in
          var lines = unsafe csupport_gpio_lines(
            label: label, offsets: offsets.baseAddress, count: offsets.count, active_low: false)
          return unsafe csupport_gpio_holder(&lines, &line, name.baseAddress, name.count)
        }
      }
    }
    guard code == 0 else { return .lineBusy(label: label, offset: nil, holder: nil) }
    let holder = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return .lineBusy(label: label, offset: offsets[line], holder: holder.isEmpty ? nil : holder)
  }

  private static func invalid(label: String, offsets: [UInt32]) -> GPIOError {
    guard (1...Int(CSUPPORT_GPIO_MOST_LINES)).contains(offsets.count), Set(offsets).count == offsets.count
    else { return .unusableLines(offsets: offsets) }
    let lineCount = unsafe Int(csupport_gpio_line_count(label))
    guard lineCount >= 0, let offset = offsets.first(where: { $0 >= lineCount }) else {
      return .other(label: label, code: EINVAL)
    }
    return .noSuchLine(label: label, offset: offset, lineCount: lineCount)
  }
}

extension GPIOError: CustomStringConvertible {
  /// What is wrong and what cures it, in plain words.
  public var description: String {
    switch self {
    case .noSuchChip("raspberry-pi"):
      "There is no GPIO chip of a Raspberry Pi's header (pinctrl-bcm2835, pinctrl-bcm2711 or pinctrl-rp1): "
        + "`gpiodetect` lists the chips; on another board write the label of its chip in the board file."
    case .noSuchChip(let label):
      "There is no GPIO chip labelled \(label): `gpiodetect` lists the chips; a Raspberry Pi's header is "
        + "pinctrl-bcm2835 (up to 3 and Zero 2), pinctrl-bcm2711 (4, 400) or pinctrl-rp1 (5, 500)."
    case .notPermitted(let label):
      "This program may not use the GPIO chip \(label): add yourself to the group gpio with "
        + "`sudo usermod -aG gpio $USER`, then log in again (Debian has no such group before Plumb's udev rule is in)."
    case .lineBusy(let label, let offset?, let holder):
      "GPIO line \(offset) of \(label) is held by \(holder.map { "'\($0)'" } ?? "another program or a driver"): "
        + "stop it, or wire the LED to another line."
    case .lineBusy(let label, nil, _):
      "A GPIO line of \(label) was held by another program a moment ago: try again, or see `gpioinfo`."
    case .noSuchLine(let label, let offset, let lineCount):
      "The GPIO chip \(label) has no line \(offset): its lines are 0 to \(lineCount - 1)."
    case .unusableLines(let offsets):
      "GPIO lines \(offsets) cannot be used together: give 1 to \(CSUPPORT_GPIO_MOST_LINES), each once."
    case .other(let label, let code):
      "The GPIO chip \(label) cannot be used: \(systemText(code)) (errno \(code))."
    }
  }
}
