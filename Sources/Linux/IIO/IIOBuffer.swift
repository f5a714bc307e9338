internal import CSupport
internal import FixedPoint
internal import HAL
internal import Text

/// The buffer of a device, set up to deliver the axes and the kernel's time stamp in records, and open. Everything that
/// it changes in the device is as before after ``end()``; only the buffer is always off then.
@safe
struct IIOBuffer {
  typealias Word = ShortText<32>

  private let tree: IIOTree
  private let number: Int32
  /// The descriptor of the character device; negative if it is closed.
  private var descriptor: Int32 = -1
  /// Where the axes are in a record: those of the accelerometer, then those of the gyroscope.
  private(set) var offsets = InlineArray<6, UInt16>(repeating: 0)
  /// The size of a record; 0 if the buffer is closed.
  private(set) var recordSize = 0
  /// Where the time stamp is, and how it is stored; nil without one.
  private(set) var stamp: (offset: Int, format: ScanFormat)?
  /// The time from one record to the next, µs; 0 if unknown.
  private(set) var period: Int64 = 0

  // What was there before.
  private var elements: UInt64 = 0
  private var trigger: ShortText<48>?
  private var length: Word?
  private var clock: Word?
  private var rates = IIORates()
  /// The name of the timer that was made for this.
  private var timer: ShortText<48>?

  /// The most elements that a device may have: the bits of a word.
  private static var mostElements: Int32 { 64 }
  /// The longest record, of all that ``IIOSensor`` has room for.
  static var longestRecord: Int { 256 }

  /// A closed buffer of no device.
  init(in tree: IIOTree) { (self.tree, number) = (tree, -1) }

  /// The buffer of `device`, delivering about `millihertz` / 1000 records a second; nil if it has none, or none that
  /// this program may use: then sysfs has to do.
  ///
  /// - Throws: if another program uses it, or the device is gone.
  init?(of device: IIODevice, millihertz: Int32, in tree: IIOTree) throws(IIOError) {
    (self.tree, number) = (tree, device.number)
    guard device.hasBuffer(in: tree) else { return nil }
    let opened = unsafe tree.characterDevice(number).withCString { unsafe csupport_iio_open($0) }
    if opened < 0 {
      let code = 0 &- opened
      switch csupport_iio_meaning(code) {
      case CSUPPORT_IIO_BUSY, CSUPPORT_IIO_GONE: throw IIOError(.system(code: code), of: device.name, file: "buffer")
      default: return nil
      }
    }
    descriptor = opened
    // The device lets only one program open it, so a buffer that is on has been left so.
    guard tree.write(Word("0"), number, "buffer/enable") == 0, setUp(device, millihertz) else {
      end()
      return nil
    }
  }

  /// Sets everything up; false if the device does not take it.
  private mutating func setUp(_ device: IIODevice, _ millihertz: Int32) -> Bool {
    guard choose(device), setTrigger(of: device, millihertz) else { return false }
    rates.set(device, millihertz: millihertz, in: tree)
    if period == 0 { period = IIORates.period(of: number, in: tree) }
    clock = tree.text(number, "current_timestamp_clock")
    if let clock, clock != "monotonic" { _ = tree.write(Word("monotonic"), number, "current_timestamp_clock") }
    length = tree.text(number, "buffer/length")
    if length != nil { _ = tree.write(Word("128"), number, "buffer/length") }
    guard tree.write(Word("1"), number, "buffer/enable") == 0, isOn else { return false }
    return layOut(device)
  }

  /// Whether the buffer is on.
  var isOn: Bool {
    let state: Word? = tree.text(number, "buffer/enable")
    return state.map { $0 == "1" } ?? false
  }

  /// Switches on the elements of the axes and the time stamp, and off all others, as far as the device takes it.
  private mutating func choose(_ device: IIODevice) -> Bool {
    var index: Int32 = 0
    while let name = tree.element(index, of: number) {
      guard index < Self.mostElements else { return false }
      let wanted = Self.channel(name, of: device) != nil || name == "in_timestamp"
      let file: IIOTree.Name = "scan_elements/\(name)_en"
      let state: Word? = tree.text(number, file)
      let isOn = state.map { $0 == "1" } ?? false
      if isOn { elements |= 1 &<< UInt64(bitPattern: widened(index)) }
      if isOn != wanted, tree.write(Word(wanted ? "1" : "0"), number, file) != 0, wanted, name != "in_timestamp" {
        return false
      }
      index &+= 1
    }
    return index > 0
  }

  /// Which of the six axes an element is; nil for any other.
  private static func channel(_ name: ShortText<48>, of device: IIODevice) -> Int? {
    for axis in 0..<3 {
      if name == IIODevice.channel(.force, axis) { return axis }
      if device.hasGyroscope, name == IIODevice.channel(.rotation, axis) { return axis &+ 3 }
    }
    return nil
  }

