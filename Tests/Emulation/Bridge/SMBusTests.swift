import Emulation
import HAL
import TestSupport
import Testing

/// Requests of `I2C_SMBUS`. Sizes: 0 quick, 1 byte, 2 byte data, 3 word data, 4 process call, 5 block, 6 the old I2C
/// block, 7 block process call, 8 I2C block. Direction 1 reads.
struct `SMBus requests` {
  struct Exchange: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var size: UInt32
    var direction: UInt8
    var data: [UInt8]?
    var step: ScriptStep
    /// The first bytes of the data afterwards; nil if they are not checked.
    var left: [UInt8]?

    init(
      _ name: String, _ size: UInt32, _ direction: UInt8, _ data: [UInt8]?, _ step: ScriptStep, _ left: [UInt8]? = nil
    ) {
      testDescription = name
      self.size = size
      self.direction = direction
      self.data = data
      self.step = step
      self.left = left
    }
  }

  static let block: [UInt8] = Array(1...32)

  @Test(arguments: [
    Exchange("quick write", 0, 0, nil, wrote([])),
    Exchange("quick read", 0, 1, nil, exchanged([], [])),
    Exchange("send byte", 1, 0, nil, wrote([0x32])),
    Exchange("receive byte", 1, 1, [0], exchanged([], [0xA5]), [0xA5, 0xEE]),
    Exchange("write byte data", 2, 0, [7], wrote([0x32, 7])),
    Exchange("read byte data", 2, 1, [0], exchanged([0x32], [0xA5]), [0xA5, 0xEE]),
    Exchange("write word data", 3, 0, [7, 8], wrote([0x32, 7, 8])),
    Exchange("read word data", 3, 1, [0, 0], exchanged([0x32], [1, 2]), [1, 2, 0xEE]),
    Exchange("process call", 4, 0, [7, 8], exchanged([0x32, 7, 8], [1, 2]), [1, 2, 0xEE]),
    Exchange("process call, said to read", 4, 1, [7, 8], exchanged([0x32, 7, 8], [1, 2]), [1, 2, 0xEE]),
    Exchange("write block of 1", 5, 0, [1, 9], wrote([0x32, 1, 9])),
    Exchange("write block of 32", 5, 0, [32] + block, wrote([0x32, 32] + block)),
    Exchange("write old I2C block", 6, 0, [2, 8, 9], wrote([0x32, 8, 9])),
    Exchange("read old I2C block, always 32", 6, 1, [2], exchanged([0x32], block), [32] + block + [0xEE]),
    Exchange("write I2C block of 1", 8, 0, [1, 9], wrote([0x32, 9])),
    Exchange("write I2C block of 32", 8, 0, [32] + block, wrote([0x32] + block)),
    Exchange("read I2C block of 1", 8, 1, [1], exchanged([0x32], [5]), [1, 5, 0xEE]),
    Exchange("read I2C block of 32", 8, 1, [32], exchanged([0x32], block), [32] + block + [0xEE]),
  ])
  func `each is the transaction that the kernel makes of it`(_ exchange: Exchange) {
    let script = BusScript([exchange.step])
    var requests = Requests(script)
    let (answer, data) = requests.smbus(exchange.size, exchange.direction, 0x32, exchange.data)
    expect(answer, equals: 0)
    expect(script.complaints, equals: [])
    if let left = exchange.left { expect(data?.prefix(left.count), equals: left[...]) }
  }

  struct Refusal: Sendable {
    var size: UInt32
    var direction: UInt8
    var data: [UInt8]?
    var code: Int32
  }

  @Test(
    arguments: [0, 33, 255].flatMap { length in
      [(5, 0), (6, 0), (8, 0), (8, 1)].map { Refusal(size: $0.0, direction: $0.1, data: [length], code: 22) }
    } + [
      Refusal(size: 9, direction: 1, data: [1], code: 22), Refusal(size: .max, direction: 0, data: [1], code: 22),
      Refusal(size: 2, direction: 2, data: [1], code: 22), Refusal(size: 0, direction: 255, data: nil, code: 22),
      Refusal(size: 1, direction: 1, data: nil, code: 22), Refusal(size: 2, direction: 0, data: nil, code: 22),
      Refusal(size: 3, direction: 1, data: nil, code: 22), Refusal(size: 8, direction: 1, data: nil, code: 22),
      Refusal(size: 5, direction: 1, data: [1], code: 95), Refusal(size: 7, direction: 0, data: [1], code: 95),
    ])
  func `an invalid request is rejected before anything is on the bus`(_ refusal: Refusal) {
    let script = BusScript([])
    var requests = Requests(script)
    expect(requests.smbus(refusal.size, refusal.direction, 0x32, refusal.data).0, equals: -refusal.code)
    expect(script.complaints, equals: [])
  }

  @Test(
    arguments: [
      (.noAcknowledge, 121), (.arbitrationLost, 11), (.timedOut, 110), (.shortRead(expected: 6, received: 2), 5),
      (.unsupported, 95), (.notPermitted, 1), (.busy, 16), (.unavailable, 19), (.other(code: 108), 108),
      (.other(code: 0), 5), (.other(code: -7), 5),
    ] as [(I2CFault, Int32)])
  func `each bus fault has the errno of a Pi`(fault: I2CFault, code: Int32) {
    var requests = Requests(BusScript([exchanged([0x32], [0], throwing: fault), wrote([0x32], throwing: fault)]))
    expect(requests.smbus(2, 1, 0x32, [0]).0, equals: -code)
    expect(requests.smbus(1, 0, 0x32, nil).0, equals: -code)
  }
}
