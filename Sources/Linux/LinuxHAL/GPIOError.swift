internal import CSupport
public import HAL
public import Text

/// Why lines could not be requested.
public enum GPIOError: Error, Equatable, Sendable {
  /// No chip has this label.
  case noSuchChip(label: ShortText<32>)
  /// No chip that the program may open has this label, but there are chips that it may not open.
  case notPermitted(label: ShortText<32>)
  /// Another program or a kernel driver holds the line. `holder` is its name, if it gave one and still holds the line.
  case lineBusy(label: ShortText<32>, offset: UInt32?, holder: ShortText<32>?)
  /// The chip has fewer lines.
  case noSuchLine(label: ShortText<32>, offset: UInt32, lineCount: Int)
  /// Fewer than 1 or more than 32 lines, or the same line twice.
  case unusableLines(count: Int, repeated: UInt32?)
  /// The data-ready line cannot be used.
  case noDataReady(label: ShortText<32>, offset: UInt32, cause: DataReadyCause)
  /// Anything else, with the system's `errno`.
  case other(label: ShortText<32>, code: Int32)

  /// Why a data-ready line cannot be used.
  public enum DataReadyCause: Equatable, Sendable {
    /// Another program or a kernel driver holds it.
    case busy
    /// It has no interrupt.
    case noEdges
    /// The chip does not have it, or the kernel is older than 5.10.
    case absent
    /// Anything else, with the system's `errno`.
    case other(code: Int32)
  }

  /// The error for `code`; asks the chip again if the code alone says too little.
  init(code: Int32, chipLabel label: ShortText<32>, offsets: Span<UInt32>) {
    switch csupport_meaning(code) {
    case CSUPPORT_NO_ACKNOWLEDGE, CSUPPORT_UNAVAILABLE: self = .noSuchChip(label: label)
    case CSUPPORT_NOT_PERMITTED: self = .notPermitted(label: label)
    case CSUPPORT_BUSY: self = GPIOError.busy(label, offsets)
    case CSUPPORT_NOT_SUCH: self = GPIOError.invalid(label, offsets, code)
    default: self = .other(label: label, code: code)
    }
  }

  /// The error for `code` from a request of the data-ready line at `offset`.
  init(code: Int32, chipLabel label: ShortText<32>, dataReady offset: UInt32) {
    switch csupport_meaning(code) {
    case CSUPPORT_NO_ACKNOWLEDGE, CSUPPORT_UNAVAILABLE: self = .noSuchChip(label: label)
    case CSUPPORT_NOT_PERMITTED: self = .notPermitted(label: label)
    case CSUPPORT_BUSY: self = .noDataReady(label: label, offset: offset, cause: .busy)
    case CSUPPORT_UNSUPPORTED: self = .noDataReady(label: label, offset: offset, cause: .noEdges)
    case CSUPPORT_NOT_SUCH: self = .noDataReady(label: label, offset: offset, cause: .absent)
    default: self = .noDataReady(label: label, offset: offset, cause: .other(code: code))
    }
  }

  private static func busy(_ label: ShortText<32>, _ offsets: Span<UInt32>) -> GPIOError {
    var line = 0
    var name = InlineArray<32, CChar>(repeating: 0)
    var holder = ShortText<32>()
    let code = unsafe withRequest(label, offsets) { request in
      var span = name.mutableSpan
      return unsafe span.withUnsafeMutableBufferPointer { name in
        guard let start = name.baseAddress else { return -1 }
        let code = unsafe csupport_gpio_holder(request, &line, start, name.count)
        if code == 0 { holder = unsafe ShortText(cString: start) }
        return code
      }
    }
    guard code == 0 && line >= 0 && line < offsets.count else {
      return .lineBusy(label: label, offset: nil, holder: nil)
    }
    return .lineBusy(label: label, offset: offsets[line], holder: holder.count > 0 ? holder : nil)
  }

