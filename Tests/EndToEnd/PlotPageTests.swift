import Foundation
import Testing

/// `plumb plot`: the page in a browser, and what the command refuses.
@Suite struct PlotPageTests {
  static let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// What a reader does: everything once; the outcome goes into the title of the page.
  private static let hands = """
    <script>
    let fault = ''
    addEventListener('error', e => { fault = e.message })
    const picture = document.getElementById('picture'), box = picture.getBoundingClientRect()
    picture.setPointerCapture = () => {}
    const act = (kind, x) => picture.dispatchEvent(new PointerEvent(kind, { clientX: box.left + box.width * x, clientY: box.top + 200, bubbles: true }))
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
    document.title = [fault || 'no fault', again.replace(/\\s/g, '') === whole.replace(/\\s/g, ''), closer !== whole, shown, !lost || lost.index, wide, read].join('|')
    </script></html>
    """

  @Test(.enabled(if: browser != nil))
  func `in a browser the page is read off, looked at closer and from afar, and fits a phone`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let page = folder.appendingPathComponent("a.html")
    let made = try Tool.run("plot", try ReplayTests.path("wrist-abduction"), "-o", page.path)
    #expect(made.exitCode == 0)
    let text = try String(contentsOf: page, encoding: .utf8)
    #expect(text.hasSuffix("</html>\n"))
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
    #expect(answers.count == 7)
    #expect(answers.prefix(3) == ["no fault", "true", "true"], "\(answers)")
    #expect(try unwrapped(answers.dropFirst(3).first).contains(" to "))
    #expect(answers.dropFirst(4).prefix(2) == ["true", "false"], "\(answers)")
    // What is read off is what was recorded at that time.
    let read = try unwrapped(answers.last).replacing("−", with: "-")
    let time = try unwrapped(read.firstMatch(of: /^(-?[0-9.]+) s/).flatMap { Double($0.1) })
    let row = try unwrapped(try ReplayTests.rows("wrist-abduction").first { abs($0.time - time) < 0.001 })
    #expect(time > 15 && time < 35)
    for (name, value) in zip(["x", "y", "z"], row.values) {
      let found = try unwrapped(read.firstMatch(of: try Regex("[ a-zA-Z]\(name) (-?[0-9.]+) g")))
      #expect(try abs(unwrapped(Double(String(unwrapped(found.output[1].substring)))) - value) < 0.001, "\(read)")
    }
    let (x, y) = (row.values[0], row.values[1])
    let angle = try unwrapped(read.firstMatch(of: /device angle (-?[0-9.]+)°/).flatMap { Double($0.1) })
    #expect(abs(remainder(angle - atan2(-x, y) * 180 / .pi, 360)) < 0.1)
  }

  @Test
  func `a picture that is there already is left alone, unless --force is given`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let output = folder.appendingPathComponent("a.svg")
    try Data("mine".utf8).write(to: output)
    let refused = try Tool.run("plot", try ReplayTests.path("wrist-row"), "-o", output.path)
    #expect(refused.exitCode == 73)
    #expect(refused.errors.contains("already exists") && refused.errors.contains("--force"))
    #expect(try String(contentsOf: output, encoding: .utf8) == "mine")
    #expect(try Tool.run("plot", try ReplayTests.path("wrist-row"), "-o", output.path, "--force").exitCode == 0)
    #expect(try String(contentsOf: output, encoding: .utf8).hasPrefix("<svg "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.svg"])
    // Standard input to standard output: the same picture but for its name.
    let recording = try String(contentsOf: URL(fileURLWithPath: try ReplayTests.path("wrist-row")), encoding: .utf8)
    let piped = try withFile(content: Data(recording.utf8)) { file in
      try Tool.run(
        arguments: ["plot", "-", "-o", "-"], launcher: ["/bin/sh", "-c", "exec \"$@\" <'\(file)'", "sh"])
    }
    #expect(piped.exitCode == 0)
    let made = try String(contentsOf: output, encoding: .utf8)
    #expect(piped.output == made.replacing("wrist-row.csv", with: "standard input"))
  }

  @Test(
    arguments: [
      (["/nonexistent.csv", "-o", "a.svg"], 66, "no such file"), (["-", "-o", "a.svg"], 65, "empty"),
      (["README.md", "-o", "a.svg"], 65, "README.md:1"), (["a.csv", "-o", "a.png"], 64, ".svg or .html"),
      (["a.csv"], 64, "output"), (["GOOD", "-o", "/nonexistent/a.svg"], 73, "/nonexistent/a.svg"),
      (["GOOD", "-o", "/dev/full.svg/a.svg"], 73, "no such folder"),
    ] as [([String], Int32, String)])
  func `what cannot be done is told with its code, and no picture is left`(
    arguments: [String], code: Int32, words: String
  ) throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let good = try ReplayTests.path("wrist-row")
    try Data("# Plumb\n".utf8).write(to: folder.appendingPathComponent("README.md"))
    let result = try Tool.run(
      arguments: ["plot"] + arguments.map { $0 == "GOOD" ? good : $0 },
      launcher: ["/bin/sh", "-c", "cd '\(folder.path)' && exec \"$@\"", "sh"])
    #expect(result.exitCode == code)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["README.md"])
  }

  @Test
  func `where the output is full that is told, and of a file nothing is left`() throws {
    let folder = try scratchFolder()
    defer { remove(folder) }
    let good = try ReplayTests.path("wrist-row")
    let piped = try Tool.run(
      arguments: ["plot", good, "-o", "-"], launcher: ["/bin/sh", "-c", "exec \"$@\" >/dev/full", "sh"])
    #expect(piped.exitCode == 73)
    #expect(piped.errors.contains("standard output cannot be written"))
  }
}
