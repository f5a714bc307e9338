import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// The bytes on the wire for each operation.
struct LIS3DHWireTests {
  private static let address = LIS3DH.address

  private static func write(_ bytes: UInt8...) -> BusScript.Step { .write(bytes, to: address) }
  private static func read(_ register: UInt8, _ reply: [UInt8]) -> BusScript.Step {
    .writeRead([register], reply: reply, at: address)
  }

  /// A start that writes `control` to CTRL_REG1 to CTRL_REG6 and `fifo` to FIFO_CTRL.
  private static func start(_ control: [UInt8], fifo: UInt8 = 0) -> [BusScript.Step] {
    [read(0x0F, [0x33])] + prepare(control)
      + (fifo == 0 ? [] : [write(0x2E, fifo)]) + [write(0x20, control[0])]
      + [read(0xA0, control), read(0x2E, [fifo]), read(0xBE, [0, 0])]
  }

  private static func prepare(_ control: [UInt8]) -> [BusScript.Step] {
    [
      write(0x20, 0x07), write(0x2E, 0x00), write(0xBE, 0x00, 0x00),
      .write([0xA1] + control[1...], to: address), read(0xA6, [0x55, 0xFF, 1, 2, 3, 4, 5, 6]),
    ]
  }

  private static func run(
    _ steps: [BusScript.Step], _ configuration: LIS3DH.Configuration = LIS3DH.Configuration(),
    _ body: (inout LIS3DH.Device<ScriptedBus>) throws(SensorError) -> Void
  ) {
    let script = BusScript(steps)
    var driver = LIS3DH.Device(bus: ScriptedBus(script), configuration: configuration)
    expect(sensorError { () throws(SensorError) in try body(&driver) }, equals: nil)
    expect(script.mismatches, equals: [])
    expect(script.leftovers, equals: [])
    expect(driver.transactions, equals: UInt64(steps.count))
  }

  @Test static func `start writes exactly these bytes and returns the turn-on time`() {
    run(Self.start([0x57, 0, 0, 0x98, 0, 0])) { driver throws(SensorError) in
      try expect(driver.start(), equals: .milliseconds(80))
    }
    let configuration = LIS3DH.Configuration(
      rate: .hz400, range: .g16, resolution: .normal, fifo: .stream(watermark: .init(nearest: 25)),
      interrupts: .init(signalsDataReady: true, isActiveLow: true))
    run(Self.start([0x77, 0, 0x10, 0xB0, 0x40, 0x02], fifo: 0x99), configuration) { driver throws(SensorError) in
      try expect(driver.start(), equals: Microseconds(2 * 2_500 + 1_600))
    }
  }

  @Test static func `a sample is one burst and a read of STATUS, and a second burst if a sample arrived meanwhile`() {
    let (control, start) = ([0x57, 0, 0, 0x98, 0, 0] as [UInt8], Self.start([0x57, 0, 0, 0x98, 0, 0]))
    let old = Self.read(0xA0, control + [0, 0x0F, 0xF0, 0x7F, 0, 0, 0, 0])
    let new = Self.read(0xA0, control + [0, 0x0F, 0x40, 0x1F, 0xC0, 0xE0, 0x10, 0x00])
    let expected = Vector3(x: Q16(whole: 1), y: Q16(whole: -1), z: Q16(raw: 131))
    run(start + [new, Self.read(0x27, [0x00])]) { driver throws(SensorError) in
      _ = try driver.start()
      try expect(driver.sample(), equals: expected)
    }
    for status: UInt8 in [0x01, 0x02, 0x04, 0x08, 0xFF] {
      run(start + [old, Self.read(0x27, [status]), new]) { driver throws(SensorError) in
        _ = try driver.start()
        try expect(driver.sample(), equals: expected)
      }
    }
  }

