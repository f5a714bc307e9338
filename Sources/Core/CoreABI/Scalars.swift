// The numeric functions, as plumb.h declares and documents them.
internal import CPlumb
internal import FixedPoint

@c @implementation
func plumb_atan2(_ y: Int32, _ x: Int32) -> Int32 { atan2(y: y, x: x).raw }

@c @implementation
func plumb_asin(_ sine_q30: Int32) -> Int32 { asin(sine_q30).raw }

@c @implementation
func plumb_acos(_ cosine_q30: Int32) -> Int32 { acos(cosine_q30).raw }

@c @implementation
func plumb_sincos(
  _ angle: Int32, _ sine_q31: UnsafeMutablePointer<Int32>?, _ cosine_q31: UnsafeMutablePointer<Int32>?
) {
  let result = BinaryAngle(raw: angle).sinCos
  // The header requires valid pointers.
  unsafe sine_q31.unsafelyUnwrapped.pointee = result.sine
  unsafe cosine_q31.unsafelyUnwrapped.pointee = result.cosine
}

@c @implementation
func plumb_degrees(_ angle: Int32) -> Int32 { BinaryAngle(raw: angle).degrees.raw }

@c @implementation
func plumb_sqrt(_ value: UInt64) -> UInt32 { squareRoot(value) }

@c @implementation
func plumb_hypot(_ a: Int32, _ b: Int32) -> UInt32 { magnitude(a, b) }
