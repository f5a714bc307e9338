public import FixedPoint

/// Writes JSON into the caller's memory, without a heap. Adds commas, quotation marks and escapes automatically.
///
/// What does not fit is left out and sets ``isCut``; the result is then not JSON.
@safe
public struct JSONWriter: ~Copyable {
  /// The number of bytes written.
  public var count: Int { text.count }
  /// Whether something did not fit.
  public var isCut: Bool { text.isCut }
  package var text: ByteWriter
  /// Whether the next key or element follows another one.
  private var needsComma = false

  /// Writes from the beginning of `bytes`.
  public init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { unsafe text = ByteWriter(bytes) }

  /// Begins the object of a line, or an object as an element of an array.
  public mutating func beginObject() { open(0x7B) }

  /// Begins an object as a field.
  public mutating func beginObject(_ key: StaticString) {
    write(key: key)
    begin(0x7B)
  }

  /// Ends an object.
  public mutating func endObject() { end(0x7D) }

  /// Begins an array as a field.
  public mutating func beginArray(_ key: StaticString) {
    write(key: key)
    begin(0x5B)
  }

  /// Begins an array as an element of another one.
  public mutating func beginArray() { open(0x5B) }

  /// Ends an array.
  public mutating func endArray() { end(0x5D) }

  /// Ends the line of an object.
  public mutating func endLine() {
    text.append(0x0A)
    needsComma = false
  }

  private mutating func open(_ byte: UInt8) {
    separate()
    begin(byte)
  }

  private mutating func begin(_ byte: UInt8) {
    text.append(byte)
    needsComma = false
  }

  private mutating func end(_ byte: UInt8) {
    text.append(byte)
    needsComma = true
  }

  /// Writes a comma if needed, and `key` with a colon. A key is plain ASCII without a quotation mark.
  private mutating func write(key: StaticString) {
    text.append(key: key, isNext: needsComma)
    needsComma = true
  }

  /// Writes a comma before an element if needed.
  mutating func separate() {
    if needsComma { text.append(0x2C) }
    needsComma = true
  }
}

// Fields of an object.
extension JSONWriter {
  /// Writes a null field.
  public mutating func nullField(_ key: StaticString) {
    write(key: key)
    text.append("null")
  }

  /// Writes a Boolean field.
  public mutating func field(_ key: StaticString, _ value: Bool) {
    write(key: key)
    text.append(value)
  }

  /// Writes a Boolean field, or null.
  public mutating func field(_ key: StaticString, _ value: Bool?) {
    guard let value else { return nullField(key) }
    field(key, value)
  }

  /// Writes a whole number; for Swift's literals.
  public mutating func field(_ key: StaticString, _ value: Int) { field(key, Int64(whole: value)) }

  /// Writes a whole number.
  public mutating func field(_ key: StaticString, _ value: Int32) { field(key, widened(value)) }

  /// Writes a whole number.
  public mutating func field(_ key: StaticString, _ value: UInt32) { field(key, widened(value)) }

  /// Writes a whole number.
  public mutating func field(_ key: StaticString, _ value: Int64) {
    write(key: key)
    text.append(whole: value)
  }

  /// Writes a whole number.
  public mutating func field(_ key: StaticString, _ value: UInt64) {
    write(key: key)
    text.append(whole: value)
  }

  /// Writes `numerator / denominator` with at most `places` places, 0…9, rounded to nearest (ties away from zero),
  /// without trailing zeros.
  ///
  /// Any numerator; the denominator must be positive and, times 10^places, below 2^63.
  public mutating func field(
    _ key: StaticString, decimal numerator: Int64, over denominator: Int64, places: Int
  ) {
    write(key: key)
    text.append(decimal: numerator, over: denominator, places: places)
  }

  /// Writes a number with at most six places, which reads back to the last bit.
  public mutating func field(_ key: StaticString, _ value: Q16) {
    write(key: key)
    text.append(value)
  }

  /// Writes a number with at most `places` places, 0…9, rounded to nearest (ties away from zero), or null.
  public mutating func field(_ key: StaticString, _ value: Q16?, places: Int) {
    guard let value else { return nullField(key) }
    field(key, decimal: widened(value.raw), over: 65_536, places: places)
  }

  /// Writes an angle in degrees, in (-180, 180], to 0.0001°; null if it is undefined.
  public mutating func field(_ key: StaticString, degrees angle: BinaryAngle?) {
    write(key: key)
    text.append(degrees: angle)
  }

  /// Writes a time in seconds, to the microsecond.
  public mutating func field(_ key: StaticString, seconds time: Microseconds) {
    write(key: key)
    text.append(seconds: time)
  }

  /// Writes three numbers with at most six places, as an array.
  public mutating func field(_ key: StaticString, _ vector: Vector3) {
    field(key, vector.x.raw, vector.y.raw, vector.z.raw, over: 65_536, places: 6)
  }

  /// Writes three numbers with at most `places` places, as an array, or null.
  public mutating func field(_ key: StaticString, _ vector: Vector3?, places: Int) {
    guard let vector else { return nullField(key) }
    field(key, vector.x.raw, vector.y.raw, vector.z.raw, over: 65_536, places: places)
  }

  /// Writes three numbers in units of 1 / `denominator` with at most `places` places, as an array.
  @inline(__always)
  package mutating func field(
    _ key: StaticString, _ x: Int32, _ y: Int32, _ z: Int32, over denominator: Int64, places: Int
  ) {
    beginArray(key)
    element(decimal: widened(x), over: denominator, places: places)
    element(decimal: widened(y), over: denominator, places: places)
    element(decimal: widened(z), over: denominator, places: places)
    endArray()
  }

  /// Writes a string, or null.
  public mutating func field(_ key: StaticString, _ string: StaticString?) {
    guard let string else { return nullField(key) }
    field(key, string)
  }

