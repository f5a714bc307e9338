import HAL
import Indication
import Orientation
import SenseHAT
import TestSupport
import Testing

/// A matrix as text: eight lines of eight characters.
func drawing(_ isLit: (_ column: Int, _ row: Int) -> Bool) -> String {
  (0..<8).map { row in String((0..<8).map { isLit($0, row) ? "#" : "." }) }.joined(separator: "\n")
}

/// The pictures as drawn in the documentation, seen by someone who holds the board in that pose.
enum Drawings {
  static let arrow = """
    ...##...
    ..####..
    .######.
    ##.##.##
    ...##...
    ...##...
    ...##...
    ...##...
    """
  static let ring = """
    ..####..
    .#....#.
    #......#
    #......#
    #......#
    #......#
    .#....#.
    ..####..
    """
  static let cross = """
    #......#
    .#....#.
    ..#..#..
    ...##...
    ...##...
    ..#..#..
    .#....#.
    #......#
    """
  static let trouble = """
    ########
    #......#
    #......#
    #..##..#
    #..##..#
    #......#
    #......#
    ########
    """

  static func of(_ pose: Pose) -> String { pose == .faceUp ? ring : pose == .faceDown ? cross : arrow }

  /// The matrix as seen by someone who holds the board in `pose`: which edge of the board is at the top, and which at
  /// the left, follows from how the board was turned (docs/coordinate-frames.md).
  static func seen(in pose: Pose, _ isLit: (_ column: Int, _ row: Int) -> Bool) -> String {
    drawing { column, row in
      switch pose {
      case .portrait, .faceUp, .faceDown: isLit(column, row)
      case .portraitUpsideDown: isLit(7 - column, 7 - row)
      // Turned counter-clockwise: its right edge is at the top, its top edge at the left.
      case .landscapeLeft: isLit(7 - row, column)
      // Turned clockwise: its left edge is at the top, its top edge at the right.
      case .landscapeRight: isLit(row, 7 - column)
      }
    }
  }
}

let allPoses = (0..<UInt8(Pose.count)).compactMap { Pose(rawValue: $0) }

struct MatrixPictureTests {
  @Test(arguments: allPoses)
  static func `a viewer sees the arrow point up, a ring or a cross`(_ pose: Pose) {
    let picture = MatrixPicture.pose(pose)
    expect(Drawings.seen(in: pose) { picture.isLit($0, $1) }, equals: Drawings.of(pose))
    expect(that: !picture.isRed)
  }

  @Test static func `the six pictures, trouble and darkness all differ in shape`() {
    let pictures = allPoses.map { MatrixPicture.pose($0) } + [.trouble, .dark]
    let shapes = pictures.map { picture in drawing { picture.isLit($0, $1) } }
    expect(Set(shapes).count, equals: 8)
    expect(shapes[6], equals: Drawings.trouble)
    expect(that: MatrixPicture.trouble.isRed)
    expect(shapes[7], lacks: "#")
  }

  @Test static func `six lines become a picture: one is a pose, none is dark, anything else is trouble`() {
    for bits in 0..<UInt32(256) {
      let picture = MatrixPicture(Levels(bits: bits))
      let pose = allPoses.first { Levels.oneHot($0).bits == bits }
      expect(picture, equals: bits == 0 ? .dark : pose.map { .pose($0) } ?? .trouble)
    }
  }

  @Test(arguments: allPoses.map { MatrixPicture.pose($0) } + [.trouble, .dark], [1, 10, 31, 32, 255] as [UInt8])
  static func `a frame is register 0 and 64 pixels of at most 31`(_ picture: MatrixPicture, _ brightness: UInt8) {
    let frame = picture.frame(brightness: brightness)
    expect(frame[0], equals: 0)
    for row in 0..<8 {
      for column in 0..<8 {
        let colours = [0, 8, 16].map { frame[1 + 24 * row + $0 + column] }
        let lit = picture.isLit(column, row) ? min(brightness, 31) : 0
        expect(colours, equals: (picture.isRed ? [lit, 0, 0] : [0, lit, 0]))
      }
    }
  }

  /// The kernel's gamma, from its source.
  private static let gamma: [UInt8] = [
    0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 18, 20, 21, 23, 25, 27, 29, 31,
  ]

  @Test static func `the kernel makes of the frame buffer what a frame has, or the next brighter value that it can`() {
    for brightness in 1...31 as ClosedRange<UInt8> {
      let wanted = Self.gamma.first { $0 >= brightness }
      for picture in [MatrixPicture.pose(.portrait), .trouble] {
        let pixels = picture.pixels(brightness: brightness)
        for row in 0..<8 {
          for column in 0..<8 {
            let pixel = UInt16(pixels[16 * row + 2 * column]) | UInt16(pixels[16 * row + 2 * column + 1]) << 8
            // As rpisense-fb.c takes it apart.
            let (red, green, blue) = (pixel >> 11 & 0x1F, pixel >> 6 & 0x1F, pixel & 0x1F)
            let lit = picture.isLit(column, row) ? wanted : 0
            expect(Self.gamma[Int(picture.isRed ? red : green)], equals: lit)
            expect((picture.isRed ? green : red), equals: 0)
            expect(blue, equals: 0)
          }
        }
      }
    }
  }
}
