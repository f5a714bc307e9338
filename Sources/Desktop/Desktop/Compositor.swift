internal import CDesktop
package import Text

/// Why a screen cannot be turned, for people.
package struct ScreenError: Error, Equatable {
  /// The sentence.
  package var message: ShortText<256>
}

/// What shows the screens, through its own tool.
package enum Compositor: Equatable {
  /// A compositor with the protocol wlr-output-management, such as labwc.
  case wayland
  /// One of these that `swaymsg` configures too.
  case sway
  /// An X server.
  case x11

  /// That of this session.
  package static func find() throws(ScreenError) -> Compositor {
    switch cdesktop_session_find() {
    case CDESKTOP_WAYLAND: return .wayland
    case CDESKTOP_SWAY: return .sway
    case CDESKTOP_X11: return .x11
    case CDESKTOP_LISTENER:
      throw ScreenError(
        message: "this desktop turns its screen itself: enable [sensor-proxy] of plumb-desktop, not plumb-rotate")
    default:
      throw ScreenError(
        message: "no graphical session: no WAYLAND_DISPLAY or socket in XDG_RUNTIME_DIR, and no DISPLAY")
    }
  }

  private var isX11: Bool { self == .x11 }

  /// The name of the tool.
  package var tool: StaticString { isX11 ? "xrandr" : "wlr-randr" }

  /// What the tool calls `transform`.
  package func name(of transform: ScreenTransform) -> StaticString { transform.name(inX11: isX11) }

  /// The outputs that are on. `--current`: without a probe of the hardware, during which screens may flicker.
  package func outputs() throws(ScreenError) -> ScreenOutputs {
    try run(isX11 ? "xrandr --current" : "wlr-randr", of: isX11 ? "x11-xserver-utils" : "wlr-randr")
    return Self.read { isX11 ? ScreenOutputs(x11: $0) : ScreenOutputs(wayland: $0) }
  }

  /// Turns `output`.
  package func turn(_ output: ScreenWord, to transform: ScreenTransform) throws(ScreenError) {
    let option: StaticString = isX11 ? "--rotate" : "--transform"
    try run("\(tool) --output \(output) \(option) \(name(of: transform))", of: tool)
  }

  /// Lets touch screens follow `output`; with X11, for its present transform alone. Returns how many follow; nil if the
  /// compositor decides that.
  package func mapTouch(to output: ScreenWord) throws(ScreenError) -> Int32? {
    if self == .sway { try run("swaymsg input type:touch map_to_output \(output)", of: "sway") }
    guard isX11 else { return nil }
    try run("xinput list --long", of: "xinput")
    var devices = InlineArray<8, Int32>(repeating: 0)
    var count = 0
    Self.read { text in
      forEachTouchScreen(in: text) { device in
        guard count < devices.count else { return }
        devices[count] = device
        count &+= 1
      }
    }
    for index in 0..<count { try run("xinput map-to-output \(devices[index]) \(output)", of: "xinput") }
    return Int32(truncatingIfNeeded: count)
  }

  /// Runs a tool, which Debian has in `package`.
  private func run(_ command: ShortText<256>, of package: StaticString) throws(ScreenError) {
    let code = unsafe command.withCString { unsafe cdesktop_run($0, 5_000) }
    guard code != 0 else { return }
    if code == Int32(CDESKTOP_MISSING) {
      throw ScreenError(message: "cannot run \(command): sudo apt install \(package)")
    }
    if code == Int32(CDESKTOP_OVERDUE) { throw ScreenError(message: "\(command) did not end within 5 s") }
    var message: ShortText<256> = "\(command) failed (\(code)): "
    Self.read { text in
      for index in 0..<text.count {
        if text[index] < 0x20 { break }
        message.append(byte: text[index])
      }
    }
    throw ScreenError(message: message)
  }

  private static func read<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    var length = 0
    let text = unsafe cdesktop_run_output(&length)
    return unsafe body(
      Span(_unsafeElements: UnsafeRawBufferPointer(start: text, count: length).assumingMemoryBound(to: UInt8.self)))
  }
}
