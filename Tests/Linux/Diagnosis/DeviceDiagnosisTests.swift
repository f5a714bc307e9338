import BoardFile
import Diagnosis
import HAL
import IIO
import Sensors
import TestSupport
import Testing

/// A device of the kernel in place of a bus.
struct DeviceDiagnosisTests {
  private static func board() throws -> BoardDescription {
    let text =
      "[sensor]\npart = iio\ndevice = bmi160\n[lines]\nchip = emulated\n"
      + ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"].enumerated()
      .map { "\($1) = \($0 + 4)\n" }.joined()
    return try BoardDescription.parse(Array(text.utf8).span)
  }

  /// A Raspberry Pi whose kernel has the device.
  private static var driven: FakeSystem {
    var system = FakeSystem()
    system.device = .usable(number: 2, hasBuffer: true)
    system.openings["/dev/iio:device2"] = .possible
    // No bus is needed.
    system.openings["/dev/i2c-1"] = nil
    return system
  }

  @Test static func `a device with a buffer is all that is needed, and no bus is looked at`() throws {
    let diagnosis = Diagnosis(try board(), driven)
    expect(empty: diagnosis.findings)
    expect(diagnosis.exitCode, equals: 0)
    expect(diagnosis[.device], equals: .passed)
    expect(diagnosis.deviceNumber, equals: 2)
    for aspect in [.bus, .busAccess, .busSpeed, .address, .identity] as [Aspect] {
      expect(diagnosis[aspect], equals: .absent)
    }
  }

  @Test static func `a buffer that another program has open is one`() throws {
    var system = driven
    system.openings["/dev/iio:device2"] = .impossible(code: 16)
    expect(Diagnosis(try board(), system)[.device], equals: .passed)
  }

  @Test(arguments: [(true, DeviceOpening.notPermitted), (true, .absent), (false, .possible)])
  static func `without a buffer that can be opened the note says what that costs`(_ has: Bool, _ opening: DeviceOpening)
    throws
  {
    var system = driven
    system.device = .usable(number: 2, hasBuffer: has)
    system.openings["/dev/iio:device2"] = opening
    let diagnosis = Diagnosis(try board(), system)
    expect(diagnosis.findings, equals: ["device.unbuffered"])
    expect(diagnosis.exitCode, equals: 0)
    expect(diagnosis.words(of: .deviceUnbuffered), contains: "each axis is read for itself")
  }

  @Test(
    arguments: [
      (.absent, 69, "plumb probe"), (.ambiguous, 78, "iio:device1"), (.noAccelerometer, 78, "three axes"),
      (.noGyroscope, 78, "gravity = fusion"), (.missing, 78, "in_accel_scale"), (.invalid, 78, "fast"),
      (.system(code: 13), 77, "no permission"), (.system(code: 16), 69, "another program"),
      (.system(code: 19), 69, "in_accel_scale"),
    ] as [(IIOError.Cause, Int32, String)])
  static func `a device that cannot be used is an error with its reason`(
    _ cause: IIOError.Cause, _ exitCode: Int32, _ words: String
  ) throws {
    var system = driven
    system.device = .failed(IIOError(cause, of: "bmi160", file: "in_accel_scale", found: "fast"))
    let diagnosis = Diagnosis(try board(), system)
    expect(diagnosis.findings, equals: ["device.unusable"])
    expect(diagnosis.exitCode, equals: exitCode)
    let text = diagnosis.words(of: try require(diagnosis[.device].finding))
    expect(text, contains: "bmi160")
    expect(text, contains: words)
  }

  @Test static func `a board on a bus has no such aspect`() throws {
    expect(Diagnosis(.emulated, FakeSystem())[.device], equals: .absent)
  }
}
