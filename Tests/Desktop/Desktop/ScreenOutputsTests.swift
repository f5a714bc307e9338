import Desktop
import Testing
import Text

/// What the tools of compositors list.
@Suite struct ScreenOutputsTests {
  private static let automatic = ScreenWord()

  /// What `wlr-randr` 0.2.0 of Debian 12 wrote; 0.5.0 of Debian 13 writes the same and more.
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

  private func wayland(_ text: String) -> ScreenOutputs { ScreenOutputs(wayland: Array(text.utf8).span) }
  private func x11(_ text: String) -> ScreenOutputs { ScreenOutputs(x11: Array(text.utf8).span) }
  private func message(_ outputs: ScreenOutputs, _ wanted: ScreenWord = automatic) -> String {
    let error = #expect(throws: ScreenError.self) { try outputs.choose(wanted, else: Self.automatic) }
    return error?.message.description ?? ""
  }

  @Test func `both versions of wlr-randr are read`() throws {
    let old = wayland(Self.wayland02)
    #expect(old.count == 1 && old[0] == ScreenOutput(name: "HEADLESS-1", transform: .threeQuarters))
    // A mirrored output has a transform that no pose asks for.
    let new = wayland(Self.wayland05)
    #expect(new.count == 1 && new[0] == ScreenOutput(name: "HEADLESS-1", transform: nil))
  }

  @Test func `the rotation of xrandr is found behind the size`() {
    let outputs = x11(
      """
      Screen 0: minimum 64 x 64, current 800 x 600, maximum 32767 x 32767
      eDP-1 connected primary 480x640+0+0 left (normal left inverted right x axis y axis) 0mm x 0mm
         640x480        0.00*
      HDMI-1 connected 1280x720+480+0 (normal left inverted right x axis y axis) 0mm x 0mm
      HDMI-2 connected (normal left inverted right x axis y axis)
      DP-1 connected 640x480+0+0 inverted X axis (normal left inverted right x axis y axis) 0mm x 0mm
      DP-2 disconnected 640x480+0+0 (normal left inverted right x axis y axis) 0mm x 0mm
      default connected 640x480+0+0 right (normal left inverted right x axis y axis) 0mm x 0mm
      """)
    #expect(outputs.count == 4)
    #expect(outputs[0] == ScreenOutput(name: "eDP-1", transform: .quarter))
    #expect(outputs[1] == ScreenOutput(name: "HDMI-1", transform: .normal))
    #expect(outputs[2] == ScreenOutput(name: "DP-1", transform: .half))
    #expect(outputs[3] == ScreenOutput(name: "default", transform: .threeQuarters))
  }

  @Test(arguments: ["DSI-1", "eDP-1", "LVDS-1", "DPI-1"])
  func `the built-in panel is chosen among several`(name: String) throws {
    let outputs = wayland(
      "HDMI-A-1 \"a\"\n  Enabled: yes\n  Transform: normal\n\(name) \"b\"\n  Enabled: yes\n  Transform: 180\n")
    let chosen = try outputs.choose(Self.automatic, else: Self.automatic)
    #expect(chosen == ScreenOutput(name: ScreenWord(cutting: name), transform: .half))
    #expect(try outputs.choose("HDMI-A-1", else: Self.automatic).transform == .normal)
  }

  @Test func `among several without a built-in panel the choice is the user's`() throws {
    let outputs = x11("HDMI-1 connected 1x1+0+0 (normal)\nHDMI-2 connected 1x1+0+0 (normal)\n")
    #expect(message(outputs).contains("Set output = NAME in [rotate]; on: HDMI-1, HDMI-2"))
    // The one that was turned before stays the one, whatever is plugged in.
    #expect(try outputs.choose(Self.automatic, else: "HDMI-2").name == "HDMI-2")
    #expect(try x11("HDMI-1 connected 1x1+0+0 (normal)").choose(Self.automatic, else: "HDMI-2").name == "HDMI-1")
  }

  @Test func `a configured output that is not there is named`() {
    #expect(message(wayland(Self.wayland02), "DSI-1") == "output DSI-1 is not connected, or off; on: HEADLESS-1")
    #expect(message(wayland(""), "DSI-1").hasSuffix("on: none"))
    #expect(message(x11("Can't open display")).hasSuffix("on: none"))
  }

  @Test func `of any text, at most eight outputs are taken`() {
    let many = (1...20).map { "DP-\($0) connected 1x1+0+0 (normal)\n" }.joined()
    #expect(x11(many).count == 8 && x11(many)[7].name == "DP-8")
    let nonsense =
      "  Enabled: yes\n  Transform: 90\n\n\t\n  Enabled:\nx" + String(repeating: "y", count: 99) + "\n Transform:"
    #expect(wayland(nonsense).count == 1 && wayland(nonsense)[0].transform == .quarter)
    #expect(x11(nonsense).count == 0)
  }

  @Test func `each touch screen of xinput is found, and no touchpad`() {
    var devices: [Int32] = []
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
    forEachTouchScreen(in: Array(list.utf8).span) { devices.append($0) }
    #expect(devices == [16])
  }
}
