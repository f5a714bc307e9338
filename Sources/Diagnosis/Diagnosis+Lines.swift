internal import BoardFile
internal import LinuxHAL

extension Diagnosis {
  /// As many numbers of chips as are looked at: they have been seen up to 15, with a hub of expanders more.
  private static var chipNumbers: Int32 { 64 }

  mutating func examineLines<System: SystemView & ~Copyable>(in system: inout System) {
    var labels = ShortText<128>()
    var header: ShortText<32>?
    var lineCount: UInt32 = 0
    var (isAny, isRefused) = (false, false)
    for number in 0..<Self.chipNumbers {
      switch system.chip(number) {
      case .absent, .unreadable: continue
      case .notPermitted: isRefused = true
      case .chip(let label, let count):
        isAny = true
        if labels.count > 0 { labels.append(", ") }
        labels.append(label)
        if HeaderChip.isLabelled(label) { header = label }
        guard chipNumber < 0, label == board.lines.chip || board.lines.isAnyRaspberryPi && HeaderChip.isLabelled(label)
        else { continue }
        (chipNumber, chipLabel, lineCount) = (number, label, count)
      }
    }
    if chipNumber >= 0 {
      (self[.linesAccess], self[.chip]) = (.passed, .passed)
      self[.lines] = lines(lineCount, in: &system)
      if isRaspberryPi && HeaderChip.isLabelled(chipLabel) { self[.pins] = pins(in: &system) }
      return
    }
    if isRefused {
      self[.linesAccess] = .found(refusal(of: .chips, in: &system))
      self[.chip] = .skipped(because: .linesAccess)
    } else {
      self[.linesAccess] = isAny ? .passed : .unknown
      self[.chip] = .found(header.map { .otherHeader(label: $0) } ?? .noChip(labels: labels))
    }
    let cause: Aspect = isRefused ? .linesAccess : .chip
    (self[.lines], self[.pins]) = (.skipped(because: cause), .skipped(because: cause))
  }

  private func lines<System: SystemView & ~Copyable>(_ lineCount: UInt32, in system: inout System) -> Outcome {
    var first: (offset: UInt32, holder: ShortText<32>)?
    var more = 0
    for index in 0..<board.gpioCount {
      let offset = board.gpio(index)
      guard offset < lineCount else { return .found(.noSuchLine(offset: offset, lineCount: lineCount)) }
      guard case .held(let holder) = system.line(offset, ofChip: chipNumber) else { continue }
      if first == nil { first = (offset, holder) } else { more &+= 1 }
    }
    guard let first else { return .passed }
    return .found(.lineHeld(offset: first.offset, holder: first.holder, more: more))
  }

  /// The first function that is switched on and has a pin in common with the board.
  private func pins<System: SystemView & ~Copyable>(in system: inout System) -> Outcome {
    for index in 0..<board.gpioCount {
      let offset = board.gpio(index)
      guard let function = Problem.Function(of: offset), function.isOn(in: &system) else { continue }
      return .found(.otherFunction(function, offset: offset))
    }
    return .passed
  }
}

extension BoardDescription {
  /// How many GPIOs it has a use for: those of the lines, and that of the sensor's data-ready pin.
  fileprivate var gpioCount: Int { lines.count &+ (sensor.dataReady == nil ? 0 : 1) }

  /// GPIO `index` of these, the lines first.
  fileprivate func gpio(_ index: Int) -> UInt32 {
    index < lines.count ? lines.offsets[index] : sensor.dataReady ?? 0
  }
}

extension BoardDescription.Lines {
  /// Whether the chip is named by the word for the header's of any model.
  var isAnyRaspberryPi: Bool { chip == HeaderChip.anyModel }
}

extension Problem.Function {
  /// The function that uses a GPIO on a Raspberry Pi's header when it is switched on; nil for none.
  ///
  /// - Source: hardware.md §4.7.
  init?(of offset: UInt32) {
    switch offset {
    case 4: self = .oneWire
    case 7...11: self = .spi
    case 14, 15: self = .serialConsole
    case 18...21: self = .audio
    default: return nil
    }
  }

  /// Whether it is switched on, as far as the system tells.
  func isOn<System: SystemView & ~Copyable>(in system: inout System) -> Bool {
    switch self {
    case .spi: return system.has(FilePath("/sys/class/spi_master/spi0/uevent"))
    case .oneWire: return system.has(FilePath("/sys/bus/w1/devices/w1_bus_master1/w1_master_name"))
    case .audio: return system.isSwitchedOn(alias: "i2s") == true
    case .serialConsole:
      // On a Pi 5 the console is on a connector of its own, ttyAMA10.
      guard let line = system.text(of: FilePath("/proc/cmdline")) else { return false }
      return line.contains("console=serial0") || line.contains("console=ttyS0") || line.contains("console=ttyAMA0")
    }
  }
}
