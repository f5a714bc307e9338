internal import BoardFile
package import FixedPoint
package import Orientation
package import StreamService
package import Text

/// What a board does for a desktop, as configured by `/etc/plumb/desktop.ini` and the options of `plumb desktop`.
package struct DesktopSettings: SettableDraft, Sendable {
  /// Where the owner of the sensor is.
  package private(set) var source = OwnerAddress.unix(path: "/run/plumb/stream")
  /// The file with the token that the owner requires; empty for none.
  package private(set) var tokenFile = SettingsText()
  /// Whether `net.hadess.SensorProxy` is offered on the system bus.
  package private(set) var offersSensorProxy = false
  /// The name of the turned output; empty for the built-in panel, or the only one.
  package private(set) var output = ShortText<44>()
  /// Whether the screen keeps its rotation.
  package private(set) var isLocked = false
  /// The pose that locks and unlocks.
  package private(set) var lockPose: Pose?
  /// How long a pose must last before the screen turns.
  package private(set) var settle = Microseconds.milliseconds(300)
  /// How often the outputs are looked at.
  package private(set) var check = Microseconds.seconds(5)
  /// Whether there is a joystick.
  package private(set) var hasWheel = false
  /// The steering angle of its full lock, in degrees.
  package private(set) var range: Int32 = 90
  /// Whether taps are its buttons.
  package private(set) var hasButtons = true
  /// Whether there is a scroll wheel.
  package private(set) var scrolls = false
  /// Its greatest speed, in detents a second.
  package private(set) var speed: Int32 = 10
  /// Whether there is a motion sensor.
  package private(set) var hasMotion = false

  /// Where the keys are in the file that has set them.
  package var places = SettingsPlaces<DesktopKey>()

  /// The defaults.
  package init() {}

  /// What other programs read of the same file.
  package static func isForeign(_ section: SettingsText) -> Bool {
    DesktopSection(named: section) == nil
      && (BoardSection(named: section) != nil || PublisherSection(named: section) != nil)
  }

  /// Sets `key` to `value`.
  package mutating func put(_ key: DesktopKey, _ value: SettingsText) throws(DesktopSettingsError.Cause) {
    let bad = DesktopSettingsError.Cause.badValue(key)
    guard value.count > 0 && !value.isCut else { throw bad }
    switch key {
    case .from:
      guard let source = OwnerAddress(value) else { throw bad }
      self.source = source
    case .tokenFile: tokenFile = try key.bytes(value)
    case .sensorProxy: offersSensorProxy = try key.decision(value)
    case .output:
      // It becomes an argument of a program.
      guard value.count <= 40, value.hasOnly({ $0 > 0x20 && $0 < 0x7F }), value[0] != UInt8(ascii: "-") else {
        throw bad
      }
      output = value == "auto" ? ShortText() : ShortText(cutting: value)
    case .lock: isLocked = try key.decision(value)
    case .lockPose:
      lockPose = Pose(value)
      guard lockPose != nil || value == "none" else { throw bad }
    case .settle: settle = .milliseconds(widened(try key.number(value)))
    case .check: check = .seconds(widened(try key.number(value)))
    case .wheel: hasWheel = try key.decision(value)
    case .range: range = try key.number(value)
    case .buttons: hasButtons = try key.decision(value)
    case .scroll: scrolls = try key.decision(value)
    case .speed: speed = try key.number(value)
    case .motion: hasMotion = try key.decision(value)
    }
  }

  /// Whether the service `plumb-desktop` has something to do.
  package var hasFunctions: Bool { offersSensorProxy || hasWheel || scrolls || hasMotion }

  /// What is wrong without.
  package static var nothingEnabled: SettingsMessage {
    "nothing is enabled; allowed: enabled = yes in one of [sensor-proxy], [wheel], [scroll], [motion]"
  }

  /// Reads the settings file at `path`, a C string.
  package static func read(path: UnsafePointer<CChar>) throws(DesktopSettingsError) -> DesktopSettings {
    try unsafe SettingsReader.read(path: path, into: DesktopSettings()) {
      unsafe SettingsReader<DesktopSettings>.receive($0, $1)
    }
  }

  /// Parses the text of a settings file.
  package static func parse(_ text: Span<UInt8>) throws(DesktopSettingsError) -> DesktopSettings {
    try unsafe SettingsReader.read(text, into: DesktopSettings()) {
      unsafe SettingsReader<DesktopSettings>.receive($0, $1)
    }
  }
}

/// The first error in the settings of the desktop's programs.
package typealias DesktopSettingsError = SettingsError<DesktopKey>
