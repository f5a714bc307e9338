internal import BoardFile
internal import CSupport
internal import HAL
internal import Text

/// The lines of a board, requested together and set together: `GPIOBank` for Embedded Swift.
///
/// They are dark from the moment they are requested, and left with their idle levels. Lines that are emulated are none.
@safe struct LineBank: ~Copyable, OutputBank {
  private let bank: OpaquePointer?
  private let lines: BoardDescription.Lines
  private var levels = Levels.off

  /// Requests the lines of `lines`, all dark.
  init(_ lines: BoardDescription.Lines) throws(Trouble) {
    var opened: OpaquePointer?
    if !lines.isEmulated {
      let code = unsafe lines.withRequest { request in
        unsafe ShortText<8>("plumb").withCString { name in unsafe csupport_gpio_open(request, 0, name, &opened) }
      }
      guard code == 0 else { throw Trouble(lines, code: 0 &- code) }
    }
    unsafe bank = opened
    self.lines = lines
  }

  deinit {
    guard let bank = unsafe bank else { return }
    // Nobody is left to hear of a fault here.
    if let first = lines.withdrawn(levels) { _ = unsafe csupport_gpio_set(bank, first.bits) }
    _ = unsafe csupport_gpio_set(bank, lines.idle.bits)
    unsafe csupport_gpio_close(bank)
  }

  mutating func write(_ levels: Levels) throws(OutputFault) {
    guard let bank = unsafe bank else { return }
    let code = unsafe csupport_gpio_set(bank, levels.bits)
    guard code == 0 else { throw OutputFault(code: 0 &- code) }
    self.levels = levels
  }
}

extension BoardDescription.Lines {
  /// Calls `body` with the lines as the C shim takes them.
  func withRequest(_ body: (UnsafePointer<csupport_gpio_lines>) -> Int32) -> Int32 {
    var offsets = offsets
    return unsafe chip.withCString { label in
      unsafe withUnsafeMutablePointer(to: &offsets) { offsets in
        let first = unsafe UnsafeRawPointer(offsets).assumingMemoryBound(to: UInt32.self)
        var request = unsafe csupport_gpio_lines(
          label: label, offsets: first, count: count, active_low: isActiveLow)
        return unsafe body(&request)
      }
    }
  }

  /// Which of the lines is held and by whom; nil where none is.
  var held: Message? {
    var line = 0
    var name = InlineArray<32, CChar>(repeating: 0)
    let code = unsafe withUnsafeMutableBytes(of: &name) { bytes in
      unsafe withRequest { request in
        guard let start = bytes.baseAddress else { return -1 }
        return unsafe csupport_gpio_holder(request, &line, start.assumingMemoryBound(to: CChar.self), 32)
      }
    }
    guard code == 0 && line >= 0 && line < count else { return nil }
    var text = Message("line ")
    text.append(decimal: Int32(truncatingIfNeeded: offsets[line]))
    text.append(" of the GPIO chip ")
    text.append(chip)
    text.append(" is held by ")
    if name[0] == 0 {
      text.append("another program or a driver")
    } else {
      text.append(quoted: unsafe withUnsafeBytes(of: &name) { unsafe Line(bytes: $0) })
    }
    text.append(": stop it, or wire the LED to another line")
    return text
  }
}

extension ShortText {
  /// The bytes up to the first zero.
  fileprivate init(bytes: UnsafeRawBufferPointer) {
    self.init()
    for index in 0..<bytes.count {
      let byte = unsafe bytes[index]
      if byte == 0 { return }
      append(byte: byte)
    }
  }
}

extension Trouble {
  /// Why the lines could not be had, and what cures it; `code` is the errno.
  init(_ lines: BoardDescription.Lines, code: Int32) {
    var text = Message("the GPIO chip ")
    text.append(lines.chip)
    let meaning = csupport_meaning(code)
    switch meaning {
    case CSUPPORT_NO_ACKNOWLEDGE, CSUPPORT_UNAVAILABLE:
      text.append(
        """
         is not there: a Raspberry Pi's header is pinctrl-bcm2835 (up to 3 and Zero 2), pinctrl-bcm2711 (4, 400) or \
        pinctrl-rp1 (5, 500); gpiodetect lists the chips
        """)
    case CSUPPORT_NOT_PERMITTED:
      text.append(" may not be used: the program's user must be in the group gpio (sudo usermod -aG gpio USER)")
    case CSUPPORT_BUSY:
      text = lines.held ?? Message("a line was held by another program a moment ago: try again")
    default:
      text.append(" cannot be used: ")
      text.append(system: code)
    }
    self.init(meaning == CSUPPORT_NOT_PERMITTED ? .noPermission : .unavailable, text)
  }
}
