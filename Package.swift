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

/// What `make test-only` sets: a build for debugging, which compiles file by file, but optimises what computes much.
/// Packages that depend on this one must not use unsafe flags, and do not set it.
let isTestBuild = Context.environment["PLUMB_TEST_BUILD"] != nil

let computing: [SwiftSetting] = isTestBuild ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : []

/// Settings of the core: on top of `strict`, what Embedded Swift could not compile is refused on the host already.
let embedded: [SwiftSetting] = strict + [.treatWarning("EmbeddedRestrictions", as: .error)]

let strictC: [CSetting] = [
  .enableWarning("all"), .enableWarning("extra"), .enableWarning("conversion"),
  .treatAllWarnings(as: .error),
]

/// The C shim, which needs libgpiod, libi2c and inih; packages without the trait `LinuxHAL` do not build it.
let cSupport: Target.Dependency = .target(name: "CSupport", condition: .when(traits: ["LinuxHAL"]))

/// The C shim over Eclipse Paho, an MQTT client; for the tool, and for plumb-mqtt, which `make plumb-mqtt` builds.
let cMQTT: Target.Dependency = .target(name: "CMQTT", condition: .when(traits: ["Tool"]))

/// The C shim over libdbus, /dev/uinput and compositors' tools; for the tool and for plumb-desktop.
let cDesktop: Target.Dependency = .target(name: "CDesktop", condition: .when(traits: ["Tool"]))

/// A module of a layer, in Sources/LAYER/NAME. `embedded`: Embedded Swift could compile it.
func module(
  _ name: String, in layer: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  embedded isEmbedded: Bool = true,
  linkerSettings: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", exclude: exclude,
    swiftSettings: (isEmbedded ? embedded : strict) + computing,
    linkerSettings: linkerSettings)
}

/// The tests of a module, or of all that a folder of `Tests` is about: Tests/LAYER/NAME. `computing`: they compute much
/// themselves; to optimise others takes longer than to run them. Flags of a test target are no concern of packages that
/// depend on this one.
func tests(
  of name: String, in layer: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  resources: [Resource] = [],
  computing isComputing: Bool = false
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: dependencies, path: "Tests/\(layer)/\(name)", exclude: exclude,
    resources: resources,
    swiftSettings: strict + (isComputing ? computing : [.unsafeFlags(["-Onone"])]))
}

let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tool"]))

/// A module of the tool, in Sources/Programs/plumb/FOLDER: what all of them use, and `more`.
func part(_ name: String, in folder: String, _ more: [Target.Dependency]) -> Target {
  .target(
    name: name,
    dependencies: more + [
      argumentParser, "BoardFile", cSupport, "FixedPoint", "FixedText", "Gestures", "HAL", "Indication", "JSON",
      "LinuxHAL", "Monitor", "Orientation", "PlumbViews", "Recordings", "Sensors", "Stream", "StreamCodec", "Text",
      "Vibration",
    ], path: "Sources/Programs/plumb/\(folder)", swiftSettings: strict)
}

/// How `Tests/build.sh release` links the tool, which tests start 3,500 times: with static libraries, at a fixed address,
/// because it then starts in half the time. Swift's need g++, unlike `make build`.
let isTestProgram = Context.environment["PLUMB_TEST_PROGRAM"] != nil
let toolLinkage: [LinkerSetting] =
  isTestProgram
  ? [
    .unsafeFlags(
      [
        "-static-stdlib", "-use-ld=lld", "-l_FoundationCShims", "-l_FoundationCollections", "-Xclang-linker", "-no-pie",
      ], .when(platforms: [.linux]))
  ] : []

/// A library of Debian's with many symbols to look up at a start. Not for libgpiod, for which tests of the documentation
/// substitute another.
func library(_ name: String) -> LinkerSetting { .linkedLibrary(isTestProgram ? ":lib\(name).a" : name) }

/// What Debian 13's libcrypto.a needs; Debian 12's does not.
let cryptoNeeds: [LinkerSetting] =
  isTestProgram
  ? [
    .unsafeFlags(["-Xlinker", "--as-needed"], .when(platforms: [.linux])), .linkedLibrary(":libz.so.1"),
    .linkedLibrary(":libzstd.so.1"),
  ] : []

