import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// `plumb plot`: the picture shows what was recorded, all of it, wherever it is opened.
struct PlotTests {
  static let header = "time_s,x_g,y_g,z_g\n"

  /// The picture of a recording.
  private static func plot(_ content: String, as kind: String = "svg", _ more: String...) throws -> PNGPicture {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let (file, output) = (folder.appendingPathComponent("a.csv"), folder.appendingPathComponent("a.\(kind)"))
    try Data(content.utf8).write(to: file)
    let result = try Tool.run(arguments: ["plot", file.path, "-o", output.path] + more)
    expect(result.exitCode, equals: 0, "\(result.errors)")
    expect(result.output, equals: "", "\(result.errors)")
    let text = try String(contentsOf: output, encoding: .utf8)
    // The only output is a warning about times out of order, which the picture notes as well.
    let isOdd = text.contains("Time runs backwards") || text.contains("the same time as the one before")
    #expect(isOdd ? result.errors.hasPrefix("plumb: warning: ") : result.errors.isEmpty, "\(result.errors)")
    return PNGPicture(text)
  }

  private static func expectXML(_ text: String) {
    let parser = XMLParser(data: Data(text.utf8))
    expect(that: parser.parse(), "\(String(describing: parser.parserError))")
  }

  /// A million samples of a board that turns slowly, with noise, and with single-sample extremes: a peak of x and a
  /// trough of y.
  private static let million: String = {
    // Interpolating a million rows would take seconds.
    let values = (-1_800..<1_800).map { ",\($0)e-3" }
    var text = header
    text.reserveCapacity(40_000_000)
    var state: UInt64 = 42
    func noise() -> String {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return values[Int(state >> 33) % values.count]
    }
    for index in 0..<1_000_000 {
      let (x, y, z) = (noise(), noise(), noise())
      // 8.3 ms apart: nearly as many columns as possible.
      text += String(index * 83 / 10)
      text += "e-3"
      text += index == 432_101 ? ",7500e-3" : x
      text += index == 700_000 ? ",-6000e-3" : y
      text += z
      text += "\n"
    }
    return text
  }()

  @Test
  static func `a million noisy samples stay below 2 MB, with single extremes drawn in their place`()
    throws
  {
    let picture = try plot(Self.million)
    expectXML(picture.text)
    expect(picture.text.utf8.count, isBelow: 2_000_000)
    expect(picture.text, contains: " columns of ")
    let (force, time) = (try picture.axis(of: "Specific force, g"), try picture.timeAxis())
    let x = try picture.lines("id=\"line-x\"").joined()
    let y = try picture.lines("id=\"line-y\"").joined()
    let (peak, trough) = (try unwrapped(x.min { $0.y < $1.y }), try unwrapped(y.max { $0.y < $1.y }))
    expect(abs(force.value(at: peak.y) - 7.5), isBelow: 0.02)
    expect(abs(force.value(at: trough.y) + 6), isBelow: 0.02)
    // In minutes; a column is 8.4 s.
    expect(abs(time.value(at: peak.x) - 432_101 * 0.0083 / 60), isBelow: 0.15)
    expect(abs(time.value(at: trough.x) - 700_000 * 0.0083 / 60), isBelow: 0.15)
  }

  @Test
  static func `the page of a million samples stays below 2 MB, with every extreme to a thousandth of a g`()
    throws
  {
    let page = try plot(Self.million, as: "html")
    expect(page.text.utf8.count, isBelow: 2_000_000)
    let values = try page.words("values", as: Int16.self)
    let times = try page.words("times", as: UInt64.self).map { Double(bitPattern: $0) }
    expect(times.count, isAbove: 4_000)
    expect(times, equals: times.sorted())
    expect(values.count, equals: times.count * 20)
    try expect(page.words("known", as: UInt32.self).count, equals: times.count)
    let unit = try page.number("force") / 65_536
    let columns = stride(from: 0, to: values.count, by: 20)
    try expect(abs(unwrapped(columns.map { Double(values[$0 + 1]) * unit }.max()) - 7.5), isBelow: 0.001)
    try expect(abs(unwrapped(columns.map { Double(values[$0 + 2]) * unit }.min()) + 6), isBelow: 0.001)
    let peak = try unwrapped(columns.first { Double(values[$0 + 1]) * unit > 7 })
    expect(abs(times[peak / 20] - 432_101 * 0.0083), isBelow: 1.1)
  }

