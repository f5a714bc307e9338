import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// How drivers watch for movement: bytes on the wire, and each bit of what they read.
struct WatchedMovementTests {
  /// What a check finds: nil for a part that has lost its configuration.
  private static func verdict(_ body: () throws(SensorError) -> Bool) -> Bool? {
    do throws(SensorError) { return try body() } catch {
      expect(error, equals: .configurationLost)
      return nil
    }
  }

  /// `bytes` with each single bit changed, and whether it is at one of `places`.
  private static func changed(_ bytes: [UInt8], at places: [Int]) -> [(bytes: [UInt8], place: Int, bit: UInt8)] {
    places.flatMap { place in
      (0..<8 as Range<UInt8>).map { bit in
        var other = bytes
        other[place] ^= 1 << bit
        return (other, place, bit)
      }
    }
  }

  @Test(arguments: [false, true])
  static func `an ADXL345 is set to watch with exactly these bytes`(_ mapsData: Bool) throws {
    let map: UInt8 = mapsData ? 0x10 : 0x00
    let script = BusScript(
      [
        .write([0x2D, 0x00], to: ADXL345.address), .write([0x2E, 0x00], to: ADXL345.address),
        // 125 mg, on each axis, from the force at the beginning.
        .write([0x24, 0x02, 0x00, 0x00, 0xF0], to: ADXL345.address), .write([0x2F, map], to: ADXL345.address),
        .write([0x38, 0x00], to: ADXL345.address),
        .writeRead([0x24], reply: [0x02, 0x00, 0x00, 0xF0], at: ADXL345.address),
        .writeRead([0x2F], reply: [map], at: ADXL345.address), .writeRead([0x38], reply: [0x00], at: ADXL345.address),
        .writeRead([0x30], reply: [0xFF], at: ADXL345.address), .write([0x2E, 0x10], to: ADXL345.address),
        .writeRead([0x2E], reply: [0x10], at: ADXL345.address), .write([0x2D, 0x0C], to: ADXL345.address),
        .writeRead([0x2D], reply: [0x0C], at: ADXL345.address),
      ])
    let interrupts = ADXL345.Interrupts(onInterrupt2: mapsData ? .dataReady : .freeFall)
    var driver = ADXL345.Device(
      bus: ScriptedBus(script), configuration: ADXL345.Configuration(interrupts: interrupts))
    expect(that: driver.canWatchForMovement)
    expect(driver.movementThreshold, equals: Q16(raw: 8_192))
    try expect(driver.watchForMovement(), equals: .milliseconds(150))
    try expect(driver.watchForMovement(), equals: nil)
    expect(script.mismatches, equals: [])
    expect(script.leftovers, equals: [])
    // Until it is started again, it has no samples.
    expect(verdict { () throws(SensorError) in try driver.sample() == .zero }, equals: nil)
  }

  @Test static func `an ADXL345 has moved if it says so, or by more than 32 counts on an axis`() throws {
    let still: [UInt8] = [0x0C, 0x10, 0x00, 0x00, 0x0B, 0x10, 0x00, 0x20, 0xFF, 0x00, 0x01]
    var replies: [(bytes: [UInt8], expected: Bool?)] = [(still, false)]
    replies += changed(still, at: [0, 1, 2, 4]).map { ($0.bytes, nil) }
    replies += changed(still, at: [3]).map { ($0.bytes, $0.bit == 4) }
    for (axis, count) in [(5, 16), (7, -224), (9, 256)] {
      for (step, hasMoved) in [(32, false), (-32, false), (33, true), (-33, true)] {
        var bytes = still
        let word = UInt16(bitPattern: Int16(count + step))
        (bytes[axis], bytes[axis + 1]) = (UInt8(word & 0xFF), UInt8(word >> 8))
        replies.append((bytes, hasMoved))
      }
    }
    let script = BusScript(replies.map { .writeRead([0x2D], reply: $0.bytes, at: ADXL345.address) })
    var driver = ADXL345.Device(bus: ScriptedBus(script))
    let force = Vector3(x: Q16(raw: 16 * 256), y: Q16(raw: -224 * 256), z: Q16(raw: 256 * 256))
    for (bytes, expected) in replies {
      expect(verdict { () throws(SensorError) in try driver.hasMoved(from: force) }, equals: expected, "\(bytes)")
    }
    expect(script.mismatches, equals: [])
    expect(script.leftovers, equals: [])
  }

