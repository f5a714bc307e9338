import Monitor
import Orientation
import PlumbViews
import TestSupport
import Testing

struct MetricsFormatTests {
  /// The header of Prometheus 2.42 and 3.5.
  private static let ofPrometheus2 =
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
    + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
  private static let ofPrometheus3 =
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
    + "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
    + "text/plain;version=0.0.4;q=0.2,*/*;q=0.1"

  @Test(arguments: [
    ofPrometheus2, ofPrometheus3, "application/openmetrics-text", "Application/OpenMetrics-Text",
    "application/openmetrics-text;version=1.0.0;charset=UTF-8", "application/openmetrics-text; version=\"1.0.0\"",
    "text/plain, application/openmetrics-text", "application/openmetrics-text, */*",
    "text/plain;q=0.999,application/openmetrics-text;q=1.000", "text/plain;q=0,*/*", "application/*",
    "application/*;q=0.2, text/plain;q=0.1", "text/plain;q=0.5;ext=1, application/openmetrics-text;q=0.6",
    "text/*;q=0.1, application/openmetrics-text ; q=0.1", "nonsense, application/openmetrics-text, text/plain;q=2",
    "text/plain;version=0.0.4;q=0.1, text/plain, application/openmetrics-text;q=0.5",
    "text/html;title=\"a,text/plain;q=1\", application/openmetrics-text;q=0.1",
  ])
  static func `OpenMetrics is sent if it is preferred`(field: String) {
    expect(MetricsFormat(accept: field), equals: .openMetrics)
  }

  @Test(arguments: [
    nil, "", "*/*", "text/plain", "text/*", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "application/openmetrics-text;q=0", "application/openmetrics-text;q=0, */*",
    "application/openmetrics-text;version=0.0.1", "application/openmetrics-text;version=2.0.0, text/plain;q=0.1",
    "application/openmetrics-text;q=0.4, text/plain;version=0.0.4;q=0.5", "application/json", "image/*;q=0.1",
    "application/openmetrics-text;version=1.0.0;q=0, application/openmetrics-text", "*/*;q=0",
    "application/openmetrics-text;charset=latin1", "application/openmetrics-text;x=y",
    "application/openmetrics-text;q=1.001, text/plain;q=0.001",
    "application/openmetrics-text;q=0.0001, text/plain;q=0.1",
    "application/openmetrics-text;q=-1", "application/openmetrics-text;q", "*/openmetrics-text", "application/",
    "\"application/openmetrics-text", "application/openmetrics-text;q=", "application/openmetrics-text;q=.5",
    "text/html;title=\"a, application/openmetrics-text\"",
    "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited",
  ])
  static func `the older format is sent otherwise`(field: String?) {
    expect(MetricsFormat(accept: field), equals: .prometheus)
  }

  @Test static func `the types are those of the specifications`() {
    expect(MetricsFormat.prometheus.type, equals: "text/plain; version=0.0.4")
    expect(MetricsFormat.openMetrics.type, equals: "application/openmetrics-text; version=1.0.0")
  }
}