  /// The same with rotation, and a peak of the rate about z in one sample.
  private static let turning: String = {
    let rates = (-2_000...2_000).map { ["\($0)e-1", "\(-$0)e-2", "\($0)e-2"] }
    return Recordings.adding(
      rotation: { index in
        let rates = rates[(index &* 7_919) % rates.count]
        return index == 555_555 ? [rates[0], rates[1], "1900.5"] : rates
      }, to: million)
  }()

  @Test
  static func `a million samples with rotation stay below 2 MB, with the extremes of single ones`() throws {
    let (picture, page) = (try plot(Self.turning), try plot(Self.turning, as: "html"))
    expectXML(picture.text)
    expect(picture.text.utf8.count, isBelow: 2_000_000)
    expect(page.text.utf8.count, isBelow: 2_000_000)
    let rotation = try picture.axis(of: "Rotation rate, °/s")
    let z = try picture.lines("id=\"line-rotationZ\"").joined()
    try expect(abs(rotation.value(at: unwrapped(z.map(\.y).min())) - 1_900.5), isBelow: 5)
    let (values, times) = (try page.words("values", as: Int16.self), try page.words("times", as: UInt64.self))
    expect(values.count, equals: times.count * 26)
    let unit = try page.number("rotation") / 65_536
    let greatest = stride(from: 0, to: values.count, by: 26).map { Double(values[$0 + 25]) * unit }.max()
    try expect(abs(unwrapped(greatest) - 1_900.5), isBelow: 0.5)
  }

  @Test
  static func `rotation has a panel only with six columns`() throws {
    let path = try ReplayTests.path("wrist-row")
    let three = try String(contentsOfFile: path, encoding: .utf8)
    let six = Recordings.adding(rotation: { ["\($0 % 360)", "-20", "0.5"] }, to: three)
    let (without, with) = (try plot(three), try plot(six))
    expect(without.text, lacks: "otation")
    expectXML(with.text)
    let axis = try with.axis(of: "Rotation rate, °/s")
    let (x, y) = (try with.lines("id=\"line-rotationX\"").joined(), try with.lines("id=\"line-rotationY\"").joined())
    try expect(abs(axis.value(at: unwrapped(x.map(\.y).min())) - 359), isBelow: 2)
    expect(that: !y.isEmpty)
    expect(that: y.allSatisfy { abs(axis.value(at: $0.y) + 20) < 1 })
    // The force is drawn the same way.
    try expect(with.lines("id=\"line-x\""), equals: without.lines("id=\"line-x\""))
    try expect(plot(six, as: "html").text, contains: "\"unit\":\"°/s\"")
  }

  @Test
  static func `every sample of a short recording is drawn, in its place`() throws {
    let samples = (0..<300).map { index in
      let angle = Double(index) * 0.05
      return [Double(index) * 0.04, -sin(angle) * 0.9, cos(angle) * 0.9, 0.3]
    }
    let text = samples.map { row in row.map { String(format: "%.6f", $0) }.joined(separator: ",") + "\n" }.joined()
    let picture = try plot(Self.header + text)
    expectXML(picture.text)
    expect(picture.text, contains: "Every sample is drawn.")
    let time = try picture.timeAxis()
    let force = try picture.axis(of: "Specific force, g")
    for (column, name) in [(1, "x"), (2, "y"), (3, "z")] {
      let points = try picture.lines("id=\"line-\(name)\"").joined()
      // Of points on one level only the ends are required.
      expect(points.count, equals: 300)
      for (point, sample) in zip(points, samples) {
        expect(abs(time.place(of: sample[0]) - point.x), isBelow: 3)
        expect(abs(force.place(of: sample[column]) - point.y), isBelow: 3)
      }
    }
    let turn = try picture.axis(of: "Turn in the plane, °")
    let device = try picture.lines("id=\"line-device\"")
    // It wraps twice in 857°, and no line connects top and bottom.
    expect(device.count, equals: 3)
    for (point, sample) in zip(device.joined(), samples) {
      let angle = atan2(-sample[1], sample[2]) * 180 / .pi
      expect(abs(remainder(turn.value(at: point.y) - angle, 360)), isBelow: 0.5)
    }
    for line in device { expect(all: zip(line, line.dropFirst())) { abs($0.y - $1.y) < 200 } }
  }