  private static func invalid(_ label: ShortText<32>, _ offsets: Span<UInt32>, _ code: Int32) -> GPIOError {
    let most = Int(truncatingIfNeeded: CSUPPORT_GPIO_MOST_LINES)
    guard offsets.count > 0 && offsets.count <= most else { return .unusableLines(count: offsets.count, repeated: nil) }
    for index in 0..<offsets.count {
      for other in 0..<index where offsets[index] == offsets[other] {
        return .unusableLines(count: offsets.count, repeated: offsets[index])
      }
    }
    let lineCount = Int(truncatingIfNeeded: unsafe label.withCString { unsafe csupport_gpio_line_count($0) })
    for index in 0..<offsets.count where lineCount >= 0 && Int(truncatingIfNeeded: offsets[index]) >= lineCount {
      return .noSuchLine(label: label, offset: offsets[index], lineCount: lineCount)
    }
    return .other(label: label, code: code)
  }

  /// What is wrong and how to fix it, in plain words.
  public var message: ShortText<384> {
    switch self {
    case .noSuchChip(let label) where label == HeaderChip.anyModel:
      """
      there is no GPIO chip of a Raspberry Pi's header (\(HeaderChip.labels())): `gpiodetect` lists the chips; on another \
      computer write the label of its chip in the board file
      """
    case .noSuchChip(let label):
      """
      there is no GPIO chip labelled \(label): `gpiodetect` lists the chips; that of a Raspberry Pi's header is \
      \(HeaderChip.labels(withModels: true))
      """
    case .notPermitted(let label):
      """
      no permission to use the GPIO chip \(label): add yourself to the group gpio with `sudo usermod -aG gpio $USER`, \
      then log in again (on Debian, Plumb's udev rule creates that group)
      """
    case .lineBusy(let label, let offset?, let holder?):
      "GPIO line \(offset) of \(label) is in use by '\(holder)': stop it, or wire the LED to another line"
    case .lineBusy(let label, let offset?, nil):
      """
      GPIO line \(offset) of \(label) is in use by another program or a driver: stop it, or wire the LED to another line
      """
    case .lineBusy(let label, nil, _):
      """
      a GPIO line of \(label) was in use by another program a moment ago: try again; `gpioinfo` lists the users of the \
      lines
      """
    case .noSuchLine(let label, let offset, let lineCount):
      "the GPIO chip \(label) has no line \(offset): its lines are 0 to \(lineCount &- 1)"
    case .unusableLines(_, let repeated?): "GPIO line \(repeated) is named twice: name each line once"
    case .unusableLines(let count, nil):
      "\(count) GPIO lines cannot be used together: name 1 to \(Int(truncatingIfNeeded: CSUPPORT_GPIO_MOST_LINES))"
    case .noDataReady(let label, let offset, let cause):
      "the data-ready line, \(offset) of the GPIO chip \(label), \(cause.words)"
    case .other(let label, let code): "the GPIO chip \(label) cannot be used: \(system: code)"
    }
  }
}

extension GPIOError.DataReadyCause {
  fileprivate var words: ShortText<160> {
    switch self {
    case .busy: "is in use by another program or a driver: stop it, or use another line"
    case .noEdges: "cannot report edges: use another line, or remove data-ready from the board file"
    case .absent:
      """
      does not exist, or the kernel is older than 5.10: use another line, or remove data-ready from the board file
      """
    case .other(let code): "cannot be used: \(system: code)"
    }
  }
}

extension OutputFault {
  /// What is wrong with the lines of the chip labelled `label`, in plain words.
  public func message(ofChip label: ShortText<32>) -> ShortText<384> {
    "the lines of \(label) cannot be set: \(system: code)"
  }
}

#if !hasFeature(Embedded)
  extension GPIOError: CustomStringConvertible {
    /// What is wrong and how to fix it, in plain words.
    public var description: String { message.description }
  }
#endif
