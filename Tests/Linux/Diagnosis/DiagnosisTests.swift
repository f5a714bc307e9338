import BoardFile
import Diagnosis
import HAL
import Sensors
import TestSupport
import Testing

/// One fault of a set-up, and its report.
struct Spoiled: CustomTestStringConvertible, Sendable {
  let name: String
  let spoil: @Sendable (inout FakeSystem) -> Void
  /// The first finding, its aspect, and the exit code.
  let identifier: String
  let aspect: Aspect
  let code: Int32
  /// Words that the message or the fix must contain.
  let words: [String]

  init(
    _ name: String, _ identifier: String, _ aspect: Aspect, _ code: Int32, _ words: String...,
    spoil: @escaping @Sendable (inout FakeSystem) -> Void
  ) {
    (self.name, self.spoil, self.identifier, self.aspect, self.code, self.words) =
      (name, spoil, identifier, aspect, code, words)
  }

  var testDescription: String { name }

  static let all = busFaults + accessFaults + sensorFaults + lineFaults

  @Sendable private static func withoutBus(_ system: inout FakeSystem) {
    system.openings = [:]
    for path in ["/sys/bus/i2c/devices/i2c-1/name", "/sys/class/i2c-dev/i2c-1/dev"] { system.files[path] = nil }
  }

  static let busFaults = [
    Spoiled("I2C off", "bus.off", .bus, 69, "switched off", "raspi-config nonint do_i2c 0") {
      withoutBus(&$0)
      $0.write("disabled\0", to: "/proc/device-tree/soc/i2c@7e804000/status")
      $0.write("#dtparam=i2c_arm=on\n", to: "/boot/firmware/config.txt")
    },
    Spoiled("on since the start", "bus.restart", .bus, 69, "sudo reboot") {
      withoutBus(&$0)
      $0.write("disabled\0", to: "/proc/device-tree/soc/i2c@7e804000/status")
    },
    Spoiled("i2c-dev not loaded", "bus.module", .bus, 69, "modprobe i2c-dev") {
      $0.openings = [:]
      $0.files["/sys/class/i2c-dev/i2c-1/dev"] = nil
    },
    Spoiled("no device node", "bus.device", .bus, 69, "udevadm trigger") { $0.openings = [:] },
    Spoiled("on, and no adapter", "bus.absent", .bus, 69, "ls /dev/i2c-*") { withoutBus(&$0) },
    Spoiled("not a bus", "bus.unusable", .bus, 78, "use /dev/i2c-1") {
      $0.openings["/dev/i2c-1"] = .impossible(code: 6)
    },
    Spoiled("a file that is no bus", "bus.unusable", .bus, 78, "/dev/i2c-1") {
      $0.places[0x53] = .noBus(.other(code: 25))
    },
  ]

  static let accessFaults = [
    Spoiled("not in i2c", "bus-access.group", .busAccess, 77, "usermod -aG i2c") {
      $0.openings["/dev/i2c-1"] = .notPermitted
      $0.groups["i2c"] = Membership.none
    },
    Spoiled("in i2c since now", "bus-access.login", .busAccess, 77, "newgrp i2c") {
      $0.openings["/dev/i2c-1"] = .notPermitted
      $0.groups["i2c"] = .atNextLogin
    },
    Spoiled("no group i2c", "bus-access.no-group", .busAccess, 77, "apt install i2c-tools", "usermod -aG i2c") {
      $0.openings["/dev/i2c-1"] = .notPermitted
      $0.groups["i2c"] = nil
    },
    Spoiled("in i2c in vain", "bus-access.owner", .busAccess, 77, "udevadm") {
      $0.openings["/dev/i2c-1"] = .notPermitted
    },
    Spoiled("not in gpio", "lines-access.group", .linesAccess, 77, "usermod -aG gpio") {
      $0.chips[0] = .notPermitted
      $0.groups["gpio"] = Membership.none
    },
    Spoiled("in gpio since now", "lines-access.login", .linesAccess, 77, "newgrp gpio") {
      $0.chips[0] = .notPermitted
      $0.groups["gpio"] = .atNextLogin
    },
    Spoiled("no group gpio", "lines-access.no-group", .linesAccess, 77, "groupadd -rf gpio", "usermod -aG gpio") {
      $0.chips[0] = .notPermitted
      $0.groups["gpio"] = nil
    },
    Spoiled("in gpio in vain", "lines-access.owner", .linesAccess, 77, "GROUP=\"gpio\"") {
      $0.chips[0] = .notPermitted
    },
  ]