  @Test(arguments: [(0, 0x07), (0, 0x5F), (3, 0x00), (3, 0x88)] as [(Int, UInt8)])
  static func `a sample read with another CTRL_REG1 or CTRL_REG4 is rejected`(_ index: Int, _ value: UInt8) {
    var control: [UInt8] = [0x57, 0, 0, 0x98, 0, 0]
    let start = Self.start(control)
    control[index] = value
    run(start + [Self.read(0xA0, control + [0, 0, 0, 0, 0, 0, 0, 0])]) { driver throws(SensorError) in
      _ = try driver.start()
      expect(sensorError { () throws(SensorError) in _ = try driver.sample() }, equals: .configurationLost)
    }
  }

  @Test static func `unsettled sets are discarded, and a batch is one burst and a read of FIFO_SRC`() {
    let control: [UInt8] = [0x57, 0, 0, 0x98, 0x40, 0]
    let configuration = LIS3DH.Configuration(fifo: .stream(watermark: .init(nearest: 3)))
    let sets: [UInt8] = [0x40, 0x1F, 0, 0, 0, 0, 0, 0, 0x40, 0x1F, 0, 0]
    run(
      Self.start(control, fifo: 0x83) + [
        Self.read(0xAE, [0x83, 0x84]), Self.read(0xA8, [UInt8](repeating: 9, count: 24)),
        Self.read(0xAE, [0x83, 0x20]),
        Self.read(0xAE, [0x83, 0x85]), Self.read(0xA8, [UInt8](repeating: 9, count: 18)),
        Self.read(0xAE, [0x83, 0x02]),
        Self.read(0xA0, control + [0, 0] + sets), Self.read(0xAE, [0x83, 0x20]),
      ], configuration
    ) { driver throws(SensorError) in
      _ = try driver.start()
      try expect(driver.waiting(), equals: WaitingSamples(count: 0))
      try expect(driver.waiting(), equals: WaitingSamples(count: 2))
      var batch = SampleBatch()
      try driver.take(2, into: &batch)
      expect(batch.count, equals: 2)
      expect(batch[0]?.force, equals: Vector3(x: Q16(whole: 1), y: .zero, z: .zero))
      expect(batch[1]?.force, equals: Vector3(x: .zero, y: Q16(whole: 1), z: .zero))
    }
  }

  @Test static func `watching is set up with exactly these bytes, and its checks do not read REFERENCE`() {
    let start = Self.start([0x57, 0, 0, 0x98, 0, 0])
    let control: [UInt8] = [0x2F, 0x01, 0x40, 0x80, 0x08, 0x00]
    let watch =
      Self.prepare(control) + [
        Self.write(0xB2, 8, 0), Self.write(0x30, 0), Self.write(0x20, 0x2F), Self.read(0xA0, control),
        Self.read(0x2E, [0]), Self.read(0xBE, [0, 0]), Self.read(0x26, [0]), Self.write(0x30, 0x2A),
        Self.read(0xB0, [0x2A, 0x40, 8, 0]),
      ]
    let asked = [
      Self.read(0xB0, [0x2A, 0x00, 8, 0]), Self.read(0xA8, [0, 0, 0, 0, 0x00, 0x3E]),
      Self.read(0xB0, [0x2A, 0x6A, 8, 0]), Self.read(0xB0, [0x2A, 0x00, 8, 0]),
      Self.read(0xB0, [0x00, 0x00, 8, 0]),
    ]
    run(start + watch + watch + asked + start) { driver throws(SensorError) in
      _ = try driver.start()
      for _ in 0..<2 {
        try expect(driver.watchForMovement(), equals: .milliseconds(300))
        try expect(driver.watchForMovement(), equals: nil)
      }
      try expect(driver.hasMoved(from: Vector3(x: .zero, y: .zero, z: Q16(7, over: 8))), equals: false)
      try expect(that: driver.hasMoved(from: nil))
      try expect(driver.hasMoved(from: nil), equals: false)
      expect(sensorError { () throws(SensorError) in _ = try driver.hasMoved(from: nil) }, equals: .configurationLost)
      try expect(driver.wake(), equals: .milliseconds(80))
    }
  }
}
