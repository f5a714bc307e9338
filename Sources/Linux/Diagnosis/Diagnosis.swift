public import BoardFile
internal import HAL
public import IIO
internal import LinuxHAL
internal import SenseHAT
internal import Sensors
public import FixedText
internal import Text

/// What is wrong with a set-up: the outcome of every aspect, in the order in which they depend on each other.
///
/// It changes nothing. It makes one transaction on the bus, or four if there is no response at the sensor's address,
/// and these do not disturb a running sensor (see `I2CBus.probe()`).
public struct Diagnosis: Sendable {
  /// The diagnosed board.
  public let board: BoardDescription
  /// The computer's name for itself; empty if it has none.
  public internal(set) var machine = ShortText<64>()
  /// The bus's clock frequency in hertz; 0 if unknown.
  public internal(set) var busHertz: UInt32 = 0
  /// The number of the lines' chip; -1 if it was not found.
  public internal(set) var chipNumber: Int32 = -1
  /// The label of that chip.
  public internal(set) var chipLabel = ShortText<32>()
  /// The number of the matrix's frame buffer; -1 if it has none.
  public internal(set) var frameNumber: Int32 = -1

  /// Why the kernel's device cannot be used; nil if it can, or if the sensor is none.
  public internal(set) var deviceError: IIOError?
  /// The number of the kernel's device; -1 if it was not found.
  public internal(set) var deviceNumber: Int32 = -1
  /// The name of the kernel's device that holds the sensor's address; empty if there is none.
  var heldDevice = IIODevice.Name()

  private var outcomes = InlineArray<12, Outcome>(repeating: .unknown)

  /// Checks everything that `board` needs of `system`.
  public init<System: SystemView & ~Copyable>(of board: BoardDescription, in system: inout System) {
    self.board = board
    examineMachine(in: &system)
    self[.device] = .absent
    switch board.bus {
    case .emulated: settle(.bus, .identity, as: .emulated)
    case .linux(let path): examineBus(path, in: &system)
    case .pico: settle(.bus, .identity, as: .absent)
    case .iio:
      settle(.bus, .identity, as: .absent)
      examineDevice(in: &system)
    }
    settle(.linesAccess, .matrix, as: .absent)
    switch (board.lines.isMatrix, board.lines.isEmulated) {
    case (true, true): self[.matrix] = .emulated
    case (true, false): examineMatrix(in: &system)
    case (false, true): settle(.linesAccess, .pins, as: .emulated)
    case (false, false): examineLines(in: &system)
    }
  }

  /// Sets the same outcome for the aspects from `first` to `last`.
  private mutating func settle(_ first: Aspect, _ last: Aspect, as outcome: Outcome) {
    for index in Int(truncatingIfNeeded: first.rawValue)...Int(truncatingIfNeeded: last.rawValue) {
      outcomes[index] = outcome
    }
  }

  /// The outcome of `aspect`.
  public internal(set) subscript(aspect: Aspect) -> Outcome {
    get { outcomes[Int(truncatingIfNeeded: aspect.rawValue)] }
    set { outcomes[Int(truncatingIfNeeded: aspect.rawValue)] = newValue }
  }

  /// The first error, which is the one to fix first; nil if there is none.
  public var firstError: Finding? {
    for index in 0..<Aspect.count {
      guard let aspect = Aspect(index: index), let finding = self[aspect].finding else { continue }
      if finding.severity == .error { return finding }
    }
    return nil
  }

  /// The exit code of a program that reports the diagnosis: 0 if the board works, otherwise the highest code of a
  /// finding.
  public var exitCode: Int32 {
    var code: Int32 = 0
    for index in 0..<Aspect.count {
      if let aspect = Aspect(index: index), let finding = self[aspect].finding { code = max(code, finding.exitCode) }
    }
    return code
  }

  /// Whether the computer's name is that of a Raspberry Pi.
  var isRaspberryPi: Bool { machine.hasPrefix("Raspberry Pi") }

