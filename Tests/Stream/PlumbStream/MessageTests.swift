import FixedPoint
import Monitor
import Orientation
import PlumbStream
import TestSupport
import Testing

@Suite struct MessageTests {
  /// The message of `line`, which has to be one.
  private func message(_ line: String) throws -> StreamMessage { try #require(try StreamMessage(line: line)) }

  @Test func `every force of a sample is the owner's to the last bit`() throws {
    var random = SplitMix64(seed: 7)
    let ends: [Int32] = [.min, .min + 1, -65_537, -65_536, -1, 0, 1, 65_535, 65_536, .max - 1, .max]
    for raw in ends + (0..<2_000).map({ _ in Int32.random(in: -1_048_576...1_048_576, using: &random) }) {
      // As the owner writes it: six places, rounded to nearest.
      let millionths = (Int64(raw) * 1_000_000 + (raw < 0 ? -32_768 : 32_768)) / 65_536
      let rest = String(millionths.magnitude % 1_000_000)
      let text =
        (millionths < 0 ? "-" : "") + "\(millionths.magnitude / 1_000_000)."
        + String(repeating: "0", count: 6 - rest.count) + rest
      guard case .sample(let sample) = try message(FakeOwner.sample(t: "1", x: text)) else {
        Issue.record("no sample: \(text)")
        return
      }
      #expect(sample.force.x.raw == raw, "\(text)")
    }
  }

  @Test func `a sample has what its line has`() throws {
    guard case .sample(let sample) = try message(FakeOwner.sample(t: "1.000001", pose: "unknown")) else {
      Issue.record("no sample")
      return
    }
    #expect(sample.time.count == 1_000_001 && sample.pose == nil && sample.rotation == nil && sample.attitude == nil)
    #expect(sample.scrollX == Q16(1, over: 4) && sample.scrollY == Q16(1, over: 2))
    #expect(abs(Double(sample.steering.degrees.raw) / 65_536 + 89.1) < 1e-4)
  }

  @Test func `a sample of a board with a gyroscope has its rotation and attitude`() throws {
    let line =
      "{\"t\":2,\"event\":\"sample\",\"x\":0,\"y\":0,\"z\":1,\"pose\":\"faceUp\",\"steering_deg\":0,\"scroll\":[0,0],"
      + "\"up\":[0,0.6,-0.8],\"heading_deg\":null,\"rate_dps\":[1,-2.5,0],\"still\":true,\"rotation_dps\":[1.5,-2.5,0.25]}"
    guard case .sample(let sample) = try message(line), let attitude = sample.attitude else {
      Issue.record("no attitude")
      return
    }
    #expect(sample.rotation == Vector3(x: Q16(3, over: 2), y: Q16(-5, over: 2), z: Q16(1, over: 4)))
    #expect(attitude.rate == Vector3(x: Q16(whole: 1), y: Q16(-5, over: 2), z: .zero))
    #expect(attitude.heading == nil && attitude.isStill && attitude.up.x == 0)
    #expect(abs(Double(attitude.up.y) / 1_073_741_824 - 0.6) < 1e-6)
    #expect(abs(Double(attitude.up.z) / 1_073_741_824 + 0.8) < 1e-6)
  }

  @Test func `a board has mounting and calibration`() throws {
    let line =
      "{\"t\":2,\"event\":\"board\",\"board\":\"b.ini\",\"mounting\":\"-y +x +z\",\"offset_g\":[0.5,-0.25,0],"
      + "\"scale\":[1,0.75,1.25],\"gyroscope_bias_dps\":[1.5,0,-2],\"gyroscope_scale\":[1,1,0.5]}"
    guard case .board(let board) = try message(line) else {
      Issue.record("no board")
      return
    }
    #expect(board.name == "b.ini")
    #expect(try board.mounting == Mounting(x: .minusY, y: .plusX, z: .plusZ))
    #expect(board.calibration.offset == Vector3(x: Q16(1, over: 2), y: Q16(-1, over: 4), z: .zero))
    #expect(board.calibration.scale == Calibration.Scale(x: 1 << 30, y: 3 << 28, z: 5 << 28))
    #expect(board.rotationCalibration?.offset == Vector3(x: Q16(3, over: 2), y: .zero, z: Q16(whole: -2)))
    #expect(board.rotationCalibration?.scale == Calibration.Scale(x: 1 << 30, y: 1 << 30, z: 1 << 29))
  }

  @Test(arguments: [
    "\"mounting\":\"+x +x +z\",\"offset_g\":[0,0,0],\"scale\":[1,1,1]",
    "\"mounting\":\"+x +y\",\"offset_g\":[0,0,0],\"scale\":[1,1,1]",
    "\"mounting\":\"+x +y +z\",\"offset_g\":[0,0],\"scale\":[1,1,1]",
    "\"mounting\":\"+x +y +z\",\"offset_g\":[0,0,0],\"scale\":[1,2,1]",
    "\"mounting\":\"+x +y +z\",\"offset_g\":[0,0,0],\"scale\":[1,0.4,1]",
  ])
  func `a board that cannot be is an error`(fields: String) {
    #expect(throws: StreamError.self) { try message("{\"t\":2,\"event\":\"board\",\(fields)}") }
  }

  @Test func `the vibration of a second has its figures, and bands where they are known`() throws {
    let figures = "\"rms_g\":0.5,\"axes_rms_g\":[0.25,0,0.125],\"axes_peak_g\":[1,2,3],\"edges_hz\":[1,5.5,50]"
    for (bands, wanted) in [("[0.25,0.5]", [Q16(1, over: 4), Q16(1, over: 2)]), ("null", nil)] as [(String, [Q16]?)] {
      let line = "{\"t\":3,\"event\":\"vibration\",\(figures),\"bands_g\":\(bands)}"
      guard case .vibration(let second) = try message(line) else {
        Issue.record("no vibration")
        return
      }
      #expect(second.time == .seconds(3) && second.total == Q16(1, over: 2) && second.line == line)
      #expect(second.rms == Vector3(x: Q16(1, over: 4), y: .zero, z: Q16(1, over: 8)))
      #expect(second.peak == Vector3(x: Q16(whole: 1), y: Q16(whole: 2), z: Q16(whole: 3)))
      #expect(second.edges == [Q16(whole: 1), Q16(11, over: 2), Q16(whole: 50)] && second.bands == wanted)
    }
    for bad in [
      "\"rms_g\":0.5", figures + ",\"bands_g\":[1]", figures + ",\"bands_g\":[1,\"x\"]",
      figures.replacing("[1,5.5,50]", with: "[1]"), figures.replacing("[0.25,0,0.125]", with: "[0.25,0]"),
    ] {
      #expect(throws: StreamError.self, "\(bad)") { try message("{\"t\":3,\"event\":\"vibration\",\(bad)}") }
    }
  }

  @Test func `a hello has what the owner is and knows`() throws {
    guard case .hello(let hello) = try message(FakeOwner.hello(pose: "freeFall")) else {
      Issue.record("no hello")
      return
    }
    #expect(hello.protocolVersion == 1 && hello.version == "0.2.0" && hello.owner == "1-1" && hello.board == "b.ini")
    #expect(hello.sensor == "adxl345" && hello.address == 0x53 && hello.bus == "/dev/i2c-1")
    #expect(hello.rateInMillihertz == 100_000 && hello.rangeInG == 16 && hello.gyroscopeRange == nil)
    #expect(
      hello.chip == "raspberry-pi" && hello.code == "leds" && hello.lines == [true] + .init(repeating: false, count: 5))
    #expect(hello.allowsCommands && hello.time.count == 12_500_000 && hello.since.count == 3_200_000)
    #expect(hello.state == .unknown(.freeFall) && hello.events == 3 && hello.clients == 1)
    #expect(hello.force?.y.raw == 65_792 && hello.tare == .none)
    let tared = FakeOwner.hello(pose: "freeFall").replacing(
      "\"commands\":true", with: "\"commands\":true,\"tare\":[0,0.6,-0.8]")
    guard case .hello(let other) = try message(tared) else {
      Issue.record("no hello")
      return
    }
    #expect(other.tare == Tare(millionths: 0, 600_000, -800_000) && other.tare != .none)
    #expect(hello.counters.samples == 1_000 && hello.counters.faultKinds == ["noAcknowledge": 2])
  }

