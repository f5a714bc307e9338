/// A QR code of a short text: byte mode, error correction level L, versions 1 to 5 (up to 106 bytes).
///
/// - Source: ISO/IEC 18004:2015; section numbers below refer to it.
package struct QRCode: Sendable {
  /// The modules row by row; true is dark.
  package private(set) var modules: [[Bool]]
  /// The modules that do not depend on the text.
  private var isFixed: [[Bool]]
  private let size: Int

  /// The numbers of data and error correction codewords of versions 1 to 5 at level L, with one block each (table 9).
  private static let capacities: [(data: Int, check: Int)] = [
    (19, 7), (34, 10), (55, 15), (80, 20), (108, 26),
  ]

  /// The code for `text`; nil if it is too long.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    // The mode and the count take 12 bits.
    guard let index = Self.capacities.firstIndex(where: { bytes.count + 2 <= $0.data }) else { return nil }
    let capacity = Self.capacities[index]
    size = 21 + 4 * index
    modules = Array(repeating: Array(repeating: false, count: size), count: size)
    isFixed = modules
    drawPatterns(version: index + 1)
    let data = Self.codewords(bytes, count: capacity.data)
    place(data + Self.check(of: data, count: capacity.check))
    chooseMask()
  }

  /// Mode, count, text and padding (7.4).
  private static func codewords(_ bytes: [UInt8], count: Int) -> [UInt8] {
    var nibbles: [UInt8] = [4, UInt8(bytes.count >> 4), UInt8(bytes.count & 15)]
    for byte in bytes { nibbles += [byte >> 4, byte & 15] }
    // The end of the message.
    nibbles.append(0)
    var words = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    for index in 0..<max(0, count - words.count) { words.append(index % 2 == 0 ? 0xEC : 0x11) }
    return words
  }

  /// The Reed-Solomon codewords (7.5): the remainder of the division by the product of all x - 2^i in GF(256).
  private static func check(of data: [UInt8], count: Int) -> [UInt8] {
    var generator = [UInt8](repeating: 0, count: count)
    generator[count - 1] = 1
    var root: UInt8 = 1
    for _ in 0..<count {
      for index in 0..<count {
        generator[index] = product(generator[index], root) ^ (index + 1 < count ? generator[index + 1] : 0)
      }
      root = product(root, 2)
    }
    var rest = [UInt8](repeating: 0, count: count)
    for byte in data {
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for index in 0..<count { rest[index] ^= product(generator[index], factor) }
    }
    return rest
  }

  /// The product in GF(256) modulo x^8 + x^4 + x^3 + x^2 + 1.
  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    var sum: UInt8 = 0
    for bit in (0..<8).reversed() {
      sum = sum << 1 ^ (sum >> 7 &* 0x1D)
      if b >> bit & 1 == 1 { sum ^= a }
    }
    return sum
  }

  private mutating func fix(_ x: Int, _ y: Int, _ isDark: Bool) {
    guard (0..<size).contains(x), (0..<size).contains(y) else { return }
    modules[y][x] = isDark
    isFixed[y][x] = true
  }

  /// Draws finders, timing and alignment patterns (6.3), and reserves the place of the format.
  private mutating func drawPatterns(version: Int) {
    for index in 0..<size {
      fix(6, index, index % 2 == 0)
      fix(index, 6, index % 2 == 0)
    }
    for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
      for dy in -4...4 {
        for dx in -4...4 {
          let ring = max(abs(dx), abs(dy))
          fix(x + dx, y + dy, ring != 2 && ring != 4)
        }
      }
    }
    if version > 1 {
      for dy in -2...2 { for dx in -2...2 { fix(size - 7 + dx, size - 7 + dy, max(abs(dx), abs(dy)) != 1) } }
    }
    drawFormat(mask: 0)
  }

  /// Draws the level and the mask twice, with 10 bits of a BCH code (7.9).
  private mutating func drawFormat(mask: Int) {
    let data = 1 << 3 | mask
    var rest = data
    for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
    let bits = (data << 10 | rest) ^ 0x5412
    for index in 0..<15 {
      let isDark = bits >> index & 1 == 1
      switch index {
      case 0...5: fix(8, index, isDark)
      case 6, 7: fix(8, index + 1, isDark)
      case 8: fix(7, 8, isDark)
      default: fix(14 - index, 8, isDark)
      }
      if index < 8 { fix(size - 1 - index, 8, isDark) } else { fix(8, size - 15 + index, isDark) }
    }
    fix(8, size - 8, true)
  }

  /// Places the codewords in pairs of columns, from the right, alternating up and down (7.7.3).
  private mutating func place(_ words: [UInt8]) {
    var bit = 0
    for pair in 0..<(size - 1) / 2 {
      // Skip the column of the timing pattern.
      let right = size - 1 - 2 * pair - (size - 1 - 2 * pair <= 6 ? 1 : 0)
      for step in 0..<size {
        let y = pair % 2 == 0 ? size - 1 - step : step
        for x in [right, right - 1] where !isFixed[y][x] && bit < words.count * 8 {
          modules[y][x] = words[bit / 8] >> (7 - bit % 8) & 1 == 1
          bit += 1
        }
      }
    }
  }

  /// Whether a mask inverts a module (7.8.2).
  private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
    switch mask {
    case 0: (x + y) % 2 == 0
    case 1: y % 2 == 0
    case 2: x % 3 == 0
    case 3: (x + y) % 3 == 0
    case 4: (x / 3 + y / 2) % 2 == 0
    case 5: x * y % 2 + x * y % 3 == 0
    case 6: (x * y % 2 + x * y % 3) % 2 == 0
    default: ((x + y) % 2 + x * y % 3) % 2 == 0
    }
  }

  private func masked(_ mask: Int) -> QRCode {
    var copy = self
    for y in 0..<size {
      for x in 0..<size where !isFixed[y][x] && Self.inverts(mask, x, y) { copy.modules[y][x].toggle() }
    }
    copy.drawFormat(mask: mask)
    return copy
  }

  private mutating func chooseMask() {
    let plain = self
    if let best = (0..<8).map(plain.masked).min(by: { $0.penalty < $1.penalty }) { self = best }
  }

  /// How hard the code is to read (7.8.3).
  private var penalty: Int {
    let columns = (0..<size).map { x in modules.map { $0[x] } }
    var sum = 0
    for line in modules + columns {
      var run = 0
      for (index, module) in line.enumerated() {
        run = index > 0 && line[index - 1] == module ? run + 1 : 1
        if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
      }
      // A pattern that looks like a finder next to light modules.
      let finder = [true, false, true, true, true, false, true], light = Array(repeating: false, count: 4)
      for begin in 0...size - 11 {
        let part = Array(line[begin..<begin + 11])
        if part == finder + light || part == light + finder { sum += 40 }
      }
    }
    for y in 1..<size {
      for x in 1..<size {
        let corner = modules[y][x]
        if modules[y - 1][x] == corner && modules[y][x - 1] == corner && modules[y - 1][x - 1] == corner { sum += 3 }
      }
    }
    let dark = modules.reduce(0) { $0 + $1.count { $0 } }
    return sum + abs(dark * 20 - size * size * 10) / (size * size) * 10
  }

  /// The code as lines of half blocks, two modules high, with the light border of four modules that readers need.
  ///
  /// With colour it is black on white on any terminal; otherwise it has the colours of a dark terminal.
  package func lines(_ look: TextStyle) -> [String] {
    let border = 4
    func isLight(_ x: Int, _ y: Int) -> Bool {
      !((0..<size).contains(x) && (0..<size).contains(y) && modules[y][x])
    }
    return stride(from: -border, to: size + border, by: 2).map { y in
      let text = (-border..<size + border).map { x in
        let (upper, lower) = (isLight(x, y), y + 1 < size + border && isLight(x, y + 1))
        return upper ? (lower ? "█" : "▀") : lower ? "▄" : " "
      }.joined()
      return look.hasColour ? "\u{1B}[97;40m\(text)\u{1B}[0m" : text
    }
  }
}
