import Emulation
import FixedPoint
import HAL
import Sensors
import TestSupport
import Testing

/// How the driver interprets each byte count of the FIFO, which holds 1024 bytes, in records of six bytes.
struct MPU6050FIFOLevelTests {
  typealias Wire = MPU6050FIFOWireTests

  @Test static func `each byte count gives the whole records, and restarts the FIFO if three more would fill it`()
    throws
  {
    // Each count follows one that leaves records and one that leaves none, both in one script.
    let counts = (0...1_030).flatMap { (count: Int) -> [Int] in
      let few = count % 2 == 0 ? 6 : 5
      return [count, count % 7 == 0 ? 1_024 : few, count]
    }
    var (steps, expected, isGap): ([BusScript.Step], [WaitingSamples], Bool) = ([], [], true)
    for bytes in counts {
      let isFull = bytes + 3 * 6 >= 1_024
      steps.append(Wire.count(bytes))
      if isFull { steps += Wire.start }
      // A part without waiting records may be asleep.
      if isFull || bytes < 6 { steps.append(Wire.watched(0)) }
      isGap = isGap || isFull
      expected.append(WaitingSamples(count: isFull ? 0 : bytes / 6, followsGap: isGap))
      if !isFull && bytes >= 6 { isGap = false }
    }
    var rig = try Wire.started(steps)
    for (bytes, expected) in zip(counts, expected) {
      let found = try rig.driver.waiting()
      if found != expected { Issue.record("\(bytes): \(found) for \(expected)") }
    }
    expect(rig.script.complaints, equals: [])
  }

  @Test static func `the requested number of records is read, or as many as fit, in bursts as long as allowed`() throws
  {
    for longest in [0, 5, 6, 11, 12, 13, 29, 30, 31, 59, 60, 239, 240, 241, 255] as [UInt8] {
      let most = max(1, min(240, Int(longest)) / 6)
      let takes = [0, 1, 2, 5, 6, 39, 40, 41, 64].flatMap { [(count: $0, room: 64), (count: $0, room: 5)] }
      var steps: [BusScript.Step] = []
      for take in takes where take.count > 0 {
        let records = min(take.count, take.room)
        for first in stride(from: 0, to: records, by: most) {
          steps.append(Wire.records(first..<min(records, first + most)))
        }
        steps.append(Wire.watched(0))
      }
      var rig = try Wire.started(steps, MPU6050.FIFO(longestBurst: longest))
      for take in takes {
        var batch = SampleBatch()
        let old = SampleBatch.capacity - take.room
        for _ in 0..<old { batch.append(Measurement(force: .one)) }
        try rig.driver.take(take.count, into: &batch)
        let forces = (0..<SampleBatch.capacity).map { batch[$0]?.force }
        let fresh = (0..<min(take.count, take.room)).map { Wire.force($0) }
        let expected = Array(repeating: Vector3.one, count: old) + fresh
        if forces.compactMap({ $0 }) != expected { Issue.record("\(longest), \(take): \(batch.count)") }
      }
      expect(rig.script.complaints, equals: [])
    }
  }

  @Test static func `a batch is kept unless bit 4 of INT_STATUS shows that the FIFO overflowed meanwhile`() throws {
    for status in UInt8.min...UInt8.max {
      let isSpoilt = status & 0x10 != 0
      let next = isSpoilt ? Wire.start + [Wire.watched(0)] : [Wire.count(6)]
      var rig = try Wire.started([Wire.count(12), Wire.records(0..<2), Wire.watched(status)] + next)
      var batch = SampleBatch()
      batch.append(Measurement(force: .one))
      try rig.driver.take(try rig.driver.waiting().count, into: &batch)
      let found = try rig.driver.waiting()
      let expected = isSpoilt ? WaitingSamples(count: 0, followsGap: true) : WaitingSamples(count: 1)
      if batch.count != (isSpoilt ? 1 : 3) || batch[0]?.force != .one || found != expected
        || rig.script.complaints != []
      {
        Issue.record("\(status): \(batch.count), \(found), \(rig.script.complaints)")
      }
    }
  }
}

extension Vector3 {
  /// A value that no record of a script has.
  fileprivate static var one: Vector3 { Vector3(x: .one, y: .one, z: .one) }
}
