/// Makes text from outside safe to display: replaces each control character (C0, DEL and C1), which could move a
/// terminal's cursor, end a line or forge one, with a question mark.
///
/// Strings in a line pass through it when they become text: ``JSONValue/forEachTextByte(_:)``.
package struct TextFilter: Sendable {
  /// Whether a byte is held back until the next one decides: in UTF-8 the C1 characters are C2 80…9F.
  private var isHolding = false

  package init() {}

  /// Takes the next byte of UTF-8, and calls `body` with what can be displayed.
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