  @Test static func `an MPU-6050 has moved if it says so, or by more than 128 mg on an axis`() throws {
    let still: [UInt8] = [0x28, 0x40, 0x00, 0x00, 0x00, 0x64, 0xFF, 0x38, 0x20, 0x00]
    var replies: [(bytes: [UInt8], expected: Bool?)] = [(still, false)]
    replies += changed(still, at: [0, 1]).map { ($0.bytes, nil) }
    replies += changed(still, at: [2, 3]).map { ($0.bytes, $0.place == 3 && $0.bit == 6) }
    for (axis, count) in [(4, 100), (6, -200), (8, 8_192)] {
      // A count is 8 units: 1048 are 8384, 1049 are 8392, and the limit is 8389.
      for (step, hasMoved) in [(1_048, false), (-1_048, false), (1_049, true), (-1_049, true)] {
        var bytes = still
        let word = UInt16(bitPattern: Int16(count + step))
        (bytes[axis], bytes[axis + 1]) = (UInt8(word >> 8), UInt8(word & 0xFF))
        replies.append((bytes, hasMoved))
      }
    }
    var rig = MPU6050Script(
      MPU6050Script.start + MPU6050WatchTests.first + MPU6050WatchTests.second
        + replies.map { MPU6050Script.read(0x37, $0.bytes) })
    try rig.driver.startWholly()
    let force = Vector3(x: Q16(raw: 800), y: Q16(raw: -1_600), z: .one)
    let early = verdict { () throws(SensorError) in try rig.driver.hasMoved(from: force) }
    expect(early, equals: nil)
    expect(rig.driver.movementThreshold.raw, equals: 8_389)
    while try rig.driver.watchForMovement() != nil {}
    for (bytes, expected) in replies {
      expect(verdict { () throws(SensorError) in try rig.driver.hasMoved(from: force) }, equals: expected, "\(bytes)")
    }
    expect(verdict { () throws(SensorError) in try rig.driver.sample() == .zero }, equals: nil)
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `an LIS3DH has moved if it says so, or by more than 128 mg on an axis`() throws {
    let still: [UInt8] = [0x2A, 0x00, 0x08, 0x00]
    let data: [Int] = [10, -20, 900]
    func words(_ milliG: [Int]) -> [UInt8] {
      milliG.flatMap { value in
        let word = UInt16(bitPattern: Int16(value * 16))
        return [UInt8(word & 0xFF), UInt8(word >> 8)]
      }
    }
    var replies: [(bytes: [UInt8], data: [Int]?, expected: Bool?)] = [(still, data, false)]
    replies += changed(still, at: [0, 2, 3]).map { ($0.bytes, nil, nil) }
    replies += changed(still, at: [1]).map { ($0.bytes, $0.bit == 6 ? nil : data, $0.bit == 6) }
    for axis in 0..<3 {
      for (step, hasMoved) in [(128, false), (-128, false), (129, true), (-129, true)] {
        var other = data
        other[axis] += step
        replies.append((still, other, hasMoved))
      }
    }
    let script = BusScript(
      replies.flatMap { reply in
        [BusScript.Step.writeRead([0xB0], reply: reply.bytes, at: LIS3DH.address)]
          + (reply.data.map { [.writeRead([0xA8], reply: words($0), at: LIS3DH.address)] } ?? [])
      })
    var driver = LIS3DH.Device(bus: ScriptedBus(script))
    func q16(_ milliG: Int) -> Q16 { Q16(raw: Int32((Double(milliG) * 65.536).rounded())) }
    let force = Vector3(x: q16(10), y: q16(-20), z: q16(900))
    for (bytes, data, expected) in replies {
      let found = verdict { () throws(SensorError) in try driver.hasMoved(from: force) }
      expect(found, equals: expected, "\(bytes), \(String(describing: data))")
    }
    expect(script.mismatches, equals: [])
    expect(script.leftovers, equals: [])
    expect(that: driver.canWatchForMovement)
    expect(driver.movementThreshold.raw, equals: 8_389)
  }
}
