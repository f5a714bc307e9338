internal import CWeb
internal import FixedPoint
internal import Gestures
internal import HAL
internal import Indication
internal import JSON
internal import Monitor
internal import Orientation
internal import Sensors
internal import StreamLines
internal import Text

// What plumb.js calls. An instance has one view, and one monitor, board or reader, whose addresses JavaScript keeps.
// A function that returns a length has written that many bytes of lines into the memory for text.

typealias View = UnsafeMutablePointer<BoardView>
typealias MonitorAddress = UnsafeMutablePointer<SampleMonitor>
typealias BoardAddress = UnsafeMutablePointer<MemoryBoard>
typealias ReaderAddress = UnsafeMutablePointer<LineReader>

/// The address of the memory for text.
@c(web_text)
public func webText() -> UnsafeMutablePointer<UInt8> { unsafe cweb_text() }

/// The size of that memory.
@c(web_text_size)
public func webTextSize() -> Int32 { Int32(truncatingIfNeeded: CWEB_TEXT_SIZE) }

/// Writes the names and words of everything.
@c(web_vocabulary)
public func webVocabulary() -> Int32 { writingText { writeVocabulary(to: &$0) } }

/// Memory for a value that lives as long as the instance.
private func place<Value: ~Copyable>() -> UnsafeMutablePointer<Value> {
  let memory = unsafe cweb_memory(UInt32(truncatingIfNeeded: MemoryLayout<Value>.size))
  return unsafe memory.assumingMemoryBound(to: Value.self)
}

private func vector(_ x: Int32, _ y: Int32, _ z: Int32) -> Vector3 {
  Vector3(x: Q16(raw: x), y: Q16(raw: y), z: Q16(raw: z))
}

// Settings.

/// The defaults.
@c(web_settings)
public func webSettings() -> UnsafeMutableRawPointer {
  let settings: UnsafeMutablePointer<BoardSettings> = unsafe place()
  unsafe settings.initialize(to: BoardSettings())
  return UnsafeMutableRawPointer(settings)
}