  private mutating func examineMachine<System: SystemView & ~Copyable>(in system: inout System) {
    if let model = system.text(of: FilePath("/proc/device-tree/model")) { machine = model.line() }
    if board.bus == .emulated && board.lines.isEmulated {
      self[.machine] = .emulated
    } else if !isRaspberryPi {
      self[.machine] = .found(.notRaspberryPi)
    } else {
      self[.machine] = isKnownModel ? .passed : .found(.unknownModel)
    }
  }

  /// Whether the name is like "Raspberry Pi 4 Model B", "Raspberry Pi Zero W", "Raspberry Pi Model B Plus" or
  /// "Raspberry Pi Compute Module 4".
  private var isKnownModel: Bool {
    switch machine[13] {
    case UInt8(ascii: "2")...UInt8(ascii: "5"), UInt8(ascii: "Z"), UInt8(ascii: "M"), UInt8(ascii: "C"): true
    default: false
    }
  }

  /// Why the process has no permission to open `devices`.
  private func refusal<System: SystemView & ~Copyable>(of devices: Finding.Devices, in system: inout System) -> Finding
  {
    switch system.membership(of: devices.group) {
    case .noSuchGroup: .noGroup(devices)
    case .none: .notMember(devices)
    case .atNextLogin: .loginNeeded(devices)
    case .active: .wrongOwner(devices)
    }
  }
}

// The bus and the sensor on it.
extension Diagnosis {
  private mutating func examineBus<System: SystemView & ~Copyable>(_ path: ShortText<64>, in system: inout System) {
    var device = FilePath()
    device.append(path)
    switch system.opening(of: device) {
    case .possible: (self[.bus], self[.busAccess]) = (.passed, .passed)
    case .notPermitted:
      self[.bus] = .passed
      self[.busAccess] = .found(refusal(of: .buses, in: &system))
      skipBus(because: .busAccess)
      return examineSpeed(path, in: &system)
    case .absent:
      self[.bus] = .found(whyAbsent(path, in: &system))
      return skipBus(because: .bus)
    case .impossible:
      self[.bus] = .found(.notABus)
      return skipBus(because: .bus)
    }
    examineSpeed(path, in: &system)
    examineSensor(path, in: &system)
  }

  private mutating func skipBus(because cause: Aspect) {
    if cause == .bus { (self[.busAccess], self[.busSpeed]) = (.skipped(because: cause), .skipped(because: cause)) }
    (self[.address], self[.identity]) = (.skipped(because: cause), .skipped(because: cause))
  }

  /// `before`, the number, `after`.
  private func file(_ before: StaticString, _ number: ShortText<8>, _ after: StaticString) -> FilePath {
    var path = FilePath(before)
    path.append(number)
    path.append(after)
    return path
  }

  private func whyAbsent<System: SystemView & ~Copyable>(_ path: ShortText<64>, in system: inout System) -> Finding {
    guard let number = DeviceTree.number(ofBus: path) else { return .noBus }
    if system.has(file("/sys/bus/i2c/devices/i2c-", number, "/name")) {
      return system.has(file("/sys/class/i2c-dev/i2c-", number, "/dev")) ? .deviceMissing : .moduleMissing
    }
    guard isRaspberryPi else { return hasBus(in: &system) ? .noBus : .noBuses }
    guard number == "1" else { return .noBus }
    let status = system.isSwitchedOn(alias: "i2c1")
    if status == true { return .noBus }
    let configuration =
      system.text(of: FilePath("/boot/firmware/config.txt")) ?? system.text(of: FilePath("/boot/config.txt"))
    guard configuration?.switchesI2COn == true else { return .i2cOff }
    return status == false ? .restartNeeded : .noBus
  }

  /// Whether the computer has an I2C bus. The kernel numbers them from 0, with gaps where a driver asked for a number.
  private func hasBus<System: SystemView & ~Copyable>(in system: inout System) -> Bool {
    for number in 0..<Int32(32) {
      if system.has(file("/sys/bus/i2c/devices/i2c-", "\(number)", "/name")) { return true }
    }
    return false
  }