  static let sensorFaults = [
    Spoiled("slow bus", "bus-speed.slow", .busSpeed, 78, "10 kHz", "i2c_arm_baudrate=400000") {
      $0.files["/sys/class/i2c-adapter/i2c-1/of_node/clock-frequency"] = [0x00, 0x00, 0x27, 0x10]
    },
    Spoiled("held by a driver", "address.held", .address, 69, "adxl345", "/sys/bus/i2c/devices/1-0053/driver/unbind") {
      $0.places[0x53] = .held
      $0.write("adxl345\n", to: "/sys/bus/i2c/devices/1-0053/name")
    },
    Spoiled(
      "held by a driver with an IIO device", "address.held", .address, 69, "the kernel driver adxl345_i2c",
      "part = iio and device = adxl345-accel"
    ) {
      $0.places[0x53] = .answer(.fault(.busy))
      $0.write("adxl345\n", to: "/sys/bus/i2c/devices/1-0053/name")
      $0.write("OF_NAME=adxl345\nDRIVER=adxl345_i2c\nMODALIAS=i2c:adxl345\n", to: "/sys/bus/i2c/devices/1-0053/uevent")
      $0.write("adxl345-accel\n", to: "/sys/bus/i2c/devices/1-0053/iio:device3/name")
    },
    Spoiled("no response", "address.silent", .address, 69, "0x53", "plumb wiring") { $0.places = [:] },
    Spoiled("at the other address", "address.elsewhere", .address, 78, "address = 0x1D") {
      $0.places = [0x1D: .part(0xE5, of: .adxl345)]
    },
    Spoiled("at the other address, beside another model", "address.elsewhere", .address, 78, "write address = 0x1D") {
      $0.places = [0x18: .part(0x33, of: .lis3dh), 0x1D: .part(0xE5, of: .adxl345)]
    },
    Spoiled("another model", "address.elsewhere", .address, 78, "model = mpu6050 and address = 0x69", "MPU-9250") {
      $0.places = [0x69: .part(0x71, of: .mpu6050)]
    },
    Spoiled("stuck", "address.stuck", .address, 69, "holds SDA or SCL low") {
      $0.places[0x53] = .answer(.fault(.timedOut))
    },
    Spoiled("fault", "address.fault", .address, 69, "another controller") {
      $0.places[0x53] = .answer(.fault(.arbitrationLost))
    },
    Spoiled("an ADXL346", "identity.refused", .identity, 69, "2.75 V", "remove the sensor") {
      $0.places[0x53] = .part(0xE6, of: .adxl345)
    },
    Spoiled("another model", "identity.other", .identity, 78, "an MPU-6500, not an ADXL345", "write model = mpu6050") {
      $0.places[0x53] = .part(0x70, of: .mpu6050)
    },
    Spoiled("an unknown part", "identity.unknown", .identity, 69, "0x42", "plumb probe") {
      $0.places[0x53] = .answer(.unknown(identity: 0x42))
    },
    Spoiled("all bits alike", "identity.none", .identity, 69, "0xFF", "wires") {
      $0.places[0x53] = .answer(.noIdentity(reading: 0xFF))
    },
  ]

  static let lineFaults = [
    Spoiled("no header", "chip.absent", .chip, 69, "raspberry-pi", "found: gpio-mockup-A, other", "gpiodetect") {
      $0.chips = [
        2: .chip(label: ShortText("gpio-mockup-A"), lineCount: 32), 5: .chip(label: ShortText("other"), lineCount: 32),
      ]
    },
    Spoiled("no chip", "chip.absent", .chip, 69, "found no GPIO chip") { $0.chips = [:] },
    Spoiled("few lines", "lines.absent", .lines, 78, "24 lines", "no line 27") {
      $0.chips = [0: .chip(label: ShortText("pinctrl-rp1"), lineCount: 24)]
    },
    Spoiled("one line held", "lines.held", .lines, 69, "GPIO22 (landscapeLeft) is in use by \"blinker\"", "gpioinfo") {
      $0.holders = [22: "blinker"]
    },
    Spoiled(
      "all lines held", "lines.held", .lines, 69, "GPIO17 (portrait) and 5 other lines are in use by \"plumb\"",
      "systemctl stop plumbd"
    ) {
      for gpio in [17, 27, 22, 23, 24, 25] as [UInt32] { $0.holders[gpio] = "plumb" }
    },
    Spoiled("in use by a nameless program", "lines.held", .lines, 69, "an unnamed program") { $0.holders = [25: ""] },
  ]
}

struct DiagnosisTests {
  @Test
  static func `without faults every aspect has passed and the code is 0`() throws {
    let diagnosis = Diagnosis(try board(), FakeSystem())
    expect(all: allAspects) { diagnosis[$0] == ($0 == .matrix || $0 == .device ? .absent : .passed) }
    expect(diagnosis.exitCode, equals: 0)
    expect(diagnosis.firstError, equals: nil)
    expect(diagnosis.machine, equals: "Raspberry Pi 4 Model B Rev 1.4")
    expect(diagnosis.busHertz, equals: 100_000)
    expect(diagnosis.chipNumber, equals: 0)
    expect(diagnosis.chipLabel, equals: "pinctrl-bcm2711")
  }

