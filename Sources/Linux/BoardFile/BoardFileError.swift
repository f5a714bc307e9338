internal import FixedPoint
internal import Indication
public import Orientation
internal import Sensors
public import Text

/// The first error of a board file.
///
/// Values that depend on the sensor's model are checked once the file has named it.
public typealias BoardFileError = SettingsError<BoardKey>

/// Errors that only board files have.
public enum BoardRefusal: Equatable, Sendable {
  /// An `[emulation]` section in a file with a real bus; the line is that of the section.
  case realBus
  /// A key that needs a real bus, in a file with an emulated bus.
  case emulatedBus(BoardKey)
  /// A key that needs the `data-ready` wire, in a file without it.
  case missingWire(BoardKey)
  /// A key that sensors of the file's model do not have.
  case foreignKey(BoardKey)
  /// Fusion with a sensor that has no gyroscope; the line is that of `gravity`.
  case noGyroscope
  /// A key that does not apply to fusion.
  case fusionKey(BoardKey)
  /// A key for something that the file's lines do not have.
  case uncodedKey(BoardKey)
  /// A GPIO that is not on the header.
  case outOfRange(BoardKey)
  /// A GPIO that has another function on the header.
  case reserved(BoardKey)
  /// A GPIO that another line uses.
  case taken(BoardKey, by: BoardKey, firstLine: Int32)
  /// A rate too low for samples to show taps, with a sensor that does not detect them itself.
  case slowForTaps
  /// A tap threshold that is not below the sensor's range.
  case tapBeyondRange
  /// Axes that do not form a rotation.
  case impossibleMounting(MountingError)
  /// A `quiet` threshold above `busy`; the key is the one in the file.
  case quietAboveBusy(BoardKey)
  /// A face whose leave angle is not above its enter angle; the key is the later of the two in the file.
  case facesOverlap(BoardKey)
  /// Samples at a rate too low for the vibration bands, which need `needed`.
  case tooFewSamples(UpdateRate, needed: UpdateRate)
  /// A bus that is not a Pico's, in a file of a Pico.
  case picoBus
  /// A chip that is not a Pico's, in a file with a Pico's bus.
  case picoChip
  /// A GPIO that a Pico does not have on its edge, or that its bus uses.
  case picoPin(BoardKey)
  /// A key for something that a Pico does not have.
  case picoKey(BoardKey)
}

extension BoardKey {
  /// Appends what `refusal`, the cause of `error`, means and what is allowed.
  public static func append(_ refusal: BoardRefusal, of error: BoardFileError, to text: inout SettingsMessage) {
    switch refusal {
    case .realBus:
      text.append(
        "section [emulation] with the bus \(quoted: error.found); allowed: only with bus = emulated in [i2c]")
    case .emulatedBus(let key):
      text.append(
        "key \(key) with an emulated bus; allowed: only with a device such as bus = /dev/i2c-1 in [i2c]")
    case .missingWire(let key):
      let model = error.context.model ?? .adxl345
      guard let pin = model.traits.interruptPin else {
        return text.append("key \(key) needs an interrupt pin, which \(model.article) \(model.name) does not have")
      }
      text.append(
        "key \(key) needs a wire from \(pin) of the sensor to a free GPIO; required: \(BoardKey.dataReady)")
    case .foreignKey, .noGyroscope, .fusionKey, .uncodedKey: appendForeign(refusal, of: error, to: &text)
    case .outOfRange, .reserved, .taken, .impossibleMounting: appendValue(refusal, of: error, to: &text)
    case .slowForTaps:
      text.append("the \(BoardKey.rate) is too low for \(BoardSection.taps), because only samples show the taps of ")
      let model = error.context.model ?? .mpu6050
      text.append("\(model.article) \(model.name)")
      text.append("; allowed: a number from 200 to 1000 (Hz), at most 3 decimals")
    case .tapBeyondRange:
      text.append("the \(BoardKey.tapThreshold) is not below the range of the sensor, so no tap can exceed it")
      text.append("; allowed: less than the \(BoardKey.range)")
    case .quietAboveBusy:
      text.append(
        "quiet above busy in [vibration]; allowed: quiet at most busy; the defaults are 0.03 and 0.05 (g)")
    case .facesOverlap:
      text.append(
        "face-enter not below face-leave in [poses]; allowed: face-enter below face-leave; the defaults are 25 and 40 (degrees)"
      )
    case .picoBus, .picoChip, .picoPin, .picoKey: appendPico(refusal, of: error, to: &text)
    case .tooFewSamples(let rate, let needed):
      text.append(
        """
        too few samples for [vibration], \(rate) a second; allowed: a rate in [sensor] of \(needed) or more, twice the \
        highest frequency of bands and at least 10
        """)
    }
  }

  /// Appends an error about something that the file's model, filter or code does not have.
  private static func appendForeign(
    _ refusal: BoardRefusal, of error: BoardFileError, to text: inout SettingsMessage
  ) {
    let (model, code) = (error.context.model, error.context.code)
    switch refusal {
    case .foreignKey(let key):
      text.append("key \(key)")
      if error.context.isIIO {
        text.append(" does not apply with part = iio")
      } else if let model {
        text.append(" does not apply to \(model.article) \(model.name)")
      }
      if error.context.isIIO && key.section != .sensor { return text.append("; remove [\(key.section.name)], or part") }
      text.append("; allowed: ")
      appendKeys(of: key.section, in: error.context, to: &text)
    case .fusionKey(let key):
      text.append("key \(key) does not apply to fusion; allowed: only with gravity = low-pass or adaptive")
    case .uncodedKey(let key):
      text.append("key \(key) ")
      if key == .brightness || error.context.isMatrix {
        text.append(key == .brightness ? "needs chip = sense-hat" : "does not apply to the matrix of a Sense HAT")
      } else {
        text.append("does not apply with code = \((code ?? .leds).name)")
      }
      text.append("; allowed: ")
      appendKeys(of: key.section, in: error.context, to: &text)
    default:
      text.append("fusion of \(BoardKey.gravity) needs a gyroscope")
      if let model { text.append(", which \(model.article) \(model.name) does not have") }
      text.append("; allowed: ")
      BoardKey.gravity.appendAllowed(in: error.context, to: &text)
    }
  }

  /// Appends an error about a value.
  private static func appendValue(_ refusal: BoardRefusal, of error: BoardFileError, to text: inout SettingsMessage) {
    let found = error.found
    var valueKey = BoardKey.mounting
    switch refusal {
    case .outOfRange(let key):
      valueKey = key
      text.append("GPIO \(found) of \(key) is not on the header")
    case .reserved(let key):
      valueKey = key
      text.append("GPIO \(found) of \(key) is reserved, 0 and 1 for the EEPROM of a HAT, 2 and 3 for the I2C bus")
    case .taken(let key, let other, let firstLine):
      valueKey = key
      text.append("GPIO \(found) of \(key) is already used by \"\(other.name)\" in line \(firstLine)")
    case .impossibleMounting(let why):
      text.append("impossible mounting \(quoted: found)")
      text.append(
        why == .axisTwice ? ": it names one sensor axis twice" : ": it is left-handed, like that of a mirrored sensor")
    default: break
    }
    text.append("; allowed: ")
    valueKey.appendAllowed(in: error.context, to: &text)
    if case .taken = refusal { text.append(", each for one line") }
  }
}

extension ShortText.Interpolation {
  /// Appends a rate in hertz.
  fileprivate mutating func appendInterpolation(_ rate: UpdateRate) {
    appendInterpolation(widened(UInt32(bitPattern: rate.millihertz)), over: 1_000, places: 3)
  }
}
