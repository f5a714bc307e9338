import FixedPoint
import Orientation
import Testing

@Suite struct InterfaceRotationConfigurationTests {
  /// Device pose, interface orientation, and the edge of the device that the top of the picture is at, as (x, y).
  private static let mirror: [(pose: Pose, orientation: InterfaceOrientation, name: String, top: [Double])] = [
    (.portrait, .portrait, "portrait", [0, 1]),
    (.portraitUpsideDown, .portraitUpsideDown, "portraitUpsideDown", [0, -1]),
    (.landscapeLeft, .landscapeRight, "landscapeRight", [1, 0]),
    (.landscapeRight, .landscapeLeft, "landscapeLeft", [-1, 0]),
  ]

  @Test
  func `the interface is the mirror of the device: each stands upright in the pose of its row, and in no face`() {
    for row in Self.mirror {
      #expect(InterfaceOrientation(for: row.pose) == row.orientation)
      #expect(row.orientation.pose == row.pose)
      #expect("\(row.orientation.name)" == row.name)
      // The top of the picture is where the specific force of the pose points.
      #expect(row.top == [Force.at(rest: row.pose).x, Force.at(rest: row.pose).y])
    }
    #expect(InterfaceOrientation(for: .faceUp) == nil && InterfaceOrientation(for: .faceDown) == nil)
    #expect(InterfaceOrientation.count == 4 && InterfaceOrientation(rawValue: 4) == nil)
  }

  @Test
  func `of all 256 masks the empty one and those beyond the four orientations are refused, each with its reason`()
    throws
  {
    for bits in 0...255 as ClosedRange<UInt8> {
      let error = refusal { () throws(InterfaceRotationError) in _ = try SupportedOrientations(bits: bits) }
      #expect(error == (bits == 0 ? .noOrientation : bits > 15 ? .unknownOrientation : nil))
    }
  }

  @Test
  func `a mask holds what its bits say, and more and less by one`() throws {
    for bits in 1...15 as ClosedRange<UInt8> {
      let mask = try SupportedOrientations(bits: bits)
      for raw in 0...3 as ClosedRange<UInt8> {
        let orientation = try #require(InterfaceOrientation(rawValue: raw))
        let bit: UInt8 = [1, 2, 4, 8][Int(raw)]
        #expect(mask.contains(orientation) == (bits & bit != 0))
        #expect(mask.and(orientation).bits == bits | bit)
        if bits == bit {
          let error = refusal { () throws(InterfaceRotationError) in _ = try mask.without(orientation) }
          #expect(error == .noOrientation)
          #expect(mask == SupportedOrientations(orientation))
        } else {
          #expect(try mask.without(orientation).bits == bits & ~bit)
        }
      }
      #expect(mask.first.rawValue == UInt8(bits.trailingZeroBitCount))
    }
    #expect(SupportedOrientations.all.bits == 0b1111)
    #expect(SupportedOrientations.allButUpsideDown.bits == 0b1101)
    #expect(SupportedOrientations.landscape.bits == 0b1100)
  }

  @Test
  func `the standard configuration is the one of all defaults: 300 ms, all orientations, beginning in portrait`() throws
  {
    let configuration = try InterfaceRotation.Configuration()
    #expect(configuration == .standard)
    #expect(configuration.duration == Microseconds(300_000))
    #expect(configuration.start == .portrait && configuration.supported.bits == 15)
    #expect(InterfaceRotation() == InterfaceRotation(configuration))
  }

  @Test
  func `a start that is not supported is refused; without one the first supported orientation is taken`() throws {
    for bits in 1...15 as ClosedRange<UInt8> {
      let mask = try SupportedOrientations(bits: bits)
      for raw in 0...3 as ClosedRange<UInt8> {
        let start = try #require(InterfaceOrientation(rawValue: raw))
        let error = refusal { () throws(InterfaceRotationError) in
          _ = try InterfaceRotation.Configuration(supported: mask, start: start)
        }
        #expect(error == (bits >> raw & 1 == 1 ? nil : .unsupportedStart))
      }
      let configuration = try InterfaceRotation.Configuration(supported: mask)
      #expect(InterfaceRotation(configuration).orientation == mask.first)
    }
  }

  @Test
  func `a duration from 0 to 60 s is taken, any other refused`() {
    let rows: [(Int64, InterfaceRotationError?)] = [
      (Int64.min, .duration), (-1, .duration), (0, nil), (1, nil), (60_000_000, nil), (60_000_001, .duration),
      (Int64.max, .duration),
    ]
    for (count, expected) in rows {
      let error = refusal { () throws(InterfaceRotationError) in
        _ = try InterfaceRotation.Configuration(duration: Microseconds(count))
      }
      #expect(error == expected, "\(count) µs")
    }
  }

  private func refusal(_ make: () throws(InterfaceRotationError) -> Void) -> InterfaceRotationError? {
    do {
      try make()
      return nil
    } catch {
      return error
    }
  }
}
