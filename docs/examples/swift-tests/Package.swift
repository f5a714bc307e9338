// swift-tools-version: 6.2

import PackageDescription

// A package of your own that uses Plumb, and tests itself with Plumb's doubles. Copy it, and let `path` (or `url`) point
// to Plumb.
let package = Package(
  name: "tip-alarm",
  dependencies: [
    .package(name: "plumb", path: "../../..", traits: [])
  ],
  targets: [
    .target(name: "TipAlarm", dependencies: [.product(name: "Plumb", package: "plumb")]),
    .testTarget(
      name: "TipAlarmTests",
      dependencies: [
        "TipAlarm",
        .product(name: "Plumb", package: "plumb"),
        .product(name: "PlumbEmulation", package: "plumb"),
      ]),
  ]
)
