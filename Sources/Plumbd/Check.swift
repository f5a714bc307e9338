internal import Accelerometers
internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import HAL
internal import Messages

/// `--check`: looks at everything that the program would use, and changes nothing.
///
/// Of the sensor only the identity is read, and lines are not requested, so a program at work is not disturbed.
struct Check {
  /// The board file.
  let path: Command.Path

  /// Tells what is well, line by line; throws the first thing that is not.
  func run() throws(Trouble) {
    let daemon = Daemon(path: path)
    let board = try daemon.read()
    Line("board file: well").say()
    var bus = try daemon.open(board)
    try check(board.sensor, on: &bus)
    try check(board.lines)
  }

  private func check(_ sensor: BoardDescription.Sensor, on bus: inout KernelBus) throws(Trouble) {
    do throws(SensorError) {
      switch sensor.configuration {
      case .adxl345(let configuration): try configuration.rate.check(against: bus.frequency)
      case .mpu6050(let configuration): try configuration.check(against: bus.frequency)
      }
    } catch {
      throw Trouble(.configuration, error.message(of: sensor))
    }
    var line = Line("bus: well")
    if let hertz = bus.frequency {
      line.append(", ")
      line.append(widened(hertz), over: 1_000, places: 1)
      line.append(" kHz")
    }
    line.say()
    try sensor.checkIdentity(on: &bus)
    line = Line("sensor: well, ")
    line.append(sensor.model.properName)
    line.append(" at ")
    line.append(hex: sensor.address.rawValue)
    line.say()
  }

  private func check(_ lines: BoardDescription.Lines) throws(Trouble) {
    if lines.isEmulated { return Line("lines: emulated, nothing to look at").say() }
    let count = unsafe lines.chip.withCString { unsafe csupport_gpio_line_count($0) }
    guard count >= 0 else { throw Trouble(lines, code: 0 &- count) }
    for index in 0..<6 where lines.offsets[index] >= UInt32(bitPattern: count) {
      throw Trouble(lines, lacking: lines.offsets[index])
    }
    if let held = lines.held {
      throw Trouble(.unavailable, held)
    }
    Line("lines: well, and free").say()
  }
}

extension BoardDescription.Sensor {
  /// Reads the identity, one transaction.
  ///
  ///     S | addr+W | 00 or 75 | Sr | addr+R | identity | P
  fileprivate func checkIdentity(on bus: inout KernelBus) throws(Trouble) {
    // Board files have no other addresses than the places that are known.
    guard let place = Probe.Place(rawValue: address.rawValue) else { return }
    guard let finding = bus.probe(place) else {
      throw Trouble(.unavailable, I2CFault.noAcknowledge.message(at: address))
    }
    let expected = model == .mpu6050 ? MPU6050.Part.mpu6050.rawValue : ADXL345.identity
    var found: UInt8
    switch finding.answer {
    case .usable(.adxl345, _): return
    case .usable(.mpu6050(let part), let admission):
      if admission != .onlyIfAsked || acceptsUnverifiedParts { return }
      found = part.rawValue
    case .refused(.adxl346): found = 0xE6
    case .refused(.defectiveMPU6050(let identity)), .unknown(let identity): found = identity
    case .noIdentity(let reading): found = reading
    case .fault(let fault): throw Trouble(.unavailable, fault.message(at: address))
    }
    throw Trouble(
      .unavailable, SensorError.unexpectedIdentity(found: found, expected: expected).message(of: self))
  }

  private var acceptsUnverifiedParts: Bool {
    if case .mpu6050(let configuration) = configuration { return configuration.acceptsUnverifiedParts }
    return false
  }
}
