internal import CSupport
internal import FixedPoint
internal import Gestures
internal import HAL
internal import Indication
internal import Orientation
internal import Sensors
internal import Text
internal import Vibration

/// An incomplete board description: what the lines read so far say.
struct BoardDraft: SettingsDraft {
  /// Where each section and key was in the file.
  var places = SettingsPlaces<BoardKey>()

  static var receive: csupport_ini_handler { { unsafe SettingsReader<Self>.receive($0, $1) } }

  var bus: BoardDescription.Bus = .emulated
  var model: SensorModel?
  /// Whether a driver of the kernel runs the sensor, and the name of its device.
  var isIIO = false
  var device = SensorPlace.Device()
  var address: I2CAddress?
  /// The accelerometer's range in g; nil until the file names it.
  var range: Int32?
  var acceptsUnverifiedParts = false
  var rate: UpdateRate?
  var batch: Int32 = 1
  var mounting = Mounting.aligned
  var offset = Vector3.zero
  var scale = Calibration.Scale.one
  var chip = ShortText<32>()
  /// What the lines show; nil until the file names it.
  var code: LineCode?
  /// The GPIO of each key that names a line, indexed by the key; 0 for keys not seen.
  var gpios = SettingsTable<BoardKey, UInt32>(repeating: 0)
  var isIdleOn = false
  var isActiveLow = false
  var brightness = BoardDescription.Lines.usualBrightness
  var emulation = BoardDescription.Emulation()
  var share = BoardDescription.Share()
  var tare = Tare.none
  var vehicle = BoardDescription.Vehicle()
  var knocks = KnockDraft()
  /// How long the sensor must be still before it sleeps.
  var still = Microseconds.zero
  var keepsLEDs = true
  var poses = PoseDraft()
  /// The gravity filter; nil until the file names it.
  var filter: Filter?
  var gravity = LowPass.Configuration()
  var gyroscopeRange: Int32 = 2_000
  var gyroscopeBias = Vector3.zero
  var gyroscopeScale = Calibration.Scale.one
  var vibration = VibrationDraft()
  /// Whether only the file of a Pico will do.
  var mustBePico = false

  /// A gravity filter.
  enum Filter {
    case lowPass, adaptive, fusion
  }

  /// The values of model-dependent keys that came before the model, each at ``earlyPlace(of:)``.
  private var earlyValues = InlineArray<12, SettingsText>(repeating: SettingsText())

  /// The model, the code and the chip named so far.
  var context: BoardContext {
    BoardContext(model: model, code: code, isMatrix: BoardDescription.Lines.isMatrix(chip), isIIO: isIIO)
  }

  /// The line of `key` in the file, or 0.
  func line(of key: BoardKey) -> Int32 { places.line(of: key) }

  /// The line on which `section` began, or 0.
  private func line(of section: BoardSection) -> Int32 { places.line(of: section) }

  func checkSection() throws(BoardFileError) { try checkEmulation() }

