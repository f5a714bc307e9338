import FixedPoint

/// A quantity that changes with time, with its first and second derivatives.
///
/// Sums, products and functions carry the derivatives along, so a path written once as a position or an angle gives
/// velocity, acceleration and rotation rate that agree with it to the last digits of a `Double`.
struct Jet {
  var value: Double
  /// The first derivative, per second.
  var first: Double
  /// The second derivative, per second squared.
  var second: Double

  init(_ value: Double, _ first: Double = 0, _ second: Double = 0) {
    self.value = value
    self.first = first
    self.second = second
  }

  static prefix func - (a: Jet) -> Jet { Jet(-a.value, -a.first, -a.second) }
  static func + (a: Jet, b: Jet) -> Jet { Jet(a.value + b.value, a.first + b.first, a.second + b.second) }
  static func - (a: Jet, b: Jet) -> Jet { Jet(a.value - b.value, a.first - b.first, a.second - b.second) }
  static func * (a: Double, b: Jet) -> Jet { Jet(a * b.value, a * b.first, a * b.second) }
  static func * (a: Jet, b: Jet) -> Jet {
    Jet(
      a.value * b.value, a.first * b.value + a.value * b.first,
      a.second * b.value + 2 * a.first * b.first + a.value * b.second)
  }

  static func * (a: Jet, b: SIMD3<Double>) -> JetVector { JetVector(x: b.x * a, y: b.y * a, z: b.z * a) }

  /// The sine and the cosine of an angle in radians.
  var sinCos: (sine: Jet, cosine: Jet) {
    let (sine, cosine) = Circle.sinCos(value)
    let square = first * first
    return (
      Jet(sine, cosine * first, cosine * second - sine * square),
      Jet(cosine, -sine * first, -sine * second - cosine * square)
    )
  }
}

extension Jet {
  /// A sine wave of `amplitude` at `time` s; `phase` is in turns.
  static func wave(_ amplitude: Double, hertz: Double, phase: Double = 0, at time: Double) -> Jet {
    let pace = 2 * Double.pi * hertz
    return amplitude * Jet(pace * time + 2 * Double.pi * phase, pace).sinCos.sine
  }

  /// From 0 to 1, starting at `start` and taking `length` seconds, with no jump up to the second derivative.
  static func step(at time: Double, from start: Double, taking length: Double) -> Jet {
    let x = (time - start) / length
    guard x > 0 else { return Jet(0) }
    guard x < 1 else { return Jet(1) }
    let back = 1 - x
    return Jet(
      x * x * x * (10 - x * (15 - 6 * x)), 30 * x * x * back * back / length,
      60 * x * back * (1 - 2 * x) / (length * length))
  }

  /// 1 from `start` to `end`, with transitions of `ease` seconds at both ends inside that; 0 before and after.
  static func box(at time: Double, _ start: Double, _ end: Double, ease: Double) -> Jet {
    step(at: time, from: start, taking: ease) - step(at: time, from: end - ease, taking: ease)
  }

  /// The integral of ``box(at:_:_:ease:)``: finally `end - start - ease`.
  static func glide(at time: Double, _ start: Double, _ end: Double, ease: Double) -> Jet {
    func area(from start: Double) -> Double {
      let x = (time - start) / ease
      guard x > 0 else { return 0 }
      guard x < 1 else { return ease * (x - 0.5) }
      return ease * x * x * x * x * (2.5 - x * (3 - x))
    }
    let box = box(at: time, start, end, ease: ease)
    return Jet(area(from: start) - area(from: end - ease), box.value, box.first)
  }
}

/// An attitude that changes with time: the rotation from the board's frame to the world's, as a unit quaternion.
struct JetRotation {
  /// The axes of a frame.
  enum Axis { case x, y, z }

  var w: Jet
  var x: Jet
  var y: Jet
  var z: Jet

  /// A rotation by `angle` radians about an axis, counter-clockwise when the axis points to the viewer.
  init(about axis: Axis, _ angle: Jet) {
    let (sine, cosine) = (0.5 * angle).sinCos
    let none = Jet(0)
    w = cosine
    x = axis == .x ? sine : none
    y = axis == .y ? sine : none
    z = axis == .z ? sine : none
  }

