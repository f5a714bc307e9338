import Benchmark
import FixedPoint
import Glibc
import Monitor
import Orientation

/// Wall time of the core and of libm on the same inputs, a million calls at a time.
let benchmarks: @Sendable () -> Void = {
  // Instructions are 0 if the computer does not let a process count them, as in most containers.
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .throughput, .instructions], scalingFactor: .kilo, maxDuration: .seconds(1),
    maxIterations: 10_000)

  let inputs = Inputs(count: 1_000)

  Benchmark("atan2: plumb") { benchmark in
    for _ in benchmark.scaledIterations { for (x, y) in inputs.points { blackHole(atan2(y: y, x: x)) } }
  }
  Benchmark("atan2: libm atan2f") { benchmark in
    for _ in benchmark.scaledIterations { for (x, y) in inputs.floatPoints { blackHole(atan2f(y, x)) } }
  }
  Benchmark("asin: plumb") { benchmark in
    for _ in benchmark.scaledIterations { for sine in inputs.sines { blackHole(asin(sine)) } }
  }
  Benchmark("asin: libm asinf") { benchmark in
    for _ in benchmark.scaledIterations { for sine in inputs.floatSines { blackHole(asinf(sine)) } }
  }
  Benchmark("magnitude: plumb") { benchmark in
    for _ in benchmark.scaledIterations { for (x, y) in inputs.points { blackHole(magnitude(x, y)) } }
  }
  Benchmark("magnitude: libm hypotf") { benchmark in
    for _ in benchmark.scaledIterations { for (x, y) in inputs.floatPoints { blackHole(hypotf(x, y)) } }
  }
  Benchmark("sinCos: plumb") { benchmark in
    for _ in benchmark.scaledIterations { for (x, _) in inputs.points { blackHole(BinaryAngle(raw: x).sinCos) } }
  }
  Benchmark("whole step: plumb") { benchmark in
    for _ in benchmark.scaledIterations {
      var pipeline = Pipeline()
      for (index, force) in inputs.forces.enumerated() {
        blackHole(pipeline.step(force, at: Instant(microseconds: Int64(index) * 20_000)))
      }
    }
  }
}
