internal import CSupport
public import Text

/// The files of the kernel's industrial I/O. Nothing is kept open, and nothing needs a heap.
public struct IIOTree: Equatable, Sendable {
  /// A folder.
  public typealias Root = ShortText<64>
  /// The name of a file, or of one in a folder.
  public typealias Name = ShortText<64>
  typealias Path = ShortText<192>
  typealias Line = ShortText<256>

  /// Where the tree begins: empty for the system's own.
  public let root: Root

  /// The tree below `root`, which is not empty only in tests.
  public init(root: Root = Root()) { self.root = root }

  /// How many devices or triggers are looked for: numbers have no gaps but those that devices leave that have gone.
  public static var most: Int32 { 64 }

  /// What a file says.
  enum Reading: Equatable {
    case line(Line)
    case failed(code: Int32)
  }

  /// A kind of entry.
  enum Kind {
    case device, trigger
  }

  func folder(_ kind: Kind, _ number: Int32) -> Path {
    var path = Path(cutting: root)
    path.append(kind == .device ? "/sys/bus/iio/devices/iio:device" : "/sys/bus/iio/devices/trigger")
    path.append(decimal: number)
    return path
  }

  func path(_ kind: Kind, _ number: Int32, _ file: Name) -> Path {
    var path = folder(kind, number)
    path.append("/")
    path.append(file)
    return path
  }

  /// The first line of a file.
  func read(_ number: Int32, _ file: Name, of kind: Kind = .device) -> Reading {
    var bytes = InlineArray<256, UInt8>(repeating: 0)
    let length = unsafe path(kind, number, file).withCString { path in
      unsafe withUnsafeMutableBytes(of: &bytes) {
        unsafe csupport_file_first_line(path, $0.baseAddress, $0.count)
      }
    }
    guard length >= 0 else { return .failed(code: 0 &- length) }
    var line = Line()
    for index in 0..<Int(truncatingIfNeeded: length) { line.append(byte: bytes[index]) }
    return .line(line)
  }

  /// The first line of a file; nil if it cannot be read, or is too long for `size`.
  func text<let size: Int>(_ number: Int32, _ file: Name, of kind: Kind = .device) -> ShortText<size>? {
    guard case .line(let line) = read(number, file, of: kind) else { return nil }
    let text = ShortText<size>(cutting: line)
    return text.isCut ? nil : text
  }

  /// Whether a device has a file, which is not read: that can make the part measure, and wait for it.
  func exists(_ number: Int32, _ file: Name) -> Bool {
    unsafe path(.device, number, file).withCString { unsafe csupport_iio_exists($0) }
  }

  /// Writes a line; returns 0 or the system's `errno`.
  func write<let size: Int>(_ text: ShortText<size>, _ number: Int32, _ file: Name, of kind: Kind = .device) -> Int32 {
    var line = ShortText<80>(cutting: text)
    line.append("\n")
    let code = unsafe path(kind, number, file).withCString { path in
      unsafe line.withCString { unsafe csupport_iio_write(path, $0, line.count) }
    }
    return 0 &- code
  }

  /// The name of scan element `index` of a device, without `_en`; nil if there are not so many.
  func element(_ index: Int32, of number: Int32) -> ShortText<48>? {
    var bytes = InlineArray<47, UInt8>(repeating: 0)
    let length = unsafe path(.device, number, "scan_elements").withCString { path in
      unsafe withUnsafeMutableBytes(of: &bytes) {
        unsafe csupport_iio_element(path, index, $0.baseAddress, $0.count)
      }
    }
    guard length > 0 else { return nil }
    var name = ShortText<48>()
    for index in 0..<Int(truncatingIfNeeded: length) { name.append(byte: bytes[index]) }
    return name
  }

  /// The number of the trigger called `name`; nil if there is none.
  func trigger(named name: ShortText<48>) -> Int32? {
    for number in 0..<Self.most {
      let found: ShortText<48>? = text(number, "name", of: .trigger)
      if let found, found == name { return number }
    }
    return nil
  }

  /// The character device of a buffer.
  func characterDevice(_ number: Int32) -> Path {
    var path = Path(cutting: root)
    path.append("/dev/iio:device")
    path.append(decimal: number)
    return path
  }

  /// The folder whose existence makes the kernel have an hrtimer trigger of that name.
  func timer(named name: ShortText<48>) -> Path {
    var path = Path(cutting: root)
    path.append("/sys/kernel/config/iio/triggers/hrtimer/")
    path.append(name)
    return path
  }
}
