// swift-tools-version: 6.2

import PackageDescription

// Plumb on a microcontroller, in Embedded Swift without heap: README.md says how it is built and run. In a package of your
// own, Plumb is
//
//     .package(url: "https://example.org/plumb.git", branch: "main", traits: [])
//
// with the address that you clone it from. What makes it Embedded Swift, Plumb included, is toolset.json.
let package = Package(
  name: "embedded",
  dependencies: [
    .package(name: "plumb", path: "../../..", traits: [])
  ],
  targets: [
    .target(name: "Board"),
    .executableTarget(name: "Firmware", dependencies: ["Board", .product(name: "Plumb", package: "plumb")]),
  ]
)
