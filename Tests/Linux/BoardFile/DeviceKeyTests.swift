import BoardFile
import FixedPoint
import Foundation
import HAL
import Orientation
import Sensors
import TestSupport
import Testing

/// A sensor that a driver of the kernel runs: `part = iio`.
struct DeviceKeyTests {
  private static let lines =
    "[lines]\nchip = emulated\nportrait = 4\nportraitUpsideDown = 5\nlandscapeLeft = 6\nlandscapeRight = 7\n"
    + "faceUp = 8\nfaceDown = 9\n"

  private static func board(_ sensor: String, _ rest: String = "", before: String = "") throws -> BoardDescription {
    try BoardDescription.parse(Array("\(before)[sensor]\n\(sensor)\n\(Self.lines)\(rest)".utf8).span)
  }

  private static func error(_ sensor: String, _ rest: String = "", before: String = "") -> String {
    do {
      _ = try board(sensor, rest, before: before)
      return "none"
    } catch { return "\(error)" }
  }

  @Test static func `part and device are all that a sensor of the kernel needs`() throws {
    for order in ["part = iio\ndevice = bmi160", "device = bmi160\npart = iio"] {
      let board = try board(order)
      expect(board.bus, equals: .iio)
      expect(board.busName, equals: "iio:bmi160")
      expect(board.sensor.device, equals: .init(name: "bmi160"))
      expect(board.sensor.modelName.description, equals: "iio")
      expect(board.sensor.place.words, equals: "IIO device bmi160")
      expect(that: board.sensor.configuration.usesGyroscope, "used if there is one")
      expect(board.sensor.rate, equals: UpdateRate("100"))
    }
  }

  @Test static func `rate, mounting and calibration apply as with any sensor`() throws {
    let board = try board(
      "rate = 50\nmounting = -y +x +z\npart = iio\ndevice = iio:device0\noffset = 0 0 0.1\nscale = 1 1 1.01\n"
        + "gyroscope-bias = 1 2 3\ngyroscope-scale = 1 1 1")
    expect(board.sensor.rate, equals: UpdateRate("50"))
    expect(board.sensor.mounting, isNot: .aligned)
    expect(board.sensor.device?.name, equals: "iio:device0")
  }

  @Test static func `fusion in the file needs a gyroscope, and a time constant wants none`() throws {
    try expect(
      board("part = iio\ndevice = a", "[filter]\ngravity = fusion\n").sensor.device?.needsGyroscope, equals: true)
    let plain = try board("part = iio\ndevice = a", "[filter]\ntime-constant = 0.5\n")
    expect(plain.sensor.device?.needsGyroscope, equals: false)
    expect(that: !plain.sensor.configuration.usesGyroscope)
  }

  @Test(arguments: [
    ("part = spi\ndevice = a", "invalid part"), ("part = iio", "missing key \"device\""),
    ("device = a", "missing section [i2c]"),
    ("part = iio\ndevice = a b", "device"), ("part = iio\ndevice = " + String(repeating: "a", count: 32), "device"),
    ("part = iio\ndevice = a\nmodel = adxl345", "\"model\" in [sensor] does not apply with part = iio"),
    ("model = adxl345\npart = iio\ndevice = a", "part"), ("part = iio\ndevice = a\naddress = 0x53", "address"),
    ("part = iio\ndevice = a\nrange = 4", "range"), ("part = iio\ndevice = a\nbatch = 4", "batch"),
    ("part = iio\ndevice = a\ndata-ready = 26", "data-ready"), ("part = iio\ndevice = a\nrate = 2000", "rate"),
    ("part = iio\ndevice = a\nunverified-parts = yes", "unverified-parts"),
    ("range = 4\npart = iio\ndevice = a", "range"), ("model = adxl345\naddress = 0x53\ndevice = a", "device"),
    ("part = iio\ndevice = a\ngyroscope-range = 250", "gyroscope-range"),
  ])
  static func `what does not belong together is an error that names the key`(_ sensor: String, _ words: String) {
    let text = error(sensor)
    expect(text, contains: words.replacingOccurrences(of: "invalid ", with: ""))
    expect(text, isNot: "none")
  }

  @Test static func `a bus, an emulation and sleep do not go with it`() {
    let sensor = "part = iio\ndevice = a"
    let words = "\"bus\" in [i2c] does not apply with part = iio"
    expect(error(sensor, before: "[i2c]\nbus = /dev/i2c-1\n"), contains: words)
    expect(error(sensor, "[i2c]\nbus = /dev/i2c-1\n"), contains: words)
    expect(error(sensor, "[emulation]\nseed = 1\n"), contains: "[emulation]")
    expect(error(sensor, "[power]\nstill = 30\n"), contains: "\"still\" in [power] does not apply with part = iio")
  }

  @Test static func `taps and vibration are found in its samples`() throws {
    let board = try board("part = iio\ndevice = a", "[taps]\nthreshold = 3\n")
    expect(board.taps, isNot: nil)
    expect(that: !board.sensorFindsKnocks)
  }
}
