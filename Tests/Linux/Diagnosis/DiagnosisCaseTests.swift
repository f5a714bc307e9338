import BoardFile
import Diagnosis
import HAL
import Sensors
import TestSupport
import Testing

struct DiagnosisCaseTests {
  @Test
  static func `an emulated board needs nothing on any computer, and the code is 0`() {
    var bare = FakeSystem()
    (bare.files, bare.openings, bare.groups, bare.chips, bare.places) = ([:], [:], [:], [:], [:])
    let diagnosis = Diagnosis(.emulated, bare)
    expect(all: allAspects) { diagnosis[$0] == ($0 == .matrix || $0 == .device ? .absent : .emulated) }
    expect(diagnosis.exitCode, equals: 0)
  }

  @Test
  static func `off a Raspberry Pi it notes that, and does not guess why there is no bus`() throws {
    for model in ["Acme Board\0", nil] {
      var system = FakeSystem()
      system.files["/proc/device-tree/model"] = model.map { Array($0.utf8) }
      let fine = Diagnosis(try board(), system)
      expect(fine.findings, equals: ["machine.other"])
      expect(fine.exitCode, equals: 0)
      expect(fine.firstError, equals: nil)
      expect(fine[.pins], isNot: .passed)
      system.openings = [:]
      for path in system.files.keys where path.hasPrefix("/sys") { system.files[path] = nil }
      let bad = Diagnosis(try board(), system)
      expect(bad.findings, equals: ["machine.other", "bus.none"])
      expect(bad.exitCode, equals: 69)
      // The last number that is tried.
      system.write("i915 gmbus dpa\n", to: "/sys/bus/i2c/devices/i2c-31/name")
      expect(Diagnosis(try board(), system).findings, equals: ["machine.other", "bus.absent"])
      expect(bad.words(of: .notRaspberryPi).contains("Acme Board"), equals: model != nil)
    }
  }

  @Test(arguments: [
    ("Raspberry Pi Model B Rev 2", true), ("Raspberry Pi Model B Plus Rev 1.2", true),
    ("Raspberry Pi Zero W Rev 1.1", true),
    ("Raspberry Pi Zero 2 W Rev 1.0", true), ("Raspberry Pi 2 Model B Rev 1.1", true),
    ("Raspberry Pi 3 Model B+", true),
    ("Raspberry Pi 400 Rev 1.0", true), ("Raspberry Pi Compute Module 4 Rev 1.0", true),
    ("Raspberry Pi 5 Model B", true),
    ("Raspberry Pi 500 Rev 1.0", true), ("Raspberry Pi 6 Model B", false), ("Raspberry Pi Next", false),
  ])
  static func `known and unknown models are distinguished`(name: String, isKnown: Bool) throws {
    var system = FakeSystem()
    system.write("\(name)\0", to: "/proc/device-tree/model")
    let diagnosis = Diagnosis(try board(), system)
    expect(diagnosis[.machine], equals: isKnown ? .passed : .found(.unknownModel))
    expect(diagnosis.exitCode, equals: 0)
  }

  @Test(arguments: [
    ("dtparam=i2c_arm=on", true), ("dtparam=i2c=on\n", true), ("  dtparam=i2c1=yes", true), ("dtparam=i2c_arm", true),
    ("dtparam=audio=on,i2c_arm=on", true), ("dtparam=spi=on\ndtparam=i2c_arm=1 # yes", true),
    ("dtparam=i2c_arm=off", false), ("#dtparam=i2c_arm=on", false),
    ("dtparam=i2c_arm=on\ndtparam=i2c_arm=off", false),
    ("dtparam=i2c_arm_baudrate=400000", false), ("dtparam=i2c_vc=on", false), ("dtoverlay=i2c-gpio", false),
    ("", false),
    ("dtparam=i2c_arm=only", false), ("dtparam=,,", false),
  ])
  static func `config.txt decides between advice to enable I2C and advice to restart`(text: String, isOn: Bool) throws {
    var system = FakeSystem()
    system.openings = [:]
    system.files["/sys/bus/i2c/devices/i2c-1/name"] = nil
    system.write("disabled\0", to: "/proc/device-tree/soc/i2c@7e804000/status")
    // The older path of the file works as well.
    for path in ["/boot/firmware/config.txt", "/boot/config.txt"] {
      system.files["/boot/firmware/config.txt"] = nil
      system.write(text, to: path)
      expect(Diagnosis(try board(), system).findings, equals: [isOn ? "bus.restart" : "bus.off"])
    }
  }

