extension String {
  /// The lines that are not empty, divided as bytes: to divide a long text as characters takes fifty times as long.
  public var linesAsBytes: [Substring] { utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) } }

  /// Whether every character is one of ASCII that can be printed, or a space.
  public var isPrintableASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}

extension [UInt8] {
  /// How many of the bytes are line feeds.
  public var lineFeeds: Int { count { $0 == 0x0A } }
}
