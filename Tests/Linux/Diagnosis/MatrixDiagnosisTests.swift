import BoardFile
import Diagnosis
import HAL
import Sensors
import TestSupport
import Testing

/// The matrix of a Sense HAT in place of lines.
struct MatrixDiagnosisTests {
  private static func hat(_ chip: String = "sense-hat", bus: String = "/dev/i2c-1") throws -> BoardDescription {
    let text =
      "[i2c]\nbus = \(bus)\n[sensor]\nmodel = adxl345\naddress = 0x53\n[lines]\nchip = \(chip)\n"
    return try BoardDescription.parse(Array(text.utf8).span)
  }

  /// A Raspberry Pi with the kernel's driver for the HAT.
  private static var driven: FakeSystem {
    var system = FakeSystem()
    system.write("vc4drmfb\n", to: "/sys/class/graphics/fb0/name")
    system.write("RPi-Sense FB\n", to: "/sys/class/graphics/fb1/name")
    system.openings["/dev/fb1"] = .possible
    system.places[0x46] = .held
    return system
  }

  @Test static func `with the kernel's driver the frame buffer counts, and the GPIOs are not looked at`() throws {
    var system = driven
    (system.chips, system.groups["gpio"]) = ([:], nil)
    let diagnosis = Diagnosis(try hat(), system)
    expect(empty: diagnosis.findings)
    expect(diagnosis.exitCode, equals: 0)
    expect(diagnosis[.matrix], equals: .passed)
    expect(diagnosis.frameNumber, equals: 1)
    for aspect in [.linesAccess, .chip, .lines, .pins] as [Aspect] { expect(diagnosis[aspect], equals: .absent) }
  }

  @Test static func `without it the controller is asked on the bus`() throws {
    var system = FakeSystem()
    // It is no sensor.
    system.places[0x46] = .answer(.unknown(identity: 0))
    let diagnosis = Diagnosis(try hat(), system)
    expect(diagnosis[.matrix], equals: .passed)
    expect(diagnosis.frameNumber, equals: -1)
    expect(diagnosis.exitCode, equals: 0)
  }

  @Test static func `no frame buffer and no response is an error with a fix`() throws {
    let diagnosis = Diagnosis(try hat(), FakeSystem())
    expect(diagnosis.findings, equals: ["matrix.absent"])
    expect(diagnosis.exitCode, equals: 69)
    let words = diagnosis.words(of: try require(diagnosis[.matrix].finding))
    expect(words, contains: "0x46")
    expect(words, contains: "seat the HAT")
  }

  @Test static func `a driver without a frame buffer, and a bus at fault, are told apart`() throws {
    var system = driven
    system.files["/sys/class/graphics/fb1/name"] = nil
    let held = Diagnosis(try hat(), system)
    expect(held.findings, equals: ["matrix.held"])
    expect(held.words(of: .matrixHeld), contains: "sudo modprobe rpisense-fb")
    system.places[0x46] = .answer(.fault(.timedOut))
    expect(Diagnosis(try hat(), system)[.matrix], equals: .found(.busFault(.timedOut)))
  }

  @Test(arguments: [
    (Membership.none, "matrix.group"), (.atNextLogin, "matrix.login"), (.noSuchGroup, "matrix.no-group"),
    (.active, "matrix.owner"),
  ])
  static func `no permission for the frame buffer is code 77, with the group video`(
    _ membership: Membership, _ identifier: String
  ) throws {
    var system = driven
    (system.openings["/dev/fb1"], system.groups["video"]) = (.notPermitted, membership)
    let diagnosis = Diagnosis(try hat(), system)
    expect(diagnosis.findings, equals: [identifier])
    expect(diagnosis.exitCode, equals: 77)
    let words = diagnosis.words(of: try require(diagnosis[.matrix].finding))
    expect(words, contains: "/dev/fb1", "\(words)")
    #expect(words.contains("video") || membership == .noSuchGroup || membership == .active, "\(words)")
  }

  @Test static func `without a bus the matrix is not checked`() throws {
    expect(Diagnosis(try hat(bus: "/dev/i2c-7"), FakeSystem())[.matrix], equals: .skipped(because: .bus))
  }

  @Test static func `without the kernel's driver, a board that is on no bus of its own has no matrix`() throws {
    expect(Diagnosis(try hat(bus: "emulated"), FakeSystem())[.matrix], equals: .found(.noMatrix))
    expect(Diagnosis(try hat(bus: "emulated"), driven)[.matrix], equals: .passed)
  }

  @Test static func `an emulated matrix needs nothing, and boards with lines have none`() throws {
    expect(Diagnosis(try hat("emulated-sense-hat"), FakeSystem())[.matrix], equals: .emulated)
    expect(Diagnosis(try board(), FakeSystem())[.matrix], equals: .absent)
  }
}
