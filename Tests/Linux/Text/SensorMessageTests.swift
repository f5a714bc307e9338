import HAL
import Orientation
import Sensors
import TestSupport
import Testing
import Text

/// A sensor that messages are about.
enum Subject: Sendable, CaseIterable {
  case adxl345, mpu6050

  /// At its alternate address, so that a message which guesses is found.
  var sensor: SensorPlace? {
    switch self {
    case .adxl345: I2CAddress(0x1D).map { SensorPlace(.adxl345, at: $0) }
    case .mpu6050: I2CAddress(0x69).map { SensorPlace(.mpu6050, at: $0) }
    }
  }
}

struct SensorMessageTests {
  /// Every error of each sensor, the figures that its message must have (and no others), and words in it.
  static let errors: [(subject: Subject, error: SensorError, figures: [String], words: String)] = [
    (.adxl345, .bus(.timedOut), ["0x1D"], "the bus hung"),
    (
      .adxl345, .configurationRejected(register: 0x31, wrote: 0x0B, read: 0x00),
      ["0x31", "0x1D", "0x00", "0x0B", "ADXL345"], "supply and wiring"
    ),
    (.adxl345, .configurationLost, ["0x1D"], "check power and ground"),
    (.adxl345, .resetTimedOut, ["0x1D"], "reset"),
    (
      .adxl345, .rateTooHigh(busHertz: 100_000, highestHertz: 800), ["100 kHz", "800 Hz", "i2c_arm_baudrate=400000"],
      "faster bus"
    ),
    (.adxl345, .rateTooHigh(busHertz: 12_345, highestHertz: 0), ["12.3 kHz", "i2c_arm_baudrate=400000"], "faster bus"),
    (.adxl345, .frozen, ["0x1D"], "has stopped measuring"),
    (.adxl345, .stuckAtFullScale, ["0x1D"], "at full scale"),
    (.adxl345, .weightless, ["0x1D", "ADXL375", "49 mg"], "defective"),
    (
      .adxl345, .configurationChanged(register: 0x2C, wrote: 0x0A, read: 0x0C), ["0x1D", "0x2C", "0x0C", "0x0A"],
      "another program"
    ),
    (.mpu6050, .bus(.noAcknowledge), ["0x69"], "no acknowledge"),
    (
      .mpu6050, .configurationRejected(register: 0x19, wrote: 0x09, read: 0xFF),
      ["0x19", "0x69", "0xFF", "0x09", "MPU-6050"], "or a compatible part"
    ),
    (.mpu6050, .configurationLost, ["0x69"], "lost its configuration"),
    (.mpu6050, .resetTimedOut, ["0x69"], "switch it off and on"),
    (.mpu6050, .rateTooHigh(busHertz: 400_000, highestHertz: 1000), ["400 kHz", "1000 Hz"], "Hz or less"),
    (.mpu6050, .frozen, ["0x69"], "repeats the same sample"),
    (.mpu6050, .stuckAtFullScale, ["0x69"], "defective, or the force exceeds"),
    (.mpu6050, .weightless, ["0x69"], "only zeros"),
    (
      .mpu6050, .configurationChanged(register: 0x19, wrote: 0x09, read: 0x04), ["0x69", "0x19", "0x04", "0x09"],
      "stop that program"
    ),
  ]

  @Test func `a part of the family that lacks what the board file wants is named with the part that has it`() throws {
    let address = try require(I2CAddress(0x68))
    let error = SensorError.unexpectedIdentity(found: 0x12, expected: 0x68)
    expect(
      error.message(of: SensorPlace(.mpu6050, at: address)).description,
      equals: "the part at 0x68 is an ICM-20602 (identity 0x12), which lacks the gyroscope-range or the batch of the "
        + "board file; an MPU-6050, MPU-6000 or MPU-9150 has it")
  }

  @Test func `a notice says what can be done about it`() throws {
    let place = SensorPlace(.adxl345, at: ADXL345.address)
    expect(SensorNotice.staysAwake.message(of: place).description, hasSuffix: "leave out [power] and --sleep-after")
    expect(SensorNotice.axesApart.message(of: place).description, hasSuffix: "in movement, angles are less exact")
  }

  @Test func `a name read letter by letter has the article of its first letter`() {
    let names: [(StaticString, String)] = [
      ("adxl345", "an"), ("icm20948", "an"), ("lis3dh", "an"), ("mpu6050", "an"), ("bmi160", "a"), ("tl3", "a"),
      ("", "a"),
    ]
    for (name, article) in names { expect("\(SensorModel.article(before: name))", equals: article, "\(name)") }
  }

  @Test(arguments: errors)
  static func `every error is reported in plain words, with the sensor's address if it is about the sensor`(
    subject: Subject, error: SensorError, figures: [String], words: String
  ) throws {
    let message = error.message(of: try require(subject.sensor))
    expectPlain(message, figures: figures)
    expect(message.description, contains: words, "\(message)")
  }

  /// Identities found, of the other model or of a wrong part, and the words of the message.
  static let identities: [(subject: Subject, found: UInt8, words: String)] = [
    (.adxl345, 0x00, "check power, ground, SDA and SCL"), (.adxl345, 0xFF, "check power, ground, SDA and SCL"),
    (.adxl345, 0xE6, "ADXL346, which must not be powered from 3.3 V"), (.adxl345, 0xAD, "other registers"),
    (.adxl345, 0x68, "write model = mpu6050"), (.adxl345, 0x13, "no known part has this identity"),
    (.mpu6050, 0x00, "check power, ground, SDA and SCL"), (.mpu6050, 0xFF, "check power, ground, SDA and SCL"),
    (.mpu6050, 0xE5, "write model = adxl345"), (.mpu6050, 0x69, "only defective parts"),
    (.mpu6050, 0x75, "only defective parts"), (.mpu6050, 0x47, "ICM-426xx"),
    (.mpu6050, 0x72, "unverified-parts = yes"), (.mpu6050, 0x59, "no known part has this identity"),
    (.mpu6050, 0xEA, "that is an ICM-20948; in the board file write model = icm20948"),
  ]

