import Bridge
import Emulation
import HAL
import TestSupport
import Testing

struct `Combined messages` {
  typealias Message = Requests.Message

  struct Exchange: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var messages: [Message]
    var steps: [ScriptStep]
    var read: [[UInt8]] = []
  }

  static let other = EmulatedADXL345.alternateAddress

  @Test(arguments: [
    Exchange(testDescription: "a write", messages: [.write([1, 2])], steps: [wrote([1, 2])]),
    Exchange(testDescription: "a quick write", messages: [.write([])], steps: [wrote([])]),
    Exchange(testDescription: "a read", messages: [.read(2)], steps: [exchanged([], [3, 4])], read: [[3, 4]]),
    Exchange(
      testDescription: "a write and a read are one", messages: [.write([0x32]), .read(2)],
      steps: [exchanged([0x32], [3, 4])], read: [[3, 4]]),
    Exchange(
      testDescription: "a quick write and a read", messages: [.write([]), .read(1)], steps: [exchanged([], [3])],
      read: [[3]]),
    Exchange(
      testDescription: "writes before them go ahead", messages: [.write([1]), .write([2, 3]), .write([4]), .read(1)],
      steps: [wrote([1]), wrote([2, 3]), exchanged([4], [5])], read: [[5]]),
    Exchange(
      testDescription: "writes alone", messages: [.write([1]), .write([2])], steps: [wrote([1]), wrote([2])]),
    Exchange(
      testDescription: "two targets are apart", messages: [.write([1], to: 0x1D), .read(1)],
      steps: [.write([1], to: other), exchanged([], [5])], read: [[5]]),
  ])
  func `each is the transactions that a sensor sees`(_ exchange: Exchange) {
    let script = BusScript(exchange.steps)
    var requests = Requests(script)
    let (answer, read) = requests.combined(exchange.messages)
    expect(answer, equals: Int32(exchange.messages.count))
    expect(read, equals: exchange.read)
    expect(script.complaints, equals: [])
  }

  @Test func `as many messages and bytes pass as the kernel accepts`() {
    let writes = (0..<42).map { Message.write([UInt8($0)]) }
    let script = BusScript((0..<42).map { wrote([UInt8($0)]) })
    var requests = Requests(script)
    expect(requests.combined(writes).answer, equals: 42)
    expect(script.complaints, equals: [])

    let long = [UInt8](repeating: 7, count: 8192)
    let longScript = BusScript([exchanged(long, long)])
    var longRequests = Requests(longScript)
    let (answer, read) = longRequests.combined([.write(long), .read(8192)])
    expect(answer, equals: 2)
    expect(read, equals: [long])
    expect(longScript.complaints, equals: [])
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var messages: [Message]
    var code: Int32
  }

  @Test(
    arguments: [
      Refusal(testDescription: "none", messages: [], code: 22),
      Refusal(testDescription: "43", messages: Array(repeating: .write([1]), count: 43), code: 22),
      Refusal(testDescription: "8193 bytes", messages: [.write(Array(repeating: 1, count: 8193))], code: 22),
      Refusal(testDescription: "8193 bytes later", messages: [.write([1]), .read(8193)], code: 22),
      Refusal(testDescription: "a read before a write", messages: [.read(1), .write([1])], code: 95),
      Refusal(testDescription: "two reads", messages: [.read(1), .read(1)], code: 95),
    ]
      + (1..<16).map { bit in
        let message = Message(flags: 1 << UInt16(bit), bytes: [1])
        return Refusal(testDescription: "flag \(bit)", messages: [.write([2]), message], code: 95)
      })
  func `a request that a Pi cannot do is rejected before anything is on the bus`(_ refusal: Refusal) {
    let script = BusScript([])
    var requests = Requests(script)
    expect(requests.combined(refusal.messages).answer, equals: -refusal.code)
    expect(script.complaints, equals: [])
  }

  @Test(arguments: [
    Exchange(
      testDescription: "21 writes with a read each",
      messages: (0..<21).flatMap { [Message.write([0x32]), .read($0 % 3)] },
      steps: (0..<21).map { exchanged([0x32], Array(repeating: 9, count: $0 % 3)) },
      read: (0..<21).map { Array(repeating: 9, count: $0 % 3) }),
    Exchange(
      testDescription: "a read before a write", messages: [.read(1), .write([1])],
      steps: [exchanged([], [5]), wrote([1])], read: [[5]]),
    Exchange(
      testDescription: "reads without a write between them", messages: [.write([7]), .read(1), .read(2)],
      steps: [exchanged([7], [5]), exchanged([], [6, 8])], read: [[5], [6, 8]]),
    Exchange(
      testDescription: "two targets are apart", messages: [.write([1], to: 0x1D), .read(1), .write([2]), .read(1)],
      steps: [.write([1], to: other), exchanged([], [5]), exchanged([2], [6])], read: [[5], [6]]),
  ])
  func `an adapter that joins reads accepts them anywhere`(_ exchange: Exchange) {
    let script = BusScript(exchange.steps)
    var requests = Requests(script, .designware)
    let (answer, read) = requests.combined(exchange.messages)
    expect(answer, equals: Int32(exchange.messages.count))
    expect(read, equals: exchange.read)
    expect(script.complaints, equals: [])
  }

  @Test func `an adapter that joins reads still rejects flags`() {
    for bit in 1..<16 {
      let script = BusScript([])
      var requests = Requests(script, .designware)
      expect(requests.combined([.write([2]), Message(flags: 1 << UInt16(bit), bytes: [1])]).answer, equals: -95)
      expect(script.complaints, equals: [])
    }
  }

  @Test func `a fault ends them`() {
    let script = BusScript([wrote([1]), wrote([2], throwing: .noAcknowledge)])
    var requests = Requests(script)
    expect(requests.combined([.write([1]), .write([2]), .write([3])]).answer, equals: -121)
    expect(script.complaints, equals: [])
  }
}