  @Test(arguments: Spoiled.all)
  static func `each fault is the only one reported, with fix and code, and dependent aspects are unchecked`(
    fault: Spoiled
  ) throws {
    var system = FakeSystem()
    fault.spoil(&system)
    let diagnosis = Diagnosis(try board(), system)
    expect(diagnosis.findings, equals: [fault.identifier])
    expect(diagnosis.exitCode, equals: fault.code)
    let finding = try require(diagnosis[fault.aspect].finding)
    expect(finding.severity, equals: .error)
    for words in fault.words {
      expect(diagnosis.words(of: finding), contains: words)
    }
    for aspect in allAspects {
      if case .skipped(let cause) = diagnosis[aspect] { expect(cause, equals: fault.aspect) }
    }
  }

  @Test
  static func `of two faults the first by cause comes first, and the code is the greater of the two`()
    throws
  {
    for first in Spoiled.all {
      for second in Spoiled.all where first.aspect.rawValue < second.aspect.rawValue {
        // Only a bus that may be opened can be found not to be one.
        if first.name == "a file that is no bus" && second.aspect == .busAccess { continue }
        var system = FakeSystem()
        second.spoil(&system)
        first.spoil(&system)
        let diagnosis = Diagnosis(try board(), system)
        let reported = diagnosis.findings
        expect(reported.first, equals: first.identifier, "\(first.name), \(second.name): \(reported)")
        expect(reported.count, isAtMost: 2)
        let codes = Spoiled.all.filter { reported.contains($0.identifier) }.map(\.code)
        expect(diagnosis.exitCode, equals: codes.max())
      }
    }
  }

  @Test
  static func `every message and fix is whole, on one line, and not empty`() throws {
    for fault in Spoiled.all {
      for description in [
        try board(), try board(model: "mpu6050", address: "0x68", chip: "a-label-of-thirty-one-letters-a"),
      ] {
        var system = FakeSystem()
        fault.spoil(&system)
        let diagnosis = Diagnosis(description, system)
        for aspect in allAspects {
          guard let finding = diagnosis[aspect].finding else { continue }
          for text in [diagnosis.message(of: finding), diagnosis.fix(of: finding)] {
            #expect(text.count > 0 && !text.isCut, "\(text)")
            expect(text.description, lacks: "\n")
          }
        }
      }
    }
  }

  @Test
  static func `a bus without permission is not probed; one address is probed, and all if it is silent`() throws {
    var system = FakeSystem()
    _ = Diagnosis(of: try board(), in: &system)
    expect(system.asked, equals: [0x53])
    expect(system.linesAskedOf, equals: [0])
    system = FakeSystem()
    system.places = [:]
    _ = Diagnosis(of: try board(), in: &system)
    var (places, all) = (Probe.Places(), [] as [UInt8])
    while let place = places.next() { all.append(place.rawValue) }
    expect(system.asked.sorted(), equals: all)
    expect(all, contains: 0x69)
    system = FakeSystem()
    system.openings["/dev/i2c-1"] = .notPermitted
    _ = Diagnosis(of: try board(), in: &system)
    expect(empty: system.asked)
  }

  @Test
  static func `the advice on a bus that cannot be opened fits the computer, and is nil without a fault`() throws {
    var system = FakeSystem()
    expect(Diagnosis.advice(onBus: "/dev/i2c-1", in: &system), equals: nil)
    try require(Spoiled.busFaults.first).spoil(&system)
    let onPi = try require(Diagnosis.advice(onBus: "/dev/i2c-1", in: &system)).description
    expect(onPi, equals: "I2C is switched off, so there is no /dev/i2c-1. Fix: sudo raspi-config nonint do_i2c 0")
    system.files["/proc/device-tree/model"] = nil
    let nowhere = try require(Diagnosis.advice(onBus: "/dev/i2c-1", in: &system)).description
    expect(nowhere, hasPrefix: "there is no /dev/i2c-1: this computer has no I2C bus. Fix: use a computer ")
    system.write("i915 gmbus dpa\n", to: "/sys/bus/i2c/devices/i2c-31/name")
    let elsewhere = try require(Diagnosis.advice(onBus: "/dev/i2c-1", in: &system)).description
    expect(elsewhere, hasPrefix: "there is no /dev/i2c-1. Fix: ls /dev/i2c-*")
    system.openings["/dev/i2c-1"] = .notPermitted
    let refused = try require(Diagnosis.advice(onBus: "/dev/i2c-1", in: &system)).description
    expect(refused, hasPrefix: "no permission to use /dev/i2c-1; ")
  }
}
