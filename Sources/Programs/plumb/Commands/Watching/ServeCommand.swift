import ArgumentParser
import BoardFile
import Emulation
import Monitor
import PlumbStream
import PlumbViews
import Stream
import ToolInputs
import ToolOutput

/// `plumb serve`: a board as it is now, as a page for a browser.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Shows a board live in a browser, with its lines, angles and history.",
    usage: "plumb serve [<options>]",
    discussion: """
      Does everything that 'plumb run' does, lines included, and serves a page that is updated twenty times a second, \
      to up to 100 viewers at once. A slow viewer never delays samples or lines. The emulated board repeats its \
      motion. The page is read-only. With --from it serves the board of an owner, and sets no lines.

      Without --listen only this computer can open the page; 'ssh -L' makes it available on another one. On an address \
      that others can reach, viewers need a token: four random words, printed with the address, or the token in \
      --token-file.

      Scripts get the current state from /state.json and all events from /events. Prometheus reads /metrics; /healthz \
      answers 200 while the sensor is read, else 503 (docs/serve.md).

      EXAMPLES:
        plumb serve                          serve at http://127.0.0.1:7586/
        plumb serve --board my-board.ini     serve a real board, until Ctrl-C
        plumb serve --listen 0.0.0.0:8080    serve to the whole network, with a token
        curl -s 127.0.0.1:7586/state.json    print the current state as JSON

      EXIT CODES: 0 stopped by the user; 64 wrong usage; 65 no token in the token file; 66 no such token file; 69 \
      port, bus, sensor, lines or owner not available; 73 output cannot be written; 77 no permission; 78 bad board file
      """)

  @OptionGroup var source: SourceOptions

  @Option(
    help: ArgumentHelp(
      "The address and port to listen on; port 0 is any free one, and a port alone is on 127.0.0.1.",
      valueName: "address:port"), transform: Self.address)
  var listen = ListenAddress.usual

  @Option(
    help: ArgumentHelp(
      "A file whose first line is the token that viewers need: 16 to 128 letters, digits, - and _.",
      valueName: "file"),
    completion: .file())
  var tokenFile: String?

  @Option(help: "Output format: text for people, json for scripts (one object per line: the address, then all events).")
  var format: Format = .text

  func run() throws {
    let token = try reportingError { () throws(ToolError) in
      // Before stop signals are taken over, because they end the wait for a pipe.
      let token = try self.token()
      // A viewer that goes away is no reason to stop.
      try takeOverStopSignals(ignoresBrokenPipe: true)
      return token
    }
    let settings = StreamSource.Settings(samples: .perSecond(20), counts: true)
    var source = try ChosenSource(
      self.source, for: Self.self, settings, self.source.board.emulated(.tumble, repeats: true)
    ) {
      try self.source.board.description(for: Self.self)
    }
    try reportingError { () throws(ToolError) in
      let listener = try ServeListener(listen)
      try source.begin(LiveBoard.Settings(movement: Movement.Configuration(), sleeps: true))
      try serve(&source, listener, token)
    }
  }

  private func serve(
    _ source: inout ChosenSource, _ listener: ServeListener, _ token: String?
  ) throws(ToolError) {
    let (description, title) = (source.description, source.title)
    let mailbox = ServeMailbox(start: source.start)
    let content = ServeContent(description, title, start: source.start, mailbox)
    let server = ServeServer(listener, AccessRule(listener.address, token: token), content)
    var reporter = Reporter(
      output: Output(isLive: true), format: format, start: source.start, sensor: description.sensor,
      code: description.lines.code)
    let announcement = ServeAnnouncement(listener.address, token: token)
    let thread = try ServeThread.begin(server)
    defer { thread.end() }
    for line in format == .json ? [announcement.json] : announcement.lines(title) {
      try reporter.output.line(line, always: true)
    }
    while !(format == .json && reporter.output.isClosed), let seen = try source.next() {
      mailbox.put(seen, source.remark, at: source.now)
      if format == .json { try reporter.show(seen, source.remark) }
    }
    try source.close()
    thread.end()
    try reporter.output.line(source.summary.line(format), always: true)
    try reporter.output.flush()
  }

  private static func address(_ text: String) throws -> ListenAddress {
    guard let address = ListenAddress(text) else {
      throw ValidationError(
        "--listen takes a numeric address and a port, such as 127.0.0.1:8080, [::1]:8080 or 0.0.0.0:8080, not '\(text)'."
      )
    }
    return address
  }

  /// The token that viewers need; nil if they need none.
  private func token() throws(ToolError) -> String? {
    if let tokenFile { return try TokenFile(path: tokenFile).token() }
    return listen.isLoopback ? nil : AccessToken.words()
  }
}
