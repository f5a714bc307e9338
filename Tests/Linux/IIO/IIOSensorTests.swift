import Emulation
import FixedPoint
import Foundation
import HAL
import IIO
import Monitor
import Orientation
import Sensors
import TestSupport
import Testing
import Text

/// 0.01 g a count, in Q16.16.
private func hundredths(_ counts: Int32) -> Int32 { Int32((Double(counts) * 655.36).rounded()) }

/// A clock that shows `microseconds`.
private func started(at microseconds: Int64) -> VirtualClock {
  let clock = VirtualClock(startingAt: Instant(microseconds: microseconds))
  return clock
}

struct IIOSensorTests {
  private static func sensor(
    _ made: MadeUpTree, name: String = "bmi160", hertz: Int32 = 100, usesGyroscope: Bool = false
  ) throws -> IIOSensor {
    try IIOSensor(
      named: ShortText(cutting: name), millihertz: hertz * 1_000, usesGyroscope: usesGyroscope, in: made.tree)
  }

  /// A tree with an accelerometer and its buffer.
  private static func withBuffer(_ body: (MadeUpTree) throws -> Void) throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      try made.addAccelerometer()
      try made.addBuffer()
      try body(made)
    }
  }

  private static func drain(_ sensor: inout IIOSensor, _ clock: VirtualClock) throws -> [BatchElement] {
    _ = try sensor.collect(by: clock)
    var elements: [BatchElement] = []
    while let element = sensor.next() { elements.append(element) }
    return elements
  }

  private static func isClose(_ a: Vector3, _ x: Int32, _ y: Int32, _ z: Int32) -> Bool {
    abs(a.x.raw - hundredths(x)) <= 1 && abs(a.y.raw - hundredths(y)) <= 1 && abs(a.z.raw - hundredths(z)) <= 1
  }

  @Test static func `records of a buffer become samples of one instant, at the time stamps of the kernel`() throws {
    try withBuffer { made in
      let clock = started(at: 5_000_000)
      var sensor = try sensor(made)
      let settling = try sensor.start()
      expect(settling.count, isAbove: 0)
      expect(settling.count, isAtMost: 200_000)
      expect(that: sensor.isBatching)
      expect(sensor.notice, equals: nil)
      try made.send(record(1, -2, 100, at: 4_980_000) + record(3, 4, -100, at: 4_990_123))
      let elements = try drain(&sensor, clock)
      guard elements.count == 2, case .sample(let first, let at) = elements[0],
        case .sample(let second, let later) = elements[1]
      else {
        Issue.record("\(elements)")
        return
      }
      expect(that: isClose(first.force, 1, -2, 100))
      expect(that: isClose(second.force, 3, 4, -100))
      expect(first.rotation, equals: nil)
      expect((at.microseconds, later.microseconds), equals: (4_980_000, 4_990_123))
      try expect(empty: drain(&sensor, clock))
    }
  }

  @Test static func `a start sets the device up, and the end makes everything as before, with the buffer off`() throws {
    try withBuffer { made in
      try made.addElement(0, "in_temp", 5, "le:s16/16>>0", isOn: true)
      do {
        var sensor = try sensor(made, hertz: 90)
        _ = try sensor.start()
        for axis in ["x", "y", "z"] { expect(made.says("scan_elements/in_accel_\(axis)_en"), equals: "1") }
        expect(made.says("scan_elements/in_timestamp_en"), equals: "1")
        expect(made.says("scan_elements/in_temp_en"), equals: "0")
        expect(made.says("buffer/enable"), equals: "1")
        expect(made.says("buffer/length"), equals: "128")
        expect(made.says("trigger/current_trigger"), equals: "bmi160-dev0")
        expect(made.says("current_timestamp_clock"), equals: "monotonic")
        expect(made.says("sampling_frequency"), equals: "100.000000")
        try sensor.verifyConfiguration()
      }
      for axis in ["x", "y", "z"] { expect(made.says("scan_elements/in_accel_\(axis)_en"), equals: "0") }
      expect(made.says("scan_elements/in_timestamp_en"), equals: "0")
      expect(made.says("scan_elements/in_temp_en"), equals: "1")
      expect(made.says("buffer/enable"), equals: "0")
      expect(made.says("buffer/length"), equals: "2")
      expect(made.says("trigger/current_trigger"), equals: "")
      expect(made.says("current_timestamp_clock"), equals: "realtime")
      expect(made.says("sampling_frequency"), equals: "25.000000")
    }
  }

  @Test static func `without a trigger of its own the device gets a timer, which goes at the end`() throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      try made.addAccelerometer()
      try made.addBuffer()
      // The kernel makes a trigger as soon as the folder is there.
      try made.write("plumb0", to: "sys/bus/iio/devices/trigger0/name")
      try made.write("10", to: "sys/bus/iio/devices/trigger0/sampling_frequency")
      let timer = "\(folder)/sys/kernel/config/iio/triggers/hrtimer/plumb0"
      do {
        var sensor = try sensor(made)
        _ = try sensor.start()
        expect(sensor.isBatching, equals: true)
        expect(that: FileManager.default.fileExists(atPath: timer))
        expect(made.text("sys/bus/iio/devices/trigger0/sampling_frequency"), equals: "100")
        expect(made.says("trigger/current_trigger"), equals: "plumb0")
      }
      expect(made.says("trigger/current_trigger"), equals: "")
      expect(that: !FileManager.default.fileExists(atPath: timer))
    }
  }

  @Test static func `a trigger that is set is kept`() throws {
    try withBuffer { made in
      try made.describe(["trigger/current_trigger": "mine"])
      do {
        var sensor = try sensor(made)
        _ = try sensor.start()
        expect(sensor.isBatching, equals: true)
      }
      expect(made.says("trigger/current_trigger"), equals: "mine")
    }
  }

  @Test static func `without any trigger, or any buffer, axes are read one after the other, with a notice`() throws {
    for hasBuffer in [false, true] {
      try withShortFolder { folder in
        let made = try MadeUpTree(folder)
        try made.addAccelerometer()
        if hasBuffer {
          try made.addBuffer()
          try made.remove("sys/bus/iio/devices/trigger0")
        }
        var sensor = try sensor(made)
        _ = try sensor.start()
        expect(that: !sensor.isBatching)
        expect(sensor.notice, equals: .axesApart)
        let force = try sensor.measure().force
        expect(that: isClose(force, 1, -2, 100))
        expect(sensor.transactions, equals: 3)
        try made.describe(["in_accel_y_raw": "7up"])
        expect(throws: SensorError.bus(.unsupported)) { try sensor.measure() }
        try made.describe(["in_accel_y_raw": "-99999999999999999"])
        try expect(sensor.measure().force.y.raw, equals: Int32.min)
        try made.remove(MadeUpTree.folder(0) + "/in_accel_y_raw")
        expect(throws: SensorError.bus(.unavailable)) { try sensor.measure() }
        try made.addAccelerometer()
        _ = try sensor.start()
        expect(that: isClose(try sensor.measure().force, 1, -2, 100))
      }
    }
  }

  @Test(
    arguments: [
      ("le:s16/16>>0", [[100, 0], [0x9C, 0xFF], [1, 0]]), ("be:s16/16>>0", [[0, 100], [0xFF, 0x9C], [0, 1]]),
      ("le:s12/16>>4", [[0x4F, 0x06], [0xCF, 0xF9], [0x1F, 0x00]]),
      ("be:s12/16>>4", [[0x06, 0x4F], [0xF9, 0xCF], [0x00, 0x1F]]),
      ("le:s32/32>>0", [[100, 0, 0, 0], [0x9C, 0xFF, 0xFF, 0xFF], [1, 0, 0, 0]]),
      ("be:s24/32>>8", [[0, 0, 100, 9], [0xFF, 0xFF, 0x9C, 9], [0, 0, 1, 9]]), ("le:s8/8>>0", [[100], [0x9C], [1]]),
      (
        "le:s64/64>>0",
        [[100, 0, 0, 0, 0, 0, 0, 0], [0x9C] + [UInt8](repeating: 0xFF, count: 7), [1, 0, 0, 0, 0, 0, 0, 0]]
      ),
    ] as [(String, [[UInt8]])])
  static func `axes in any format have the force that the scale gives them`(_ type: String, _ axes: [[UInt8]]) throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      try made.addAccelerometer()
      try made.addBuffer(type: type)
      let clock = started(at: 5_000_000)
      var sensor = try sensor(made)
      _ = try sensor.start()
      var bytes = axes.flatMap(\.self)
      while bytes.count % 8 != 0 { bytes.append(0xEE) }
      try made.send(bytes + little(Int64(4_999_000_000)))
      guard case .sample(let measured, let at) = try drain(&sensor, clock).first else {
        Issue.record("no sample")
        return
      }
      expect(that: isClose(measured.force, 100, -100, 1), "\(measured)")
      expect(at.microseconds, equals: 4_999_000)
    }
  }

  @Test static func `a gyroscope of the device gives the rate of rotation, in its own format`() throws {
    try withBuffer { made in
      try made.addGyroscope()
      let clock = started(at: 5_000_000)
      var sensor = try sensor(made, usesGyroscope: true)
      _ = try sensor.start()
      // 32767 · 0.001 rad/s.
      expect(abs((sensor.rotationFullScale?.raw ?? 0) - Int32(32.767 * 57.295_779_513 * 65_536)), isAtMost: 2)
      let axes = little(Int16(0)) + little(Int16(0)) + little(Int16(100)) + [0x03, 0xE8, 0xFC, 0x18, 0, 0]
      try made.send(axes + [0, 0, 0, 0] + little(Int64(4_999_000_000)))
      guard case .sample(let measured, _) = try drain(&sensor, clock).first, let rotation = measured.rotation else {
        Issue.record("no rotation")
        return
      }
      let radian = Int32((57.295_779_513 * 65_536).rounded())
      expect(abs(rotation.x.raw - radian), isAtMost: 1)
      expect(abs(rotation.y.raw + radian), isAtMost: 1)
      expect(rotation.z, equals: .zero)
      expect(that: isClose(measured.force, 0, 0, 100))
    }
  }

  @Test static func `offset and mount matrix are those that the kernel says`() throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      try made.addAccelerometer()
      try made.describe([
        "in_accel_x_offset": "-10.5", "in_accel_mount_matrix": "0, 1, 0; -1, 0, 0; 0, 0, 1",
      ])
      var sensor = try sensor(made)
      _ = try sensor.start()
      // (1 - 10.5, -2, 100): x' = y, y' = -x.
      let force = try sensor.measure().force
      expect(abs(force.x.raw - hundredths(-2)), isAtMost: 1)
      expect(abs(force.y.raw - Int32((9.5 * 655.36).rounded())), isAtMost: 2)
      expect(abs(force.z.raw - hundredths(100)), isAtMost: 1)
    }
  }

  @Test(arguments: [Int64.max / 1_000, 0, -5, 5_000_001, 1_700_000_000_000_000, -9_000_000_000_000_000])
  static func `a time stamp that cannot be is replaced by the time of the read`(_ microseconds: Int64) throws {
    try withBuffer { made in
      let clock = started(at: 50_000_000)
      var sensor = try sensor(made)
      _ = try sensor.start()
      try made.send(record(0, 0, 100, at: microseconds) + record(0, 0, 100, at: 49_999_000))
      var last = Int64.min
      for element in try drain(&sensor, clock) {
        guard case .sample(_, let at) = element else { continue }
        expect(at.microseconds, isAbove: last)
        expect(at.microseconds, isAtLeast: 49_900_000)
        expect(at.microseconds, isAtMost: 50_000_000)
        last = at.microseconds
      }
      expect(last, isAbove: 0)
    }
  }

  @Test static func `samples that the kernel dropped are reported as lost`() throws {
    try withBuffer { made in
      let clock = started(at: 50_000_000)
      var sensor = try sensor(made)
      _ = try sensor.start()
      try made.send(record(0, 0, 100, at: 49_800_000) + record(0, 0, 100, at: 49_900_000))
      let elements = try drain(&sensor, clock)
      expect(elements.count, equals: 3)
      expect(elements.dropFirst().first, equals: .lost(9, at: Instant(microseconds: 49_890_000)))
    }
  }

  @Test static func `part of a record is a fault, and a start begins anew`() throws {
    try withBuffer { made in
      let clock = started(at: 50_000_000)
      var sensor = try sensor(made)
      _ = try sensor.start()
      try made.send([1, 2, 3])
      expect(throws: SensorError.bus(.shortRead(expected: 16, received: 3))) { try sensor.collect(by: clock) }
      _ = try sensor.start()
      try expect(empty: drain(&sensor, clock))
    }
  }

  @Test static func `a buffer that brings nothing for a second is a fault`() throws {
    try withBuffer { made in
      let clock = started(at: 50_000_000)
      var sensor = try sensor(made)
      _ = try sensor.start()
      for _ in 0..<100 {
        try expect(empty: drain(&sensor, clock))
        clock.advance(by: .milliseconds(10))
      }
      expect(throws: SensorError.bus(.timedOut)) { try sensor.collect(by: clock) }
    }
  }

  @Test static func `a buffer that is switched off, and a scale that changes, are detected`() throws {
    try withBuffer { made in
      var sensor = try sensor(made)
      _ = try sensor.start()
      try sensor.verifyConfiguration()
      try made.describe(["buffer/enable": "0"])
      expect(throws: SensorError.configurationLost) { try sensor.verifyConfiguration() }
      _ = try sensor.start()
      try made.describe(["in_accel_scale": "0.2"])
      expect(throws: SensorError.configurationLost) { try sensor.verifyConfiguration() }
      try made.describe(["in_accel_scale": "absurd"])
      expect(throws: SensorError.configurationLost) { try sensor.verifyConfiguration() }
      expect(throws: SensorError.bus(.unsupported)) { try sensor.start() }
      try made.describe(["in_accel_scale": "0.0980665"])
      _ = try sensor.start()
      try sensor.verifyConfiguration()
    }
  }

  @Test static func `more elements than fit in a record leave sysfs`() throws {
    try withShortFolder { folder in
      let made = try MadeUpTree(folder)
      try made.addAccelerometer()
      try made.addBuffer(type: "le:s16/16X16>>0")
      for index in 0..<70 { try made.addElement(0, "in_voltage\(index)", 10 + index, "le:u64/64>>0") }
      var sensor = try sensor(made)
      _ = try sensor.start()
      expect(that: !sensor.isBatching)
      expect(sensor.notice, equals: .axesApart)
    }
  }

  @Test static func `a loop shows poses, survives that the device goes, and finds it again under another number`()
    throws
  {
    try withBuffer { made in
      let clock = started(at: 50_000_000)
      let device = try sensor(made)
      let sensor = try SensorOrDevice<ADXL345.Device<EmulatedBus>>(device)
      let configuration = Monitor.Configuration(period: .milliseconds(10), fullScale: Q16(whole: 16))
      var loop = Loop(
        sensor: sensor, bank: RecordingOutputBank { clock.now }, clock: clock, configuration: configuration)
      var poses: [Pose] = []
      var faults = 0
      var noise: Int16 = 0
      func run(seconds: Int64, _ x: Int16, _ y: Int16, _ z: Int16, isConnected: Bool) throws {
        let end = clock.now + .seconds(seconds)
        var sent = clock.now
        while clock.now < end {
          while isConnected, sent <= clock.now {
            noise = (noise + 1) % 3
            try made.send(record(x + noise, y, z - noise, at: sent.microseconds))
            sent = sent + .milliseconds(10)
          }
          guard let seen = try loop.turn() else { continue }
          for index in 0..<seen.events.count {
            switch seen.events[index]?.event {
            case .pose(_, let pose, _): poses.append(pose)
            case .trouble: faults += 1
            default: break
            }
          }
        }
      }
      try run(seconds: 3, 0, 0, 100, isConnected: true)
      expect(poses, equals: [.faceUp])
      expect(faults, equals: 0)
      try made.unplug()
      try run(seconds: 3, 0, 0, 100, isConnected: false)
      expect(faults, isAbove: 0)
      expect(loop.monitor.state, equals: .unknown(.fault))
      try made.addAccelerometer(4)
      try made.addBuffer(4)
      try made.write("bmi160-dev4", to: "sys/bus/iio/devices/trigger0/name")
      try run(seconds: 4, 0, 100, 0, isConnected: true)
      expect(poses.last, equals: .portrait)
      expect(made.says("buffer/enable", 4), equals: "1")
    }
  }
}
