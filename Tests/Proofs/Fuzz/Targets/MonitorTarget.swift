internal import CPlumb
internal import CoreABI

/// Exactly the configurations that plumb.h allows are accepted; for any samples, poses, reasons, events and angles
/// are valid and consistent; and functions reject uninitialised memory.
func checkMonitor(_ input: [UInt8]) throws(Broken) {
  var bytes = Bytes(input)
  var config = plumb_config_t()
  guard unsafe plumb_config_default(&config) == 0 else { throw Broken(words: "no defaults") }
  change(&config, &bytes)
  var monitor = plumb_monitor_t()
  guard unsafe plumb_monitor_pose(&monitor) == PLUMB_ERROR_NOT_INITIALISED.rawValue else {
    throw Broken(words: "zeros are a monitor")
  }
  let status = unsafe plumb_monitor_init(&monitor, &config)
  let wanted = expectedStatus(config)
  try require(status == wanted, "init returns \(status), not \(wanted): \(config)")
  guard status == 0 else {
    try require(
      unsafe plumb_monitor_pose(&monitor) == PLUMB_ERROR_NOT_INITIALISED.rawValue,
      "a refused configuration is a monitor")
    return
  }
  var beside = Beside()
  try beside.begin(&bytes)
  var time: UInt64 = UInt64(bytes.long()) << (bytes.byte() & 31)
  var output = plumb_output_t()
  var pose = UInt8(6)
  var steps = 0
  while !bytes.isAtEnd && steps < 400 {
    steps += 1
    let operation = bytes.byte()
    switch operation & 7 {
    case 0:
      let result = unsafe plumb_monitor_expire(&monitor, time)
      try require(result == 0 || result == 4, "expire returns \(result)")
    case 1:
      let result = unsafe plumb_monitor_fail(&monitor)
      try require(result == 0 || result == 2, "fail returns \(result)")
      try require(unsafe plumb_monitor_pose(&monitor) == 6, "a pose after a fault")
    // Far ahead or back.
    case 2: time &+= UInt64(truncatingIfNeeded: Int64(bytes.signed()) << Int64(operation >> 3))
    default:
      time &+= UInt64(bytes.word())
      let force = operation & 7 < 6 ? plausible(&bytes) : (bytes.signed(), bytes.signed(), bytes.signed())
      let before = unsafe plumb_monitor_pose(&monitor)
      guard unsafe plumb_monitor_step(&monitor, force.0, force.1, force.2, time, &output) == 0 else {
        throw Broken(words: "a step is refused")
      }
      try checkOutput(output, before: UInt8(before))
      try beside.step(output, time)
    }
    let now = unsafe plumb_monitor_pose(&monitor)
    try require((0...6).contains(now), "the pose \(now)")
    pose = UInt8(now)
  }
  _ = pose
}

/// Changes some fields of a configuration.
private func change(_ config: inout plumb_config_t, _ bytes: inout Bytes) {
  let fields = bytes.word()
  if fields & 1 != 0 { config.mounting = (bytes.byte() & 7, bytes.byte() & 7, bytes.byte() & 7) }
  if fields & 2 != 0 { config.offset = plumb_vector_t(x: bytes.signed(), y: bytes.signed(), z: bytes.signed()) }
  if fields & 4 != 0 { config.scale = plumb_vector_t(x: bytes.signed(), y: bytes.signed(), z: bytes.signed()) }
  if fields & 8 != 0 { config.gravity_time_constant_us = bytes.long() }
  if fields & 16 != 0 { config.minimum_magnitude = bytes.signed() >> 14 }
  if fields & 32 != 0 { config.maximum_magnitude = bytes.signed() >> 10 }
  if fields & 64 != 0 { config.leave_angle = bytes.signed() }
  if fields & 128 != 0 { config.face_enter_angle = bytes.signed() }
  if fields & 256 != 0 { config.face_leave_angle = bytes.signed() }
  if fields & 512 != 0 { config.evidence = bytes.signed() }
  if fields & 1_024 != 0 { config.dwell_us = bytes.long() }
  if fields & 2_048 != 0 { config.patience_us = bytes.long() }
  if fields & 4_096 != 0 { config.longest_gap_us = bytes.long() }
}

