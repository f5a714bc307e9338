// swift-tools-version: 6.2

import PackageDescription

// The minimum for a package of your own that uses Plumb. In yours, Plumb is
//
//     .package(url: "REPOSITORY", branch: "main", traits: [])
//
// where REPOSITORY is the address that you clone it from. Without traits, nothing else is fetched and no C library is needed.
let package = Package(
  name: "minimal",
  dependencies: [
    .package(name: "plumb", path: "../../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "Minimal",
      dependencies: [
        .product(name: "Plumb", package: "plumb"),
        .product(name: "PlumbEmulation", package: "plumb"),
      ])
  ]
)
