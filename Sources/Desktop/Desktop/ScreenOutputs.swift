package import Text

/// A word of a tool's output, such as a name. One that is cut is no name that can be configured.
package typealias ScreenWord = ShortText<44>

/// An output that is on.
package struct ScreenOutput: Equatable {
  /// Its name, such as `DSI-1`.
  package var name: ScreenWord
  /// How it is turned; nil if it is mirrored too.
  package var transform: ScreenTransform?

  package init(name: ScreenWord, transform: ScreenTransform? = nil) { (self.name, self.transform) = (name, transform) }

  /// Whether its panel is built in, as its name says.
  fileprivate var isBuiltIn: Bool {
    name.hasPrefix("DSI") || name.hasPrefix("eDP") || name.hasPrefix("LVDS") || name.hasPrefix("DPI")
  }
}

/// The outputs that are on, as a tool lists them; at most 8.
package struct ScreenOutputs {
  package private(set) var count = 0
  private var outputs = InlineArray<8, ScreenOutput>(repeating: ScreenOutput(name: ScreenWord()))

  /// The output at `index`.
  package subscript(index: Int) -> ScreenOutput { outputs[index] }

  /// What `wlr-randr` lists, from 0.2 on.
  package init(wayland text: Span<UInt8>) {
    var name = ScreenWord()
    forEachLine(of: text) { line in
      let first = word(0, of: line)
      if line[0] > 0x20 {
        name = first
      } else if first == "Enabled:" && word(1, of: line) == "yes" {
        add(ScreenOutput(name: name))
      } else if first == "Transform:" && count > 0 && outputs[count &- 1].name == name {
        outputs[count &- 1].transform = ScreenTransform(word(1, of: line), inX11: false)
      }
    }
  }

  /// What `xrandr` lists. After the name: `connected`, `primary` if it is, size and place if it is on, and the rotation
  /// unless it is normal.
  package init(x11 text: Span<UInt8>) {
    forEachLine(of: text) { line in
      guard line[0] > 0x20, word(1, of: line) == "connected" else { return }
      let place = word(2, of: line) == "primary" ? 3 : 2
      guard word(place, of: line)[0] >= 0x30 && word(place, of: line)[0] <= 0x39 else { return }
      let transform = ScreenTransform(word(place &+ 1, of: line), inX11: true) ?? .normal
      add(ScreenOutput(name: word(0, of: line), transform: transform))
    }
  }

  private mutating func add(_ output: ScreenOutput) {
    guard count < outputs.count else { return }
    outputs[count] = output
    count &+= 1
  }

  /// The output to turn: the one called `wanted`; if that is empty, the one called `last`, else the one that is built
  /// in, else the only one.
  package func choose(_ wanted: ScreenWord, else last: ScreenWord) throws(ScreenError) -> ScreenOutput {
    let name = wanted.count > 0 ? wanted : last
    for index in 0..<count where outputs[index].name == name { return outputs[index] }
    if wanted.count == 0 {
      for index in 0..<count where outputs[index].isBuiltIn { return outputs[index] }
      if count == 1 { return outputs[0] }
    }
    var message: ShortText<256> = "output \(wanted) is not connected, or off; on: "
    if wanted.count == 0 { message = "which output has the board? Set output = NAME in [rotate]; on: " }
    if count == 0 { message.append("none") }
    for index in 0..<count { message.append("\(index == 0 ? "" : ", ")\(outputs[index].name)") }
    throw ScreenError(message: message)
  }
}

/// Calls `body` with the number of each touch screen that `xinput list --long` lists.
package func forEachTouchScreen(in text: Span<UInt8>, _ body: (Int32) -> Void) {
  var device: Int32 = 0
  forEachLine(of: text) { line in
    if word(0, of: line) == "Class" {
      device = 0
      let number = word(3, of: line)
      for index in 0..<max(0, number.count &- 1) { device = device &* 10 &+ Int32(number[index] & 0x0F) }
    } else if word(0, of: line) == "Touch" && word(2, of: line) == "direct" {
      body(device)
    }
  }
}

/// Calls `body` with each line that is not empty.
private func forEachLine(of text: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
  var start = 0
  for end in 0...text.count where end == text.count || text[end] == 0x0A {
    if end > start { body(text.extracting(start..<end)) }
    start = end &+ 1
  }
}

/// The word number `index` of a line; empty if there is none.
private func word(_ index: Int, of line: Span<UInt8>) -> ScreenWord {
  var word = ScreenWord()
  var number = 0
  for place in 0..<line.count {
    if line[place] > 0x20 {
      if number == index { word.append(byte: line[place]) }
    } else if place > 0 && line[place &- 1] > 0x20 {
      number &+= 1
    }
  }
  return word
}