/// About 1 g, in any direction.
private func plausible(_ bytes: inout Bytes) -> (Int32, Int32, Int32) {
  func axis() -> Int32 { Int32(Int8(bitPattern: bytes.byte())) * 650 }
  return (axis(), axis(), axis())
}

/// The status of a configuration according to plumb.h.
private func expectedStatus(_ config: plumb_config_t) -> Int32 {
  // Axis n / 2, with the sign n % 2; the board's axes must form a right-handed frame.
  let named = [config.mounting.0, config.mounting.1, config.mounting.2].map(Int.init)
  guard named.allSatisfy({ $0 < 6 }), Set(named.map { $0 / 2 }).count == 3 else { return PLUMB_ERROR_MOUNTING.rawValue }
  let isEven = [[0, 1, 2], [1, 2, 0], [2, 0, 1]].contains(named.map { $0 / 2 })
  guard (named.count { $0 % 2 == 1 } % 2 == 0) == isEven else { return PLUMB_ERROR_MOUNTING.rawValue }
  guard [config.scale.x, config.scale.y, config.scale.z].allSatisfy({ $0 >= 1 << 29 }) else {
    return PLUMB_ERROR_CALIBRATION.rawValue
  }
  guard (1..<65_536).contains(config.minimum_magnitude), (65_537...1_048_576).contains(config.maximum_magnitude) else {
    return PLUMB_ERROR_MAGNITUDE.rawValue
  }
  // A degree in units of 2^-32 turn, rounded.
  let degree = Int64((4_294_967_296.0 / 360).rounded())
  let (leave, enter, left) = (
    Int64(config.leave_angle), Int64(config.face_enter_angle), Int64(config.face_leave_angle)
  )
  guard (46 * degree...89 * degree).contains(leave) else { return PLUMB_ERROR_LEAVE_ANGLE.rawValue }
  guard enter >= degree, enter < left, left <= 89 * degree else { return PLUMB_ERROR_FACE_ANGLES.rawValue }
  guard config.evidence >= 0, config.patience_us > config.dwell_us, (1...3_600_000_000).contains(config.longest_gap_us)
  else { return PLUMB_ERROR_TIMES.rawValue }
  return 0
}

private func checkOutput(_ output: plumb_output_t, before: UInt8) throws(Broken) {
  let quarter: Int32 = 1 << 30
  try require(output.pose <= 6 && output.reason <= 6, "pose \(output.pose), reason \(output.reason)")
  try require((output.pose == 6) == (output.reason != 0), "pose \(output.pose) for reason \(output.reason)")
  try require(output.previous_pose == before, "before it was \(before), not \(output.previous_pose)")
  try require(output.events < 8, "events \(output.events)")
  let changed = output.pose != output.previous_pose || output.reason != output.previous_reason
  try require(output.events != 0 || !changed, "a change without an event")
  try require((-quarter...quarter).contains(output.pitch), "pitch \(output.pitch)")
  try require((-quarter...quarter).contains(output.steering_angle), "steering \(output.steering_angle)")
  try require(output.inclination >= 0 || output.inclination == .min, "inclination \(output.inclination)")
  try require(output.level_angle == 0 &- output.device_angle, "level \(output.level_angle)")
  for (force, gravity, motion) in [
    (output.force.x, output.gravity.x, output.motion.x), (output.force.y, output.gravity.y, output.motion.y),
    (output.force.z, output.gravity.z, output.motion.z),
  ] {
    try require(abs(Int64(force)) <= 256 << 16, "a force of \(force)")
    try require(abs(Int64(gravity)) <= 256 << 16, "gravity of \(gravity)")
    try require(Int64(motion) == Int64(force) - Int64(gravity), "\(force) - \(gravity) is \(motion)")
  }
}

