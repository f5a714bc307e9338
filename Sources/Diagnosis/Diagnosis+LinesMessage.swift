internal import BoardFile
internal import FixedPoint
internal import Text

extension Diagnosis {
  func appendLines(_ problem: Problem, to text: inout Message) {
    switch problem {
    case .noChip(let labels):
      text.append("no GPIO chip is labelled ")
      text.append(board.lines.chip)
      if board.lines.isAnyRaspberryPi { text.append(" (pinctrl-bcm2835, pinctrl-bcm2711 or pinctrl-rp1)") }
      text.append(labels.count > 0 ? "; there are: " : "; there is no GPIO chip at all")
      text.append(labels)
    case .otherHeader(let label):
      text.append("no GPIO chip is labelled ")
      text.append(board.lines.chip)
      text.append(": on this model the header's is ")
      text.append(label)
    case .noSuchLine(let offset, let lineCount):
      text.append("the GPIO chip ")
      text.append(chipLabel)
      text.append(" has ")
      text.append(decimal: widened(lineCount))
      text.append(" lines, none numbered ")
      text.append(decimal: widened(offset))
    case .lineHeld(let offset, let holder, let more):
      text.append("GPIO")
      text.append(decimal: widened(offset))
      appendKey(of: offset, to: &text)
      if more > 0 {
        text.append(" and ")
        text.append(decimal: Int32(truncatingIfNeeded: more))
        text.append(more == 1 ? " other line" : " other lines")
      }
      text.append(more > 0 ? " are held by " : " is held by ")
      if holder.count > 0 { text.append(quoted: holder) } else { text.append("a program that gives no name") }
    case .otherFunction(let function, let offset):
      text.append(Self.name(of: function))
      text.append(" is switched on and uses GPIO")
      text.append(decimal: widened(offset))
      appendKey(of: offset, to: &text)
      text.append(" too")
    default: break
    }
  }

  private static func name(of function: Problem.Function) -> StaticString {
    switch function {
    case .serialConsole: "the serial console"
    case .spi: "SPI"
    case .audio: "digital audio (I2S)"
    case .oneWire: "the 1-wire bus"
    }
  }

  /// ` (portrait)`.
  private func appendKey(of offset: UInt32, to text: inout Message) {
    for index in 0..<board.lines.count where board.lines.offsets[index] == offset {
      text.append(" (")
      text.append(board.lines.key(of: index).name)
      text.append(")")
    }
    if board.sensor.dataReady == offset { text.append(" (data-ready)") }
  }
}
