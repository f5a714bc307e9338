import HAL
import TestSupport
import Testing
import Text

/// Checks that a message is one uncut line, with no figures except those in `figures`.
func expectPlain(_ message: Message, figures: [String]) {
  var text = message.description
  expect(that: !message.isCut, "\(text)")
  expect(that: !text.isEmpty)
  expect(text, lacks: "\n")
  expect(text.first?.isUppercase, isNot: true, "a part of a sentence: \(text)")
  expect(that: !text.hasSuffix("."))
  for figure in figures {
    expect(text, contains: figure, "\(figure) is missing in: \(text)")
    text = text.replacing(figure, with: "")
  }
  expect(none: text, "a figure that says nothing: \(message.description)") { $0.isNumber }
}

struct FaultMessageTests {
  /// Every fault, the figures that its message must have (and no others; I2C itself has one), and words in it.
  static let faults: [(fault: I2CFault, figures: [String], words: String)] = [
    (.noAcknowledge, ["0x53"], "no acknowledge"),
    (.arbitrationLost, ["0x53"], "another controller"),
    (.timedOut, ["0x53"], "SDA or SCL is held low"),
    (.shortRead(expected: 7, received: 3), ["0x53", "3 of 7"], "check the wiring"),
    (.unsupported, ["I2C"], "the I2C adapter does not"),
    (.notPermitted, ["I2C", "i2c"], "group i2c"),
    (.busy, ["0x53"], "in use by a kernel driver"),
    (.unavailable, ["I2C"], "the adapter is plugged in"),
    (.other(code: 5), ["I2C", "0x53", "errno 5"], "Input/output error"),
    (.other(code: 121), ["I2C", "0x53", "errno 121"], "Remote I/O error"),
    (.other(code: 99_999), ["I2C", "0x53", "errno 99999"], "an unknown error"),
    (.other(code: Int32.min), ["I2C", "0x53", "errno -2147483648"], "an unknown error"),
  ]

  /// A new case does not compile without a number here.
  private static func place(of fault: I2CFault) -> Int {
    switch fault {
    case .noAcknowledge: 0
    case .arbitrationLost: 1
    case .timedOut: 2
    case .shortRead: 3
    case .unsupported: 4
    case .notPermitted: 5
    case .busy: 6
    case .unavailable: 7
    case .other: 8
    }
  }

  @Test(arguments: faults)
  static func `every bus fault is reported in plain words, with the address if it is about one`(
    fault: I2CFault, figures: [String], words: String
  ) throws {
    let message = fault.message(at: try require(I2CAddress(0x53)))
    expectPlain(message, figures: figures)
    expect(message.description, contains: words, "\(message)")
  }

  @Test
  static func `the table has every fault, and no two messages are alike`() throws {
    let address = try require(I2CAddress(0x1D))
    expect(Set(Self.faults.map { Self.place(of: $0.fault) }), equals: Set(0...8))
    let messages = Self.faults.map { $0.fault.message(at: address).description }
    expect(Set(messages).count, equals: messages.count)
  }

  @Test
  static func `the address is the one used, in capitals`() throws {
    for (number, text) in [(0x1D, "0x1D"), (0x68, "0x68"), (0x69, "0x69")] as [(UInt8, String)] {
      let message = I2CFault.noAcknowledge.message(at: try require(I2CAddress(number)))
      expect(message.description, contains: text)
    }
  }
}
