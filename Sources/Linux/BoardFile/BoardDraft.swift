internal import FixedPoint
internal import Gestures
internal import HAL
internal import Indication
internal import Orientation
internal import Sensors
internal import Vibration

/// An incomplete board description: the content of the lines read so far.
struct BoardDraft {
  /// A section, key or value. Room for the longest line, so that nothing in it is cut.
  typealias Text = ShortText<192>

  /// The first error.
  var error: BoardFileError?

  private var section: BoardSection?
  // The line number of each, 0 if not seen yet.
  private var sectionLines = InlineArray<12, Int32>(repeating: 0)
  private var keyLines = InlineArray<57, Int32>(repeating: 0)

  var bus: BoardDescription.Bus = .emulated
  var model: SensorModel?
  var address = ADXL345.address
  var adxl345 = ADXL345.Configuration()
  var mpu6050 = MPU6050.Configuration()
  var rate: UpdateRate?
  var batch: Int32 = 1
  var mounting = Mounting.aligned
  var offset = Vector3.zero
  var scale = Calibration.Scale.one
  var chip = ShortText<32>()
  /// What the lines show; nil if the file has not named it yet.
  var code: LineCode?
  /// The GPIO of each key that names a line, in the place of the key; 0 for those not seen.
  var gpios = InlineArray<57, UInt32>(repeating: 0)
  var isIdleOn = false
  var isActiveLow = false
  var emulation = BoardDescription.Emulation()
  var share = BoardDescription.Share()
  var tare = Tare.none
  var vehicle = BoardDescription.Vehicle()
  var knocks = KnockDraft()
  /// When the sensor is left to watch by itself.
  var still = Microseconds.zero
  var keepsLEDs = true
  /// The filter that yields gravity; nil where the file has not named it yet.
  var filter: Filter?
  var gravity = LowPass.Configuration()
  var gyroscopeRange = MPU6050.GyroscopeRange.dps2000
  var gyroscopeBias = Vector3.zero
  var gyroscopeScale = Calibration.Scale.one
  var vibration = VibrationDraft()

  /// A filter that yields gravity.
  enum Filter {
    case lowPass, adaptive, fusion
  }

  // What the model decides on and came before it: in the places of the keys from `address` to `gyroscopeScale`.
  private var earlyValues = InlineArray<8, Text>(repeating: Text())

  /// The line where `key` came, or 0.
  func line(of key: BoardKey) -> Int32 { keyLines[Int(truncatingIfNeeded: key.rawValue)] }

  /// Begins a section.
  mutating func open(_ name: Text, line: Int32) throws(BoardFileError) {
    guard let section = BoardSection(named: name) else {
      throw BoardFileError(.unknownSection, line: line, found: ShortText(cutting: name))
    }
    let index = Int(truncatingIfNeeded: section.rawValue)
    guard sectionLines[index] == 0 else {
      throw BoardFileError(.doubledSection(section, firstLine: sectionLines[index]), line: line)
    }
    sectionLines[index] = line
    self.section = section
    try checkEmulation()
  }

  /// Refuses the section of an emulated bus as soon as it and a real bus have been seen, whichever came first; and a pin of
  /// the sensor where the bus is emulated.
  private func checkEmulation() throws(BoardFileError) {
    if bus == .emulated && line(of: .bus) > 0 && line(of: .dataReady) > 0 {
      throw BoardFileError(.emulatedBus(.dataReady), line: line(of: .dataReady))
    }
    let line = sectionLines[Int(truncatingIfNeeded: BoardSection.emulation.rawValue)]
    guard line > 0, case .linux(let path) = bus else { return }
    throw BoardFileError(.realBus, line: line, found: ShortText(cutting: path))
  }

  /// Processes a key and its value.
  mutating func take(_ name: Text, _ value: Text, line: Int32) throws(BoardFileError) {
    guard let section else {
      throw BoardFileError(.outsideSection, line: line, found: ShortText(cutting: name))
    }
    guard let key = BoardKey(named: name, in: section) else {
      throw BoardFileError(
        .unknownKey(section), line: line, found: ShortText(cutting: name), model: model, code: code)
    }
    guard self.line(of: key) == 0 else {
      throw BoardFileError(.doubledKey(key, firstLine: self.line(of: key)), line: line)
    }
    keyLines[Int(truncatingIfNeeded: key.rawValue)] = line
    if key.dependsOnModel && model == nil {
      earlyValues[Self.place(of: key)] = value
    } else {
      try judge(key, value)
      if key == .model { try judgeEarlyValues() }
      if key == .bus || key == .dataReady { try checkEmulation() }
      if key == .model || key == .gravity || key == .timeConstant { try checkFilter() }
      if let code { try checkLines(of: code) }
    }
  }