/// Movement, taps, rest and fusion, alongside a monitor.
private struct Beside {
  private var movement = plumb_movement_t()
  private var taps = plumb_taps_t()
  private var rest = plumb_rest_t()
  private var fusion = plumb_fusion_t()

  /// Initialises them, with configurations that the input may change; a rejected one is replaced by the defaults.
  mutating func begin(_ bytes: inout Bytes) throws(Broken) {
    var moving = plumb_movement_config_t()
    var tapping = plumb_taps_config_t()
    var fusing = plumb_fusion_config_t()
    _ = unsafe plumb_movement_config_default(&moving)
    _ = unsafe plumb_taps_config_default(&tapping)
    _ = unsafe plumb_fusion_config_default(&fusing)
    let fields = bytes.byte()
    if fields & 1 != 0 { moving.shake_threshold = bytes.signed() >> 12 }
    if fields & 2 != 0 { moving.rotation_us = bytes.long() }
    if fields & 4 != 0 { (moving.orientations, moving.start) = (bytes.byte(), bytes.byte()) }
    if fields & 8 != 0 { tapping.threshold = bytes.signed() >> 11 }
    if fields & 16 != 0 { tapping.axes = bytes.byte() }
    if fields & 32 != 0 { fusing.bias = plumb_vector_t(x: bytes.signed(), y: bytes.signed(), z: bytes.signed()) }
    if fields & 64 != 0 { fusing.time_constant_us = bytes.long() }
    let moved = unsafe plumb_movement_init(&movement, &moving)
    try require([0, -9, -10, -11].contains(moved), "movement returns \(moved)")
    try require(
      (moved == -9) == !(16_384...524_288).contains(moving.shake_threshold) || moved == -11, "shake: \(moving)")
    if moved != 0 { _ = unsafe plumb_movement_init(&movement, nil) }
    let tapped = unsafe plumb_taps_init(&taps, &tapping)
    let isRight = (4_096...1_044_480).contains(tapping.threshold) && (1...7).contains(tapping.axes)
    try require(tapped == (isRight ? 0 : -14), "taps return \(tapped): \(tapping)")
    if tapped != 0 { _ = unsafe plumb_taps_init(&taps, nil) }
    try require(unsafe plumb_fusion_init(&fusion, &fusing) == 0, "fusion is refused")
    _ = unsafe plumb_rest_init(&rest)
  }

  mutating func step(_ output: plumb_output_t, _ time: UInt64) throws(Broken) {
    var moved = plumb_movement_output_t()
    var sample = output
    try require(unsafe plumb_movement_step(&movement, &sample, time, &moved) == 0, "movement is refused")
    try require((0...65_536).contains(moved.scroll_x) && (0...65_536).contains(moved.scroll_y), "scroll: \(moved)")
    try require(moved.shake <= 1 && moved.orientation <= 3 && moved.shown <= 3 && moved.phase_count <= 4, "\(moved)")
    var tapped = plumb_taps_output_t()
    var force = output.force
    try require(unsafe plumb_taps_step(&taps, &force, time, &tapped) == 0, "taps are refused")
    try require(tapped.events <= 7 && tapped.axis <= 2 && (-1...1).contains(tapped.sign), "\(tapped)")
    try require(tapped.events & 3 != 3 && (tapped.events & 3 == 0) == (tapped.sign == 0), "\(tapped)")
    let state = unsafe plumb_rest_step(&rest, &force, time)
    try require((0...2).contains(state), "rest is \(state)")
    var rate = output.gravity
    var fused = plumb_fusion_output_t()
    try require(unsafe plumb_fusion_step(&fusion, &force, &rate, time, &fused) == 0, "fusion is refused")
    try require(fused.flags <= 7, "flags \(fused.flags)")
    var up = plumb_vector_t()
    _ = unsafe plumb_fusion_up(&fusion, &up)
    let length = [up.x, up.y, up.z].map { Double($0) / 1_073_741_824 }.reduce(0) { $0 + $1 * $1 }.squareRoot()
    try require(abs(length - 1) < 1e-6, "up has length \(length)")
  }
}
