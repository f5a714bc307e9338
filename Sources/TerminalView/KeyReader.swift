/// Finds the keys in what a terminal sends: letters as they are, and not the letters inside the codes of other keys.
package struct KeyReader: Sendable {
  private enum Place: Sendable {
    case text, escape, sequence, shift
  }

  private var place = Place.text

  package init() {}

  /// Takes a byte in; returns the key that it completes, if it is one of ASCII.
  package mutating func key(_ byte: UInt8) -> Unicode.Scalar? {
    switch place {
    case .text where byte == 0x1B: place = .escape
    case .text: return byte < 0x80 ? Unicode.Scalar(byte) : nil
    case .escape where byte == 0x5B: place = .sequence
    case .escape where byte == 0x4F: place = .shift
    // Any other key with Alt.
    case .escape where byte != 0x1B: place = .text
    case .escape: break
    // CSI: parameters and intermediates, then a final byte.
    case .sequence where byte >= 0x40 && byte <= 0x7E: place = .text
    case .sequence: break
    case .shift: place = .text
    }
    return nil
  }

  /// Nothing follows at once: an escape that came alone was the key of that name.
  package mutating func pause() {
    if place == .escape { place = .text }
  }
}