  /// Writes a string.
  public mutating func field(_ key: StaticString, _ string: StaticString) {
    write(key: key)
    text.append(quoted: string)
  }

  /// Writes the string in `bytes`, which should be UTF-8: anything else becomes U+FFFD, as in `String(decoding:as:)`.
  public mutating func field(_ key: StaticString, _ bytes: Span<UInt8>) {
    write(key: key)
    text.append(quoted: bytes)
  }
}

// Elements of an array.
extension JSONWriter {
  /// Writes a null element.
  public mutating func nullElement() {
    separate()
    text.append("null")
  }

  /// Writes a whole number.
  public mutating func element(_ value: Int) { element(Int64(whole: value)) }

  /// Writes a whole number.
  public mutating func element(_ value: Int32) { element(widened(value)) }

  /// Writes a whole number.
  public mutating func element(_ value: Int64) {
    separate()
    text.append(whole: value)
  }

  /// Writes a whole number.
  public mutating func element(_ value: UInt64) {
    separate()
    text.append(whole: value)
  }

  /// Writes `numerator / denominator`: see ``field(_:decimal:over:places:)``.
  public mutating func element(decimal numerator: Int64, over denominator: Int64, places: Int) {
    separate()
    text.append(decimal: numerator, over: denominator, places: places)
  }

  /// Writes a number with at most six places, which reads back to the last bit.
  public mutating func element(_ value: Q16) {
    separate()
    text.append(value)
  }

  /// Writes a number with at most `places` places, 0…9, rounded to nearest (ties away from zero).
  public mutating func element(_ value: Q16, places: Int) {
    element(decimal: widened(value.raw), over: 65_536, places: places)
  }

  /// Writes a string.
  public mutating func element(_ string: StaticString) {
    separate()
    text.append(quoted: string)
  }

  /// Writes the string in `bytes`, which should be UTF-8: anything else becomes U+FFFD, as in `String(decoding:as:)`.
  public mutating func element(_ bytes: Span<UInt8>) {
    separate()
    text.append(quoted: bytes)
  }
}

extension ByteWriter {
  /// Appends `true` or `false`.
  mutating func append(_ value: Bool) { append(value ? "true" : "false") }

  /// Appends degrees to 0.0001°, or null.
  @inline(__always)
  mutating func append(degrees angle: BinaryAngle?) {
    guard let angle else { return append("null") }
    append(decimal: widened(angle.degrees.raw), over: 65_536, places: 4)
  }

  /// Appends seconds to the microsecond.
  @inline(__always)
  package mutating func append(seconds time: Microseconds) {
    append(decimal: time.count, over: 1_000_000, places: 6)
  }
}

extension Int64 {
  /// Converts `value` without the generic conversion: see FixedPoint/Widening.swift.
  fileprivate init(whole value: Int) {
    #if _pointerBitWidth(_32)
      self = widened(Int32(truncatingIfNeeded: value))
    #else
      self = Int64(value)
    #endif
  }
}

#if !hasFeature(Embedded)
  extension JSONWriter {
    /// Writes a whole number with any text as the key.
    public mutating func field(key: String, _ value: UInt64) {
      write(key: key)
      text.append(whole: value)
    }

    /// Writes a number with any text as the key, like `field(_:_:places:)`.
    public mutating func field(key: String, _ value: Q16?, places: Int) {
      write(key: key)
      guard let value else { return text.append("null") }
      text.append(decimal: widened(value.raw), over: 65_536, places: places)
    }

    /// Writes a number with any text as the key, like `field(_:_:places:)`.
    public mutating func field(key: String, _ value: Double?, places: Int) {
      write(key: key)
      text.append(value, places: places)
    }

    /// Writes a string.
    @_disfavoredOverload
    public mutating func field(_ key: StaticString, _ string: String) {
      write(key: key)
      text.append(quoted: string)
    }

    /// Writes a string, or null.
    @_disfavoredOverload
    public mutating func field(_ key: StaticString, _ string: String?) {
      guard let string else { return nullField(key) }
      field(key, string)
    }

    /// Writes a value that already is JSON.
    package mutating func field(_ key: StaticString, json: String) {
      write(key: key)
      text.append(json)
    }

    /// Writes an element that already is JSON.
    package mutating func element(json: String) {
      separate()
      text.append(json)
    }

    /// Writes a number with at most `places` places, 0…9, rounded to nearest (ties away from zero); null if it is not
    /// finite, or 10^12 or more.
    public mutating func field(_ key: StaticString, _ value: Double?, places: Int) {
      write(key: key)
      text.append(value, places: places)
    }

    /// Writes a string.
    @_disfavoredOverload
    public mutating func element(_ string: String) {
      separate()
      text.append(quoted: string)
    }

    /// Writes a number, like `field(_:_:places:)`.
    public mutating func element(_ value: Double?, places: Int) {
      separate()
      text.append(value, places: places)
    }

    private mutating func write(key: String) {
      separate()
      text.append(quoted: key)
      text.append(0x3A)
    }
  }

  extension ByteWriter {
    mutating func append(_ string: String) {
      unsafe string.utf8.span.withUnsafeBufferPointer { bytes in
        if let base = bytes.baseAddress { unsafe append(base, count: bytes.count) }
      }
    }

    mutating func append(quoted string: String) { append(quoted: string.utf8.span) }

    package mutating func append(_ value: Double?, places: Int) {
      guard let value, value.isFinite && value.magnitude < 1e12 else { return append("null") }
      var scale: Int64 = 1
      for _ in 0..<max(0, min(6, places)) { scale &*= 10 }
      append(decimal: Int64((value * Double(scale)).rounded()), over: scale, places: places)
    }
  }
#endif
