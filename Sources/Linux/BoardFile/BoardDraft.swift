internal import FixedPoint
internal import Gestures
internal import HAL
internal import Indication
internal import Orientation
internal import Sensors
internal import Text
internal import Vibration

/// An incomplete board description: the content of the lines read so far.
struct BoardDraft: SettingsDraft {
  /// Where it is in the file.
  var places = SettingsPlaces<BoardKey>()

  var bus: BoardDescription.Bus = .emulated
  var model: SensorModel?
  var address: I2CAddress?
  /// The range of the force, g; nil where the file has not named it yet.
  var range: Int32?
  var acceptsUnverifiedParts = false
  var rate: UpdateRate?
  var batch: Int32 = 1
  var mounting = Mounting.aligned
  var offset = Vector3.zero
  var scale = Calibration.Scale.one
  var chip = ShortText<32>()
  /// What the lines show; nil if the file has not named it yet.
  var code: LineCode?
  /// The GPIO of each key that names a line, in the place of the key; 0 for those not seen.
  var gpios = SettingsTable<BoardKey, UInt32>(repeating: 0)
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
  var poses = PoseDraft()
  /// The filter that yields gravity; nil where the file has not named it yet.
  var filter: Filter?
  var gravity = LowPass.Configuration()
  var gyroscopeRange: Int32 = 2_000
  var gyroscopeBias = Vector3.zero
  var gyroscopeScale = Calibration.Scale.one
  var vibration = VibrationDraft()

  /// A filter that yields gravity.
  enum Filter {
    case lowPass, adaptive, fusion
  }

  /// The values of keys that depend on the model and came before it, each at ``earlyPlace(of:)``.
  private var earlyValues = InlineArray<12, SettingsText>(repeating: SettingsText())

  /// The model and the code that the file has named.
  var context: BoardContext { BoardContext(model: model, code: code) }

  /// The line where `key` came, or 0.
  func line(of key: BoardKey) -> Int32 { places.line(of: key) }

  /// The line where `section` began, or 0.
  private func line(of section: BoardSection) -> Int32 { places.line(of: section) }

  /// An emulated bus has a section of its own.
  func checkSection() throws(BoardFileError) { try checkEmulation() }

  /// Refuses the section of an emulated bus as soon as it and a real bus have been seen, whichever came first; and a
  /// pin of the sensor where the bus is emulated.
  private func checkEmulation() throws(BoardFileError) {
    if bus == .emulated && line(of: .bus) > 0 && line(of: .dataReady) > 0 {
      throw BoardFileError(.refused(.emulatedBus(.dataReady)), line: line(of: .dataReady))
    }
    let line = line(of: .emulation)
    guard line > 0, case .linux(let path) = bus else { return }
    throw BoardFileError(.refused(.realBus), line: line, found: ShortText(cutting: path))
  }

  /// Processes a key and its value.
  mutating func take(_ key: BoardKey, _ value: SettingsText) throws(BoardFileError) {
    if key.dependsOnModel && model == nil {
      let place = Self.earlyPlace(of: key)
      guard place < earlyValues.count else {
        throw BoardFileError(.badValue(key), line: line(of: key), found: ShortText(cutting: value))
      }
      earlyValues[place] = value
    } else {
      try judge(key, value)
      if key == .model { try judgeEarlyValues() }
      if key == .bus || key == .dataReady { try checkEmulation() }
      if key == .model || key == .gravity || key == .timeConstant { try checkFilter() }
      if let code { try checkLines(of: code) }
    }
  }

  /// Refuses fusion as soon as it and a model without a gyroscope have been seen, whichever came first; and a time
  /// constant for it.
  private func checkFilter() throws(BoardFileError) {
    guard filter == .fusion else { return }
    if let model, !model.traits.hasGyroscope {
      throw BoardFileError(.refused(.noGyroscope), line: line(of: .gravity), context: context)
    }
    let line = line(of: .timeConstant)
    if line > 0 { throw BoardFileError(.refused(.fusionKey(.timeConstant)), line: line, context: context) }
  }