private func settings(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<BoardSettings> {
  unsafe address.assumingMemoryBound(to: BoardSettings.self)
}

/// Sets the key with this number.
@c(web_set)
public func webSet(_ address: UnsafeMutableRawPointer, _ number: Int32, _ value: Int32) {
  guard let key = BoardSettings.Key(rawValue: number) else { return }
  unsafe settings(address).pointee.set(key, to: value)
}

// The view.

/// The view of a board about which nothing is known.
@c(web_view)
public func webView() -> UnsafeMutableRawPointer {
  let view: View = unsafe place()
  unsafe view.initialize(to: BoardView(of: SensorPlace(.mpu6050, at: MPU6050.address), code: .leds))
  return UnsafeMutableRawPointer(view)
}

private func view(_ address: UnsafeMutableRawPointer) -> View {
  unsafe address.assumingMemoryBound(to: BoardView.self)
}

/// Writes what is known now.
@c(web_snapshot)
public func webSnapshot(_ address: UnsafeMutableRawPointer) -> Int32 {
  writingText { unsafe view(address).pointee.writeSnapshot(to: &$0) }
}

/// Writes the last sample.
@c(web_reading)
public func webReading(_ address: UnsafeMutableRawPointer) -> Int32 {
  writingText { unsafe view(address).pointee.writeReading(to: &$0) }
}

/// Writes the vibration of the last second.
@c(web_vibration)
public func webVibration(_ address: UnsafeMutableRawPointer) -> Int32 {
  writingText { unsafe view(address).pointee.writeVibration(to: &$0) }
}

/// The levels of the lines, a bit each.
@c(web_levels)
public func webLevels(_ address: UnsafeMutableRawPointer) -> UInt32 {
  unsafe view(address).pointee.seen.snapshot.levels.bits
}

/// How many lines there are.
@c(web_line_count)
public func webLineCount(_ address: UnsafeMutableRawPointer) -> Int32 {
  Int32(truncatingIfNeeded: unsafe view(address).pointee.objects.code.lineCount)
}

private func events(_ address: UnsafeMutableRawPointer) -> Int32 {
  writingText { unsafe view(address).pointee.writeEvents(to: &$0) }
}

// Samples from outside.

/// A monitor with these settings; null after an error, which is then in the memory for text.
@c(web_monitor)
public func webMonitor(_ address: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  do throws(SettingsFault) {
    let made = try unsafe SampleMonitor(settings(address).pointee)
    let monitor: MonitorAddress = unsafe place()
    unsafe monitor.initialize(to: made)
    return UnsafeMutableRawPointer(monitor)
  } catch {
    write(error)
    return nil
  }
}

private func monitor(_ address: UnsafeMutableRawPointer) -> MonitorAddress {
  unsafe address.assumingMemoryBound(to: SampleMonitor.self)
}

/// Takes in a sample of `time`, in microseconds, and writes the events.
@c(web_sample)
public func webSample(
  _ address: UnsafeMutableRawPointer, _ seen: UnsafeMutableRawPointer, _ time: Int64, _ x: Int32, _ y: Int32,
  _ z: Int32, _ hasRotation: Int32, _ p: Int32, _ q: Int32, _ r: Int32
) -> Int32 {
  let measured = Measurement(force: vector(x, y, z), rotation: hasRotation != 0 ? vector(p, q, r) : nil)
  unsafe monitor(address).pointee.sample(measured, at: Instant(microseconds: time), into: &view(seen).pointee)
  return unsafe events(seen)
}

/// Takes in that no sample has come until `time`, and writes the events.
@c(web_pass)
public func webPass(_ address: UnsafeMutableRawPointer, _ seen: UnsafeMutableRawPointer, _ time: Int64) -> Int32 {
  unsafe monitor(address).pointee.pass(at: Instant(microseconds: time), into: &view(seen).pointee)
  return unsafe events(seen)
}

/// The sensor reports the fault that has this number in the vocabulary. Without details there is none for some numbers.
@c(web_fail)
public func webFail(
  _ address: UnsafeMutableRawPointer, _ seen: UnsafeMutableRawPointer, _ time: Int64, _ number: Int32
) -> Int32 {
  guard let fault = busFault(number) else { return -1 }
  unsafe monitor(address).pointee.fail(fault, at: Instant(microseconds: time), into: &view(seen).pointee)
  return unsafe events(seen)
}

/// The fault of the bus that has this number in the vocabulary; nil for one with figures, and for no bus fault.
private func busFault(_ number: Int32) -> I2CFault? {
  guard number >= 0 && number < 256, let kind = FaultKind(rawValue: UInt8(truncatingIfNeeded: number)) else {
    return nil
  }
  switch kind {
  case .noAcknowledge: return .noAcknowledge
  case .arbitrationLost: return .arbitrationLost
  case .timedOut: return .timedOut
  case .unsupported: return .unsupported
  case .notPermitted: return .notPermitted
  case .busy: return .busy
  case .unavailable: return .unavailable
  default: return nil
  }
}

/// Whether there is a fault of the bus with this number that can be set.
@c(web_has_fault)
public func webHasFault(_ number: Int32) -> Int32 { busFault(number) == nil ? 0 : 1 }

/// Zero is the attitude with this direction of up, in millionths; without one, the board's own. Returns 0 for one that
/// is no direction.
@c(web_tare)
public func webTare(
  _ address: UnsafeMutableRawPointer, _ seen: UnsafeMutableRawPointer, _ hasUp: Int32, _ x: Int32, _ y: Int32,
  _ z: Int32
) -> Int32 {
  guard let tare = hasUp == 0 ? Tare.none : Tare(millionths: x, y, z) else { return 0 }
  unsafe monitor(address).pointee.zero(tare, &view(seen).pointee)
  return 1
}

/// Scrolls to a position in Q16.16.
@c(web_scroll)
public func webScroll(_ address: UnsafeMutableRawPointer, _ seen: UnsafeMutableRawPointer, _ x: Int32, _ y: Int32) {
  unsafe monitor(address).pointee.scroll(
    to: TiltScroll.Position(x: Q16(raw: x), y: Q16(raw: y)), &view(seen).pointee)
}

// The emulated board.

/// A board with these settings; null after an error, which is then in the memory for text.
@c(web_board)
public func webBoard(_ address: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  do throws(SettingsFault) {
    let made = try unsafe MemoryBoard(settings(address).pointee)
    let board: BoardAddress = unsafe place()
    unsafe board.initialize(to: made)
    return UnsafeMutableRawPointer(board)
  } catch {
    write(error)
    return nil
  }
}

private func board(_ address: UnsafeMutableRawPointer) -> BoardAddress {
  unsafe address.assumingMemoryBound(to: MemoryBoard.self)
}

/// When the board does something next, in microseconds.
@c(web_due)
public func webDue(_ address: UnsafeMutableRawPointer) -> Int64 { unsafe board(address).pointee.due.microseconds }

/// Holds the board, in its own frame, in Q16.16 g and °/s.
@c(web_hold)
public func webHold(
  _ address: UnsafeMutableRawPointer, _ x: Int32, _ y: Int32, _ z: Int32, _ p: Int32, _ q: Int32, _ r: Int32
) {
  unsafe board(address).pointee.hold(vector(x, y, z), turning: vector(p, q, r))
}

/// The bus: standard deviations of the noise, bias of the gyroscope, and the number of the fault, or -1.
@c(web_disturb)
public func webDisturb(
  _ address: UnsafeMutableRawPointer, _ forceNoise: Int32, _ rotationNoise: Int32, _ p: Int32, _ q: Int32, _ r: Int32,
  _ fault: Int32
) {
  unsafe board(address).pointee.change { bus in
    (bus.forceNoise, bus.rotationNoise) = (Q16(raw: forceNoise), Q16(raw: rotationNoise))
    (bus.bias, bus.fault) = (vector(p, q, r), busFault(fault))
  }
}

/// The sensor loses its registers.
@c(web_brown_out)
public func webBrownOut(_ address: UnsafeMutableRawPointer) { unsafe board(address).pointee.change { $0.reset() } }

/// Does what is due until `time`, at most one step. Returns -1 if nothing was.
@c(web_turn)
public func webTurn(_ address: UnsafeMutableRawPointer, _ seen: UnsafeMutableRawPointer, _ time: Int64) -> Int32 {
  guard unsafe board(address).pointee.turn(until: Instant(microseconds: time), into: &view(seen).pointee) else {
    return -1
  }
  return unsafe events(seen)
}

/// As `web_tare`.
@c(web_board_tare)
public func webBoardTare(
  _ address: UnsafeMutableRawPointer, _ seen: UnsafeMutableRawPointer, _ hasUp: Int32, _ x: Int32, _ y: Int32,
  _ z: Int32
) -> Int32 {
  guard let tare = hasUp == 0 ? Tare.none : Tare(millionths: x, y, z) else { return 0 }
  unsafe board(address).pointee.zero(tare, &view(seen).pointee)
  return 1
}

// Lines of a live board.

/// A reader that has read nothing.
@c(web_reader)
public func webReader() -> UnsafeMutableRawPointer {
  let reader: ReaderAddress = unsafe place()
  unsafe reader.initialize(to: LineReader())
  return UnsafeMutableRawPointer(reader)
}

private func reader(_ address: UnsafeMutableRawPointer) -> ReaderAddress {
  unsafe address.assumingMemoryBound(to: LineReader.self)
}

/// Takes in a byte, and writes what the line says that it ends.
@c(web_read)
public func webRead(_ address: UnsafeMutableRawPointer, _ seen: UnsafeMutableRawPointer, _ byte: Int32) -> Int32 {
  writingText { unsafe reader(address).pointee.take(UInt8(truncatingIfNeeded: byte), &view(seen).pointee, to: &$0) }
}

/// Forgets everything.
@c(web_forget)
public func webForget(_ address: UnsafeMutableRawPointer, _ seen: UnsafeMutableRawPointer) {
  unsafe reader(address).pointee.forget(&view(seen).pointee)
}

/// Whether a hello has come, and nothing broken after it.
@c(web_is_known)
public func webIsKnown(_ address: UnsafeMutableRawPointer) -> Int32 { unsafe reader(address).pointee.isKnown ? 1 : 0 }