/// What the commands of the tool use beside it.
let commands: [Target.Dependency] = ["Emulation", "PlumbStream", "ToolInputs", "ToolOutput"]

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
  // For packages that depend on this one: docs/decisions/0010-traits-for-packages-that-use-plumb.md. Each package that
  // the tool alone needs is used with the condition `.when(traits: ["Tool"])`, so that nobody else fetches it.
  traits: [
    .trait(name: "LinuxHAL", description: "PlumbLinux: /dev/i2c-N, GPIO, board files. Needs libgpiod, libi2c, inih."),
    .trait(name: "Tool", description: "The tool `plumb` and the packages that it needs.", enabledTraits: ["LinuxHAL"]),
    .default(enabledTraits: ["Tool"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    // The core: allocation-free, Embedded-clean. Arrows only point down.
    module("FixedPoint", in: "Core", []),
    module("HAL", in: "Core", ["FixedPoint"]),
    module("Sensors", in: "Core", ["FixedPoint", "HAL"]),
    module("Orientation", in: "Core", ["FixedPoint"]),
    module("Gestures", in: "Core", ["FixedPoint"]),
    module("Vibration", in: "Core", ["FixedPoint"]),
    module("Indication", in: "Core", ["FixedPoint", "HAL", "Orientation"]),
    module(
      "Monitor", in: "Core", ["FixedPoint", "HAL", "Sensors", "Orientation", "Gestures", "Indication", "Vibration"]),

    // The faces: one module for each library product, which re-exports what belongs to it and has nothing of its own.
    module(
      "Plumb", in: "Products",
      ["FixedPoint", "HAL", "Sensors", "Orientation", "Gestures", "Indication", "Monitor", "Vibration"]),
    module("PlumbEmulation", in: "Products", ["Emulation"], embedded: false),
    module(
      "PlumbLinux", in: "Products",
      ["LinuxHAL", "BoardFile", "IIO", "OpenBoard", "SenseHAT", "Text", "FixedText"],
      embedded: false),

    // The core as a C library: `make core` builds it as Embedded Swift; here it is checked like the rest.
    .systemLibrary(name: "CPlumb", path: "Sources/Core/CoreABI/include"),
    module(
      "CoreABI", in: "Core", ["CPlumb", "FixedPoint", "Gestures", "Monitor", "Orientation", "Vibration"],
      exclude: ["include"]),

    // Test doubles, a product of their own: they import no driver. Its motions round and take roots of `Double`, for
    // which Swift calls libm on Linux but links it only with Foundation.
    module(
      "Emulation", in: "Emulation", ["FixedPoint", "HAL"], embedded: false,
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),

    // The bridge: what answers a program that opens /dev/i2c-1, over any bus; the emulated bus behind it; and the
    // library to preload, in C, which nothing may link but its own product, because it replaces `open` and `read`.
    .systemLibrary(name: "CBridge", path: "Sources/Emulation/Bridge/include"),
    module(
      "Bridge", in: "Emulation", ["CBridge", "Emulation", "FixedPoint", "HAL"], exclude: ["include", "Preload"],
      embedded: false),
    .target(
      name: "BridgePreload", path: "Sources/Emulation/Bridge/Preload", publicHeadersPath: ".",
      cSettings: strictC + [.headerSearchPath("../include")]),

    // Text of fixed capacity, without a heap and without C.
    module("FixedText", in: "Linux", ["FixedPoint", "HAL"]),

    // The plain words of faults, events and errors: for both tool and daemon.
    module(
      "Text", in: "Linux",
      [
        "LinuxHALTrait", cSupport, "FixedPoint", "FixedText", "HAL", "Sensors", "Orientation", "Gestures", "Monitor",
      ]),

    // JSON without a heap: a writer, and a reader of one line. For the owner of a sensor and for its clients.
    module("JSON", in: "Stream", ["FixedPoint"]),

    // The codec of the stream: how each of its objects is written, and read back to what the core has. Without C.
    module(
      "StreamCodec", in: "Stream",
      [
        "JSON", "FixedText", "FixedPoint", "HAL", "Sensors", "Orientation", "Gestures", "Vibration", "Indication",
        "Monitor",
      ]),

    // When to try again what has failed.
    module("Retry", in: "Stream", ["FixedPoint"]),

    // The connection of every client to an owner, and other programs that a client starts: for the tool, the services
    // that are clients, and the product PlumbStream.
    .target(name: "CConnect", path: "CSupport/connect", cSettings: strictC),
    module("StreamConnection", in: "Stream", ["CConnect", "FixedPoint", "JSON", "Retry"]),

    // The client of a stream, a product of its own, without a C library that must be installed.
    module(
      "PlumbStream", in: "Products",
      [
        "CConnect", "JSON", "StreamCodec", "StreamConnection", "FixedText", "FixedPoint", "HAL", "Sensors",
        "Orientation", "Gestures", "Vibration", "Indication", "Monitor",
      ], embedded: false),

    // Linux.
    .target(
      name: "CSupport", path: "CSupport", exclude: ["connect", "desktop", "mqtt", "pico", "web"], cSettings: strictC,
      linkerSettings: [.linkedLibrary("gpiod"), .linkedLibrary("i2c"), .linkedLibrary("inih")]),
    module("LinuxHALTrait", in: "Linux", [], embedded: false),
    module("LinuxHAL", in: "Linux", ["LinuxHALTrait", cSupport, "FixedPoint", "HAL", "Text"]),

    // The matrix of a Sense HAT as a bank of lines.
    module("SenseHAT", in: "Linux", ["LinuxHALTrait", cSupport, "HAL", "LinuxHAL", "Orientation", "Text"]),

    // A sensor that a driver of the kernel runs, through industrial I/O.
    module("IIO", in: "Linux", ["LinuxHALTrait", cSupport, "FixedPoint", "HAL", "Sensors", "Text"]),
    module(
      "BoardFile", in: "Linux",
      [
        "LinuxHALTrait", cSupport, "FixedPoint", "Gestures", "HAL", "Sensors", "Orientation", "Indication", "Monitor",
        "Text", "Vibration",
      ]),

    // A board opened: from its description to its loop, over bus, lines and clock of Linux.
    module(
      "OpenBoard", in: "Linux",
      [
        "LinuxHALTrait", cSupport, "BoardFile", "FixedPoint", "Gestures", "HAL", "IIO", "Indication", "LinuxHAL",
        "Monitor", "Orientation", "SenseHAT", "Sensors", "Text", "Vibration",
      ]),

    // What an owner sends, and what it understands of what a client sends: lines, without a connection.
    module(
      "StreamLines", in: "Stream",
      [
        "BoardFile", "FixedPoint", "FixedText", "Gestures", "HAL", "Indication", "JSON", "Monitor", "Orientation",
        "Sensors", "StreamCodec", "Text", "Vibration",
      ]),

    // The stream of a sensor's owner: its clients, and the sockets to them.
    module(
      "Stream", in: "Stream",
      [
        "LinuxHALTrait", cSupport, "CConnect", "JSON", "StreamCodec", "StreamLines", "FixedPoint", "HAL", "Sensors",
        "Orientation",
        "Gestures",
        "Indication", "Monitor", "Text", "BoardFile", "Vibration",
      ]),

    // A Pico: the owner of a sensor at the end of a serial line, and the chip's I2C, pins and clock. `make pico` builds the
    // firmware as Embedded Swift; here its modules are checked like the rest.
    .systemLibrary(name: "CPico", path: "CSupport/pico/include"),
    module(
      "SerialStream", in: "Pico",
      [
        "BoardFile", "FixedPoint", "FixedText", "HAL", "Monitor", "Orientation", "Sensors", "StreamCodec",
        "StreamLines",
        "Text",
      ]),
    module("PicoHAL", in: "Pico", ["CPico", "FixedPoint", "HAL", "SerialStream"]),

    // What is wrong with a set-up, seen through a protocol, and what cures it; for the tool and the daemon.
    module(
      "Diagnosis", in: "Linux",
      [cSupport, "FixedPoint", "HAL", "IIO", "LinuxHAL", "Sensors", "SenseHAT", "Orientation", "BoardFile", "Text"]),

    // What programs without a terminal share: their command line, lines for the journal, exit codes.
    module("Service", in: "Linux", [cSupport, "LinuxHAL", "Text"]),

    // What services that are clients of an owner share: its address in settings, the connection, secrets, the journal.
    module(
      "StreamService", in: "Stream", [cSupport, "FixedPoint", "JSON", "Service", "StreamConnection", "Text"]),

    // The daemon without its `main`: `make plumbd` builds it as Embedded Swift; here it is checked like the rest.
    .target(
      name: "Plumbd",
      dependencies: [
        cSupport, "FixedPoint", "HAL", "LinuxHAL", "Sensors", "Orientation", "Gestures", "Indication", "Monitor",
        "BoardFile", "OpenBoard", "Text", "Diagnosis", "IIO", "JSON", "SenseHAT", "Stream", "Service", "Vibration",
      ],
      path: "Sources/Programs/plumbd", exclude: ["main.c"], swiftSettings: embedded),

    // A device on an MQTT broker. What it publishes, as a function of what the owner's stream and the broker say;
    // settings files; and the connections to both. `plumb publish` and `plumb-mqtt` share all of it.
    module(
      "Fleet", in: "Fleet",
      [
        cSupport, "BoardFile", "FixedPoint", "JSON", "Monitor", "Orientation", "Sensors", "StreamCodec",
        "StreamService", "Text",
      ]),
    .target(
      name: "CMQTT", path: "CSupport/mqtt", cSettings: strictC,
      linkerSettings: [library("paho-mqtt3as"), library("ssl"), library("crypto")] + cryptoNeeds),
    module(
      "Publishing", in: "Fleet", [cSupport, cMQTT, "Fleet", "FixedPoint", "JSON", "Retry", "StreamService", "Text"]),

    // The device on a broker as a service, without its `main`: `make plumb-mqtt` builds it as Embedded Swift.
    .target(
      name: "PlumbMQTT",
      dependencies: [
        cSupport, cMQTT, "FixedPoint", "Fleet", "LinuxHAL", "Publishing", "Service", "StreamService", "Text",
      ],
      path: "Sources/Programs/plumb-mqtt", exclude: ["main.c"], swiftSettings: embedded),

    // A board as a part of a desktop: `plumb desktop`, `plumb-desktop` and `plumb-rotate` share all of it.
    .systemLibrary(
      name: "LibDBus", path: "CSupport/desktop/libdbus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .target(
      name: "CDesktop",
      // With the condition, packages without the trait are not warned about a library that they do not need.
      dependencies: ["CConnect", cSupport, .target(name: "LibDBus", condition: .when(traits: ["Tool"]))],
      path: "CSupport/desktop", exclude: ["libdbus"], cSettings: strictC,
      linkerSettings: [.linkedLibrary("dbus-1")]),
    module(
      "Desktop", in: "Desktop",
      [
        cSupport, cDesktop, "BoardFile", "FixedPoint", "Gestures", "JSON", "Monitor", "Orientation", "Sensors",
        "Service", "StreamCodec", "StreamService", "Text",
      ]),

    // Both programs without their `main`: `make plumb-desktop` builds them as Embedded Swift.
    .target(
      name: "PlumbDesktop",
      dependencies: ["Desktop", "LinuxHAL", "Service", "StreamService", "Text"],
      path: "Sources/Programs/plumb-desktop", exclude: ["main.c"], swiftSettings: embedded),

    // What the tool shows, as functions of figures: cells (watch), JSON and a page (serve), SVG (plot, wiring); and the
    // files of its pages.
    .target(name: "CPageFiles", path: "Sources/Programs/plumb/Page", cSettings: strictC),
    .target(
      name: "PlumbViews",
      dependencies: [
        "CPageFiles", "FixedPoint", "HAL", "Sensors", "SenseHAT", "Orientation", "Indication", "Monitor", "Text",
        "BoardFile", "JSON", "Stream", "Vibration",
      ],
      path: "Sources/Programs/plumb/Views", exclude: ["Web/Page", "Plot/plot.js"],
      swiftSettings: strict + computing),

    // What the tool reads of others: recordings of any program's.
    .target(
      name: "Recordings", dependencies: ["FixedPoint", "LinuxHAL", "Orientation", "PlumbViews", "Sensors"],
      path: "Sources/Programs/plumb/Recordings", swiftSettings: strict + computing),

    // The tool for people: what it prints, where samples come from, and its commands, which compile side by side.
    part("ToolOutput", in: "Output", ["Diagnosis", "SenseHAT"]),
    part(
      "ToolInputs", in: "Inputs",
      ["Diagnosis", "Emulation", "IIO", "OpenBoard", "PlumbStream", "SenseHAT", "ToolOutput"]),
    part("WatchingCommands", in: "Commands/Watching", commands + ["CConnect"]),
    part("SettingUpCommands", in: "Commands/SettingUp", commands + ["Diagnosis", "IIO", "OpenBoard"]),
    part(
      "MeasuringCommands", in: "Commands/Measuring",
      commands + ["Desktop", "Fleet", "Publishing", "Service", "StreamService"]),
    .executableTarget(
      name: "PlumbTool",
      dependencies: [
        "MeasuringCommands", "SettingUpCommands", "Text", "ToolOutput", "WatchingCommands", argumentParser,
      ],
      path: "Sources/Programs/plumb", exclude: ["Commands", "Inputs", "Output", "Page", "Recordings", "Views"],
      swiftSettings: strict, linkerSettings: toolLinkage),

    .target(
      name: "TestSupport", dependencies: [cSupport, "FixedPoint"], path: "Tests/Support",
      exclude: ["Python", "TestProgram"],
      swiftSettings: strict + computing),
    tests(of: "FixedPoint", in: "Core", ["FixedPoint", "TestSupport"], computing: true),
    tests(of: "Sensors", in: "Core", ["Sensors", "Emulation", "FixedPoint", "HAL", "TestSupport"]),
    // What the tests of Orientation compute much with; to optimise the tests themselves takes longer than to run them.
    .target(
      name: "OrientationModels", dependencies: ["FixedPoint", "Orientation", "TestSupport"],
      path: "Tests/Core/OrientationModels", swiftSettings: strict + computing),
    tests(of: "Orientation", in: "Core", ["FixedPoint", "Orientation", "OrientationModels", "TestSupport"]),
    tests(of: "Gestures", in: "Core", ["FixedPoint", "Gestures", "Orientation", "TestSupport"]),
    tests(of: "Vibration", in: "Core", ["FixedPoint", "TestSupport", "Vibration"]),
    tests(of: "Indication", in: "Core", ["FixedPoint", "HAL", "Indication", "Orientation", "TestSupport"]),
    tests(
      of: "Monitor", in: "Core",
      ["Sensors", "Emulation", "FixedPoint", "Gestures", "HAL", "Indication", "Monitor", "Orientation", "TestSupport"]),
    tests(
      of: "Model", in: "Proofs", ["FixedPoint", "HAL", "Indication", "Monitor", "Orientation", "Sensors"],
      exclude: ["breaks.py"], computing: true),
    tests(
      of: "Fusion", in: "Proofs",
      [
        "CPlumb", "CoreABI", "Emulation", "FixedPoint", "HAL", "Monitor", "Orientation", "Sensors", "TestSupport",
        "Vibration",
      ], resources: [.copy("Broad")], computing: true),
    tests(
      of: "Vectors", in: "Proofs",
      ["FixedPoint", "Gestures", "Monitor", "Orientation", "Sensors", "TestSupport", "Vibration"], computing: true),
    tests(of: "Emulation", in: "Emulation", ["Emulation", "FixedPoint", "HAL", "TestSupport"]),
    tests(
      of: "FaultMatrix", in: "Proofs",
      ["Sensors", "Emulation", "FixedPoint", "HAL", "Monitor", "Orientation", "TestSupport"]),
    tests(of: "Bridge", in: "Emulation", ["Bridge", "CBridge", "Emulation", "FixedPoint", "HAL", "TestSupport"]),
    tests(of: "LinuxHAL", in: "Linux", [cSupport, "FixedPoint", "HAL", "LinuxHAL", "Text", "TestSupport"]),
    tests(
      of: "SenseHAT", in: "Linux",
      [
        "Emulation", "FixedPoint", "HAL", "Indication", "Monitor", "Orientation", "SenseHAT", "Sensors", "TestSupport",
        "Text",
      ]),
    tests(
      of: "IIO", in: "Linux",
      [
        "BoardFile", "Emulation", "FixedPoint", "HAL", "IIO", "Monitor", "OpenBoard", "Orientation", "Sensors",
        "TestSupport", "Text",
      ]),
    tests(
      of: "BoardFile", in: "Linux",
      [
        "Sensors", "BoardFile", "Text", "Emulation", "FixedPoint", "Gestures", "HAL", "Indication", "LinuxHAL",
        "Monitor", "OpenBoard", "Orientation", "SenseHAT", "TestSupport", "Vibration",
      ]),
    tests(
      of: "Text", in: "Linux",
      ["FixedPoint", "Gestures", "HAL", "Monitor", "Orientation", "Sensors", "TestSupport", "Text"]),
    tests(of: "JSON", in: "Stream", ["JSON", "FixedPoint", "TestSupport"]),
    tests(of: "Retry", in: "Stream", ["Retry", "FixedPoint", "TestSupport"]),
    tests(of: "StreamConnection", in: "Stream", ["CConnect", "StreamConnection", "JSON", "FixedPoint", "TestSupport"]),
    tests(
      of: "Stream", in: "Stream",
      [
        "Stream", "StreamCodec", "JSON", "FixedPoint", "HAL", "Sensors", "Orientation", "Gestures", "Indication",
        "Monitor", "Text", "BoardFile", "Emulation", "OpenBoard", "PlumbStream", "TestSupport", "Vibration",
      ]),
    tests(
      of: "StreamCodec", in: "Stream",
      [
        "StreamCodec", "JSON", "FixedText", "FixedPoint", "HAL", "Sensors", "Orientation", "Gestures", "Vibration",
        "Indication", "Monitor", "TestSupport", "Text",
      ]),
    tests(
      of: "PlumbStream", in: "Stream",
      [
        "PlumbStream", "StreamCodec", "JSON", "FixedText", "FixedPoint", "Indication", "Monitor", "Orientation",
        "TestSupport",
      ]),
    tests(
      of: "SerialStream", in: "Pico",
      ["BoardFile", "Emulation", "FixedPoint", "HAL", "Monitor", "Sensors", "SerialStream", "TestSupport", "Text"]),
    tests(
      of: "StreamService", in: "Stream", ["FixedPoint", "JSON", "StreamService", "TestSupport", "Text"]),
    tests(
      of: "Desktop", in: "Desktop",
      [
        cDesktop, "Desktop", "FixedPoint", "Gestures", "JSON", "Monitor", "Orientation", "Sensors", "Service",
        "StreamCodec", "StreamService", "TestSupport", "Text",
      ]),
    tests(
      of: "Fleet", in: "Fleet",
      ["BoardFile", "Fleet", "FixedPoint", "JSON", "Monitor", "Orientation", "StreamService", "Text", "TestSupport"]),
    tests(
      of: "Publishing", in: "Fleet",
      ["Publishing", "Fleet", cMQTT, cSupport, "FixedPoint", "JSON", "Text", "TestSupport"]),
    tests(of: "Plumbd", in: "Programs", ["Plumbd", "FixedPoint", "Monitor", "TestSupport"]),
    tests(
      of: "Diagnosis", in: "Linux",
      ["FixedPoint", "Sensors", "BoardFile", "Diagnosis", "HAL", "IIO", "Orientation", "Text", "TestSupport"]
    ),
    tests(
      of: "Views", in: "Programs",
      ["BoardFile", "FixedPoint", "JSON", "Monitor", "Orientation", "PlumbViews", "Stream", "TestSupport", "Text"],
      resources: [.copy("Frames")]),
    // What machines feed with bytes: `make fuzz` links it with libFuzzer; the tests replay what was found.
    .target(
      name: "Fuzzing",
      dependencies: [
        "BoardFile", "CPlumb", "CoreABI", cSupport, "Emulation", "FixedPoint", "Fleet", "Gestures", "HAL", "JSON",
        "Monitor", "Orientation", "PlumbStream", "PlumbViews", "Recordings", "Sensors", "Stream", "StreamCodec", "Text",
        "Vibration",
      ],
      path: "Tests/Proofs/Fuzz/Targets", swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["Fuzzing"], path: "Tests/Proofs/Fuzz/Replay", swiftSettings: strict),
    tests(of: "EndToEnd", in: "Programs", ["TestSupport"], resources: [.copy("Recordings")]),
    // The emulated sensors for an emulated Pico.
    .target(
      name: "PicoPart", dependencies: ["Emulation", "FixedPoint", "HAL"], path: "Tests/System/Pico/Part",
      swiftSettings: strict + computing),
  ]
)

/// What `make test-pico` sets: a library with the emulated sensors, which Python loads.
if Context.environment["PLUMB_PICO"] != nil {
  package.products.append(.library(name: "PicoPart", type: .dynamic, targets: ["PicoPart"]))
}

/// What `make test-only` sets: the names of test targets, with which everything that they do not use is left out.
if let chosen = Context.environment["PLUMB_ONLY"] {
  var wanted: Set<String> = []
  var open = chosen.split(separator: " ").map(String.init)
  while let name = open.popLast() {
    guard wanted.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
    for dependency in target.dependencies {
      switch dependency {
      case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
      default: break
      }
    }
  }
  package.targets.removeAll { !wanted.contains($0.name) }
  package.products.removeAll { product in
    !((product as? Product.Executable)?.targets ?? (product as? Product.Library)?.targets ?? []).allSatisfy(
      wanted.contains)
  }
}

/// What `make test` sets: the names of targets that it leaves to `make test-proofs`.
if let unwanted = Context.environment["PLUMB_WITHOUT"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll { unwanted.contains($0.name) }
}

/// What `Tests/build.sh release` sets: the tests bring their own program, so that they need no index.
if isTestProgram {
  package.targets.append(
    .testTarget(
      name: "NothingTests", path: "Tests/Support/TestProgram/Nothing",
      linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=backtrace"])]))
}