  private mutating func examineSpeed<System: SystemView & ~Copyable>(
    _ path: ShortText<64>, in system: inout System
  ) {
    guard let file = DeviceTree.clockFrequencyFile(ofBus: path), let cell = system.text(of: file),
      let hertz = DeviceTree.clockFrequency([cell[0], cell[1], cell[2], cell[3]], count: cell.count)
    else { return }
    busHertz = hertz
    do throws(SensorError) {
      try board.sensor.configuration.check(against: busHertz)
      self[.busSpeed] = .passed
    } catch {
      guard case .rateTooHigh(let busHertz, let highestHertz) = error else { return }
      self[.busSpeed] = .found(.busTooSlow(busHertz: busHertz, highestHertz: highestHertz))
    }
  }

  private mutating func examineSensor<System: SystemView & ~Copyable>(
    _ path: ShortText<64>, in system: inout System
  ) {
    let place = board.sensor.address
    let finding: Finding
    switch system.ask(place, on: path) {
    case .noBus:
      self[.bus] = .found(.notABus)
      return skipBus(because: .bus)
    case .held, .answer(.fault(.busy)): finding = .addressHeld(by: holder(path, in: &system))
    case .silent: finding = whereElse(path, place, in: &system)
    case .answer(.fault(.timedOut)): finding = .busStuck
    case .answer(.fault(let fault)): finding = .busFault(fault)
    case .answer(let answer):
      self[.address] = .passed
      self[.identity] = identity(answer)
      return
    }
    (self[.address], self[.identity]) = (.found(finding), .skipped(because: .address))
  }

  /// The name of the driver at the sensor's address; that of the device if the kernel names no driver. Finds the IIO
  /// device that the driver provides, too.
  private mutating func holder<System: SystemView & ~Copyable>(
    _ path: ShortText<64>, in system: inout System
  ) -> ShortText<32> {
    guard let device = DeviceTree.device(at: board.sensor.address, ofBus: path) else { return ShortText() }
    var folder = FilePath("/sys/bus/i2c/devices/")
    folder.append(device)
    for number in 0..<IIOTree.most where heldDevice.count == 0 {
      let name: IIODevice.Name? = system.text(of: "\(folder)/iio:device\(number)/name")?.line()
      heldDevice = name ?? IIODevice.Name()
    }
    if let driver = system.text(of: "\(folder)/uevent")?.value(of: "DRIVER="), driver.count > 0 { return driver }
    return system.text(of: "\(folder)/name")?.line() ?? ShortText()
  }

  /// A sensor at another address: one of the board's model, else the first that can be used.
  private func whereElse<System: SystemView & ~Copyable>(
    _ path: ShortText<64>, _ asked: I2CAddress, in system: inout System
  ) -> Finding {
    var places = Probe.Places()
    var other: Finding?
    while let place = places.next() {
      guard place != asked, case .answer(.usable(let part)) = system.ask(place, on: path) else { continue }
      if part.model == board.sensor.model { return .elsewhere(place, part) }
      if other == nil { other = .elsewhere(place, part) }
    }
    return other ?? .silent
  }

  private func identity(_ answer: Probe.Answer) -> Outcome {
    switch answer {
    case .usable(let part) where part.model != board.sensor.model: return .found(.otherModel(part))
    case .usable(let part) where !board.sensor.configuration.isSupported(by: part.identity):
      return .found(.unsupportedPart(part))
    case .usable(let part):
      let isPassed = part.admission != .onlyIfAsked || board.sensor.configuration.acceptsUnverifiedParts
      return isPassed ? .passed : .found(.unverifiedPart(identity: part.identity))
    case .refused(let part): return .found(.refusedPart(part))
    case .unknown(let identity): return .found(.unknownPart(identity: identity))
    case .noIdentity(let reading): return .found(.noIdentity(reading: reading))
    case .fault(let fault): return .found(.busFault(fault))
    }
  }
}

// The kernel's device.
extension Diagnosis {
  private mutating func examineDevice<System: SystemView & ~Copyable>(in system: inout System) {
    switch system.device(of: board.sensor) {
    case .usable(let number, let hasBuffer):
      deviceNumber = number
      let canOpen = hasBuffer ? system.opening(of: "/dev/iio:device\(number)") : .absent
      // In use by the program that runs the board, which is as good.
      let isBuffered: Bool =
        switch canOpen {
        case .possible, .impossible: true
        case .absent, .notPermitted: false
        }
      self[.device] = isBuffered ? .passed : .found(.deviceUnbuffered)
    case .failed(let error):
      deviceError = error
      self[.device] = .found(.deviceUnusable(exitCode: error.exitCode))
    }
  }
}