  /// Refuses fusion as soon as it and a model without a gyroscope have been seen, whichever came first; and a time constant
  /// for it.
  private func checkFilter() throws(BoardFileError) {
    guard filter == .fusion else { return }
    if model == .adxl345 { throw BoardFileError(.noGyroscope, line: line(of: .gravity), model: model) }
    let line = line(of: .timeConstant)
    if line > 0 { throw BoardFileError(.fusionKey(.timeConstant), line: line, model: model) }
  }

  /// The filter that the file names; of those that it does not, fusion where there is a gyroscope, and the low-pass where
  /// there is none or where a time constant asks for it.
  private var chosenFilter: Filter {
    filter ?? (model == .mpu6050 && line(of: .timeConstant) == 0 ? .fusion : .lowPass)
  }

  /// The fusion, configured with where the sensor's ranges end.
  private var fusion: Fusion.Configuration {
    let sensor = fusing
    return Fusion.Configuration(
      rateRange: Q16(whole: sensor.gyroscope?.degreesPerSecond ?? 2_000), forceRange: Q16(whole: sensor.range.g))
  }

  private var gravityFilter: GravityFilter.Configuration {
    switch chosenFilter {
    case .lowPass: .lowPass(gravity)
    case .adaptive: .adaptive(AdaptiveFilterConfiguration(gravity))
    case .fusion: .fusion(fusion)
    }
  }

  /// Refuses the first key that names a line which `code` does not have, as soon as both have been seen.
  private func checkLines(of code: LineCode) throws(BoardFileError) {
    var first: BoardKey?
    for index in 0..<BoardKey.count where keyLines[index] > 0 {
      guard let key = BoardKey(index: index), !key.belongs(to: code) else { continue }
      if let found = first, line(of: found) < line(of: key) { continue }
      first = key
    }
    guard let key = first else { return }
    throw BoardFileError(.uncodedKey(key), line: line(of: key), model: model, code: code)
  }

  private mutating func judge(_ key: BoardKey, _ value: Text) throws(BoardFileError) {
    do throws(BoardFileError.Cause) {
      try set(key, to: value)
    } catch {
      throw BoardFileError(error, line: line(of: key), found: ShortText(cutting: value), model: model)
    }
  }

  /// Checks what came before the model, in the order of the file.
  private mutating func judgeEarlyValues() throws(BoardFileError) {
    var last: Int32 = 0
    while true {
      var next: BoardKey?
      for index in 0..<BoardKey.count {
        guard let key = BoardKey(index: index), key.dependsOnModel, line(of: key) > last else { continue }
        if let found = next, line(of: found) < line(of: key) { continue }
        next = key
      }
      guard let key = next else { return }
      last = line(of: key)
      try judge(key, earlyValues[Self.place(of: key)])
    }
  }

  private static func place(of key: BoardKey) -> Int {
    Int(truncatingIfNeeded: key.rawValue &- BoardKey.address.rawValue)
  }

  /// The description, when the file is complete and the C side ended with `code`.
  func finished(code: Int32) throws(BoardFileError) -> BoardDescription {
    if let error { throw error }
    guard code == 0 else { throw BoardFileError(BoardFileError.Cause(code: code)) }
    try checkComplete()
    var board = BoardDescription(
      bus: bus, sensor: sensor, lines: lines, emulation: emulation, gravity: gravityFilter, share: share,
      vibration: try checkedVibration(), tare: tare, vehicle: vehicle, power: power)
    board.setTaps(findsTaps ? knocks.taps : nil)
    board.setFreeFall(line(of: .freeFall) > 0 ? knocks.fall : nil)
    switch board.tapRefusal {
    case .rate: throw BoardFileError(.slowForTaps, line: line(of: .rate), model: model)
    case .range:
      let (key, section) = (line(of: .tapThreshold), line(of: .taps))
      throw BoardFileError(.tapBeyondRange, line: key > 0 ? key : section, model: model)
    case nil: return board
    }
  }

