package import FixedPoint
package import Text

extension ShortText {
  /// The decimal number at `position`, which moves behind it, in units of 10^-`places`; further places are rounded.
  ///
  /// Nil for anything else, and beyond ±10^18 units.
  func fixed(at position: inout Int, places: Int) -> Int64? {
    let isNegative = self[position] == UInt8(ascii: "-")
    if isNegative || self[position] == UInt8(ascii: "+") { position &+= 1 }
    var number: Int64 = 0
    var digits = 0
    while let digit = digit(at: position) {
      guard Self.append(digit, to: &number) else { return nil }
      (digits, position) = (digits &+ 1, position &+ 1)
    }
    guard digits > 0 else { return nil }
    var missing = places
    if self[position] == UInt8(ascii: ".") {
      position &+= 1
      guard digit(at: position) != nil else { return nil }
      while let digit = digit(at: position) {
        if missing > 0 {
          guard Self.append(digit, to: &number) else { return nil }
        } else if missing == 0 && digit >= 5 {
          number &+= 1
        }
        (missing, position) = (missing &- 1, position &+ 1)
      }
    }
    while missing > 0 {
      guard Self.append(0, to: &number) else { return nil }
      missing &-= 1
    }
    return isNegative ? 0 &- number : number
  }

  /// The decimal number that is the whole text, in units of 10^-`places`.
  package func fixed(places: Int) -> Int64? {
    var position = 0
    guard !isCut, let number = fixed(at: &position, places: places), position == count else { return nil }
    return number
  }

  /// Skips blanks, commas and semicolons.
  func skipSeparators(_ position: inout Int) {
    while isBlank(at: position) || self[position] == UInt8(ascii: ",") || self[position] == UInt8(ascii: ";") {
      position &+= 1
    }
  }

  private func digit(at index: Int) -> Int32? {
    let byte = self[index]
    return (0x30...0x39).contains(byte) ? Int32(truncatingIfNeeded: byte &- 0x30) : nil
  }

  /// Appends a digit; false beyond 10^18.
  private static func append(_ digit: Int32, to number: inout Int64) -> Bool {
    guard number < 100_000_000_000_000_000 else { return false }
    number = number &* 10 &+ widened(digit)
    return true
  }
}

/// Counts as a quantity in Q16.16: (count + offset) · scale, as the kernel's ABI has it, in g or °/s.
///
/// The factor has 31 bits, so its relative error is at most 2^-31; the product is rounded to nearest, ties up, and the
/// offset once more: at most 1 LSB of Q16.16 in all, 15 µg or 15 µ°/s. Values beyond ±32768 saturate.
package struct IIOConversion: Equatable, Sendable {
  /// The factor times 2^`shift`, 2^30 to 2^31 - 1.
  private var mantissa: Int32
  private var shift: Int32
  /// The offset, converted.
  private var bias: Int64

  /// What a channel measures.
  package enum Quantity: Equatable, Sendable {
    /// m/s², which become g of 9.80665 m/s².
    case force
    /// rad/s, which become °/s.
    case rotation

    /// How much of the kernel's unit is one of ours, in 10^-12.
    var divisor: UInt64 { self == .force ? 9_806_650_000_000 : 17_453_292_520 }

    /// The kernel's word for it.
    var word: StaticString { self == .force ? "accel" : "anglvel" }
  }

  /// The largest scale that makes sense, 10^-12 m/s² or rad/s a count: the kernel's ABI has no part near it.
  private static var largestScale: Int64 { 1_000_000_000_000_000 }

  /// A conversion for `scale` in 10^-12, and `offset` in 10^-6 counts; nil for a scale or offset that no part has.
  package init?(_ quantity: Quantity, scale: Int64, offset: Int64) {
    guard scale > 0, scale <= Self.largestScale, abs(offset) <= 2_147_483_648_000_000 else { return nil }
    let divisor = quantity.divisor
    let numerator = UInt64(bitPattern: scale)
    var (quotient, rest) = (numerator / divisor, numerator % divisor)
    // Q16.16 is in units of 2^-16.
    var shift: Int32 = -16
    while quotient < 1 &<< 30 {
      rest = rest &<< 1
      quotient = quotient &<< 1
      if rest >= divisor {
        rest = rest &- divisor
        quotient |= 1
      }
      shift &+= 1
    }
    while quotient >= 1 &<< 31 {
      quotient = quotient &>> 1
      shift &-= 1
    }
    mantissa = Int32(truncatingIfNeeded: quotient)
    let whole = offset / 1_000_000
    let part = offset % 1_000_000
    guard shift >= 1, shift <= 62 else { return nil }
    bias = Self.rounded(whole &* widened(mantissa) &+ part &* widened(mantissa) / 1_000_000, shift)
    self.shift = shift
  }

  /// The quantity of `count`.
  package func value(_ count: Int32) -> Q16 {
    Q16(raw: saturated(Self.rounded(widened(count) &* widened(mantissa), shift) &+ bias))
  }

  private static func rounded(_ product: Int64, _ shift: Int32) -> Int64 {
    let places = widened(shift)
    return ((product &>> (places &- 1)) &+ 1) &>> 1
  }
}

