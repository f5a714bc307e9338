// swift-tools-version: 6.2

import PackageDescription

// The minimal program with a sensor on a Raspberry Pi. In a package of your own, Plumb is
//
//     .package(url: "REPOSITORY", branch: "main", traits: ["LinuxHAL"])
//
// where REPOSITORY is the address that you clone it from. That takes libgpiod-dev, libi2c-dev and libinih-dev, and nothing else.
let package = Package(
  name: "raspberry-pi",
  dependencies: [
    .package(name: "plumb", path: "../../..", traits: ["LinuxHAL"])
  ],
  targets: [
    .executableTarget(
      name: "RaspberryPi",
      dependencies: [
        .product(name: "Plumb", package: "plumb"),
        .product(name: "PlumbLinux", package: "plumb"),
      ])
  ]
)