  private var power: BoardDescription.Power? {
    line(of: .still) > 0 ? BoardDescription.Power(still: still, darkens: !keepsLEDs) : nil
  }

  /// The line where `section` began, or 0.
  private func line(of section: BoardSection) -> Int32 { sectionLines[Int(truncatingIfNeeded: section.rawValue)] }

  private var findsTaps: Bool { line(of: .taps) > 0 }

  private var lines: BoardDescription.Lines {
    let code = code ?? .leds
    var offsets = InlineArray<7, UInt32>(repeating: 0)
    for index in 0..<code.lineCount {
      offsets[index] = gpios[Int(truncatingIfNeeded: BoardKey(line: index, of: code).rawValue)]
    }
    return BoardDescription.Lines(
      chip: chip, code: code, offsets: offsets, idle: isIdleOn ? code.data : .off, isActiveLow: isActiveLow)
  }

  private var sensor: BoardDescription.Sensor {
    var sensor = BoardDescription.Sensor(
      address: address, configuration: model == .mpu6050 ? .mpu6050(fusing) : .adxl345(adxl345), mounting: mounting,
      calibration: calibration, rotationCalibration: rotationCalibration)
    // Both have been checked.
    if let rate {
      _ = sensor.setRate(rate)
    } else if findsTaps && model == .mpu6050 {
      _ = sensor.setRate(BoardDescription.usualTapRate)
    }
    if line(of: .dataReady) > 0 {
      sensor.setDataReady(gpios[Int(truncatingIfNeeded: BoardKey.dataReady.rawValue)])
    }
    if batch > 1 { _ = sensor.setBatch(batch) }
    return sensor
  }

  /// The MPU-6050 with its gyroscope on where fusion takes it, in the ranges that fusion and taps need unless the file says
  /// otherwise.
  private var fusing: MPU6050.Configuration {
    var sensor = mpu6050
    let isFusing = chosenFilter == .fusion
    if isFusing { sensor.gyroscope = gyroscopeRange }
    guard line(of: .range) == 0 else { return sensor }
    if findsTaps {
      sensor.range = knocks.taps.threshold < Q16(whole: 8) ? .g8 : .g16
    } else if isFusing {
      sensor.range = .g8
    }
    return sensor
  }

  /// What is watched of vibration, of samples that come often enough for it; nil where the file does not ask for it.
  private func checkedVibration() throws(BoardFileError) -> VibrationConfiguration? {
    let section = sectionLines[Int(truncatingIfNeeded: BoardSection.vibration.rawValue)]
    guard section > 0 else { return nil }
    let configuration: VibrationConfiguration
    do throws(VibrationError) { configuration = try vibration.checked() } catch {
      let key: BoardKey = line(of: .quiet) > 0 ? .quiet : .busy
      throw BoardFileError(.quietAboveBusy(key), line: line(of: key))
    }
    if let needed = sensor.rateMissing(for: configuration) {
      let line = line(of: .bands)
      throw BoardFileError(.tooFewSamples(sensor.sampleRate, needed: needed), line: line > 0 ? line : section)
    }
    return configuration
  }

  private func checkComplete() throws(BoardFileError) {
    guard section != nil else { throw BoardFileError(.empty) }
    for index in 0..<BoardSection.count where sectionLines[index] == 0 {
      guard let section = BoardSection(index: index), section.isRequired else { continue }
      throw BoardFileError(.missingSection(section))
    }
    let code = code ?? .leds
    try checkLines(of: code)
    for index in 0..<BoardKey.count where keyLines[index] == 0 {
      guard let key = BoardKey(index: index), key.isRequired(with: code) else { continue }
      let line = sectionLines[Int(truncatingIfNeeded: key.section.rawValue)]
      throw BoardFileError(.missingKey(key), line: line, model: model, code: code)
    }
    try checkPower()
  }

  /// Refuses a sensor that is to wake a program to which its interrupt is not wired.
  private func checkPower() throws(BoardFileError) {
    let section = sectionLines[Int(truncatingIfNeeded: BoardSection.power.rawValue)]
    guard section > 0 else { return }
    guard line(of: .still) > 0 else { throw BoardFileError(.missingKey(.still), line: section, model: model) }
    guard bus != .emulated, line(of: .dataReady) == 0 else { return }
    throw BoardFileError(.missingWire(.still), line: line(of: .still), model: model)
  }
}