  @Test(arguments: ReplayTests.recordings)
  static func `the strip shows the poses that replay reports, at their times`(recording: String) throws {
    let path = try ReplayTests.path(recording)
    let picture = try plot(String(contentsOfFile: path, encoding: .utf8))
    let events = try Tool.run("replay", path, "--format", "json").objects
    let changes = try events.filter { ["pose", "trouble"].contains($0["event"] as? String) }.map { event in
      (time: try unwrapped(event["t"] as? Double), pose: event["to"] as? String)
    }
    let time = try picture.timeAxis()
    let strip = try unwrapped(picture.text.firstMatch(of: /<g id="strip">.*/)).output
    let boxes = try strip.matches(of: /class="pose p(\d)" d="([^"]*)"/).flatMap { match in
      try PNGPicture.points(String(match.2)).map { points in
        let range = (points.map(\.x).min() ?? 0)...(points.map(\.x).max() ?? 0)
        return (kind: Int(match.1), range: range)
      }
    }
    let end = try unwrapped(events.last?["duration_s"] as? Double)
    #expect(recording != "wrist-abduction" || changes.count > 50)
    for (change, next) in zip(changes, changes.dropFirst().map(\.time) + [end]) where next - change.time > 0.3 {
      let middle = time.place(of: (change.time + next) / 2)
      let kinds = boxes.filter { $0.range.contains(middle) }.map(\.kind)
      expect(kinds, equals: [change.pose.map { PoseModel.names.firstIndex(of: $0) } ?? 6])
    }
  }

  @Test
  static func `the same recording gives the same bytes, as a picture and as a page`() throws {
    let text = try String(contentsOfFile: ReplayTests.path("wrist-row"), encoding: .utf8)
    for kind in ["svg", "html"] { try expect(plot(text, as: kind).text, equals: plot(text, as: kind).text) }
  }

  @Test(arguments: ["svg", "html"])
  static func `nothing is loaded from outside, and there is a dark variant`(kind: String) throws {
    let text = try plot(String(contentsOfFile: ReplayTests.path("wrist-row"), encoding: .utf8), as: kind).text
    expect(text.replacing("http://www.w3.org/2000/svg", with: ""), lacks: "http://")
    expect(that: !text.contains("https:"))
    expect(that: !text.contains("@import"))
    expect(that: !text.contains("src="))
    expect(that: text.matches(of: /href="([^"]*)"/).allSatisfy { $0.1.hasPrefix("#") })
    expect(text, contains: "prefers-color-scheme:dark")
    for name in ["pose", "device angle", "steering", "inclination", "dead band", "Specific force, g"] {
      expect(text, contains: name, "\(name)")
    }
    if kind == "html" { expect(text, contains: "default-src 'none'") }
  }

  struct Odd: Sendable {
    var rows: String
    var words: [String]
  }

  static let odd = [
    Odd(rows: "3,0,1,0\n", words: ["1 sample<", "1 pose change"]),
    Odd(rows: "0,0,1,0\n0,0,1,0\n0,0,1,0\n", words: ["3 samples<"]),
    Odd(
      rows: (0..<50).map { "\(Double($0 < 25 ? $0 : $0 + 90) / 50),0,1,0\n" }.joined(),
      words: ["1 gap, ", "usual 20 ms", "no recent sample"]),
    Odd(rows: "0,0,1,0\n1,0,1,0\n0.5,0,1,0\n", words: ["runs backwards once", "time ←"]),
    Odd(rows: "0,0,1,0\n0.1,32767,-32767,1\n", words: ["1 sample over 256 g", "200"]),
    Odd(rows: "-1e12,0,1,0\n1e12,0,0,1\n", words: ["days"]),
    Odd(rows: "0,0,1,0\n0.000001,0,1,0\n0.000002,0,1,0\n", words: ["µs"]),
    Odd(rows: "0,0,0,0\n0.1,0,0,0\n0.2,0,0,0\n", words: ["free fall", "unknown"]),
    Odd(rows: (0..<3_000).map { "\(-$0),0,\($0 % 7),1\n" }.joined(), words: ["runs backwards 2"]),
  ]

  @Test(arguments: odd)
  static func `single samples, gaps, times out of order and huge values are drawn, and reported`(odd: Odd) throws {
    let picture = try plot(Self.header + odd.rows)
    expectXML(picture.text)
    for word in odd.words { expect(picture.text, contains: word, "\(word)") }
    // Nothing outside its panel.
    for name in ["x", "y", "z", "pitch", "inclination", "steering"] {
      for point in try picture.lines("id=\"line-\(name)\"").joined() {
        expect(that: (-6...5_926).contains(point.x))
        expect(that: (0...2_100).contains(point.y))
      }
    }
    try expect(plot(Self.header + odd.rows, as: "html").text, hasSuffix: "</html>\n")
  }

  @Test
  static func `no line crosses a gap`() throws {
    let rows = (0..<200).map { "\(Double($0 < 100 ? $0 : $0 + 100) / 50),0,1,0\n" }.joined()
    let picture = try plot(Self.header + rows)
    let lines = try picture.lines("id=\"line-x\"")
    expect(lines.count, equals: 2)
    let time = try picture.timeAxis()
    try expect(abs(time.value(at: unwrapped(lines.first?.last).x) - 1.98), isBelow: 0.02)
    try expect(abs(time.value(at: unwrapped(lines.last?.first).x) - 4), isBelow: 0.02)
  }

  @Test
  static func `a title of any characters appears above the picture, and does no harm`() throws {
    for kind in ["svg", "html"] {
      let title = "<script>alert(1)</script> & \"zwölf\"\u{7}"
      let text = try plot(Self.header + "0,0,1,0\n", as: kind, "--title", title).text
      expect(text, contains: "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;zwölf&quot;")
      expect(text, lacks: "<script>alert")
      if kind == "svg" { expectXML(text) }
    }
    try expect(plot(Self.header + "0,0,1,0\n").text, contains: ">a.csv</text>")
  }
}