/// The kernel's mount matrix, in units of 2^-30: the sensor's values times it are those of the device.
package struct MountMatrix: Equatable, Sendable {
  /// Row by row.
  private var cells = InlineArray<9, Int32>(repeating: 0)
  /// Whether it changes nothing.
  package private(set) var isIdentity = true

  package static func == (a: MountMatrix, b: MountMatrix) -> Bool {
    for index in 0..<9 where a.cells[index] != b.cells[index] { return false }
    return true
  }

  /// The matrix that changes nothing.
  init() { for index in 0..<3 { cells[index &* 4] = 1 &<< 30 } }

  /// The matrix in `text`, such as `0, 1, 0; -1, 0, 0; 0, 0, 1`; nil for other text, and if it is no rotation or
  /// reflection: a determinant beyond ±(0.5…1.5).
  package init?<let size: Int>(_ text: ShortText<size>) {
    var position = 0
    for index in 0..<9 {
      text.skipSeparators(&position)
      guard let billionths = text.fixed(at: &position, places: 9), abs(billionths) < 2_000_000_000 else { return nil }
      cells[index] = saturated((billionths &<< 30) / 1_000_000_000)
      if cells[index] != (index % 4 == 0 ? 1 &<< 30 : 0) { isIdentity = false }
    }
    text.skipSeparators(&position)
    let size = abs(determinant)
    guard position == text.count, !text.isCut, size > 1 &<< 29, size < 3 &<< 29 else { return nil }
  }

  /// The determinant, in units of 2^-30.
  private var determinant: Int64 {
    func minor(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Int64 {
      // Each product is below 2^62, and halved before the difference.
      ((widened(cells[a]) &* widened(cells[d])) &>> 1 &- (widened(cells[b]) &* widened(cells[c])) &>> 1) &>> 29
    }
    func term(_ cell: Int, _ minor: Int64) -> Int64 { (widened(cells[cell]) &* (minor &>> 2)) &>> 28 }
    return term(0, minor(4, 5, 7, 8)) &- term(1, minor(3, 5, 6, 8)) &+ term(2, minor(3, 4, 6, 7))
  }

  /// `vector` in the frame of the device: rounded to nearest, ties up, and saturated.
  package func applied(to vector: Vector3) -> Vector3 {
    guard !isIdentity else { return vector }
    return Vector3(x: row(0, vector), y: row(3, vector), z: row(6, vector))
  }

  private func row(_ start: Int, _ vector: Vector3) -> Q16 {
    func product(_ cell: Int, _ value: Q16) -> Int64 { (widened(cells[cell]) &* widened(value.raw)) &>> 2 }
    let sum = product(start, vector.x) &+ product(start &+ 1, vector.y) &+ product(start &+ 2, vector.z)
    return Q16(raw: saturated((sum &+ 1 &<< 27) &>> 28))
  }
}
