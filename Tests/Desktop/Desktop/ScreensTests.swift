import CDesktop
import TestSupport
import Testing

/// What the tools of compositors and X servers list. The C has one list for the process.
@Suite(.serialized) struct ScreensTests {
  /// An output with its transform.
  private struct Screen: Equatable {
    var name: String
    var transform: Int32
  }

  /// What `wlr-randr` 0.2.0 of Debian 12 wrote.
  private static let wayland02 = """
    HEADLESS-2 "Headless output 2"
      Enabled: no
    HEADLESS-1 "Headless output 1"
      Enabled: yes
      Modes:
        1280x720 px (current)
      Position: 1280,0
      Transform: 270
      Scale: 1.000000

    """
  /// What that of Debian 13 wrote.
  private static let wayland05 = """
    HEADLESS-1 "Headless output 1"
      Make: (null)
      Model: (null)
      Serial: (null)
      Enabled: yes
      Modes:
        1280x720 px (current)
      Position: 1280,0
      Transform: flipped-90
      Scale: 1.000000
      Adaptive Sync: disabled
    HEADLESS-2 "Headless output 2"
      Make: (null)
      Model: (null)
      Serial: (null)
      Enabled: no

    """
  private static let x11 = """
    Screen 0: minimum 64 x 64, current 800 x 600, maximum 32767 x 32767
    eDP-1 connected primary 480x640+0+0 left (normal left inverted right x axis y axis) 0mm x 0mm
       640x480        0.00*
    HDMI-1 connected 1280x720+480+0 (normal left inverted right x axis y axis) 0mm x 0mm
    HDMI-2 connected (normal left inverted right x axis y axis)
    DP-1 connected 640x480+0+0 inverted X axis (normal left inverted right x axis y axis) 0mm x 0mm
    DP-2 disconnected 640x480+0+0 (normal left inverted right x axis y axis) 0mm x 0mm
    screen connected 640x480+0+0 0mm x 0mm
    default connected 640x480-10+0 right (normal left inverted right x axis y axis) 0mm x 0mm
    """

  @discardableResult
  private static func read(_ text: String, _ session: cdesktop_session) -> [Screen] {
    var bytes = Array(text.utf8CString)
    let count = unsafe bytes.withUnsafeMutableBufferPointer { unsafe cdesktop_screens_read(session, $0.baseAddress) }
    return (0..<count).map {
      Screen(name: unsafe String(cString: cdesktop_screens_name($0)), transform: cdesktop_screens_transform($0))
    }
  }

  /// The chosen output, or what is wrong.
  private static func chosen(_ wanted: String = "", last: String = "") -> String {
    let index = unsafe cdesktop_screens_choose(wanted, last)
    return unsafe String(cString: index < 0 ? cdesktop_screens_line() : cdesktop_screens_name(index))
  }

  @Test static func `both versions of wlr-randr are read`() {
    expect(read(Self.wayland02, CDESKTOP_WAYLAND), equals: [Screen(name: "HEADLESS-1", transform: 3)])
    // No pose asks for the transform of a mirrored output, which is put back all the same.
    expect(read(Self.wayland05, CDESKTOP_SWAY), equals: [Screen(name: "HEADLESS-1", transform: 5)])
  }

  @Test static func `the rotation of xrandr is found behind the size`() {
    expect(
      read(Self.x11, CDESKTOP_X11),
      equals: [
        Screen(name: "eDP-1", transform: 1), Screen(name: "HDMI-1", transform: 0), Screen(name: "DP-1", transform: 2),
        Screen(name: "screen", transform: 0), Screen(name: "default", transform: 3),
      ])
  }

  @Test(arguments: ["DSI-1", "eDP-1", "LVDS-1", "DPI-1"])
  static func `the built-in panel is chosen among several`(name: String) {
    read(
      "HDMI-A-1 \"a\"\n  Enabled: yes\n  Transform: normal\n\(name) \"b\"\n  Enabled: yes\n  Transform: 180\n",
      CDESKTOP_WAYLAND)
    expect(chosen(), equals: name)
    expect(chosen("HDMI-A-1"), equals: "HDMI-A-1")
  }

  @Test static func `among several without a built-in panel the choice is the user's`() {
    read("HDMI-1 connected 1x1+0+0 (normal)\nHDMI-2 connected 1x1+0+0 (normal)\n", CDESKTOP_X11)
    expect(chosen(), equals: "which output has the board? Set output = NAME in [rotate]; on: HDMI-1, HDMI-2")
    // The one that was turned before stays the one, whatever is plugged in.
    expect(chosen(last: "HDMI-2"), equals: "HDMI-2")
    read("HDMI-1 connected 1x1+0+0 (normal)", CDESKTOP_X11)
    expect(chosen(last: "HDMI-2"), equals: "HDMI-1")
  }

  @Test static func `a configured output that is not there is named`() {
    read(Self.wayland02, CDESKTOP_WAYLAND)
    expect(chosen("DSI-1", last: "HEADLESS-1"), equals: "output DSI-1 is not connected, or off; on: HEADLESS-1")
    read("", CDESKTOP_WAYLAND)
    expect(chosen("DSI-1"), equals: "output DSI-1 is not connected, or off; on: none")
    read("Can't open display", CDESKTOP_X11)
    expect(chosen(), equals: "output auto is not connected, or off; on: none")
  }

  @Test static func `of any text, at most eight outputs are taken`() {
    let many = (1...20).map { "DP-\($0) connected 1x1+0+0 (normal)\n" }.joined()
    expect(read(many, CDESKTOP_X11).map(\.name), equals: (1...8).map { "DP-\($0)" })
    expect(chosen(), hasSuffix: "on: DP-1, DP-2, DP-3, DP-4, DP-5, DP-6, DP-7, DP-8")
    let long = String(repeating: "y", count: 99)
    let nonsense =
      "  Enabled: yes\n  Transform: 90\n\n\t\n  Enabled:\nx\(long)\n Transform:\n Transform: \(long)\n\(long)"
    let cut = Screen(name: "x" + String(repeating: "y", count: 42), transform: 0)
    expect(read(nonsense, CDESKTOP_WAYLAND), equals: [Screen(name: "", transform: 1), cut])
    expect(read(nonsense, CDESKTOP_X11), equals: [])
  }

  @Test static func `each touch screen of xinput is found, and no touchpad`() {
    let list = """
      ⎡ Virtual core pointer                    \tid=2\t[master pointer  (3)]
      \tReporting 3 classes:
      \t\tClass originated from: 2. Type: XIButtonClass
      ⎜   ↳ touch                                   \tid=6\t[slave  pointer  (2)]
      \t\tClass originated from: 16. Type: XIScrollClass
      \t\tScroll info for Valuator 3
      \t\tClass originated from: 16. Type: XITouchClass
      \t\tTouch mode: direct
      \t\tMax number of touches: 15
      \t\tClass originated from: 7. Type: XITouchClass
      \t\tTouch mode: dependent
      """
    var bytes = Array(list.utf8CString)
    var devices = [Int32](repeating: 0, count: 8)
    let count = unsafe bytes.withUnsafeMutableBufferPointer { text in
      unsafe devices.withUnsafeMutableBufferPointer { devices in
        unsafe cdesktop_screens_read_touch(devices.baseAddress, text.baseAddress)
      }
    }
    #expect(count == 1 && devices[0] == 16)
  }
}
