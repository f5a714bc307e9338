public import HAL
public import Orientation

/// What the 8×8 matrix of a Sense HAT shows.
///
///     portrait   face up    face down  trouble
///     ...##...   ..####..   #......#   ########
///     ..####..   .#....#.   .#....#.   #......#
///     .######.   #......#   ..#..#..   #......#
///     ##.##.##   #......#   ...##...   #..##..#
///     ...##...   #......#   ...##...   #..##..#
///     ...##...   #......#   ..#..#..   #......#
///     ...##...   .#....#.   .#....#.   #......#
///     ...##...   ..####..   #......#   ########
///
/// The arrow of a pose in the plane points to the edge that is up, so it points up for everyone who looks at it.
/// Ring, cross and the square of trouble look the same from all four sides. The shapes alone tell all of them apart.
public enum MatrixPicture: Equatable, Sendable {
  /// No pixel is lit: no pose is known, and nothing is wrong.
  case dark
  /// The picture of a pose.
  case pose(Pose)
  /// The sensor delivers nothing.
  case trouble

  /// The picture for the levels of six lines, one for each pose: all lit means trouble.
  public init(_ levels: Levels) {
    self = levels == .off ? .dark : .trouble
    for index in 0..<UInt8(Pose.count) where levels.bits == 1 &<< UInt32(index) {
      if let pose = Pose(rawValue: index) { self = .pose(pose) }
    }
  }

  /// Whether lit pixels are red; otherwise they are green.
  public var isRed: Bool { self == .trouble }

  /// Whether the pixel is lit. Row 0 is at the top of an upright board, column 0 at the left.
  public func isLit(_ column: Int, _ row: Int) -> Bool {
    switch self {
    case .dark: false
    case .trouble: Self.isSet(0xFF81_8199_9981_81FF, column, row)
    case .pose(.portrait): Self.isSet(Self.arrow, column, row)
    case .pose(.portraitUpsideDown): Self.isSet(Self.arrow, column, 7 &- row)
    // The right edge is up.
    case .pose(.landscapeLeft): Self.isSet(Self.arrow, row, 7 &- column)
    case .pose(.landscapeRight): Self.isSet(Self.arrow, row, column)
    case .pose(.faceUp): Self.isSet(0x3C42_8181_8181_423C, column, row)
    case .pose(.faceDown): Self.isSet(0x8142_2418_1824_4281, column, row)
    }
  }

  /// An arrow to row 0, the same seen in a mirror. A byte is a row, the highest the first; its highest bit is column 0.
  private static var arrow: UInt64 { 0x183C_7EDB_1818_1818 }

  private static func isSet(_ bits: UInt64, _ column: Int, _ row: Int) -> Bool {
    // Bit by bit: on 32-bit targets the conversion of an Int to the type of the shift is generic code, with arrays.
    var rest = bits
    for _ in 0..<(8 &* row &+ column) { rest = rest &<< 1 }
    return rest >= 1 &<< 63
  }
}

// The two forms in which the picture is written.
extension MatrixPicture {
  /// One write to the controller at 0x46: register 0, then for each row eight values of red, green and blue, 0 to 31.
  ///
  /// - Source: raspberrypi/rpi-sense, main.c. Its firmware takes values up to 64; more than 31, the kernel's highest,
  ///   may be too much for the supply.
  public func frame(brightness: UInt8) -> InlineArray<193, UInt8> {
    var bytes = InlineArray<193, UInt8>(repeating: 0)
    for row in 0..<8 {
      for column in 0..<8 where isLit(column, row) {
        bytes[1 &+ 24 &* row &+ (isRed ? 0 : 8) &+ column] = min(brightness, 31)
      }
    }
    return bytes
  }

  /// The content of the kernel's frame buffer: 16 bits a pixel, RGB565, little-endian as on every Raspberry Pi.
  ///
  /// The kernel's gamma makes of a value what is sent to the controller, so that `brightness` means the same here.
  ///
  /// - Source: raspberrypi/linux, drivers/video/fbdev/rpisense-fb.c.
  public func pixels(brightness: UInt8) -> InlineArray<128, UInt8> {
    var bytes = InlineArray<128, UInt8>(repeating: 0)
    let value = Self.beforeGamma(brightness)
    // Of the six bits of green the upper five count.
    let pixel = isRed ? value &<< 11 : value &<< 6
    for row in 0..<8 {
      for column in 0..<8 where isLit(column, row) {
        let index = 16 &* row &+ 2 &* column
        bytes[index] = UInt8(truncatingIfNeeded: pixel)
        bytes[index &+ 1] = UInt8(truncatingIfNeeded: pixel &>> 8)
      }
    }
    return bytes
  }

  /// The least value of a pixel of which the kernel's usual gamma makes at least `brightness`.
  static func beforeGamma(_ brightness: UInt8) -> UInt16 {
    let gamma: InlineArray<32, UInt8> = [
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x01, 0x02, 0x02, 0x03, 0x03, 0x04, 0x05, 0x06, 0x07,
      0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0E, 0x0F, 0x11, 0x12, 0x14, 0x15, 0x17, 0x19, 0x1B, 0x1D, 0x1F,
    ]
    for value in 0..<31 where gamma[value] >= brightness { return UInt16(truncatingIfNeeded: value) }
    return 31
  }
}
