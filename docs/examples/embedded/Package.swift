// swift-tools-version: 6.2

import PackageDescription

// Plumb on a microcontroller, in Embedded Swift without heap; docs/using-from-swift.md says how to build and run it. In a
// package of your own, Plumb is
//
//     .package(url: "REPOSITORY", branch: "main", traits: [])
//
// where REPOSITORY is the address that you clone it from. toolset.json makes it and Plumb Embedded Swift.
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