// The matrix of a Sense HAT.
extension Diagnosis {
  private mutating func examineMatrix<System: SystemView & ~Copyable>(in system: inout System) {
    for number in 0..<Int32(32) {
      let name: ShortText<16>? = system.text(of: file("/sys/class/graphics/fb", "\(number)", "/name"))?.line()
      guard let name, name == FrameBuffer.name else { continue }
      frameNumber = number
      switch system.opening(of: file("/dev/fb", "\(number)", "")) {
      case .notPermitted: self[.matrix] = .found(refusal(of: .frames, in: &system))
      case .possible: self[.matrix] = .passed
      case .absent, .impossible: self[.matrix] = .found(.noMatrix)
      }
      return
    }
    guard case .linux(let path) = board.bus else {
      self[.matrix] = .found(.noMatrix)
      return
    }
    switch system.ask(MatrixController<LinuxI2CBus>.address, on: path) {
    case .noBus: self[.matrix] = .skipped(because: self[.bus] == .passed ? .busAccess : .bus)
    case .silent: self[.matrix] = .found(.noMatrix)
    case .held, .answer(.fault(.busy)): self[.matrix] = .found(.matrixHeld)
    case .answer(.fault(let fault)): self[.matrix] = .found(.busFault(fault))
    case .answer: self[.matrix] = .passed
    }
  }
}

// The lines.
extension Diagnosis {
  /// How many chip numbers are tried: numbers up to 15 are usual, higher ones occur with many expanders.
  private static var chipNumbers: Int32 { 64 }

  private mutating func examineLines<System: SystemView & ~Copyable>(in system: inout System) {
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

  /// The first function that is switched on and shares a pin with the board.
  private func pins<System: SystemView & ~Copyable>(in system: inout System) -> Outcome {
    for index in 0..<board.gpioCount {
      let offset = board.gpio(index)
      guard let function = Finding.Function(of: offset), function.isOn(in: &system) else { continue }
      return .found(.otherFunction(function, offset: offset))
    }
    return .passed
  }
}

extension BoardDescription {
  /// How many GPIOs a board with lines uses: those of the lines, and that of the sensor's data-ready pin.
  fileprivate var gpioCount: Int { lines.count &+ (sensor.dataReady == nil ? 0 : 1) }

  /// GPIO `index` of these; the lines come first.
  fileprivate func gpio(_ index: Int) -> UInt32 {
    index < lines.count ? lines.offsets[index] : sensor.dataReady ?? 0
  }
}

extension BoardDescription.Lines {
  /// Whether the chip is named as the header of any model.
  var isAnyRaspberryPi: Bool { chip == HeaderChip.anyModel }
}

extension Finding.Function {
  /// The function that uses this GPIO of a Raspberry Pi's header when it is switched on; nil for none.
  ///
  /// - Source: BCM2835 ARM Peripherals, 6.2 (alternative functions); README of the firmware's overlays (w1-gpio).
  init?(of offset: UInt32) {
    switch offset {
    case 4: self = .oneWire
    case 7...11: self = .spi
    case 14, 15: self = .serialConsole
    case 18...21: self = .audio
    default: return nil
    }
  }

  /// Whether it is known to be switched on.
  func isOn<System: SystemView & ~Copyable>(in system: inout System) -> Bool {
    switch self {
    case .spi: return system.has(FilePath("/sys/class/spi_master/spi0/uevent"))
    case .oneWire: return system.has(FilePath("/sys/bus/w1/devices/w1_bus_master1/w1_master_name"))
    case .audio: return system.isSwitchedOn(alias: "i2s") == true
    case .serialConsole:
      // On a Pi 5 the console has its own connector, ttyAMA10.
      guard let line = system.text(of: FilePath("/proc/cmdline")) else { return false }
      return line.contains("console=serial0") || line.contains("console=ttyS0") || line.contains("console=ttyAMA0")
    }
  }
}
