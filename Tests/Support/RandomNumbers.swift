package import FixedPoint

// The draws that tests make most, compiled for their types: test modules are not optimised, and in them Swift's generic
// draws look up each step of their arithmetic. The numbers are the same: these only pass Swift's on.

extension Int {
  /// A random number of the range.
  package static func random(in range: Range<Int>, using generator: inout SplitMix64) -> Int {
    drawn(range, &generator)
  }

  /// A random number of the range.
  package static func random(in range: ClosedRange<Int>, using generator: inout SplitMix64) -> Int {
    drawn(range, &generator)
  }
}

extension Int32 {
  /// A random number of the range.
  package static func random(in range: ClosedRange<Int32>, using generator: inout SplitMix64) -> Int32 {
    drawn(range, &generator)
  }
}

extension Int64 {
  /// A random number of the range.
  package static func random(in range: ClosedRange<Int64>, using generator: inout SplitMix64) -> Int64 {
    drawn(range, &generator)
  }
}

extension Double {
  /// A random number of the range.
  package static func random(in range: Range<Double>, using generator: inout SplitMix64) -> Double {
    drawn(range, &generator)
  }
}

// In a generic function, `random` is Swift's.

private func drawn<Number: FixedWidthInteger>(_ range: Range<Number>, _ generator: inout SplitMix64) -> Number {
  .random(in: range, using: &generator)
}

private func drawn<Number: FixedWidthInteger>(_ range: ClosedRange<Number>, _ generator: inout SplitMix64) -> Number {
  .random(in: range, using: &generator)
}

private func drawn<Number: BinaryFloatingPoint>(_ range: Range<Number>, _ generator: inout SplitMix64) -> Number
where Number.RawSignificand: FixedWidthInteger {
  .random(in: range, using: &generator)
}
