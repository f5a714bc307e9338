package import CDesktop
internal import CSupport
package import FixedPoint
package import Monitor
package import Service
internal import Text

/// What a device sends, as a function of what the owner says: without the kernel.
package protocol InputLogic {
  /// The device; none as long as that is unknown.
  var kind: cdesktop_input_kind { get }
  /// How many samples a second it needs.
  var samples: Int32 { get }
  /// Adds to `report` what has changed with `seen`. For a silent sensor, the report is at rest afterwards.
  mutating func take(_ seen: borrowing Observation, at now: Instant, _ report: inout InputReport)
}

/// What a device sends: events that readers receive together, and its axes, of which only changes are events.
package struct InputReport {
  package private(set) var events = InlineArray<8, cdesktop_input_event>(repeating: cdesktop_input_event())
  package private(set) var count = 0
  /// Where ABS_X and the axes after it were moved last.
  private var axes = InlineArray<6, Int32>(repeating: 0)
  /// The pressed button, and when it is released.
  private var button = 0
  package private(set) var due: Instant?

  /// The greatest value of an axis.
  static var end: Int32 { Int32(truncatingIfNeeded: CDESKTOP_INPUT_END) }
  /// How long a button is pressed: longer than a frame of a game.
  private static var press: Microseconds { .milliseconds(50) }

  package init() {}

  /// Adds an event, unless the report is full: `code` is one of CDESKTOP_….
  package mutating func add(_ code: Int, _ value: Int32) {
    guard count < events.count else { return }
    events[count] = cdesktop_input_event(about: UInt32(truncatingIfNeeded: code), value: value)
    count &+= 1
  }

  /// Moves an axis, counted from ABS_X, to `value`, within its ends, if that is a change of at least `least`.
  mutating func move(_ axis: Int, to value: Int32, least: Int32 = 1) {
    let value = max(-Self.end, min(Self.end, value))
    guard (value &- axes[axis]).magnitude >= least.magnitude else { return }
    axes[axis] = value
    add(CDESKTOP_ABS_X &+ axis, value)
  }

  /// Presses a button, and releases it when it is time.
  mutating func press(_ code: Int, at now: Instant) {
    release()
    add(code, 1)
    (button, due) = (code, now + Self.press)
  }

  private mutating func release() {
    if due != nil { add(button, 0) }
    due = nil
  }

  /// Centres all axes, and releases the button.
  package mutating func rest() {
    release()
    for axis in 0..<axes.count { move(axis, to: 0) }
  }

  /// Does what is due.
  package mutating func turn(at now: Instant) {
    if let due, now >= due { release() }
  }

  /// Removes the events.
  package mutating func clear() { count = 0 }
}

/// An input device of the kernel that sends what its logic says, until ``end()`` or the end of the program.
struct InputDevice<Logic: InputLogic> {
  private(set) var logic: Logic
  private(set) var report = InputReport()
  /// The device's descriptor; below 0 once something has broken it for good.
  private var uinput: Int32 = -1
  private var made = CDESKTOP_INPUT_NONE
  /// What has broken it, until that is reported.
  private var error: ProgramError?

  /// Creates the device, or waits until its kind is known.
  init(_ logic: Logic) throws(ProgramError) {
    self.logic = logic
    make()
    if let error { throw error }
  }

  mutating func take(_ seen: borrowing Observation, at now: Instant) {
    logic.take(seen, at: now, &report)
    if seen.snapshot.silence != nil { report.rest() }
    // The board has another sensor.
    if logic.kind != made && uinput >= 0 { make() }
    send()
  }

  mutating func turn(at now: Instant) -> DesktopNotice? {
    report.turn(at: now)
    send()
    defer { error = nil }
    return error.map { (ShortText(cutting: $0.message), true) }
  }

  mutating func end() {
    if uinput >= 0 { csupport_file_close(uinput) }
    uinput = -1
  }

  private mutating func make() {
    end()
    made = logic.kind
    uinput = unsafe ShortText<16>("/dev/uinput").withCString { unsafe cdesktop_input_create($0, made) }
    if uinput < 0 { error = inputError(0 &- uinput) }
  }

  private mutating func send() {
    defer { report.clear() }
    guard report.count > 0 && made != CDESKTOP_INPUT_NONE && uinput >= 0 else { return }
    let code = unsafe report.events.span.withUnsafeBufferPointer {
      unsafe cdesktop_input_send(uinput, $0.baseAddress, report.count)
    }
    guard code < 0 else { return }
    end()
    error = inputError(0 &- code)
  }
}

/// The error for `code`, an errno of uinput.
package func inputError(_ code: Int32) -> ProgramError {
  let meaning = csupport_meaning(code)
  let words: Message =
    switch meaning {
    // ENOENT, ENODEV, ENXIO.
    case CSUPPORT_UNAVAILABLE, CSUPPORT_NO_ACKNOWLEDGE:
      """
      /dev/uinput is missing: the kernel's module is not loaded. Load it: sudo modprobe uinput; and at each start: \
      echo uinput | sudo tee /etc/modules-load.d/uinput.conf
      """
    case CSUPPORT_NOT_PERMITTED:
      """
      no permission for /dev/uinput. Run this as root, or use the service plumb-desktop: the udev rule of its package \
      gives the device to the group plumb-input (sudo udevadm trigger /dev/uinput applies the rule)
      """
    default: "/dev/uinput cannot be used: \(unsafe ShortText<80>(cString: csupport_error_text(code)))"
    }
  return ProgramError(meaning == CSUPPORT_NOT_PERMITTED ? .noPermission : .unavailable, words)
}