  @Test(arguments: identities)
  static func `for another part both identities are reported, and what it probably is`(
    subject: Subject, found: UInt8, words: String
  ) throws {
    let sensor = try require(subject.sensor)
    let expected: UInt8 = subject == .adxl345 ? 0xE5 : 0x68
    let message = SensorError.unexpectedIdentity(found: found, expected: expected).message(of: sensor)
    let text = message.description
    expect(that: !message.isCut, "\(text)")
    expect(text, contains: words)
    expect(text, contains: subject == .adxl345 ? "the part at 0x1D has the identity" : "the part at 0x69 has")
    expect(text, contains: subject == .adxl345 ? "0xE5 (ADXL345)" : "0x68 (MPU-6050)")
  }

  @Test
  static func `for any identity found, the message is whole and names it`() throws {
    for subject in Subject.allCases {
      let sensor = try require(subject.sensor)
      for found in UInt8.min...UInt8.max {
        let message = SensorError.unexpectedIdentity(found: found, expected: 0x5A).message(of: sensor)
        let digits = String(found, radix: 16, uppercase: true)
        expect(that: !message.isCut)
        expect(message.description, contains: "identity 0x" + (digits.count < 2 ? "0" : "") + digits)
      }
    }
  }

  @Test
  static func `only a value that reads like a time, at a clock's address, is called a clock`() throws {
    let sensor = SensorPlace(.mpu6050, at: try require(I2CAddress(0x68)))
    for (found, isClock) in [(0x59, true), (0x08, true), (0x0A, false), (0x60, false)] as [(UInt8, Bool)] {
      let text = SensorError.unexpectedIdentity(found: found, expected: 0x68).message(of: sensor).description
      expect(text.contains("real-time clock (DS1307, DS3231)"), equals: isClock, "\(text)")
    }
  }

  /// A new case does not compile without a number here.
  private static func place(of error: SensorError) -> Int {
    switch error {
    case .bus: 0
    case .unexpectedIdentity: 1
    case .configurationRejected: 2
    case .configurationLost: 3
    case .resetTimedOut: 4
    case .rateTooHigh: 5
    case .frozen: 6
    case .stuckAtFullScale: 7
    case .weightless: 8
    case .configurationChanged: 9
    }
  }

  @Test(arguments: Subject.allCases)
  static func `the tables have every error of each sensor`(subject: Subject) {
    let reported = Self.errors.filter { $0.subject == subject }.map { Self.place(of: $0.error) }
    expect(Set(reported + [1]), equals: Set(0...9))
  }

  @Test static func `an identity that several models have is that of the one that can be at the address`() throws {
    let sensor = SensorPlace(.lsm6ds, at: try require(I2CAddress(0x6A)))
    let message = SensorError.unexpectedIdentity(found: 0x68, expected: 0x6C).message(of: sensor).description
    expect(message, contains: "that is an LSM9DS1")
    expect(message, contains: "write model = lsm9ds1")
  }

  @Test
  static func `a compatible part is reported with its name and identity`() throws {
    let sensor = try require(Subject.mpu6050.sensor)
    for (identity, name) in [(0x70, "an MPU-6500"), (0x71, "an MPU-9250"), (0x98, "an ICM-20689")] as [(UInt8, String)]
    {
      let text = SensorNotice.compatiblePart(identity: identity).message(of: sensor).description
      expect(text, hasPrefix: "the part at 0x69 is " + name)
      expect(text, contains: "(identity 0x" + String(identity, radix: 16) + "), not an ", "\(text)")
    }
    let unknown = SensorNotice.compatiblePart(identity: 0x13).message(of: sensor).description
    expect(unknown, contains: "of another kind (identity 0x13)")
  }

  @Test static func `lost samples are counted in words`() throws {
    let sensor = try require(Subject.mpu6050.sensor)
    expect(SensorNotice.staysAwake.message(of: sensor).description, hasPrefix: "the sensor stays awake: ")
    expect(SensorNotice.samplesLost(1).message(of: sensor).description, equals: "1 sample was lost")
    expect(
      SensorNotice.samplesLost(4_294_967_295).message(of: sensor).description, equals: "4294967295 samples were lost")
  }

  /// Every reason, with words for it; a new case does not compile without a number in the switch.
  static let reasons: [(reason: UnknownReason, words: String)] = [
    (.notYetSampled, "no sample yet"), (.ambiguous, "between poses"), (.accelerating, "over 1.4 g"),
    (.freeFall, "under 0.6 g"), (.stale, "no recent sample"), (.fault, "sensor fault"),
  ]

  private static func place(of reason: UnknownReason) -> Int {
    switch reason {
    case .notYetSampled: 0
    case .ambiguous: 1
    case .accelerating: 2
    case .freeFall: 3
    case .stale: 4
    case .fault: 5
    }
  }

  @Test
  static func `every unknown reason has its own words, in plain language`() {
    expect(Set(Self.reasons.map { Self.place(of: $0.reason) }), equals: Set(0...5))
    for (reason, words) in Self.reasons {
      let text = reason.message.description
      expect(text, contains: words)
      expect(text, lacks: "second", "what counts as too long depends on the rate: \(text)")
    }
  }
}