  /// The filter that the file names; of those that it does not, fusion where there is a gyroscope, and the low-pass
  /// where there is none or where a time constant asks for it.
  private var chosenFilter: Filter {
    filter ?? (model?.traits.hasGyroscope == true && line(of: .timeConstant) == 0 ? .fusion : .lowPass)
  }

  /// The fusion, configured with where the sensor's ranges end.
  private var fusion: Fusion.Configuration {
    let sensor = configuration
    return Fusion.Configuration(
      rateRange: Q16(whole: sensor.rangeInDegreesPerSecond ?? 2_000), forceRange: Q16(whole: sensor.rangeInG))
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
    var keys = BoardKey.all
    while let key = keys.next(where: { line(of: $0) > 0 && !$0.belongs(to: code) }) {
      if let found = first, line(of: found) < line(of: key) { continue }
      first = key
    }
    guard let key = first else { return }
    let context = BoardContext(model: model, code: code)
    throw BoardFileError(.refused(.uncodedKey(key)), line: line(of: key), context: context)
  }

  private mutating func judge(_ key: BoardKey, _ value: SettingsText) throws(BoardFileError) {
    do throws(BoardFileError.Cause) {
      if key.section == .sensor, !key.applies(in: context) { throw .refused(.foreignKey(key)) }
      try set(key, to: value)
    } catch {
      throw BoardFileError(error, line: line(of: key), found: ShortText(cutting: value), context: context)
    }
  }

  /// Checks what came before the model, in the order of the file.
  private mutating func judgeEarlyValues() throws(BoardFileError) {
    var last: Int32 = 0
    while true {
      var next: BoardKey?
      var keys = BoardKey.all
      while let key = keys.next(where: { $0.dependsOnModel && line(of: $0) > last }) {
        if let found = next, line(of: found) < line(of: key) { continue }
        next = key
      }
      guard let key = next else { return }
      last = line(of: key)
      try judge(key, earlyValues[Self.earlyPlace(of: key)])
    }
  }

  /// How many keys before `key` depend on the model.
  private static func earlyPlace(of key: BoardKey) -> Int {
    var place = 0
    var others = BoardKey.all
    while others.next(where: { $0.rawValue < key.rawValue && $0.dependsOnModel }) != nil { place &+= 1 }
    return place
  }

  /// The description, when the whole file has been read.
  func finished() throws(BoardFileError) -> BoardDescription {
    try checkComplete()
    var board = BoardDescription(
      bus: bus, sensor: sensor, lines: lines, emulation: emulation, gravity: gravityFilter, share: share,
      vibration: try checkedVibration(), tare: tare, vehicle: vehicle, power: power)
    board.setTaps(findsTaps ? knocks.taps : nil)
    board.setFreeFall(line(of: .freeFall) > 0 ? knocks.fall : nil)
    board.poses = try checkedPoses()
    switch board.tapRefusal {
    case .rate: throw BoardFileError(.refused(.slowForTaps), line: line(of: .rate), context: context)
    case .range:
      let (key, section) = (line(of: .tapThreshold), line(of: .taps))
      throw BoardFileError(.refused(.tapBeyondRange), line: key > 0 ? key : section, context: context)
    case nil: return board
    }
  }

  /// How poses are decided; nil where the file does not say.
  private func checkedPoses() throws(BoardFileError) -> PoseTracker.Configuration? {
    guard line(of: .poses) > 0 else { return nil }
    do throws(TrackerConfigurationError) {
      return try poses.checked(over: chosenFilter == .fusion ? .fused : .standard)
    } catch {
      // Each value by itself was checked: only the two angles of faces can be at odds.
      let key: BoardKey = line(of: .faceLeave) > line(of: .faceEnter) ? .faceLeave : .faceEnter
      throw BoardFileError(.refused(.facesOverlap(key)), line: line(of: key), context: context)
    }
  }

  private var power: BoardDescription.Power? {
    line(of: .still) > 0 ? BoardDescription.Power(still: still, darkens: !keepsLEDs) : nil
  }

