// swift-tools-version: 6.2

import PackageDescription

// A driver for a sensor that Plumb does not know, in four files, and its tests. Copy it, and change `path` to where Plumb
// is; or contribute it to Plumb: docs/adding-a-sensor.md, "Into Plumb".
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "new-sensor",
  dependencies: [
    .package(name: "plumb", path: "../../..", traits: [])
  ],
  targets: [
    .target(
      name: "TL3", dependencies: [.product(name: "Plumb", package: "plumb")],
      swiftSettings: strict + [.treatWarning("EmbeddedRestrictions", as: .error)]),
    .testTarget(
      name: "TL3Tests",
      dependencies: [
        "TL3",
        .product(name: "Plumb", package: "plumb"),
        .product(name: "PlumbEmulation", package: "plumb"),
      ], swiftSettings: strict),
  ]
)
