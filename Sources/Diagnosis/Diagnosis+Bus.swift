internal import BoardFile
internal import HAL
internal import Sensors

extension Diagnosis {
  mutating func examineBus<System: SystemView & ~Copyable>(_ path: ShortText<64>, in system: inout System) {
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

  /// The number of `/dev/i2c-N` as text; nil for any other path.
  private func number(of path: ShortText<64>) -> ShortText<8>? {
    let prefix = FilePath("/dev/i2c-")
    for index in 0..<prefix.count where path[index] != prefix[index] { return nil }
    var number = ShortText<8>()
    for index in prefix.count..<max(prefix.count, path.count) {
      guard path[index] >= 0x30 && path[index] <= 0x39 else { return nil }
      number.append(byte: path[index])
    }
    return number.count > 0 && !number.isCut ? number : nil
  }

  /// `before`, the number, `after`.
  private func file(_ before: StaticString, _ number: ShortText<8>, _ after: StaticString) -> FilePath {
    var path = FilePath(before)
    path.append(number)
    path.append(after)
    return path
  }

  private func whyAbsent<System: SystemView & ~Copyable>(_ path: ShortText<64>, in system: inout System) -> Problem {
    guard let number = number(of: path) else { return .noBus }
    if system.has(file("/sys/bus/i2c/devices/i2c-", number, "/name")) {
      return system.has(file("/sys/class/i2c-dev/i2c-", number, "/dev")) ? .deviceMissing : .moduleMissing
    }
    guard isRaspberryPi && number == "1" else { return .noBus }
    let status = system.isSwitchedOn(alias: "i2c1")
    if status == true { return .noBus }
    let configuration =
      system.text(of: FilePath("/boot/firmware/config.txt")) ?? system.text(of: FilePath("/boot/config.txt"))
    guard configuration?.switchesI2COn == true else { return .i2cOff }
    return status == false ? .restartNeeded : .noBus
  }

  private mutating func examineSpeed<System: SystemView & ~Copyable>(
    _ path: ShortText<64>, in system: inout System
  ) {
    guard let number = number(of: path),
      let cell = system.text(of: file("/sys/class/i2c-adapter/i2c-", number, "/of_node/clock-frequency")),
      cell.count == 4
    else { return }
    busHertz = UInt32(cell[0]) &<< 24 | UInt32(cell[1]) &<< 16 | UInt32(cell[2]) &<< 8 | UInt32(cell[3])
    guard busHertz > 0 else { return }
    do throws(SensorError) {
      switch board.sensor.configuration {
      case .adxl345(let adxl345): try adxl345.check(against: busHertz)
      case .mpu6050(let mpu6050): try mpu6050.check(against: busHertz)
      }
      self[.busSpeed] = .passed
    } catch {
      guard case .rateTooHigh(let busHertz, let highestHertz) = error else { return }
      self[.busSpeed] = .found(.busTooSlow(busHertz: busHertz, highestHertz: highestHertz))
    }
  }

  private mutating func examineSensor<System: SystemView & ~Copyable>(
    _ path: ShortText<64>, in system: inout System
  ) {
    guard let place = Probe.Place(rawValue: board.sensor.address.rawValue) else { return }
    let problem: Problem
    switch system.ask(place, on: path) {
    case .noBus:
      self[.bus] = .found(.notABus)
      return skipBus(because: .bus)
    case .held, .answer(.fault(.busy)): problem = .addressHeld(by: holder(path, in: &system))
    case .silent: problem = whereElse(path, place, in: &system)
    case .answer(.fault(.timedOut)): problem = .busStuck
    case .answer(.fault(let fault)): problem = .busFault(fault)
    case .answer(let answer):
      self[.address] = .passed
      self[.identity] = identity(answer)
      return
    }
    (self[.address], self[.identity]) = (.found(problem), .skipped(because: .address))
  }

  /// The name of the kernel's device at the sensor's address, which is that of its driver or near it.
  private func holder<System: SystemView & ~Copyable>(_ path: ShortText<64>, in system: inout System) -> ShortText<32> {
    guard let number = number(of: path) else { return ShortText() }
    var file = file("/sys/bus/i2c/devices/", number, "-00")
    file.append(hexDigits: board.sensor.address.rawValue)
    // The kernel writes small letters, of which only the second digit has any: 0x1D.
    var name = FilePath()
    for index in 0..<file.count {
      let isCapital = file[index] >= UInt8(ascii: "A") && file[index] <= UInt8(ascii: "F")
      name.append(byte: isCapital ? file[index] | 0x20 : file[index])
    }
    name.append("/name")
    return system.text(of: name)?.line() ?? ShortText()
  }

  private func whereElse<System: SystemView & ~Copyable>(
    _ path: ShortText<64>, _ asked: Probe.Place, in system: inout System
  ) -> Problem {
    let places: InlineArray<4, Probe.Place> = [.adxl345, .adxl345Alternate, .mpu6050, .mpu6050Alternate]
    for index in places.indices {
      let place = places[index]
      guard place != asked, case .answer(.usable(let sensor, _)) = system.ask(place, on: path) else { continue }
      return .elsewhere(place, sensor)
    }
    return .silent
  }

  private func identity(_ answer: Probe.Answer) -> Outcome {
    switch answer {
    case .usable(.mpu6050(let part), .onlyIfAsked):
      guard case .mpu6050(let configuration) = board.sensor.configuration, configuration.acceptsUnverifiedParts
      else { return .found(.unverifiedPart(identity: part.rawValue)) }
      return .passed
    case .usable: return .passed
    case .refused(let refusal): return .found(.refusedPart(refusal))
    case .unknown(let identity): return .found(.unknownPart(identity: identity))
    case .noIdentity(let reading): return .found(.noIdentity(reading: reading))
    case .fault(let fault): return .found(.busFault(fault))
    }
  }
}
