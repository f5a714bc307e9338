import FixedPoint
import Foundation
import HAL
import IIO
import TestSupport
import Testing
import Text

struct IIODeviceTests {
  private static func device(_ name: String, usesGyroscope: Bool = false, in made: MadeUpTree) throws(IIOError)
    -> IIODevice
  {
    try IIODevice(named: ShortText(cutting: name), usesGyroscope: usesGyroscope, in: made.tree)
  }

  /// The error for the device bmi160.
  private static func error(in made: MadeUpTree, usesGyroscope: Bool = false) -> IIOError? {
    do throws(IIOError) {
      _ = try device("bmi160", usesGyroscope: usesGyroscope, in: made)
      return nil
    } catch { return error }
  }

  @Test static func `a device is found by its name, its label and its number, also behind a gap`() throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      try made.describe(["name": "bmp280"])
      try made.addAccelerometer(7)
      try made.describe(["label": "accel-base"], of: 7)
      for name in ["bmi160", "accel-base", "iio:device7"] {
        try expect(device(name, in: made).number, equals: 7)
      }
    }
  }

  @Test static func `two devices of one name are told apart by their numbers, and the error says so`() throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      try made.addAccelerometer(0)
      try made.addAccelerometer(3)
      let error = error(in: made)
      expect(error?.cause, equals: .ambiguous)
      expect(error?.message.description.contains("device = iio:device1"), equals: true)
      try expect(device("iio:device3", in: made).number, equals: 3)
    }
  }

  @Test static func `a missing device, and one without an accelerometer, have errors of their own`() throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      expect(error(in: made)?.cause, equals: .absent)
      expect(error(in: made)?.fault, equals: .unavailable)
      try made.describe(["name": "bmi160", "in_temp_raw": "1"])
      expect(error(in: made)?.cause, equals: .noAccelerometer)
      try made.addAccelerometer()
      try made.remove(MadeUpTree.folder(0) + "/in_accel_y_raw")
      expect(error(in: made)?.cause, equals: .noAccelerometer)
    }
  }

  @Test(arguments: [
    ("in_accel_scale", ["", "0", "-1", "1e-3", "nan", "0x10", "0,5", "1001", "99999999999999999999"]),
    ("in_accel_offset", ["one", "-", "+", ".", "1.", "2147483649", "99999999999999999999", "\u{FF}"]),
    (
      "in_accel_mount_matrix",
      [
        "", "1", "1, 0, 0; 0, 1, 0; 0, 0", "1, 0, 0; 0, 1, 0; 0, 0, 0", "1, 0, 0; 0, 1, 0; 0, 0, 1; 7",
        "9, 0, 0; 0, 1, 0; 0, 0, 1", "1, 0, 0; 1, 0, 0; 0, 0, 1", "x, 0, 0; 0, 1, 0; 0, 0, 1",
      ]
    ),
    ("scan_elements/in_accel_z_type", ["", "le:s16/16>>1", "le:s16/16>>-1", "be:s4000000000/16>>0", "le:s2/8>>0"]),
  ])
  static func `a file that says what cannot be is named with what it says`(_ file: String, _ texts: [String]) throws {
    for text in texts {
      try withShortFolder { folder in
        let made = try MadeUpTree(folder)
        try made.addAccelerometer()
        try made.describe([file: text])
        let found = error(in: made)
        let error = try require(found, "\(file): \(text)")
        expect(error.cause, equals: .invalid)
        expect(error.fault, equals: .unsupported)
        // The offset's limit is that of its scale, and a value of two bits in steps of 0.01 g is no accelerometer.
        let named = error.file.description
        #expect(named == file || named == "in_accel_scale" && (text.hasPrefix("2147") || text.hasPrefix("le:s2")))
        expect(error.message.description, contains: "report this part")
      }
    }
  }

  @Test static func `a missing scale is named`() throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      try made.addAccelerometer()
      try made.remove(MadeUpTree.folder(0) + "/in_accel_scale")
      expect(error(in: made)?.cause, equals: .missing)
      expect(error(in: made)?.message.description.contains("in_accel_scale"), equals: true)
    }
  }

  @Test static func `a folder in the place of a file, and a line without end, are errors and no more`() throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      try made.addAccelerometer()
      try made.remove(MadeUpTree.folder(0) + "/in_accel_scale")
      try made.write("", to: MadeUpTree.folder(0) + "/in_accel_scale/x")
      guard case .system = error(in: made)?.cause else {
        return #expect(Bool(false), "\(String(describing: error(in: made)))")
      }
      try made.remove(MadeUpTree.folder(0) + "/in_accel_scale")
      try made.write(String(repeating: "1", count: 100_000), to: MadeUpTree.folder(0) + "/in_accel_scale")
      guard case .system = error(in: made)?.cause else {
        return #expect(Bool(false), "\(String(describing: error(in: made)))")
      }
    }
  }

  @Test static func `a gyroscope is read only when it is used, and then checked as well`() throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      try made.addAccelerometer()
      try expect(that: !device("bmi160", usesGyroscope: true, in: made).hasGyroscope)
      try made.addGyroscope()
      try expect(that: device("bmi160", usesGyroscope: true, in: made).hasGyroscope)
      try made.describe(["in_anglvel_scale": "fast"])
      expect(error(in: made, usesGyroscope: true)?.file, equals: "in_anglvel_scale")
      try expect(that: !device("bmi160", in: made).hasGyroscope)
    }
  }

  @Test static func `the list of accelerometers has their names, labels and gyroscopes, and nothing else`() throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      try made.describe(["name": "bmp280"])
      try made.addAccelerometer(1)
      try made.addAccelerometer(5, name: "accel_3d")
      try made.describe(["label": "accel-display"], of: 5)
      try made.addGyroscope(5)
      var found: [String] = []
      for number in 0..<IIOTree.most {
        guard let entry = IIODevice.listed(number, in: made.tree) else { continue }
        found.append("\(entry.number) \(entry.name) \"\(entry.label)\" \(entry.hasGyroscope)")
      }
      expect(found, equals: ["1 bmi160 \"\" false", "5 accel_3d \"accel-display\" true"])
    }
  }
}
