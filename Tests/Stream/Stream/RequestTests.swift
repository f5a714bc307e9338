import FixedPoint
import Stream
import TestSupport
import Testing

struct RequestTests {
  private static func request(_ line: String) throws(Request.Refusal) -> Request? {
    let bytes = Array(line.utf8)
    let result: Result<Request?, Request.Refusal> = unsafe bytes.withUnsafeBufferPointer { bytes in
      do throws(Request.Refusal) {
        return .success(try unsafe Request(bytes, token: nil))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  @Test(arguments: [
    (#"{"samples":10}"#, Request.samples(.every(.milliseconds(100)))),
    (#"{"samples":0.5}"#, .samples(.every(.seconds(2)))),
    (#" { "samples" : 1e3 } "#, .samples(.every(.milliseconds(1)))),
    (#"{"samples":30}"#, .samples(.every(Microseconds(33_333)))),
    (#"{"samples":0}"#, .samples(.none)),
    (#"{"samples":"all"}"#, .samples(.all)),
    (#"{"samples":"raw"}"#, .samples(.raw)),
    (#"{"counters":1}"#, .counters(every: .seconds(1))),
    (#"{"counters":0.1}"#, .counters(every: .milliseconds(100))),
    (#"{"counters":0}"#, .counters(every: .zero)),
    (#"{"vibration":true}"#, .vibration(true)), (#"{"vibration":false}"#, .vibration(false)),
    (#"{"query":"read"}"#, .reading),
    (#"{"query":"hello"}"#, .hello), (#"{"query":"board"}"#, .board),
    (#"{"command":"tare"}"#, .command(.tare)),
    (#"{"command":"reload"}"#, .command(.reload)), (#"{"command":"untare"}"#, .command(.untare)),
    (#"{"token":"not needed"}"#, .token(isRight: true)),
    ("{\"samples\":\"all\"}\r", .samples(.all)),
  ])
  static func `a request is understood`(line: String, meant: Request) throws {
    try expect(request(line), equals: meant)
  }

  @Test(arguments: ["", "\r"])
  static func `an empty line is not a request`(line: String) throws {
    try expect(request(line), equals: nil)
  }

  @Test(arguments: [
    (#"{"samples":1001}"#, Request.Refusal.samples), (#"{"samples":-1}"#, .samples), (#"{"samples":"some"}"#, .samples),
    (#"{"samples":null}"#, .samples), (#"{"samples":1e99}"#, .samples), (#"{"samples":[]}"#, .samples),
    (#"{"counters":0.05}"#, .counters), (#"{"counters":86401}"#, .counters), (#"{"counters":"1"}"#, .counters),
    (#"{"vibration":1}"#, .vibration), (#"{"vibration":"true"}"#, .vibration),
    (#"{"query":"reed"}"#, .query), (#"{"query":1}"#, .query),
    (#"{"command":"halt"}"#, .command), (#"{"command":true}"#, .command),
    (#"{}"#, .unknown), (#"{"sample":1}"#, .unknown), (#"{"a":{"samples":1}}"#, .unknown),
    (#"[]"#, .syntax), (#"hello"#, .syntax), (#"{"samples":}"#, .syntax), (#"{"samples":1"#, .syntax),
    (#"{"samples":01}"#, .syntax), ("\u{0}", .syntax), (#"{"samples":1} {"samples":1}"#, .syntax),
  ])
  static func `anything else is rejected with its words`(line: String, refusal: Request.Refusal) {
    expect(throws: refusal) { try request(line) }
  }

  /// How many samples with a period of `period` are chosen in `seconds`, and the longest time between two of them.
  private static func thinned(period: Int64, interval: Int64, seconds: Int64, jitter: Int64) -> (
    count: Int, widest: Int64
  ) {
    var thinning = Thinning()
    var (count, widest, last) = (0, Int64(0), Int64(0))
    for number in 0..<(seconds * 1_000_000 / period) {
      let time = number * period + (number * 7_919 % 3 - 1) * jitter + 1_000_000
      let isChosen = thinning.chooses(
        Instant(microseconds: time), every: Microseconds(interval), period: Microseconds(period))
      guard isChosen else { continue }
      if count > 0 { widest = max(widest, time - last) }
      (count, last) = (count + 1, time)
    }
    return (count, widest)
  }

  @Test(arguments: [(10_000, 100_000), (10_000, 33_333), (10_000, 30_000), (2_500, 16_667), (20_000, 1_000_000)])
  static func `samples are thinned evenly to the requested number, for any jitter`(
    period: Int64, interval: Int64
  ) {
    for jitter in [0, 20, period / 10] {
      let (count, widest) = thinned(period: period, interval: interval, seconds: 60, jitter: jitter)
      let wanted = Int(60_000_000 / interval)
      expect(count, isIn: wanted...(wanted + 1))
      expect(widest, isAtMost: interval + period + 2 * jitter)
    }
  }

  @Test static func `a request for more samples than there are gets every sample`() {
    expect(thinned(period: 10_000, interval: 1_000, seconds: 10, jitter: 500).count, equals: 1_000)
    expect(thinned(period: 10_000, interval: 10_000, seconds: 10, jitter: 500).count, equals: 1_000)
  }

  @Test static func `after a pause samples continue as before, without a burst`() {
    var thinning = Thinning()
    func chooses(_ milliseconds: Int64) -> Bool {
      thinning.chooses(
        Instant(microseconds: milliseconds * 1_000), every: .milliseconds(100), period: .milliseconds(10))
    }
    expect(that: chooses(0))
    expect(that: !chooses(90))
    expect(that: chooses(100))
    expect(that: chooses(5_000))
    expect(that: !chooses(5_010))
    expect(that: !chooses(5_090))
    expect(that: chooses(5_100))
  }
}
