// swift-tools-version: 6.2

import PackageDescription

// A separate package, so a build of Plumb does not build this too. Run it with `make bench-time`.
let package = Package(
  name: "plumb-benchmarks",
  dependencies: [
    .package(name: "plumb", path: "../.."),
    // Without traits: its counting of allocations needs more packages, and the core has none to count.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "CoreBenchmarks",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "Plumb", package: "plumb"),
      ],
      path: "CoreBenchmarks",
      swiftSettings: [
        .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ],
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
  ]
)
