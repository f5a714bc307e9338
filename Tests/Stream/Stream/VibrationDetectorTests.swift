import FixedPoint
import Foundation
import HAL
import JSON
import Monitor
import OpenBoard
import Orientation
import Sensors
import Stream
import TestSupport
import Testing
import Text
import Vibration

struct VibrationDetectorTests {
  /// Forces of a machine that runs from 2 s to 6 s at 24 Hz with 0.5 g, then rests until 10 s, at `rate`.
  private static func forces(_ rate: Int) -> [Vector3] {
    (0..<10 * rate).map { index in
      let second = Double(index) / Double(rate)
      let swing = second >= 2 && second < 6 ? 0.5 * sin(2 * .pi * 24 * second) : 0
      return Vector3(x: Q16(raw: Int32(swing * 65_536)), y: .zero, z: Q16(whole: 1))
    }
  }

  private static func configuration() throws -> VibrationConfiguration {
    VibrationConfiguration(
      busy: try BusyDetector.Configuration(
        busyThreshold: Q16(1, over: 10), busyTime: .seconds(2), quietTime: .seconds(3)))
  }

  /// The results of a watch with blocks of 2 · `bins` for `forces`.
  private static func watched<let bins: Int>(
    _ watch: consuming VibrationWatch<bins>, _ forces: [Vector3], _ period: Microseconds
  ) -> [VibrationSecond] {
    var seconds: [VibrationSecond] = []
    for (index, force) in forces.enumerated() {
      let now = Instant(microseconds: Int64(index) * period.count)
      if let second = watch.step(force, at: now) { seconds.append(VibrationSecond(second.report, watch.edges)) }
    }
    return seconds
  }

  private static func watched(_ bins: Int, _ forces: [Vector3], _ period: Microseconds) throws -> [VibrationSecond] {
    let configuration = try configuration()
    return switch bins {
    case 32: watched(try VibrationWatch<32>(configuration, period: period), forces, period)
    case 64: watched(try VibrationWatch<64>(configuration, period: period), forces, period)
    case 128: watched(try VibrationWatch<128>(configuration, period: period), forces, period)
    case 256: watched(try VibrationWatch<256>(configuration, period: period), forces, period)
    default: watched(try VibrationWatch<512>(configuration, period: period), forces, period)
    }
  }

  @Test(arguments: [(50, 32), (100, 64), (200, 128), (400, 256), (1_000, 512)])
  static func `a board's samples become seconds, and busy and quiet events of the monitor`(rate: Int, bins: Int) throws
  {
    let period = Microseconds(Int64(1_000_000 / rate))
    var monitor = Monitor(.recording, at: Instant(microseconds: 0))
    var vibration: VibrationDetector? = try VibrationDetector(Self.configuration(), period: period)
    let forces = Self.forces(rate)
    var seconds: [VibrationSecond] = []
    var events: [Occurrence] = []
    for (index, force) in forces.enumerated() {
      let seen = monitor.sampled(
        Measurement(force: force), at: Instant(microseconds: Int64(index) * period.count), watching: &vibration)
      if let second = seen.vibration { seconds.append(second) }
      events += seen.events.filter { $0.event.kind.group == .vibration }
      expect(seen.snapshot.isBusy, equals: events.last.map { $0.event.kind == .busy } ?? false)
    }
    let wantedSeconds = try Self.watched(bins, forces, period)
    expect(seconds.count, equals: 9)
    expect(seconds, equals: wantedSeconds)
    expect(seconds.map(\.hasBands), contains: true)
    func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }
    let wanted = [
      Occurrence(at: at(4), .busy(since: at(2))), Occurrence(at: at(9), .quiet(since: at(6))),
    ]
    expect(events, equals: wanted)
  }

  @Test static func `a step without a sample, or with a fault, adds no second`() throws {
    var monitor = Monitor(.recording, at: Instant(microseconds: 0))
    var vibration: VibrationDetector? = try VibrationDetector(VibrationConfiguration(), period: .milliseconds(10))
    let rest = Measurement(force: Vector3(x: .zero, y: .zero, z: Q16(whole: 1)))
    for index in 0...100 as ClosedRange<Int64> {
      let seen = monitor.sampled(rest, at: Instant(microseconds: index * 10_000), watching: &vibration)
      expect(seen.vibration != nil, equals: index == 100)
    }
    let failed = monitor.failed(.bus(.noAcknowledge), at: Instant(microseconds: 1_010_000))
    expect(failed.vibration, equals: nil)
    expect(failed.snapshot.isBusy, equals: false)
    expect(monitor.sampled(rest, at: Instant(microseconds: 1_020_000)).vibration, equals: nil)
  }

  @Test static func `impossible periods are rejected`() {
    for period in [0, 199, 1_000_001] as [Int64] {
      expect(throws: VibrationError.period) {
        _ = try VibrationDetector(VibrationConfiguration(), period: Microseconds(period))
      }
    }
  }

  /// For a second whose every value is as long as possible.
  @Test static func `the object of a second has its values, and fits in a line`() throws {
    let edges = [0, 1, 2, 3, 4, 5, 6, 7, 8].map { Q16(raw: 500 * 65_536 - 65_536 * (8 - $0) * 10 - 1) }
    let long = Q16(raw: .min + 1)
    let vector = Vector3(x: long, y: long, z: long)
    var second = VibrationSecond(
      at: Instant(microseconds: .max), total: long, rms: vector, peak: vector, try BandEdges(edges.span), hasBands: true
    )
    for band in 0..<8 { second.setRMS(Q16(raw: long.raw + Int32(band)), inBand: band) }
    let writer = ObjectWriter(
      start: Instant(microseconds: .min / 2), sensor: SensorPlace(.adxl345, at: ADXL345.address))
    var bytes = [UInt8](repeating: 0, count: ObjectWriter.longestLine)
    let count = unsafe bytes.withUnsafeMutableBufferPointer { line in
      unsafe ObjectWriter.line(into: line) { writer.write(second, to: &$0) }
    }
    expect(count, isAbove: 0)
    let object = try require(JSONSerialization.jsonObject(with: Data(bytes.prefix(count))) as? [String: Any])
    expect(object["event"] as? String, equals: "vibration")
    expect(object.count, equals: 7)
    let (bands, found) = (object["bands_g"] as? [Double] ?? [], object["edges_hz"] as? [Double] ?? [])
    expect(bands.count, equals: 8)
    expect(found.count, equals: 9)
    for band in 0..<8 { expect(abs(bands[band] - Double(long.raw + Int32(band)) / 65_536), isBelow: 1e-6) }
    for (index, edge) in edges.enumerated() { expect(abs(found[index] - Double(edge.raw) / 65_536), isBelow: 0.000_51) }
    expect(object["rms_g"] as? Double, equals: (object["axes_rms_g"] as? [Double])?.first)
    let plain = VibrationSecond(
      at: Instant(microseconds: 0), total: .zero, rms: .zero, peak: .zero, try BandEdges(edges.span), hasBands: false)
    expect(plain, isNot: second)
    expect(plain, equals: plain)
    expect(plain.rms(inBand: 8), equals: .zero)
    expect(second.rms(inBand: -1), equals: .zero)
  }
}