  /// Finds the axes in a record, from the elements that are on: in the order of their indices, each aligned to its
  /// size, and the record to its largest.
  ///
  /// - Source: Linux, drivers/iio/industrialio-buffer.c, `iio_compute_scan_bytes`.
  private mutating func layOut(_ device: IIODevice) -> Bool {
    var (end, largest, found, last) = (0, 1, 0, Int64(-1))
    while let next = element(after: last) {
      let size = next.format.byteCount
      last = next.index
      let start = (end &+ size &- 1) / size &* size
      end = start &+ size
      largest = max(largest, size)
      guard end <= Self.longestRecord else { return false }
      if let channel = Self.channel(next.name, of: device) {
        let axes = channel < 3 ? device.force : device.rotation
        guard axes?[channel % 3].format == next.format else { return false }
        offsets[channel] = UInt16(truncatingIfNeeded: start)
        found &+= 1
      } else if next.name == "in_timestamp" {
        stamp = (start, next.format)
      }
    }
    recordSize = (end &+ largest &- 1) / largest &* largest
    return found == (device.hasGyroscope ? 6 : 3) && recordSize <= Self.longestRecord
  }

  /// The element that is on with the lowest index above `last`; nil if there is none, or if a file makes no sense.
  private func element(after last: Int64) -> (index: Int64, name: ShortText<48>, format: ScanFormat)? {
    var best: (index: Int64, name: ShortText<48>, format: ScanFormat)?
    var place: Int32 = 0
    while place < Self.mostElements, let name = tree.element(place, of: number) {
      place &+= 1
      let state: Word? = tree.text(number, "scan_elements/\(name)_en")
      guard let state, state == "1" else { continue }
      let indexText: Word? = tree.text(number, "scan_elements/\(name)_index")
      let type: Word? = tree.text(number, "scan_elements/\(name)_type")
      guard let index = indexText?.fixed(places: 0), index > last, index < best?.index ?? Int64.max,
        let format = type.flatMap({ ScanFormat($0) })
      else { continue }
      best = (index, name, format)
    }
    return best
  }

  /// Makes sure that something triggers the buffer: what does so already, the part's own trigger, or a timer of the
  /// kernel's made for this. True without a choice: the part fills the buffer by itself.
  private mutating func setTrigger(of device: IIODevice, _ millihertz: Int32) -> Bool {
    let file: IIOTree.Name = "trigger/current_trigger"
    guard case .line(let line) = tree.read(number, file) else { return true }
    let current = ShortText<48>(cutting: line)
    let name: ShortText<48> = "plumb\(number)"
    if current.count > 0 && current != name { return true }
    trigger = current == name ? ShortText<48>() : current
    if current.count == 0 {
      for own in 0..<2 {
        let candidate: ShortText<48> =
          own == 0 ? "\(device.name)-dev\(number)" : "\(device.name)-trigger"
        if tree.trigger(named: candidate) != nil, tree.write(candidate, number, file) == 0 { return true }
      }
    }
    let made = unsafe tree.timer(named: name).withCString { unsafe csupport_iio_make($0) }
    if made == 0 { timer = name }
    guard let timerNumber = tree.trigger(named: name) else { return false }
    // Whole hertz are what old kernels take.
    let hertz = (millihertz &+ 999) / 1_000
    guard tree.write(Word("\(hertz)"), timerNumber, "sampling_frequency", of: .trigger) == 0,
      tree.write(name, number, file) == 0
    else { return false }
    period = 1_000_000 / widened(hertz)
    return true
  }

  /// Reads what waits, as many whole records as `bytes` have room for; returns how many. Part of a record is a
  /// `shortRead`.
  func take(into bytes: inout InlineArray<512, UInt8>) throws(I2CFault) -> Int {
    guard recordSize > 0 else { throw .unavailable }
    let size = bytes.count / recordSize &* recordSize
    let taken = unsafe withUnsafeMutableBytes(of: &bytes) {
      unsafe csupport_iio_take(descriptor, $0.baseAddress, size)
    }
    guard taken >= 0 else { throw I2CFault(ofIIO: 0 &- taken) }
    let length = Int(truncatingIfNeeded: taken)
    let rest = length % recordSize
    guard rest == 0 else {
      throw .shortRead(expected: length &- rest &+ recordSize, received: length)
    }
    return length / recordSize
  }

  /// Switches the buffer off, closes it, and makes everything else as before.
  mutating func end() {
    guard descriptor >= 0 else { return }
    _ = tree.write(Word("0"), number, "buffer/enable")
    if let trigger {
      // The kernel has no trigger of the empty name, which is how it takes one away.
      _ = tree.write(trigger, number, "trigger/current_trigger")
    }
    if let length { _ = tree.write(length, number, "buffer/length") }
    if let clock, clock != "monotonic" { _ = tree.write(clock, number, "current_timestamp_clock") }
    rates.restore(number, in: tree)
    var index: Int32 = 0
    while index < Self.mostElements, let name = tree.element(index, of: number) {
      let file: IIOTree.Name = "scan_elements/\(name)_en"
      let wanted = Word(elements &>> UInt64(bitPattern: widened(index)) & 1 == 1 ? "1" : "0")
      let state: Word? = tree.text(number, file)
      if let state, state != wanted { _ = tree.write(wanted, number, file) }
      index &+= 1
    }
    csupport_file_close(descriptor)
    if let timer { unsafe tree.timer(named: timer).withCString { unsafe csupport_iio_remove($0) } }
    self = IIOBuffer(in: tree)
  }
}

extension IIOTree {
  /// Whether a file can be read.
  func has(_ number: Int32, _ file: Name) -> Bool {
    if case .line = read(number, file) { return true }
    return false
  }
}