/// `plumb plot`: the page in a browser, and the command's errors.
struct PlotPageTests {
  static let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// A reader's actions, each once; the results go into the page's title.
  private static let hands = """
    <script>
    let fault = ''
    addEventListener('error', e => { fault = e.message })
    const picture = document.getElementById('picture'), box = picture.getBoundingClientRect()
    picture.setPointerCapture = () => {}
    const act = (kind, x) => picture.dispatchEvent(new PointerEvent(kind, { clientX: box.left + box.width * x, \
    clientY: box.top + 200, bubbles: true }))
    const line = () => document.getElementById('line-x').getAttribute('d')
    const whole = document.getElementById('times').textContent
    act('pointermove', .5)
    const read = document.getElementById('read').textContent
    act('pointerdown', .4); act('pointermove', .5); act('pointerup', .6)
    const closer = document.getElementById('times').textContent, shown = document.getElementById('range').textContent
    for (const button of document.querySelectorAll('button')) button.click()
    document.dispatchEvent(new KeyboardEvent('keydown', { key: '+' }))
    document.querySelector('[data-key="0"]').click()
    const again = document.getElementById('times').textContent
    const lost = (picture.outerHTML + read).match(/NaN|Infinity<|undefined/)
    const wide = document.documentElement.scrollWidth > innerWidth
    document.title = [fault || 'no fault', again.replace(/\\s/g, '') === whole.replace(/\\s/g, ''), closer !== whole, \
    shown, !lost || lost.index, wide, read].join('|')
    </script></html>
    """

