import FixedPoint

/// The same pseudo-random numbers for every candidate, in its own type.
struct Inputs: Sendable {
  let points: [(x: Int32, y: Int32)]
  let floatPoints: [(x: Float, y: Float)]
  let sines: [Int32]
  let floatSines: [Float]
  let forces: [Vector3]

  init(count: Int) {
    // Xorshift (G. Marsaglia, "Xorshift RNGs", 2003).
    var state: UInt32 = 2_463_534_242
    func bits() -> Int32 {
      state ^= state << 13
      state ^= state >> 17
      state ^= state << 5
      return Int32(bitPattern: state)
    }
    points = (0..<count).map { _ in (bits(), bits()) }
    floatPoints = points.map { (Float($0.x), Float($0.y)) }
    sines = points.map { $0.x >> 1 }
    floatSines = sines.map { Float($0) / Float(1 << 30) }
    // About 1 g upright, with noise: a board held by hand.
    forces = (0..<count).map { _ in
      Vector3(x: Q16(raw: bits() >> 20), y: Q16(raw: 65_536 + bits() >> 20), z: Q16(raw: bits() >> 20))
    }
  }
}
