internal import CSupport
internal import FixedPoint
public import Text

/// A device of the kernel's industrial I/O with an accelerometer, as its files describe it.
public struct IIODevice: Equatable, Sendable {
  /// The name or label of a device, or `iio:deviceN`.
  public typealias Name = SensorPlace.Device

  /// The N of `iio:deviceN`.
  public let number: Int32
  /// The kernel's name for it, mostly that of the part.
  public let name: Name
  /// The axes of the accelerometer.
  let force: Axes
  /// The axes of the gyroscope; nil without one, or if it is not used.
  let rotation: Axes?

  /// Three axes of a quantity.
  struct Axes: Equatable, Sendable {
    var x, y, z: Channel
    var matrix: MountMatrix

    subscript(index: Int) -> Channel { index == 0 ? x : index == 1 ? y : z }

    /// The largest value that no axis clips.
    var fullScale: Q16 { min(x.most, min(y.most, z.most)) }
    /// Whether all axes can be in a buffer.
    var hasFormats: Bool { x.format != nil && y.format != nil && z.format != nil }
  }

  /// An axis.
  struct Channel: Equatable, Sendable {
    /// What its counts mean.
    var conversion: IIOConversion
    /// How it is stored in a buffer; nil if it cannot be.
    var format: ScanFormat?

    /// The value of the largest count; unlimited if that is unknown.
    var most: Q16 {
      guard let format else { return Q16(raw: Int32.max) }
      let bits = min(31, format.isSigned ? format.bits &- 1 : format.bits)
      let largest: UInt32 = (1 &<< UInt32(bits)) &- 1
      return conversion.value(Int32(truncatingIfNeeded: largest))
    }
  }

  /// Whether it has a gyroscope of three axes that is used.
  public var hasGyroscope: Bool { rotation != nil }
  /// The largest force that no axis clips, g.
  var fullScale: Q16 { force.fullScale }

  /// Finds the device called `name` in `tree` and reads its description; that of a gyroscope only if `usesGyroscope`.
  ///
  /// - Throws: among others `noGyroscope` if it `needsGyroscope` but has none.
  public init(
    named name: Name, usesGyroscope: Bool, needsGyroscope: Bool = false, in tree: IIOTree = IIOTree()
  ) throws(IIOError) {
    try self.init(try Self.number(of: name, in: tree), name, usesGyroscope: usesGyroscope, in: tree)
    guard hasGyroscope || !needsGyroscope else { throw IIOError(.noGyroscope, of: name) }
  }

  private init(_ number: Int32, _ name: Name, usesGyroscope: Bool, in tree: IIOTree) throws(IIOError) {
    let reader = Reader(tree: tree, number: number, name: name)
    guard let force = try reader.axes(of: .force) else { throw IIOError(.noAccelerometer, of: name) }
    self.number = number
    self.name = tree.text(number, "name") ?? Name()
    self.force = force
    rotation = usesGyroscope ? try reader.axes(of: .rotation) : nil
  }

  /// Whether the kernel describes a buffer of all axes.
  public func hasBuffer(in tree: IIOTree = IIOTree()) -> Bool {
    force.hasFormats && rotation?.hasFormats ?? true && tree.has(number, "buffer/enable")
  }

  /// Whether the same device still says the same.
  func isUnchanged(in tree: IIOTree) throws(IIOError) -> Bool {
    try IIODevice(number, name, usesGyroscope: hasGyroscope, in: tree) == self
  }

  /// The number of the device with this name or label, or that is called `iio:deviceN`.
  private static func number(of name: Name, in tree: IIOTree) throws(IIOError) -> Int32 {
    var found: Int32?
    for number in 0..<IIOTree.most {
      guard case .line = tree.read(number, "name") else { continue }
      let (its, label): (Name?, Name?) = (tree.text(number, "name"), tree.text(number, "label"))
      if name == Name("iio:device\(number)") { return number }
      guard its == name || label == name else { continue }
      guard found == nil else { throw IIOError(.ambiguous, of: name) }
      found = number
    }
    guard let found else { throw IIOError(.absent, of: name) }
    return found
  }

  /// An accelerometer in a list of all.
  public struct Listed: Equatable, Sendable {
    /// The N of `iio:deviceN`.
    public let number: Int32
    /// The kernel's name for it.
    public let name: Name
    /// Its label; empty without one.
    public let label: Name
    /// Whether it has a gyroscope too.
    public let hasGyroscope: Bool
  }

  /// Device `number` if it has an accelerometer of three axes; nil otherwise.
  public static func listed(_ number: Int32, in tree: IIOTree = IIOTree()) -> Listed? {
    guard let name: Name = tree.text(number, "name") else { return nil }
    let reader = Reader(tree: tree, number: number, name: name)
    guard reader.has(.force) else { return nil }
    return Listed(
      number: number, name: name, label: tree.text(number, "label") ?? Name(), hasGyroscope: reader.has(.rotation))
  }
}

