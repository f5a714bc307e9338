import ArgumentParser
import Glibc

/// `plumb plot`: a recording as a picture.
struct PlotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plot",
    abstract: "Draws a recording: forces, poses, angles and events in one picture.",
    discussion: """
      The file is one of `plumb record`, or any other that `plumb replay` reads, and goes through the same filter and pose \
      tracker. A name that ends in .svg gives a picture for any browser or document, light or dark as the reader's system \
      is; one in .html a page where it can also be read off and zoomed. Neither needs anything else, and both stay below \
      2 MB: of a long recording columns are drawn that keep every extreme. The same recording gives the same bytes.

      EXAMPLE: plumb plot movement.csv -o movement.svg --title "Through the hall"

      EXIT CODES: 0 fine, 64 wrong usage, 65 a bad line in the recording, 66 no such recording, 73 the picture is there \
      already, or cannot be written; 77 no permission
      """)

  @Argument(help: "The recording; - reads standard input.", completion: .file(extensions: ["csv"]))
  var file: String

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The picture to make, .svg or .html; - writes SVG to standard output.", valueName: "file"),
    completion: .file(extensions: ["svg", "html"]))
  var output: String

  @Option(
    help: ArgumentHelp("What stands above the picture; the name of the recording when left out.", valueName: "text"))
  var title: String?

  @Flag(help: "Replace the picture where there is one already.")
  var force = false

  /// Columns of a page, which can be zoomed: four times those of the picture.
  private static let pageColumns = 4 * PlotDrawing.columnLimit

  private var isPage: Bool { output.hasSuffix(".html") || output.hasSuffix(".htm") }

  func validate() throws {
    guard output == "-" || isPage || output.hasSuffix(".svg") else {
      throw ValidationError("-o takes a name that ends in .svg or .html, not '\(printable(output))'.")
    }
  }

  func run() throws { try reportingFailure { () throws(Failure) in try plot() } }

  private func plot() throws(Failure) {
    // Before the work: nobody likes to hear it afterwards.
    guard output == "-" || force || !isFile(output) || isDevice(output) else {
      throw Failure(
        .cannotCreate,
        "\(printable(output)) is there already, and is left alone; choose another name, or --force to replace it")
    }
    let data = PlotData(
      try Recording(try InputFile(file)).samples, capacity: isPage ? Self.pageColumns : PlotDrawing.columnLimit)
    let heading = printable(
      title ?? (file == "-" ? "standard input" : file.split(separator: "/").last.map(String.init) ?? file))
    let text = isPage ? PlotPage.text(data, title: heading) : PlotDrawing.text(data, title: heading).text
    guard output == "-" else { return try OutputFile(path: output).write(text) }
    var standard = Output(isLive: false)
    try standard.line(String(text.dropLast()))
    try standard.flush()
  }
}

/// Whether there is something at `path` that is no regular file, and so is written to and not replaced.
private func isDevice(_ path: String) -> Bool {
  var status = stat()
  return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
}