  private init(_ w: Jet, _ x: Jet, _ y: Jet, _ z: Jet) {
    self.w = w
    self.x = x
    self.y = y
    self.z = z
  }

  /// A board held in `attitude`, its top edge away from the world's X axis: the world's Z is up.
  init(held attitude: Attitude) {
    func radians(_ angle: Int32) -> Jet { Jet(Double(angle) / 2_147_483_648 * Double.pi) }
    self =
      JetRotation(about: .x, Jet(Double.pi / 2)) * JetRotation(about: .x, -radians(attitude.tilt.raw))
      * JetRotation(about: .z, -radians(attitude.deviceAngle.raw))
  }

  /// First `b` in the frame turned by `a`, that is, `b` about the axes of the board.
  static func * (a: JetRotation, b: JetRotation) -> JetRotation {
    JetRotation(
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x)
  }

  /// The present quaternion: x, y, z, w.
  var quaternion: SIMD4<Double> { SIMD4(x.value, y.value, z.value, w.value) }

  /// The rotation rate about the axes of the board, in radians per second: twice the vector part of q̄ · dq/dt.
  var rate: SIMD3<Double> {
    func part(_ a: Jet, _ b: Jet, _ c: Jet) -> Double {
      2 * (w.value * a.first - a.value * w.first - b.value * c.first + c.value * b.first)
    }
    return SIMD3(part(x, y, z), part(y, z, x), part(z, x, y))
  }

  /// `vector`, which is fixed to the board, in the world's frame.
  func applied(to vector: SIMD3<Double>) -> JetVector {
    // v + 2w (u × v) + 2u × (u × v).
    func cross(_ a: JetVector) -> JetVector {
      JetVector(x: y * a.z - z * a.y, y: z * a.x - x * a.z, z: x * a.y - y * a.x)
    }
    let fixed = JetVector(x: Jet(vector.x), y: Jet(vector.y), z: Jet(vector.z))
    let side = cross(fixed)
    let far = cross(side)
    func sum(_ v: Jet, _ s: Jet, _ f: Jet) -> Jet { v + 2 * (w * s + f) }
    return JetVector(x: sum(fixed.x, side.x, far.x), y: sum(fixed.y, side.y, far.y), z: sum(fixed.z, side.z, far.z))
  }
}

/// A vector that changes with time.
struct JetVector {
  var x = Jet(0)
  var y = Jet(0)
  var z = Jet(0)

  static func + (a: JetVector, b: JetVector) -> JetVector { JetVector(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z) }
  static func * (a: Jet, b: JetVector) -> JetVector { JetVector(x: a * b.x, y: a * b.y, z: a * b.z) }

  var value: SIMD3<Double> { SIMD3(x.value, y.value, z.value) }
  var first: SIMD3<Double> { SIMD3(x.first, y.first, z.first) }
  var second: SIMD3<Double> { SIMD3(x.second, y.second, z.second) }
}

/// Sine, cosine and the exponential function from sums and products alone, hence bit-identical on every machine.
enum Circle {
  /// Sine and cosine of an angle in radians, ±1e6, within 2e-16 of the true values.
  static func sinCos(_ angle: Double) -> (sine: Double, cosine: Double) {
    let quarter = (angle * 0.636_619_772_367_581_343).rounded()
    // A quarter turn in two parts, the first of 33 bits, so that its product with `quarter` is exact.
    let x = (angle - quarter * 1.570_796_326_734_125_614_17) - quarter * 6.077_100_506_506_192_249_32e-11
    let square = x * x
    var both = SIMD2(1.0, 1.0)
    var order = 18.0
    while order >= 2 {
      both = 1 - square / SIMD2(order * (order + 1), order * (order - 1)) * both
      order -= 2
    }
    let (sine, cosine) = (both.x * x, both.y)
    return switch Int(quarter) & 3 {
    case 0: (sine, cosine)
    case 1: (cosine, -sine)
    case 2: (-sine, -cosine)
    default: (-cosine, sine)
    }
  }

  /// e^-x for x of 0 or more, within 1e-13.
  static func decay(_ x: Double) -> Double {
    guard x < 64 else { return 0 }
    let small = x / 1_024
    var power = 1 - small * (1 - small / 2 * (1 - small / 3 * (1 - small / 4 * (1 - small / 5))))
    for _ in 0..<10 { power *= power }
    return power
  }
}
