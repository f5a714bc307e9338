internal import BoardFile
package import CSupport
package import Orientation
package import StreamService
package import Text

/// What a board does for a desktop, as configured by `/etc/plumb/desktop.ini` and the options of `plumb desktop`.
package struct DesktopSettings: SettableDraft, Sendable {
  /// Where the owner of the sensor is.
  package private(set) var source = OwnerAddress.unix(path: "/run/plumb/stream")
  /// The file with the token that the owner requires; empty for none.
  package private(set) var tokenFile = SettingsText()
  /// The name of the turned output; empty for the built-in panel, or the only one.
  package private(set) var output = ShortText<44>()
  /// The pose that locks and unlocks.
  package private(set) var lockPose: Pose?
  package private(set) var numbers = SettingsNumbers<DesktopKey>()
  package var places = SettingsPlaces<DesktopKey>()

  package static var receive: csupport_ini_handler { { unsafe SettingsReader<Self>.receive($0, $1) } }

  /// The defaults of the schema.
  package init() {}

  package mutating func put(_ key: DesktopKey, _ value: SettingsText) throws(DesktopSettingsError.Cause) {
    let bad = DesktopSettingsError.Cause.badValue(key)
    switch key {
    case .from: source = try key.address(value)
    case .tokenFile: tokenFile = try key.bytes(value)
    case .output:
      // It becomes an argument of a program.
      guard value.count <= 40, value.hasOnly({ $0 > 0x20 && $0 < 0x7F }), value[0] != UInt8(ascii: "-") else {
        throw bad
      }
      output = value == "auto" ? ShortText() : ShortText(cutting: value)
    case .lockPose:
      lockPose = Pose(value)
      guard lockPose != nil || value == "none" else { throw bad }
    case .settle, .check, .range, .speed, .sensorProxy, .lock, .wheel, .buttons, .scroll, .motion:
      try numbers.put(key, value)
    }
  }

  /// Whether the service `plumb-desktop` has something to do.
  package var hasFunctions: Bool { has(.sensorProxy) || has(.wheel) || has(.scroll) || has(.motion) }
}

/// The first error in the settings of the desktop's programs.
package typealias DesktopSettingsError = SettingsError<DesktopKey>
