// swift-tools-version: 6.2

import PackageDescription

// A package of your own that listens to the stream of Plumb. In yours, Plumb is
//
//     .package(url: "REPOSITORY", branch: "main", traits: [])
//
// where REPOSITORY is the address that you clone it from. Without traits, nothing else is fetched and no C library is needed.
let package = Package(
  name: "stream",
  dependencies: [
    .package(name: "plumb", path: "../../..", traits: [])
  ],
  targets: [
    .executableTarget(name: "Listen", dependencies: [.product(name: "PlumbStream", package: "plumb")])
  ]
)
