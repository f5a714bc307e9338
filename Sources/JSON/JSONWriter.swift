/// Writes JSON into memory of the caller's, without a heap: commas and quotation marks come by themselves.
///
/// Text that does not fit is left out and sets ``isCut``; what was written is then no JSON.
@safe
public struct JSONWriter: ~Copyable {
  /// The number of bytes that were written.
  public private(set) var count = 0
  /// Whether something did not fit.
  public private(set) var isCut = false
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  /// Whether the next key or element comes after another one.
  private var needsComma = false

  /// Writes from the beginning of `bytes`.
  public init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { unsafe self.bytes = bytes }

  /// Begins the object of a line, or one that is an element of an array.
  public mutating func beginObject() { open(0x7B) }

  /// Begins an object that is a field.
  public mutating func beginObject(_ key: StaticString) {
    write(key: key)
    begin(0x7B)
  }

  /// Ends an object.
  public mutating func endObject() { end(0x7D) }

  /// Begins an array that is a field.
  public mutating func beginArray(_ key: StaticString) {
    write(key: key)
    begin(0x5B)
  }

  /// Begins an array that is an element of another one.
  public mutating func beginArray() { open(0x5B) }

  /// Ends an array.
  public mutating func endArray() { end(0x5D) }

  /// Writes a comma where one is needed, and `key` with a colon. A key is plain ASCII without a quotation mark.
  public mutating func write(key: StaticString) {
    separate()
    append(0x22)
    append(key)
    append("\":")
    needsComma = false
  }

  /// Writes a comma where one is needed, before a value.
  private mutating func separate() {
    if needsComma { append(0x2C) }
    needsComma = true
  }

  private mutating func open(_ byte: UInt8) {
    separate()
    begin(byte)
  }

  private mutating func begin(_ byte: UInt8) {
    append(byte)
    needsComma = false
  }

  private mutating func end(_ byte: UInt8) {
    append(byte)
    needsComma = true
  }

  /// Appends a byte as it is.
  @inline(__always)
  private mutating func append(_ byte: UInt8) {
    guard unsafe count < bytes.count else {
      isCut = true
      return
    }
    unsafe bytes[count] = byte
    count &+= 1
  }

  /// Appends bytes as they are.
  private mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    guard unsafe count &+ length <= bytes.count, let base = unsafe bytes.baseAddress else {
      isCut = true
      return
    }
    unsafe (base + count).update(from: text.utf8Start, count: length)
    count &+= length
  }
}
