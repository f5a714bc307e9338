import Desktop
import FixedPoint
import Orientation
import StreamService
import TestSupport
import Testing
import Text

/// The settings of the desktop's programs, and their errors.
struct DesktopSettingsTests {
  private static func read(_ text: String) throws -> DesktopSettings {
    try DesktopSettings.parse(Array(text.utf8).span)
  }

  @Test static func `an empty file means the defaults, with which the service has nothing to do`() throws {
    let settings = try read("")
    expect(settings.source, equals: .unix(path: "/run/plumb/stream"))
    expect(settings.output.count, equals: 0)
    expect(settings.lockPose, equals: nil)
    expect(that: !settings.has(.lock))
    #expect(settings[.settle] == 300 && settings[.check] == 5)
    #expect(settings[.range] == 90 && settings.has(.buttons) && settings[.speed] == 10)
    expect(that: !settings.hasFunctions)
  }

  @Test static func `each key is taken`() throws {
    let settings = try read(
      """
      [stream]
      from = tcp:pi:7000
      token-file = /etc/plumb/token
      [sensor-proxy]
      enabled = yes
      [rotate]
      output = HDMI-A-1
      lock = yes
      lock-pose = faceDown
      settle = 1.25
      check = 30
      [wheel]
      enabled = yes
      range = 45
      buttons = none
      [scroll]
      enabled = yes
      speed = 25
      [motion]
      enabled = yes
      """)
    expect(settings.source, equals: OwnerAddress("tcp:pi:7000"))
    expect(settings.tokenFile, equals: "/etc/plumb/token")
    expect(that: settings.has(.sensorProxy))
    expect(that: settings.has(.wheel))
    expect(that: settings.has(.scroll))
    expect(that: settings.has(.motion))
    expect(settings.output, equals: "HDMI-A-1")
    expect(that: settings.has(.lock))
    expect(settings.lockPose, equals: .faceDown)
    #expect(settings[.settle] == 1_250 && settings[.check] == 30)
    #expect(settings[.range] == 45 && !settings.has(.buttons) && settings[.speed] == 25)
    expect(that: settings.hasFunctions)
  }

  @Test(arguments: [
    ("[rotate]\noutput = two words\n", "output"), ("[rotate]\noutput = --help\n", "output"),
    ("[rotate]\nlock-pose = sideways\n", "lock-pose"), ("[rotate]\nsettle = 5.001\n", "settle"),
    ("[wheel]\nrange = 9\n", "range"), ("[scroll]\nspeed = 0\n", "speed"), ("[stream]\nfrom = ssh:pi\n", "from"),
    ("[motion]\nenabled = maybe\n", "enabled"), ("[rotate]\ncheck = 0\n", "check"),
  ])
  static func `a bad value is refused with its line and what is allowed`(text: String, key: String) throws {
    let error = try #require(throws: DesktopSettingsError.self) { try read(text) }
    expect(error.line, equals: 2)
    expect(error.exitCode, equals: 78)
    expect("\(error.message)", contains: "\"\(key)\"")
    expect("\(error.message)", contains: "allowed")
  }

  @Test static func `one file may serve all programs`() throws {
    let settings = try read("[sensor]\npart = adxl345\n[broker]\nhost = h\n[stream]\nfrom = unix:/a\n")
    expect(settings.source, equals: .unix(path: "/a"))
    expect(throws: DesktopSettingsError.self) { try read("[sensors]\n") }
  }

  @Test static func `every key fits the tables of a settings file`() {
    expect(DesktopKey.count, isAtMost: SettingsTable<DesktopKey, Int32>.capacity)
    expect(DesktopSection.count, isAtMost: SettingsTable<DesktopSection, Int32>.capacity)
  }
}
