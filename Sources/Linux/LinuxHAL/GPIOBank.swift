internal import CSupport
public import HAL
public import Text

/// Output lines of one GPIO chip, requested and set together through libgpiod.
///
/// Bit *n* of `Levels` is the line at `offsets[n]`. The chip is named by its label, because the numbers in
/// `/dev/gpiochip*` change between kernels; `raspberry-pi` stands for the header of any Raspberry Pi, where a line's
/// offset is its BCM number. Raspberry Pi OS keeps driving released lines, so a bank sets its idle levels first.
@safe public struct GPIOBank: ~Copyable, OutputBank {
  private let bank: OpaquePointer
  private let idle: Levels
  private let offFirst: Levels
  private var levels: Levels

  /// Requests the lines at `offsets`, 1 to 32 of them, of the chip labelled `chipLabel`, and sets them to `initial`.
  ///
  /// With `activeLow`, a level that is on drives its line low. `consumer` is the user of the lines that other programs
  /// see (at most 31 bytes). When the bank is released, it turns the lines of `offFirst` off, then sets `idle` in a
  /// separate request.
  public init(
    chipLabel: ShortText<32>, offsets: Span<UInt32>, initial: Levels = .off, activeLow: Bool = false,
    consumer: ShortText<32> = ShortText("plumb"), idle: Levels = .off, offFirst: Levels = .off
  ) throws(GPIOError) {
    var bank: OpaquePointer?
    let code = unsafe withRequest(chipLabel, offsets, activeLow) { request in
      unsafe consumer.withCString { unsafe csupport_gpio_open(request, initial.bits, $0, &bank) }
    }
    guard code == 0, let opened = unsafe bank else {
      throw GPIOError(code: 0 &- code, chipLabel: chipLabel, offsets: offsets)
    }
    unsafe self.bank = opened
    self.idle = idle
    self.offFirst = offFirst
    levels = initial
  }

  deinit {
    // A fault here can no longer be reported.
    let rest = levels.bits & ~offFirst.bits
    if rest != levels.bits { _ = unsafe csupport_gpio_set(bank, rest) }
    _ = unsafe csupport_gpio_set(bank, idle.bits)
    unsafe csupport_gpio_close(bank)
  }

  /// Sets all lines in one call.
  public mutating func write(_ levels: Levels) throws(OutputFault) {
    let code = unsafe csupport_gpio_set(bank, levels.bits)
    guard code == 0 else { throw OutputFault(code: 0 &- code) }
    self.levels = levels
  }
}

/// Calls `body` with the lines as the C shim takes them.
func withRequest(
  _ chipLabel: ShortText<32>, _ offsets: Span<UInt32>, _ activeLow: Bool = false,
  _ body: (UnsafePointer<csupport_gpio_lines>) -> Int32
) -> Int32 {
  unsafe chipLabel.withCString { label in
    unsafe offsets.withUnsafeBufferPointer { offsets in
      var request = unsafe csupport_gpio_lines(
        label: label, offsets: offsets.baseAddress, count: offsets.count, active_low: activeLow)
      return unsafe body(&request)
    }
  }
}

#if !hasFeature(Embedded)
  extension GPIOBank {
    /// Requests the lines at `offsets`, 1 to 32 of them, of the chip labelled `chipLabel`, and sets them to `initial`.
    ///
    /// With `activeLow`, a level that is on drives its line low. `consumer` is the user of the lines that other
    /// programs see (cut to 31 bytes). When the bank is released, it turns the lines of `offFirst` off, then sets
    /// `idle` in a separate request.
    public init(
      chipLabel: String, offsets: [UInt32], initial: Levels = .off, activeLow: Bool = false,
      consumer: String = "plumb", idle: Levels = .off, offFirst: Levels = .off
    ) throws(GPIOError) {
      let label = ShortText<32>(string: chipLabel)
      // The kernel has no label as long as 32 bytes.
      guard !label.isCut else { throw .noSuchChip(label: label) }
      try self.init(
        chipLabel: label, offsets: offsets.span, initial: initial, activeLow: activeLow,
        consumer: ShortText(string: consumer),
        idle: idle, offFirst: offFirst)
    }
  }
#endif