extension IIODevice {
  /// The word of an axis in the names of files.
  static func axis(_ index: Int) -> StaticString { index == 0 ? "x" : index == 1 ? "y" : "z" }

  /// The name of an axis's files, such as `in_accel_x`.
  static func channel(_ quantity: IIOConversion.Quantity, _ axis: Int) -> ShortText<48> {
    "in_\(quantity.word)_\(Self.axis(axis))"
  }
}

/// Reads the description of a device.
private struct Reader {
  let tree: IIOTree
  let number: Int32
  let name: IIODevice.Name

  /// Whether three axes can be read.
  func has(_ quantity: IIOConversion.Quantity) -> Bool {
    for axis in 0..<3 {
      guard case .line = tree.read(number, "\(IIODevice.channel(quantity, axis))_scale") else {
        guard case .line = tree.read(number, "in_\(quantity.word)_scale") else { return false }
        continue
      }
    }
    for axis in 0..<3 where !exists("\(IIODevice.channel(quantity, axis))_raw") { return false }
    return true
  }

  private func exists(_ file: IIOTree.Name) -> Bool {
    tree.exists(number, file)
  }

  /// The axes of `quantity`; nil if there are not three.
  func axes(of quantity: IIOConversion.Quantity) throws(IIOError) -> IIODevice.Axes? {
    for axis in 0..<3 where !exists("\(IIODevice.channel(quantity, axis))_raw") {
      guard tree.element(named: IIODevice.channel(quantity, axis), of: number) else { return nil }
    }
    return IIODevice.Axes(
      x: try channel(quantity, 0), y: try channel(quantity, 1), z: try channel(quantity, 2),
      matrix: try matrix(quantity))
  }

  private func channel(_ quantity: IIOConversion.Quantity, _ axis: Int) throws(IIOError) -> IIODevice.Channel {
    let channel = IIODevice.channel(quantity, axis)
    let (scaleFile, scaleText) = try first(["\(channel)_scale", "in_\(quantity.word)_scale"])
    guard let scaleText else { throw IIOError(.missing, of: name, file: scaleFile) }
    let (offsetFile, offsetText) = try first(["\(channel)_offset", "in_\(quantity.word)_offset"])
    let format = try format(of: channel)
    guard let scale = scaleText.fixed(places: 12) else { throw invalid(scaleFile, scaleText) }
    var offset: Int64 = 0
    if let offsetText {
      guard let number = offsetText.fixed(places: 6) else { throw invalid(offsetFile, offsetText) }
      offset = number
    }
    guard let conversion = IIOConversion(quantity, scale: scale, offset: offset) else {
      throw invalid(scaleFile, scaleText)
    }
    let result = IIODevice.Channel(conversion: conversion, format: format)
    // An accelerometer that cannot measure gravity has another scale than it says.
    guard quantity == .rotation || result.most >= Q16(9, over: 10) else { throw invalid(scaleFile, scaleText) }
    return result
  }

  /// How a channel is stored in a buffer; nil if it cannot be.
  private func format(of channel: ShortText<48>) throws(IIOError) -> ScanFormat? {
    let file: IIOTree.Name = "scan_elements/\(channel)_type"
    let (_, text) = try first([file, file])
    guard let text else { return nil }
    guard let format = ScanFormat(text) else { throw invalid(file, text) }
    return format
  }

  private func matrix(_ quantity: IIOConversion.Quantity) throws(IIOError) -> MountMatrix {
    var (file, text) = try first(["in_\(quantity.word)_mount_matrix", "in_mount_matrix"])
    if text == nil { (file, text) = try first(["mount_matrix", "mount_matrix"]) }
    guard let text else { return MountMatrix() }
    guard let matrix = MountMatrix(text) else { throw invalid(file, text) }
    return matrix
  }

  /// The first of two files that exists, or the last with nil.
  private func first(_ files: InlineArray<2, IIOTree.Name>) throws(IIOError) -> (IIOTree.Name, IIOTree.Line?) {
    for index in 0..<2 {
      switch tree.read(number, files[index]) {
      case .line(let line): return (files[index], line)
      case .failed(let code):
        guard csupport_iio_meaning(code) == CSUPPORT_IIO_ABSENT else {
          throw IIOError(.system(code: code), of: name, file: files[index])
        }
      }
    }
    return (files[1], nil)
  }

  private func invalid(_ file: IIOTree.Name, _ text: IIOTree.Line) -> IIOError {
    IIOError(.invalid, of: name, file: file, found: ShortText(cutting: text))
  }
}

extension IIOTree {
  /// Whether a device has a scan element of this name.
  func element(named name: ShortText<48>, of number: Int32) -> Bool {
    if case .line = read(number, "scan_elements/\(name)_en") { return true }
    return false
  }
}
