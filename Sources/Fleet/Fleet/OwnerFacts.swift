internal import JSON
internal import Sensors
internal import StreamCodec
internal import StreamService
internal import Text

/// What an owner says about itself in its hello.
struct OwnerFacts {
  /// Identifies this run of the owner; empty before the first hello.
  private(set) var run = ShortText<64>()
  /// The owner's version.
  private(set) var version = ShortText<24>()
  /// The sensor's model.
  private(set) var sensor = ShortText<24>()
  /// The name of the board.
  private(set) var board = ShortText<128>()
  /// Whether there was a hello.
  private(set) var isKnown = false
  /// Whether a gyroscope is used; nil before the first hello.
  private(set) var hasGyroscope: Bool?
  /// Whether the owner says whether the board is still, which older versions do only with a gyroscope; nil before the
  /// first hello.
  private(set) var saysStill: Bool?

  init() {}

  init(_ hello: JSONObject) {
    (run, version) = (ShortText(hello["owner"]), ShortText(hello["plumb"]))
    (sensor, board) = (ShortText(hello["sensor"]), ShortText(hello["board"]))
    hasGyroscope = hello["gyroscope_range_dps"]?.isNumber ?? false
    saysStill = hasGyroscope == true || hello["still"] != nil
    isKnown = true
  }

  /// Whether the sensor measures its temperature; nil before the first hello.
  var hasThermometer: Bool? { isKnown ? SensorModel(named: sensor)?.traits.hasThermometer ?? false : nil }

  /// Whether both result in the same discovery.
  func looks(like other: OwnerFacts) -> Bool {
    version == other.version && sensor == other.sensor && isKnown == other.isKnown
      && hasGyroscope == other.hasGyroscope && saysStill == other.saysStill
  }
}

extension ShortText {
  /// Whether it is not empty, not cut, and consists of letters, digits, hyphens and underscores.
  var isName: Bool {
    for index in 0..<count where !self[index].isWord { return false }
    return count > 0 && !isCut
  }
}
