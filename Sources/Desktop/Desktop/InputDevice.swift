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
  /// When ``turn(at:_:)`` has something to do; nil for never.
  var due: Instant? { get }
  /// Adds to `report` what has changed with `seen`: for a silent sensor, that all is centred and released.
  mutating func take(_ seen: borrowing Observation, at now: Instant, _ report: inout InputReport)
  /// Adds what is due.
  mutating func turn(at now: Instant, _ report: inout InputReport)
}

extension InputLogic {
  package var due: Instant? { nil }
  package mutating func turn(at now: Instant, _ report: inout InputReport) {}
}

/// Events that readers receive together.
package struct InputReport {
  package private(set) var events = InlineArray<8, cdesktop_input_event>(repeating: cdesktop_input_event())
  package private(set) var count = 0

  package init() {}

  /// Adds an event, unless the report is full: `code` is one of CDESKTOP_….
  package mutating func add(_ code: Int, _ value: Int32) {
    guard count < events.count else { return }
    events[count] = cdesktop_input_event(about: UInt32(truncatingIfNeeded: code), value: value)
    count &+= 1
  }
}

/// An axis, of which only changes are sent.
struct InputAxis {
  let code: Int
  private var sent: Int32 = 0

  static var end: Int32 { Int32(truncatingIfNeeded: CDESKTOP_INPUT_END) }

  init(_ code: Int) { self.code = code }

  /// Moves it to `value`, within its ends, if that is a change of at least `least`.
  mutating func move(to value: Int32, least: Int32 = 1, _ report: inout InputReport) {
    let value = max(-Self.end, min(Self.end, value))
    guard (value &- sent).magnitude >= least.magnitude else { return }
    sent = value
    report.add(code, value)
  }
}

/// An input device of the kernel that sends what its logic says, until ``end()`` or the end of the program.
struct InputDevice<Logic: InputLogic> {
  private(set) var logic: Logic
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
    var report = InputReport()
    logic.take(seen, at: now, &report)
    // The board has another sensor.
    if logic.kind != made && uinput >= 0 { make() }
    send(report)
  }

  mutating func turn(at now: Instant) -> DesktopNotice? {
    var report = InputReport()
    logic.turn(at: now, &report)
    send(report)
    defer { error = nil }
    return error.map { DesktopNotice(line: ShortText(cutting: $0.message), isTrouble: true) }
  }

  mutating func end() {
    if uinput >= 0 { cdesktop_input_close(uinput) }
    uinput = -1
  }

  private mutating func make() {
    end()
    made = logic.kind
    uinput = unsafe ShortText<16>("/dev/uinput").withCString { unsafe cdesktop_input_create($0, made) }
    if uinput < 0 { error = inputError(0 &- uinput) }
  }

  private mutating func send(_ report: InputReport) {
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
  switch csupport_meaning(code) {
  // ENOENT, ENODEV, ENXIO.
  case CSUPPORT_UNAVAILABLE, CSUPPORT_NO_ACKNOWLEDGE:
    ProgramError(
      .unavailable,
      """
      /dev/uinput is missing: the kernel's module is not loaded. Load it: sudo modprobe uinput; and at each start: \
      echo uinput | sudo tee /etc/modules-load.d/uinput.conf
      """)
  case CSUPPORT_NOT_PERMITTED:
    ProgramError(
      .noPermission,
      """
      no permission for /dev/uinput. Run this as root, or use the service plumb-desktop: the udev rule of its package \
      gives the device to the group plumb-input (sudo udevadm trigger /dev/uinput applies the rule)
      """)
  default:
    ProgramError(
      .unavailable, "/dev/uinput cannot be used: \(unsafe ShortText<80>(cString: csupport_error_text(code)))")
  }
}
