/// Makes text that comes from outside fit to be shown: a question mark in place of each control character (C0, DEL and
/// C1), which could move a terminal's cursor, end a line or forge one.
///
/// Strings of a line pass it where they become text: ``JSONValue/forEachTextByte(_:)``.
package struct TextFilter: Sendable {
  /// Whether a byte is held back of which the next one decides: in UTF-8 the characters of C1 are C2 80…9F.
  private var isHolding = false

  package init() {}

  /// Takes the next byte of UTF-8, and calls `body` with what there is to show.
  package mutating func take(_ byte: UInt8, _ body: (UInt8) -> Void) {
    let wasHolding = isHolding
    isHolding = byte == 0xC2
    if wasHolding {
      if byte & 0xE0 == 0x80 { return body(0x3F) }
      body(0xC2)
    }
    if !isHolding { body(byte < 0x20 || byte == 0x7F ? 0x3F : byte) }
  }
}