  /// Refuses the `[emulation]` section as soon as both it and a real bus have been seen, whichever came first; and
  /// `data-ready` with an emulated bus.
  private func checkEmulation() throws(BoardFileError) {
    if bus == .emulated && line(of: .bus) > 0 && line(of: .dataReady) > 0 {
      throw BoardFileError(.refused(.emulatedBus(.dataReady)), line: line(of: .dataReady))
    }
    let line = line(of: .emulation)
    guard line > 0, bus != .emulated else { return }
    let found: ShortText<64> =
      switch bus {
      case .linux(let path): path
      case .pico(let pico): pico.name
      default: "iio"
      }
    throw BoardFileError(.refused(.realBus), line: line, found: ShortText(cutting: found))
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
      if key == .model || key == .part { try judgeEarlyValues() }
      if key == .bus || key == .dataReady || key == .part { try checkEmulation() }
      if key == .model || key == .gravity || key == .timeConstant { try checkFilter() }
      if code != nil || context.isMatrix { try checkLines() }
    }
  }

  /// Refuses fusion as soon as both it and a model without a gyroscope have been seen, whichever came first; and a time
  /// constant with fusion.
  private func checkFilter() throws(BoardFileError) {
    guard filter == .fusion else { return }
    if let model, !model.traits.hasGyroscope {
      throw BoardFileError(.refused(.noGyroscope), line: line(of: .gravity), context: context)
    }
    let line = line(of: .timeConstant)
    if line > 0 { throw BoardFileError(.refused(.fusionKey(.timeConstant)), line: line, context: context) }
  }

  /// The filter that the file names. Without a name, fusion if the sensor has a gyroscope, or the low-pass filter if it
  /// has none or the file gives a time constant.
  private var chosenFilter: Filter {
    filter ?? (model?.traits.hasGyroscope == true && line(of: .timeConstant) == 0 ? .fusion : .lowPass)
  }

  /// The fusion, configured with the ends of the sensor's ranges.
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

  /// Refuses the first key for something that the lines do not have, as soon as both have been seen.
  private func checkLines() throws(BoardFileError) {
    let context = context
    var first: BoardKey?
    var keys = BoardKey.all
    while let key = keys.next(where: { line(of: $0) > 0 && $0.section == .lines && !$0.applies(in: context) }) {
      if let found = first, line(of: found) < line(of: key) { continue }
      first = key
    }
    guard let key = first else { return }
    throw BoardFileError(.refused(.uncodedKey(key)), line: line(of: key), context: context)
  }

  private mutating func judge(_ key: BoardKey, _ value: SettingsText) throws(BoardFileError) {
    do throws(BoardFileError.Cause) {
      if key.section == .sensor || key == .bus, !key.applies(in: context) { throw .refused(.foreignKey(key)) }
      try set(key, to: value)
    } catch {
      throw BoardFileError(error, line: line(of: key), found: ShortText(cutting: value), context: context)
    }
  }

  /// Checks the values that came before the model, in the file's order.
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

  /// The description, once the whole file has been read.
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

  /// How poses are decided; nil if the file does not say.
  private func checkedPoses() throws(BoardFileError) -> PoseTracker.Configuration? {
    guard line(of: .poses) > 0 else { return nil }
    do throws(TrackerConfigurationError) {
      return try poses.checked(over: chosenFilter == .fusion ? .fused : .standard)
    } catch {
      // Each value was checked alone, so only the two face angles can conflict.
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
    var lines = BoardDescription.Lines(
      chip: chip, code: code, offsets: offsets, idle: isIdleOn ? code.data : .off, isActiveLow: isActiveLow)
    lines.brightness = brightness
    return lines
  }

  private var sensor: BoardDescription.Sensor {
    let configuration = configuration
    var sensor = BoardDescription.Sensor(
      address: address ?? configuration.model.traits.addresses.low, configuration: configuration, mounting: mounting,
      calibration: calibration, rotationCalibration: rotationCalibration)
    // Rate and batch have been checked.
    if let rate {
      _ = sensor.setRate(rate)
    } else if findsTaps && !sensor.model.traits.findsKnocks {
      _ = sensor.setRate(BoardDescription.usualTapRate)
    }
    if line(of: .dataReady) > 0 {
      sensor.setDataReady(gpios[.dataReady])
    }
    if batch > 1 { _ = sensor.setBatch(batch) }
    if isIIO { sensor.device = .init(name: device, needsGyroscope: filter == .fusion) }
    return sensor
  }

  /// The sensor, with its gyroscope on if fusion needs it, and with the ranges that fusion and taps need unless the
  /// file says otherwise.
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

  /// How vibration is watched, from a high enough sample rate; nil if the file does not ask for it.
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
    while let section = sections.next(where: {
      $0.isRequired && line(of: $0) == 0 && !(isIIO && $0 == .i2c)
    }) {
      throw BoardFileError(.missingSection(section))
    }
    let context = context
    try checkLines()
    var keys = BoardKey.all
    while let key = keys.next(where: {
      $0.isRequired(with: code ?? .leds) && $0.applies(in: context) && line(of: $0) == 0
    }) {
      throw BoardFileError(.missingKey(key), line: line(of: key.section), context: context)
    }
    if isIIO && line(of: .device) == 0 {
      throw BoardFileError(.missingKey(.device), line: line(of: .part), context: context)
    }
    try checkPower()
    try checkPico()
  }

  /// Refuses sleep if the sensor's interrupt, which wakes the program, is not wired.
  private func checkPower() throws(BoardFileError) {
    let section = line(of: BoardSection.power)
    guard section > 0 else { return }
    guard line(of: .still) > 0 else { throw BoardFileError(.missingKey(.still), line: section, context: context) }
    guard !isIIO else { throw BoardFileError(.refused(.foreignKey(.still)), line: line(of: .still), context: context) }
    guard bus != .emulated, line(of: .dataReady) == 0 else { return }
    throw BoardFileError(.refused(.missingWire(.still)), line: line(of: .still), context: context)
  }
}
