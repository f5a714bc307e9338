import FixedPoint
import Orientation
import Testing

@Suite struct MountingTests {
  static let axes: [SensorAxis] = [.plusX, .minusX, .plusY, .minusY, .plusZ, .minusZ]

  /// The unit vector of a half-axis, in the tests' own arithmetic.
  static func unit(_ axis: SensorAxis) -> [Int] {
    switch axis {
    case .plusX: [1, 0, 0]
    case .minusX: [-1, 0, 0]
    case .plusY: [0, 1, 0]
    case .minusY: [0, -1, 0]
    case .plusZ: [0, 0, 1]
    case .minusZ: [0, 0, -1]
    }
  }

  static func determinant(_ x: [Int], _ y: [Int], _ z: [Int]) -> Int {
    x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0]) + x[2] * (y[0] * z[1] - y[1] * z[0])
  }

  @Test
  func `of the 216 ways to name three half-axes exactly the 24 with determinant +1 are mountings`() {
    var count = 0
    for x in Self.axes {
      for y in Self.axes {
        for z in Self.axes {
          let expected = Self.determinant(Self.unit(x), Self.unit(y), Self.unit(z))
          do throws(MountingError) {
            let mounting = try Mounting(x: x, y: y, z: z)
            #expect(expected == 1)
            #expect((mounting.x, mounting.y, mounting.z) == (x, y, z))
            count += 1
          } catch {
            #expect(error == (expected == 0 ? .axisTwice : .leftHanded))
          }
        }
      }
    }
    #expect(count == 24)
  }

  @Test
  func `applying a mounting picks the named half-axes, and undoing it gives the vector back`() throws {
    let vector = Vector3(x: Q16(whole: 1), y: Q16(whole: 20), z: Q16(whole: -300))
    let values = [1, 20, -300]
    for x in Self.axes {
      for y in Self.axes {
        for z in Self.axes where Self.determinant(Self.unit(x), Self.unit(y), Self.unit(z)) == 1 {
          let mounting = try Mounting(x: x, y: y, z: z)
          let applied = mounting.applied(to: vector)
          let expected = [x, y, z].map { axis in zip(Self.unit(axis), values).map(*).reduce(0, +) }
          #expect([applied.x, applied.y, applied.z] == expected.map { Q16(whole: Int32($0)) })
          #expect(mounting.undone(on: applied) == vector)
        }
      }
    }
  }
}