  @Test
  static func `a bus with another number or name is only reported absent`() throws {
    for path in ["/dev/i2c-7", "/dev/i2c-", "/dev/i2c-1x", "/dev/tilt", "/"] {
      expect(Diagnosis(try board(bus: path), FakeSystem()).findings, equals: ["bus.absent"])
    }
  }

  @Test
  static func `a bus without a known clock rejects no rate`() throws {
    for cell in [nil, [], [0, 0, 0, 0], [1, 2, 3], [0, 0, 0, 1, 0]] as [[UInt8]?] {
      var system = FakeSystem()
      system.files["/sys/class/i2c-adapter/i2c-1/of_node/clock-frequency"] = cell
      let diagnosis = Diagnosis(try board(rate: 800), system)
      expect(diagnosis[.busSpeed], equals: .unknown)
      expect(diagnosis.exitCode, equals: 0)
    }
  }

  @Test(
    arguments: [
      ("adxl345", "0x53", 200, 100_000, nil), ("adxl345", "0x53", 400, 100_000, "rate = 200"),
      ("adxl345", "0x53", 800, 400_000, nil), ("mpu6050", "0x68", 500, 100_000, nil),
      ("mpu6050", "0x68", 1_000, 100_000, "rate = 500"),
    ] as [(String, String, Int, UInt32, String?)])
  static func `the rate is checked against the bus's clock, with a rate that would fit`(
    model: String, address: String, rate: Int, hertz: UInt32, fix: String?
  ) throws {
    var system = FakeSystem()
    system.files["/sys/class/i2c-adapter/i2c-1/of_node/clock-frequency"] =
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: hertz >> UInt32($0)) }
    system.places[0x68] = .part(0x68, of: .mpu6050)
    let diagnosis = Diagnosis(try board(model: model, address: address, rate: rate), system)
    expect(diagnosis.busHertz, equals: hertz)
    guard let fix else { return expect(diagnosis[.busSpeed], equals: .passed) }
    let finding = try require(diagnosis[.busSpeed].finding)
    expect(diagnosis.words(of: finding), contains: fix)
    expect(diagnosis.exitCode, equals: 78)
  }

  @Test
  static func `a part of the MPU-6050 family is used, opt-in, rejected, or something else`() throws {
    for (answer, expected) in [
      (.part(0x98, of: .mpu6050), []), (.part(0x72, of: .mpu6050), ["identity.unverified"]),
      (.part(0x69, of: .mpu6050), ["identity.refused"]), (.part(0x37, of: .mpu6050), ["identity.unknown"]),
      (.answer(.noIdentity(reading: 0)), ["identity.none"]), (.part(0xEA, of: .icm20948), ["identity.other"]),
    ] as [(PlaceView, [String])] {
      var system = FakeSystem()
      system.places = [0x68: answer]
      let diagnosis = Diagnosis(try board(model: "mpu6050", address: "0x68"), system)
      expect(diagnosis.findings, equals: expected)
      guard let finding = diagnosis[.identity].finding else { continue }
      expect(diagnosis.words(of: finding).contains("clock"), equals: expected == ["identity.unknown"])
    }
  }

  @Test
  static func `a part of the MPU-6050 family that cannot read in batches is reported if the board has them`() throws {
    for (batch, identity, isFine) in [(10, 0x70, true), (10, 0x12, false), (1, 0x12, true)] as [(Int32, UInt8, Bool)] {
      var description = try board(model: "mpu6050", address: "0x68")
      expect(that: description.sensor.setBatch(batch))
      var system = FakeSystem()
      system.places = [0x68: .part(identity, of: .mpu6050)]
      let diagnosis = Diagnosis(description, system)
      expect(diagnosis.findings, equals: isFine ? [] : ["identity.unsupported"])
      guard let finding = diagnosis[.identity].finding else { continue }
      expect(diagnosis.words(of: finding), contains: "is an ICM-20602 (identity 0x12), which lacks the batch of")
      expect(diagnosis.words(of: finding), hasSuffix: " | remove batch from [sensor] of the board file")
    }
  }

  @Test
  static func `an ICM-20948 can do whatever its board file wants`() throws {
    var description = try board(model: "icm20948", address: "0x68")
    expect(that: description.sensor.setBatch(28))
    var system = FakeSystem()
    system.places = [0x68: .part(0xEA, of: .icm20948)]
    expect(Diagnosis(description, system).findings, equals: [])
  }

  @Test
  static func `a part of the LSM6DS family that lacks the range of the gyroscope is reported`() throws {
    for (range, identity, isFine) in [(4_000, 0x6B, true), (4_000, 0x6C, false), (2_000, 0x6C, true)]
      as [(Int32, UInt8, Bool)]
    {
      var description = try board(model: "lsm6ds", address: "0x6A")
      expect(that: description.sensor.configuration.setGyroscope(range))
      var system = FakeSystem()
      system.places = [0x6A: .part(identity, of: .lsm6ds)]
      let diagnosis = Diagnosis(description, system)
      expect(diagnosis.findings, equals: isFine ? [] : ["identity.unsupported"])
      expect(diagnosis.exitCode, equals: isFine ? 0 : 78)
      guard let finding = diagnosis[.identity].finding else { continue }
      expect(diagnosis.words(of: finding), contains: "is an LSM6DSO or LSM6DSOX (identity 0x6C), which lacks the")
    }
  }

  @Test
  static func `the header's chip is found on every model by one word; another model's label is reported`()
    throws
  {
    for (number, label) in [(0, "pinctrl-bcm2835"), (0, "pinctrl-bcm2711"), (4, "pinctrl-rp1"), (11, "pinctrl-rp1")] {
      var system = FakeSystem()
      let expander = ChipView.chip(label: ShortText("raspberrypi-exp-gpio"), lineCount: 8)
      system.chips = [1: expander, Int32(number): .chip(label: ShortText(cutting: label), lineCount: 54)]
      let any = Diagnosis(try board(), system)
      expect(empty: any.findings)
      expect(any.chipNumber, equals: Int32(number))
      expect(any.chipLabel, equals: ShortText(cutting: label))
      expect(empty: Diagnosis(try board(chip: label), system).findings)
      let other = label == "pinctrl-rp1" ? "pinctrl-bcm2711" : "pinctrl-rp1"
      let wrong = Diagnosis(try board(chip: other), system)
      expect(wrong.findings, equals: ["chip.other"])
      expect(wrong.exitCode, equals: 78)
      let finding = try require(wrong[.chip].finding)
      expect(wrong.words(of: finding), contains: label)
      expect(wrong.words(of: finding), contains: "chip = raspberry-pi")
    }
  }

  @Test
  static func `an enabled function is a warning if it uses a pin of an LED`() throws {
    for (identifier, path, content, gpio) in [
      ("pins.spi", "/sys/class/spi_master/spi0/uevent", "", 10),
      ("pins.serial", "/proc/cmdline", "console=ttyS0,115200", 14),
      ("pins.serial", "/proc/cmdline", "a console=ttyAMA0 b", 15),
      ("pins.audio", "/proc/device-tree/aliases/i2s", "/soc/i2s@7e203000\0", 18),
      ("pins.one-wire", "/sys/bus/w1/devices/w1_bus_master1/w1_master_name", "w1_bus_master1\n", 4),
    ] {
      var system = FakeSystem()
      system.write(content, to: path)
      let diagnosis = Diagnosis(try board(gpios: [17, 27, gpio, 23, 24, 25]), system)
      expect(diagnosis.findings, equals: [identifier])
      expect(diagnosis.exitCode, equals: 0)
      expect(diagnosis.firstError, equals: nil)
      let finding = try require(diagnosis[.pins].finding)
      expect(finding.severity, equals: .warning)
      expect(diagnosis.words(of: finding), contains: "GPIO\(gpio) (landscapeLeft)")
      expect(Diagnosis(try board(), system)[.pins], equals: .passed)
      expect(Diagnosis(try board(gpios: [17, 27, gpio, 23, 24, 25]), FakeSystem())[.pins], equals: .passed)
    }
    // On a Pi 5 the console has its own connector; the audio node may be present but off.
    var system = FakeSystem()
    system.write("console=ttyAMA10,115200", to: "/proc/cmdline")
    system.write("/soc/i2s@7e203000\0", to: "/proc/device-tree/aliases/i2s")
    system.write("disabled\0", to: "/proc/device-tree/soc/i2s@7e203000/status")
    expect(Diagnosis(try board(gpios: [14, 18, 22, 23, 24, 25]), system)[.pins], equals: .passed)
  }
}
