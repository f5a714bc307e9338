// swift-tools-version: 6.2

import PackageDescription

/// Settings of every Swift target: no warning passes, unsafe code is marked, imports say what they need.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Settings of the core: on top of `strict`, what Embedded Swift could not compile is refused on the host already.
let embedded: [SwiftSetting] = strict + [.treatWarning("EmbeddedRestrictions", as: .error)]

/// Settings of tests that compute little: optimizing them takes longer than running them. Flags of a test target are no concern of
/// packages that depend on this one.
let unoptimized: [SwiftSetting] = strict + [.unsafeFlags(["-Onone"])]

let strictC: [CSetting] = [
  .enableWarning("all"), .enableWarning("extra"), .enableWarning("conversion"),
  .treatAllWarnings(as: .error),
]

/// The C shim, which needs libgpiod, libi2c and inih; packages without the trait `LinuxHAL` do not build it.
let cSupport: Target.Dependency = .target(name: "CSupport", condition: .when(traits: ["LinuxHAL"]))

/// The C shim over Eclipse Paho, an MQTT client; for the tool, and for plumb-mqtt, which `make plumb-mqtt` builds.
let cMQTT: Target.Dependency = .target(name: "CMQTT", condition: .when(traits: ["Tool"]))

let package = Package(
  name: "plumb",
  products: [
    .executable(name: "plumb", targets: ["PlumbTool"]),
    .library(name: "Plumb", targets: ["Plumb"]),
    .library(name: "PlumbEmulation", targets: ["PlumbEmulation"]),
    .library(name: "PlumbLinux", targets: ["PlumbLinux"]),
    .library(name: "PlumbStream", targets: ["PlumbStream"]),
    .library(name: "PlumbBridge", type: .dynamic, targets: ["Bridge", "BridgePreload"]),
  ],
  // For packages that depend on this one: docs/decisions/0010-traits-for-packages-that-use-plumb.md. Each package that the
  // tool alone needs is used with the condition `.when(traits: ["Tool"])`, so that nobody else fetches it.
  traits: [
    .trait(name: "LinuxHAL", description: "PlumbLinux: /dev/i2c-N, GPIO, board files. Needs libgpiod, libi2c, inih."),
    .trait(name: "Tool", description: "The tool `plumb` and the packages that it needs.", enabledTraits: ["LinuxHAL"]),
    .default(enabledTraits: ["Tool"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
  ],
  targets: [
    // The core: allocation-free, Embedded-clean. Arrows only point down.
    .target(name: "FixedPoint", swiftSettings: embedded),
    .target(name: "HAL", dependencies: ["FixedPoint"], swiftSettings: embedded),
    .target(name: "Sensors", dependencies: ["FixedPoint", "HAL"], swiftSettings: embedded),
    .target(name: "Orientation", dependencies: ["FixedPoint"], swiftSettings: embedded),
    .target(name: "Gestures", dependencies: ["FixedPoint"], swiftSettings: embedded),
    .target(name: "Vibration", dependencies: ["FixedPoint"], swiftSettings: embedded),
    .target(name: "Indication", dependencies: ["FixedPoint", "HAL", "Orientation"], swiftSettings: embedded),
    .target(
      name: "Monitor", dependencies: ["FixedPoint", "HAL", "Sensors", "Orientation", "Gestures", "Indication"],
      swiftSettings: embedded),

    // The faces: one module for each library product, which re-exports what belongs to it and has nothing of its own.
    .target(
      name: "Plumb",
      dependencies: [
        "FixedPoint", "HAL", "Sensors", "Orientation", "Gestures", "Indication", "Monitor", "Vibration",
      ],
      swiftSettings: embedded),
    .target(name: "PlumbEmulation", dependencies: ["Emulation"], swiftSettings: strict),
    .target(name: "PlumbLinux", dependencies: ["LinuxHAL", "BoardFile", "Text"], swiftSettings: strict),

    // The core as a C library: `make core` builds it as Embedded Swift; here it is checked like the rest.
    .systemLibrary(name: "CPlumb", path: "Sources/CoreABI/include"),
    .target(
      name: "CoreABI",
      dependencies: ["CPlumb", "FixedPoint", "Gestures", "Monitor", "Orientation", "Vibration"],
      exclude: ["include"],
      swiftSettings: embedded),

    // Test doubles, a product of their own: they import no driver.
    // Its motions round and take roots of `Double`, for which Swift calls libm on Linux but links it only with Foundation.
    .target(
      name: "Emulation", dependencies: ["FixedPoint", "HAL"], swiftSettings: strict,
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),

    // The bridge: what answers a program that opens /dev/i2c-1, over any bus; the emulated bus behind it; and the library
    // to preload, in C, which nothing may link but its own product, because it replaces `open` and `read`.
    .systemLibrary(name: "CBridge", path: "Sources/Bridge/include"),
    .target(
      name: "Bridge", dependencies: ["CBridge", "Emulation", "FixedPoint", "HAL"], exclude: ["include", "Preload"],
      swiftSettings: strict),
    .target(
      name: "BridgePreload", path: "Sources/Bridge/Preload", publicHeadersPath: ".",
      cSettings: strictC + [.headerSearchPath("../include")]),

    // Text of fixed capacity, without a heap, and the plain words of faults and errors: for both tool and daemon.
    .target(
      name: "Text", dependencies: [cSupport, "FixedPoint", "HAL", "Sensors", "Orientation"], swiftSettings: embedded),

    // JSON without a heap: a writer, and a reader of one line. For the owner of a sensor and for its clients.
    .target(name: "JSON", dependencies: ["FixedPoint"], swiftSettings: embedded),

    // When to try again what has failed.
    .target(name: "Retry", dependencies: ["FixedPoint"], swiftSettings: embedded),

    // The client of a stream, a product of its own, without a C library.
    .target(
      name: "PlumbStream", dependencies: ["JSON", "FixedPoint", "Orientation", "Retry"], swiftSettings: strict),

    // Linux.
    .target(
      name: "CSupport", path: "CSupport", cSettings: strictC,
      linkerSettings: [.linkedLibrary("gpiod"), .linkedLibrary("i2c"), .linkedLibrary("inih")]),
    .target(name: "LinuxHALTrait", swiftSettings: strict),
    .target(
      name: "LinuxHAL", dependencies: ["LinuxHALTrait", cSupport, "FixedPoint", "HAL", "Text"],
      swiftSettings: embedded),
    .target(
      name: "BoardFile",
      dependencies: [
        "LinuxHALTrait", cSupport, "FixedPoint", "Gestures", "HAL", "Sensors", "Orientation", "Indication", "Text",
        "Vibration",
      ],
      swiftSettings: embedded),

    // The stream of a sensor's owner: its objects as JSON, and the clients that get them.
    .target(
      name: "Stream",
      dependencies: [
        "LinuxHALTrait", cSupport, "JSON", "FixedPoint", "HAL", "Sensors", "Orientation", "Gestures", "Indication",
        "Monitor", "Text", "BoardFile", "Vibration",
      ],
      swiftSettings: embedded),

    // What is wrong with a set-up, seen through a protocol, and what cures it; for the tool and the daemon.
    .target(
      name: "Diagnosis",
      dependencies: [
        cSupport, "FixedPoint", "HAL", "LinuxHAL", "Sensors", "Orientation", "BoardFile", "Text",
      ],
      swiftSettings: embedded),

    // What programs without a terminal share: their command line, lines for the journal, exit codes.
    .target(name: "Service", dependencies: [cSupport, "Text"], swiftSettings: embedded),

    // The daemon without its `main`: `make plumbd` builds it as Embedded Swift; here it is checked like the rest.
    .target(
      name: "Plumbd",
      dependencies: [
        cSupport, "FixedPoint", "HAL", "LinuxHAL", "Sensors", "Orientation", "Gestures", "Indication", "Monitor",
        "BoardFile", "Text", "Diagnosis", "JSON", "Stream", "Service", "Vibration",
      ],
      swiftSettings: embedded),

    // A device on an MQTT broker. What it publishes, as a function of what the owner's stream and the broker say; settings
    // files; and the connections to both. `plumb publish` and `plumb-mqtt` share all of it.
    .target(
      name: "Fleet", dependencies: [cSupport, "FixedPoint", "JSON", "Orientation", "Text"], swiftSettings: embedded),
    .target(
      name: "CMQTT", path: "CMQTT", cSettings: strictC,
      linkerSettings: [.linkedLibrary("paho-mqtt3as"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(
      name: "Publishing", dependencies: [cSupport, cMQTT, "Fleet", "FixedPoint", "JSON", "Retry", "Text"],
      swiftSettings: embedded),

    // The device on a broker as a service, without its `main`: `make plumb-mqtt` builds it as Embedded Swift.
    .target(
      name: "PlumbMQTT",
      dependencies: [cSupport, cMQTT, "FixedPoint", "Fleet", "LinuxHAL", "Publishing", "Service", "Text"],
      swiftSettings: embedded),

    // What the tool shows, as functions of figures: cells (watch), JSON and a page (serve), SVG (plot, wiring).
    .target(
      name: "PlumbViews",
      dependencies: [
        "FixedPoint", "HAL", "Sensors", "Orientation", "Indication", "Monitor", "Text", "BoardFile", "JSON", "Stream",
        "Vibration",
      ],
      path: "Sources/PlumbTool/Views", resources: [.embedInCode("Web/Page"), .embedInCode("Plot/plot.js")],
      swiftSettings: strict),

    // What the tool reads of others: recordings of any program's.
    .target(
      name: "Recordings", dependencies: ["FixedPoint", "LinuxHAL", "Orientation", "PlumbViews", "Sensors"],
      path: "Sources/PlumbTool/Recordings", swiftSettings: strict),

    // The tool for people.
    .executableTarget(
      name: "PlumbTool",
      dependencies: [
        "FixedPoint", "HAL", "Sensors", "Orientation", "Indication", "Monitor", "Emulation", "LinuxHAL",
        "BoardFile", "Text", cSupport, "Diagnosis", "PlumbViews", "JSON", "Stream", "PlumbStream",
        "Fleet", "Publishing", "Recordings", "Vibration",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tool"])),
        .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Tool"])),
      ],
      exclude: ["Recordings", "Views"], swiftSettings: strict),

    .target(name: "TestSupport", path: "Tests/Support", exclude: ["Python"], swiftSettings: strict),
    .testTarget(
      name: "FixedPointTests", dependencies: ["FixedPoint", "TestSupport"], path: "Tests/FixedPoint",
      swiftSettings: strict),
    .testTarget(
      name: "SensorsTests", dependencies: ["Sensors", "Emulation", "FixedPoint", "HAL", "TestSupport"],
      path: "Tests/Sensors", swiftSettings: unoptimized),
    .testTarget(
      name: "OrientationTests", dependencies: ["FixedPoint", "Orientation", "TestSupport"], path: "Tests/Orientation",
      swiftSettings: strict),
    .testTarget(
      name: "GesturesTests", dependencies: ["FixedPoint", "Gestures", "Orientation", "TestSupport"],
      path: "Tests/Gestures", swiftSettings: strict),
    .testTarget(
      name: "VibrationTests", dependencies: ["FixedPoint", "TestSupport", "Vibration"], path: "Tests/Vibration",
      swiftSettings: strict),
    .testTarget(
      name: "IndicationTests", dependencies: ["FixedPoint", "HAL", "Indication", "Orientation", "TestSupport"],
      path: "Tests/Indication", swiftSettings: strict),
    .testTarget(
      name: "MonitorTests",
      dependencies: [
        "Sensors", "Emulation", "FixedPoint", "Gestures", "HAL", "Indication", "Monitor", "Orientation", "TestSupport",
      ],
      path: "Tests/Monitor", swiftSettings: strict),
    .testTarget(
      name: "ModelTests",
      dependencies: ["FixedPoint", "HAL", "Indication", "Monitor", "Orientation", "Sensors"], path: "Tests/Model",
      exclude: ["breaks.py"], swiftSettings: strict),
    .testTarget(
      name: "FusionTests",
      dependencies: [
        "CPlumb", "CoreABI", "Emulation", "FixedPoint", "HAL", "Monitor", "Orientation", "Sensors", "TestSupport",
        "Vibration",
      ],
      path: "Tests/Fusion", resources: [.copy("Broad")], swiftSettings: strict),
    .testTarget(
      name: "VectorsTests",
      dependencies: ["FixedPoint", "Gestures", "Monitor", "Orientation", "Sensors", "TestSupport", "Vibration"],
      path: "Tests/Vectors", swiftSettings: strict),
    .testTarget(
      name: "EmulationTests", dependencies: ["Emulation", "FixedPoint", "HAL"], path: "Tests/Emulation",
      swiftSettings: unoptimized),
    .testTarget(
      name: "FaultMatrixTests",
      dependencies: [
        "Sensors", "Emulation", "FixedPoint", "HAL", "Monitor", "Orientation", "TestSupport",
      ],
      path: "Tests/FaultMatrix", swiftSettings: strict),
    .testTarget(
      name: "BridgeTests", dependencies: ["Bridge", "CBridge", "Emulation", "FixedPoint", "HAL"],
      path: "Tests/Bridge", swiftSettings: unoptimized),
    .testTarget(
      name: "LinuxHALTests", dependencies: [cSupport, "FixedPoint", "HAL", "LinuxHAL", "Text"], path: "Tests/LinuxHAL",
      swiftSettings: unoptimized),
    .testTarget(
      name: "BoardFileTests",
      dependencies: [
        "Sensors", "BoardFile", "Text", "Emulation", "FixedPoint", "Gestures", "HAL", "Indication", "Monitor",
        "Orientation", "Vibration",
      ],
      path: "Tests/BoardFile", swiftSettings: unoptimized),
    .testTarget(
      name: "TextTests", dependencies: ["Sensors", "HAL", "Orientation", "Text"], path: "Tests/Text",
      swiftSettings: unoptimized),
    .testTarget(
      name: "JSONTests", dependencies: ["JSON", "FixedPoint", "TestSupport"], path: "Tests/JSON", swiftSettings: strict),
    .testTarget(
      name: "RetryTests", dependencies: ["Retry", "FixedPoint", "TestSupport"], path: "Tests/Retry",
      swiftSettings: strict),
    .testTarget(
      name: "StreamTests",
      dependencies: [
        "Stream", "JSON", "FixedPoint", "HAL", "Sensors", "Orientation", "Gestures", "Indication", "Monitor", "Text",
        "BoardFile", "Emulation", "TestSupport", "Vibration",
      ],
      path: "Tests/Stream", swiftSettings: strict),
    .testTarget(
      name: "PlumbStreamTests", dependencies: ["PlumbStream", "JSON", "FixedPoint", "Orientation", "TestSupport"],
      path: "Tests/PlumbStream", swiftSettings: unoptimized),
    .testTarget(
      name: "FleetTests", dependencies: ["Fleet", "FixedPoint", "JSON", "Orientation", "Text", "TestSupport"],
      path: "Tests/Fleet", swiftSettings: unoptimized),
    .testTarget(
      name: "PublishingTests",
      dependencies: ["Publishing", "Fleet", cMQTT, cSupport, "FixedPoint", "JSON", "Text", "TestSupport"],
      path: "Tests/Publishing", swiftSettings: unoptimized),
    .testTarget(
      name: "PlumbdTests", dependencies: ["Plumbd", "FixedPoint", "TestSupport"], path: "Tests/Plumbd",
      swiftSettings: unoptimized),
    .testTarget(
      name: "DiagnosisTests",
      dependencies: ["FixedPoint", "Sensors", "BoardFile", "Diagnosis", "HAL", "Orientation", "Text", "TestSupport"],
      path: "Tests/Diagnosis", swiftSettings: unoptimized),
    .testTarget(
      name: "PlumbViewsTests", dependencies: ["JSON", "Monitor", "PlumbViews", "TestSupport"], path: "Tests/Views",
      resources: [.copy("Frames")], swiftSettings: unoptimized),
    // What machines feed with bytes: `make fuzz` links it with libFuzzer; the tests replay what was found.
    .target(
      name: "Fuzzing",
      dependencies: [
        "BoardFile", "CPlumb", "CoreABI", cSupport, "Emulation", "FixedPoint", "Fleet", "HAL", "JSON", "Orientation",
        "PlumbStream", "PlumbViews", "Recordings", "Sensors", "Stream", "Text",
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["Fuzzing"], path: "Tests/Fuzz/Replay", swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests", dependencies: ["TestSupport"], path: "Tests/EndToEnd",
      resources: [.copy("Recordings")], swiftSettings: unoptimized),
  ]
)