  @Test(.enabled(if: browser != nil))
  static func `in a browser the page can be read off and zoomed, and fits a phone`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let page = folder.appendingPathComponent("a.html")
    let made = try Tool.run("plot", try ReplayTests.path("wrist-abduction"), "-o", page.path)
    expect(made.exitCode, equals: 0)
    let text = try String(contentsOf: page, encoding: .utf8)
    expect(text, hasSuffix: "</html>\n")
    try Data((text.dropLast(8) + Self.hands).utf8).write(to: page)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try unwrapped(Self.browser))
    process.arguments = [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=500,900",
      "--user-data-dir=\(folder.path)/browser", "--dump-dom", "file://\(page.path)",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let dom = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let title = try unwrapped(dom.firstMatch(of: /<title>([^<]*)<\/title>/)).1
    let answers = title.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    expect(answers.count, equals: 7)
    expect(answers.prefix(3), equals: ["no fault", "true", "true"], "\(answers)")
    try expect(unwrapped(answers.dropFirst(3).first), contains: " to ")
    expect(answers.dropFirst(4).prefix(2), equals: ["true", "false"], "\(answers)")
    // The value read off is that recorded at that time.
    let read = try unwrapped(answers.last).replacing("−", with: "-")
    let time = try unwrapped(read.firstMatch(of: /^(-?[0-9.]+) s/).flatMap { Double($0.1) })
    let row = try unwrapped(try ReplayTests.rows("wrist-abduction").first { abs($0.time - time) < 0.001 })
    expect(time, isAbove: 15)
    expect(time, isBelow: 35)
    for (name, value) in zip(["x", "y", "z"], row.values) {
      let found = try unwrapped(read.firstMatch(of: try Regex("[ a-zA-Z]\(name) (-?[0-9.]+) g")))
      try expect(
        abs(unwrapped(Double(String(unwrapped(found.output[1].substring)))) - value), isBelow: 0.001, "\(read)")
    }
    let (x, y) = (row.values[0], row.values[1])
    let angle = try unwrapped(read.firstMatch(of: /device angle (-?[0-9.]+)°/).flatMap { Double($0.1) })
    expect(abs(remainder(angle - atan2(-x, y) * 180 / .pi, 360)), isBelow: 0.1)
  }

  @Test
  static func `an existing picture is left alone, unless --force is given`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let output = folder.appendingPathComponent("a.svg")
    try Data("mine".utf8).write(to: output)
    let refused = try Tool.run("plot", try ReplayTests.path("wrist-row"), "-o", output.path)
    expect(refused.exitCode, equals: 73)
    expect(refused.errors, contains: "already exists")
    expect(refused.errors, contains: "--force")
    try expect(String(contentsOf: output, encoding: .utf8), equals: "mine")
    try expect(Tool.run("plot", try ReplayTests.path("wrist-row"), "-o", output.path, "--force").exitCode, equals: 0)
    try expect(String(contentsOf: output, encoding: .utf8), hasPrefix: "<svg ")
    try expect(FileManager.default.contentsOfDirectory(atPath: folder.path), equals: ["a.svg"])
    // Standard input to standard output: the same picture except for its name.
    let recording = try String(contentsOf: URL(fileURLWithPath: try ReplayTests.path("wrist-row")), encoding: .utf8)
    let piped = try withFile(content: Data(recording.utf8)) { file in
      try Tool.run(
        arguments: ["plot", "-", "-o", "-"], launcher: ["/bin/sh", "-c", "exec \"$@\" <'\(file)'", "sh"])
    }
    expect(piped.exitCode, equals: 0)
    let made = try String(contentsOf: output, encoding: .utf8)
    expect(piped.output, equals: made.replacing("wrist-row.csv", with: "standard input"))
  }

  @Test(
    arguments: [
      (["/nonexistent.csv", "-o", "a.svg"], 66, "no such file"), (["-", "-o", "a.svg"], 65, "empty"),
      (["README.md", "-o", "a.svg"], 65, "README.md:1"), (["a.csv", "-o", "a.png"], 64, ".svg or .html"),
      (["a.csv"], 64, "output"), (["GOOD", "-o", "/nonexistent/a.svg"], 73, "/nonexistent/a.svg"),
      (["GOOD", "-o", "/dev/full.svg/a.svg"], 73, "no such folder"),
    ] as [([String], Int32, String)])
  static func `an error is reported with its code, and leaves no picture`(
    arguments: [String], code: Int32, words: String
  ) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let good = try ReplayTests.path("wrist-row")
    try Data("# Plumb\n".utf8).write(to: folder.appendingPathComponent("README.md"))
    let result = try Tool.run(
      arguments: ["plot"] + arguments.map { $0 == "GOOD" ? good : $0 },
      launcher: ["/bin/sh", "-c", "cd '\(folder.path)' && exec \"$@\"", "sh"])
    expect(result.exitCode, equals: code)
    expect(result.errors, contains: words)
    try expect(FileManager.default.contentsOfDirectory(atPath: folder.path), equals: ["README.md"])
  }

  @Test
  static func `a full output is reported, and leaves no part of a file`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let good = try ReplayTests.path("wrist-row")
    let piped = try Tool.run(
      arguments: ["plot", good, "-o", "-"], launcher: ["/bin/sh", "-c", "exec \"$@\" >/dev/full", "sh"])
    expect(piped.exitCode, equals: 73)
    expect(piped.errors, contains: "standard output cannot be written")
  }
}