  @Test func `an event has its instant by the clock of the client, the owner's words, and its line`() throws {
    let line = "{\"t\":1,\"event\":\"quiet\",\"duration_s\":2.5,\"detail\":\"d\"}"
    let start = Instant(microseconds: 5_000_000)
    guard case .event(let event)? = try StreamMessage(line: line, start: start) else {
      Issue.record("no event")
      return
    }
    #expect(event.occurrence == Occurrence(at: start + .seconds(1), .quiet(since: start - .milliseconds(1_500))))
    #expect(event.detail == "d" && event.line == line)
  }

  @Test func `answers and the rest are read`() throws {
    if case .missed(17) = try message("{\"event\":\"missed\",\"count\":17}") {} else { Issue.record("missed") }
    if case .error("ä") = try message("{\"event\":\"error\",\"detail\":\"\\u00e4\"}") {} else { Issue.record("error") }
    if case .bye("d") = try message("{\"event\":\"bye\",\"detail\":\"d\"}") {} else { Issue.record("bye") }
    if case .done("tare") = try message("{\"event\":\"done\",\"command\":\"tare\"}") {} else { Issue.record("done") }
    let raw = "{\"t\":3,\"event\":\"raw\",\"x\":1,\"y\":0,\"z\":0,\"rotation_dps\":[0,0,1]}"
    guard case .raw(let time, let force, let rotation) = try message(raw) else {
      Issue.record("raw")
      return
    }
    #expect(time.count == 3_000_000 && force.x == Q16(whole: 1) && rotation?.z == Q16(whole: 1))
    let reading =
      "{\"t\":3,\"event\":\"reading\",\"pose\":\"unknown\",\"reason\":\"freeFall\",\"detail\":\"d\",\"x\":0,\"y\":0,\"z\":0}"
    guard case .reading(let fresh) = try message(reading) else {
      Issue.record("reading")
      return
    }
    #expect(fresh.state == .unknown(.freeFall) && fresh.detail == "d" && fresh.force == .zero)
    let line = "{\"t\":1,\"event\":\"counters\",\"samples\":5,\"late_samples\":2,\"lost_samples\":3}"
    guard case .counters(let counters, _) = try message(line) else {
      Issue.record("counters")
      return
    }
    #expect(counters.samples == 5 && counters.lateSamples == 2 && counters.lostSamples == 3)
    #expect(counters.faults == 0 && counters.temperature == nil)
    guard
      case .counters(let warm, _) = try message("{\"t\":1,\"event\":\"counters\",\"samples\":5,\"temperature_c\":-3.5}")
    else {
      Issue.record("counters")
      return
    }
    #expect(warm.temperature == Q16(-7, over: 2))
  }

  @Test func `a kind that is not known is passed over, and so is an object without a kind`() throws {
    #expect(try StreamMessage(line: "{\"t\":1,\"event\":\"weather\"}") == nil)
    #expect(try StreamMessage(line: "{}") == nil)
  }

  @Test(arguments: [
    "", "x", "[1]", "{\"event\":\"pose\"", "{\"event\":\"pose\",\"t\":1,\"to\":\"sideways\",\"pitch_deg\":1}",
    "{\"event\":\"sample\",\"t\":1,\"x\":1e9,\"y\":0,\"z\":0}", "{\"event\":\"missed\"}",
    "{\"event\":\"hello\",\"protocol\":1}",
    "{\"event\":\"shake\"}", "{\"event\":\"shake\",\"t\":1e30}",
    "{\"event\":\"tap\",\"t\":1,\"axis\":\"zx\",\"sign\":1}", "{\"event\":\"tap\",\"t\":1,\"axis\":\"z\",\"sign\":2}",
  ])
  func `a line that is no object, or lacks what its kind has, is an error`(line: String) {
    let error = #expect(throws: StreamError.self) { try StreamMessage(line: line) }
    #expect(error?.kind == .badProtocol)
  }
}