struct MetricsTextTests {
  private static func text(_ format: MetricsFormat, _ body: (inout MetricsText) -> Void) -> String {
    var text = MetricsText(format, created: 1_700_000_000.25)
    body(&text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test static func `each kind of metric is written in its format's syntax`() {
    let body: (inout MetricsText) -> Void = { text in
      text.info("a", "About a.", [("name", "one"), ("other", "two")])
      text.gauge("b_seconds", unit: "seconds", "About b.", [.init(1.25, 1), .init(2, 1, [("axis", "x")])])
      text.counter("c", "About c.", [.init(UInt64.max, [("kind", "k")]), .init(0, [("kind", "l")])])
      text.states("d", "About d.", ["on", "off"], present: "off")
    }
    expect(
      text(.openMetrics, body),
      equals: """
        # HELP a About a.
        # TYPE a info
        a_info{name="one",other="two"} 1
        # HELP b_seconds About b.
        # TYPE b_seconds gauge
        # UNIT b_seconds seconds
        b_seconds 1.3
        b_seconds{axis="x"} 2
        # HELP c About c.
        # TYPE c counter
        c_total{kind="k"} 18446744073709551615
        c_created{kind="k"} 1700000000.25
        c_total{kind="l"} 0
        c_created{kind="l"} 1700000000.25
        # HELP d About d.
        # TYPE d stateset
        d{d="on"} 0
        d{d="off"} 1
        # EOF

        """)
    expect(
      text(.prometheus, body),
      equals: """
        # HELP a_info About a.
        # TYPE a_info gauge
        a_info{name="one",other="two"} 1
        # HELP b_seconds About b.
        # TYPE b_seconds gauge
        b_seconds 1.3
        b_seconds{axis="x"} 2
        # HELP c_total About c.
        # TYPE c_total counter
        c_total{kind="k"} 18446744073709551615
        c_total{kind="l"} 0
        # HELP d About d.
        # TYPE d gauge
        d{d="on"} 0
        d{d="off"} 1

        """)
  }

  @Test(arguments: [Double?.none, .nan, .infinity, -.infinity, 1e300])
  static func `a value that is not a number is omitted, with its family if nothing else is in it`(value: Double?) {
    expect(text(.openMetrics) { $0.gauge("a", "A.", [.init(value, 3)]) }, equals: "# EOF\n")
    expect(text(.prometheus) { $0.gauge("a", "A.", [.init(value, 3)]) }, equals: "")
    let half = text(.prometheus) { $0.gauge("a", "A.", [.init(value, 3), .init(1, 0, [("b", "c")])]) }
    expect(half, equals: "# HELP a A.\n# TYPE a gauge\na{b=\"c\"} 1\n")
  }

  @Test static func `a label may have any text`() {
    let odd = text(.prometheus) { $0.info("a", "A.", [("b", "\\ \" \n \r ü é\u{301} \u{0}")]) }
    expect(odd, equals: "# HELP a_info A.\n# TYPE a_info gauge\na_info{b=\"\\\\ \\\" \\n \r ü é\u{301} \u{0}\"} 1\n")
  }
}

struct MetricsTests {
  private static func metrics(_ change: (inout Metrics) -> Void = { _ in }) -> Metrics {
    var scene = Scene()
    scene.pose = .known(2, name: "left", meaning: "m")
    scene.force = Scene.Force(0.5, -0.25, 1)
    scene.angles = [("angle", -12.34), ("pitch", nil), ("roll", 180), ("inclination", 45)]
    scene.steering = -90
    var counters = Counters()
    (counters.samples, counters.lateSamples, counters.poseChanges) = (1, 2, 3)
    counters.lostSamples = 11
    (counters.recoveries, counters.restarts, counters.shakes) = (4, 5, .max)
    (counters.faultKinds[.noAcknowledge], counters.unknown.freeFall) = (6, 7)
    var metrics = Metrics(
      of: .init(version: "1.2.3", sensor: "adxl345", address: "0x53", bus: "/dev/i2c-1", period: 0.01), scene,
      reason: nil, counters, transactions: 8, start: 1_700_000_000, sampleAge: 0.0123, isRead: true, viewers: 9,
      connections: 10)
    change(&metrics)
    return metrics
  }

  private static func lines(_ format: MetricsFormat = .prometheus, _ change: (inout Metrics) -> Void = { _ in })
    -> [Substring]
  {
    String(decoding: metrics(change).bytes(format), as: UTF8.self).split(separator: "\n")
  }

  @Test static func `everything known has its sample`() {
    let lines = lines()
    for line in [
      "plumb_info{version=\"1.2.3\",sensor=\"adxl345\",address=\"0x53\",bus=\"/dev/i2c-1\"} 1",
      "plumb_start_time_seconds 1700000000", "plumb_sensor_up 1", "plumb_sample_period_seconds 0.01",
      "plumb_sample_age_seconds 0.012", "plumb_pose{plumb_pose=\"landscapeLeft\"} 1",
      "plumb_pose{plumb_pose=\"unknown\"} 0", "plumb_unknown_reason{plumb_unknown_reason=\"fault\"} 0",
      "plumb_force_g{axis=\"x\"} 0.5", "plumb_force_g{axis=\"y\"} -0.25", "plumb_force_g{axis=\"z\"} 1",
      "plumb_angle_degrees -12.3", "plumb_roll_degrees 180", "plumb_inclination_degrees 45",
      "plumb_steering_degrees -90", "plumb_samples_total 1", "plumb_late_samples_total 2",
      "plumb_lost_samples_total 11",
      "plumb_pose_changes_total 3", "plumb_recoveries_total 4", "plumb_restarts_total 5",
      "plumb_shakes_total 18446744073709551615", "plumb_transactions_total 8",
      "plumb_faults_total{kind=\"noAcknowledge\"} 6", "plumb_faults_total{kind=\"frozen\"} 0",
      "plumb_unknown_total{reason=\"freeFall\"} 7", "plumb_viewers 9", "plumb_connections_total 10",
    ] {
      expect(any: lines, "\(line)") { $0 == line }
    }
    expect(lines.filter { $0.hasPrefix("plumb_pose{") }.count, equals: 7)
    expect(lines.filter { $0.hasPrefix("plumb_pose{") && $0.hasSuffix(" 1") }.count, equals: 1)
    expect(none: lines) { $0.hasPrefix("plumb_unknown_reason{") && $0.hasSuffix(" 1") }
  }

  @Test static func `undefined values are absent`() {
    let text = lines().joined(separator: "\n")
    for name in ["pitch", "heading", "rotation", "temperature", "bias", "motion", "clipped", "nan", "null", "inf "] {
      expect(text.lowercased(), lacks: name, "\(name)")
    }
  }

  @Test static func `without a fusion motion is still or moving, once that is known`() {
    for (isStill, word) in [(true, "still"), (false, "moving")] {
      let found = lines { $0.scene.isStill = isStill }.filter { $0.hasPrefix("plumb_motion{") }
      expect(found.count, equals: 2, "\(found)")
      expect(that: found.contains("plumb_motion{plumb_motion=\"\(word)\"} 1"), "\(found)")
    }
  }

  @Test static func `with a fusion its values are there, and without a fresh sample only the lasting ones`() {
    var fusion = Scene.Fusion()
    (fusion.heading, fusion.rate, fusion.certainty) = (12.34, Scene.Force(1.234, -2, 0), .clipped)
    (fusion.bias, fusion.temperature, fusion.clippedSamples) = (Scene.Force(2.7, -0.6, 1.8), 36.53, 7)
    let fresh = lines { $0.scene.fusion = fusion }
    let lasting = ["plumb_gyroscope_bias_degrees_per_second{axis=\"y\"} -0.6", "plumb_clipped_samples_total 7"]
    let passing = [
      "plumb_motion{plumb_motion=\"clipped\"} 1", "plumb_motion{plumb_motion=\"still\"} 0",
      "plumb_heading_degrees 12.3", "plumb_rotation_rate_degrees_per_second{axis=\"x\"} 1.23",
      "plumb_temperature_celsius 36.5",
    ]
    for line in lasting + passing { expect(any: fresh, "\(line)") { $0 == line } }
    fusion.isFresh = false
    let old = lines { $0.scene.fusion = fusion }
    for line in lasting { expect(any: old, "\(line)") { $0 == line } }
    for line in passing {
      let name = line.prefix { $0 != "{" && $0 != " " }
      expect(none: old, "\(name)") { $0.hasPrefix(name) }
    }
    fusion.certainty = .starting
    expect(none: lines { $0.scene.fusion = fusion }) { $0.hasPrefix("plumb_gyroscope_bias") }
  }

  @Test static func `the pose of a sensor that is not read is not shown as current`() {
    let lines = lines { metrics in
      (metrics.isRead, metrics.sampleAge) = (false, 7)
      metrics.scene.fusion = Scene.Fusion()
    }
    for line in [
      "plumb_sensor_up 0", "plumb_sample_age_seconds 7", "plumb_pose{plumb_pose=\"unknown\"} 1",
      "plumb_unknown_reason{plumb_unknown_reason=\"stale\"} 1",
    ] {
      expect(any: lines, "\(line)") { $0 == line }
    }
    for name in ["plumb_force", "plumb_angle", "plumb_steering", "plumb_motion", "plumb_rotation"] {
      expect(none: lines, "\(name)") { $0.contains(name) }
    }
  }

  @Test static func `an unknown pose has its reason, and the age is absent before the first sample`() {
    let lines = lines { metrics in
      (metrics.scene.pose, metrics.scene.force, metrics.reason) = (.unknown("no sample yet"), nil, "notYetSampled")
      (metrics.isRead, metrics.sampleAge) = (false, nil)
    }
    expect(any: lines) { $0 == "plumb_unknown_reason{plumb_unknown_reason=\"notYetSampled\"} 1" }
    expect(any: lines) { $0 == "plumb_pose{plumb_pose=\"unknown\"} 1" }
    expect(none: lines) { $0.contains("plumb_sample_age") || $0.contains("plumb_force") }
  }

  @Test static func `every kind of fault and every reason is counted under its counter's name`() {
    func labels(_ name: String) -> [String] {
      lines().filter { $0.hasPrefix(name + "{") }.compactMap {
        $0.split(separator: "\"").dropFirst().first.map(String.init)
      }
    }
    func fields(of value: Any) -> [String] { Mirror(reflecting: value).children.compactMap(\.label) }
    expect(labels("plumb_faults_total"), equals: FaultKind.allCases.map { "\($0.name)" })
    expect(labels("plumb_unknown_total"), equals: fields(of: UnknownCounts()))
  }
}

struct SensorHealthTests {
  @Test static func `the sensor is read while a sample is at most five periods or two seconds old`() {
    expect(SensorHealth(age: 0, period: 0.01, cause: nil), equals: .read)
    expect(SensorHealth(age: 2, period: 0.01, cause: "x"), equals: .read)
    expect(SensorHealth(age: 2.04, period: 0.01, cause: nil), equals: .notRead("no sample for 2 s"))
    expect(SensorHealth(age: 5, period: 1, cause: nil), equals: .read)
    expect(SensorHealth(age: 5.25, period: 1, cause: "c"), equals: .notRead("no sample for 5.3 s: c"))
    expect(SensorHealth(age: nil, period: 1, cause: nil), equals: .notRead("no sample yet"))
    expect(SensorHealth(age: nil, period: 1, cause: "c"), equals: .notRead("no sample yet: c"))
    expect(that: !SensorHealth(age: nil, period: 1, cause: nil).isRead)
  }
}
