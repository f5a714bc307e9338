/// What somebody must know to look from another computer.
package enum Token {
  /// 128 random bits as 32 hexadecimal digits, of the system's generator.
  package static func random() -> String { hexadecimal() + hexadecimal() }

  /// 64 random bits.
  package static func hexadecimal() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = String(generator.next(), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The token that a file holds: 16 to 128 letters, digits, hyphens and underscores, with white space around; nil where
  /// it holds none.
  package static func read(_ bytes: [UInt8]) -> String? {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
    let token = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    let isFit = token.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
      default: false
      }
    }
    return isFit && (16...128).contains(token.count) ? String(decoding: token, as: UTF8.self) : nil
  }
}