  private var findsTaps: Bool { line(of: .taps) > 0 }

  private var lines: BoardDescription.Lines {
    let code = code ?? .leds
    var offsets = InlineArray<7, UInt32>(repeating: 0)
    for index in 0..<code.lineCount {
      offsets[index] = gpios[BoardKey(line: index, of: code)]
    }
    return BoardDescription.Lines(
      chip: chip, code: code, offsets: offsets, idle: isIdleOn ? code.data : .off, isActiveLow: isActiveLow)
  }

  private var sensor: BoardDescription.Sensor {
    let configuration = configuration
    var sensor = BoardDescription.Sensor(
      address: address ?? configuration.model.traits.addresses.low, configuration: configuration, mounting: mounting,
      calibration: calibration, rotationCalibration: rotationCalibration)
    // Both have been checked.
    if let rate {
      _ = sensor.setRate(rate)
    } else if findsTaps && !sensor.model.traits.findsKnocks {
      _ = sensor.setRate(BoardDescription.usualTapRate)
    }
    if line(of: .dataReady) > 0 {
      sensor.setDataReady(gpios[.dataReady])
    }
    if batch > 1 { _ = sensor.setBatch(batch) }
    return sensor
  }

  /// The sensor with its gyroscope on where fusion takes it, in the ranges that fusion and taps need unless the file
  /// says otherwise.
  private var configuration: SensorConfiguration {
    var configuration = SensorConfiguration(model ?? .adxl345)
    configuration.acceptsUnverifiedParts = acceptsUnverifiedParts
    let isFusing = chosenFilter == .fusion
    if isFusing { _ = configuration.setGyroscope(gyroscopeRange) }
    if let range {
      _ = configuration.setRange(range)
    } else if findsTaps && !configuration.model.traits.findsKnocks {
      _ = configuration.setRange(knocks.taps.threshold < Q16(whole: 8) ? 8 : 16)
    } else if isFusing {
      _ = configuration.setRange(8)
    }
    return configuration
  }

  /// What is watched of vibration, of samples that come often enough for it; nil where the file does not ask for it.
  private func checkedVibration() throws(BoardFileError) -> VibrationConfiguration? {
    let section = line(of: .vibration)
    guard section > 0 else { return nil }
    let configuration: VibrationConfiguration
    do throws(VibrationError) { configuration = try vibration.checked() } catch {
      let key: BoardKey = line(of: .quiet) > 0 ? .quiet : .busy
      throw BoardFileError(.refused(.quietAboveBusy(key)), line: line(of: key))
    }
    if let needed = sensor.rateMissing(for: configuration) {
      let line = line(of: .bands)
      throw BoardFileError(
        .refused(.tooFewSamples(sensor.sampleRate, needed: needed)), line: line > 0 ? line : section)
    }
    return configuration
  }

  private func checkComplete() throws(BoardFileError) {
    guard places.section != nil else { throw BoardFileError(.empty) }
    var sections = BoardSection.all
    while let section = sections.next(where: { $0.isRequired && line(of: $0) == 0 }) {
      throw BoardFileError(.missingSection(section))
    }
    let code = code ?? .leds
    try checkLines(of: code)
    var keys = BoardKey.all
    while let key = keys.next(where: { $0.isRequired(with: code) && line(of: $0) == 0 }) {
      let context = BoardContext(model: model, code: code)
      throw BoardFileError(.missingKey(key), line: line(of: key.section), context: context)
    }
    try checkPower()
  }

  /// Refuses a sensor that is to wake a program to which its interrupt is not wired.
  private func checkPower() throws(BoardFileError) {
    let section = line(of: BoardSection.power)
    guard section > 0 else { return }
    guard line(of: .still) > 0 else { throw BoardFileError(.missingKey(.still), line: section, context: context) }
    guard bus != .emulated, line(of: .dataReady) == 0 else { return }
    throw BoardFileError(.refused(.missingWire(.still)), line: line(of: .still), context: context)
  }
}
