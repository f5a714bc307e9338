import ArgumentParser
import ToolInputs
import ToolOutput

/// `plumb interface`: what the interface of a phone would do with the poses of a board.
struct InterfaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "interface",
    abstract: "Shows what an interface, such as a phone's, does as a board turns and tilts.",
    usage: "plumb interface [<options>]",
    discussion: """
      Like plumb run, with options for the interface: to which orientations it turns, and how fast; what scrolls, and \
      the position in which nothing scrolls. --show rotation shows its phases, --show scroll the position.

      EXAMPLES:
        plumb interface --motion turn --show rotation --speed fast
        plumb interface --show scroll --content 640x4000 --viewport 320x240
        plumb interface --motion turn --cross-fade

      EXIT CODES: 0 stopped by --duration or the user; 64 wrong usage; 69 bus, sensor, lines or owner not available, \
      or gave up on the sensor; 73 output cannot be written; 77 no permission; 78 bad board file
      """)

  @OptionGroup var options: InterfaceOptions

  @Flag(help: "Alternate the LEDs of the old and the new pose while the interface turns.")
  var crossFade = false

  @OptionGroup var common: RunOptions

  func run() throws {
    var interface = options.interface
    interface.crossFades = crossFade
    try BoardRun(options: common, interface: interface).run(
      for: Self.self,
      own: [OwnBoardOption("--cross-fade", crossFade, "the lines are the owner's")] + options.ownBoardOptions)
  }
}
