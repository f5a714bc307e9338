import Bridge
import Emulation
import HAL
import TestSupport
import Testing

struct `Requests of an open file` {
  @Test func `the functions are those of a Pi`() {
    var requests = Requests(BusScript([]))
    let (answer, value) = requests.functions()
    expect(answer, equals: 0)
    expect(value, equals: 0x0EFF_0009)
  }

  @Test(arguments: [0x0703, 0x0706] as [UInt])
  func `an address of seven bits is accepted, and a greater one rejected`(request: UInt) {
    for number: UInt in 0...0x7F {
      var requests = Requests(BusScript([]))
      expect(requests.control(request, number), equals: 0)
      expect(UInt(requests.file), equals: number)
    }
    var requests = Requests(BusScript([]))
    for number: UInt in [0x80, 0x3FF, 0x1_0053, .max] {
      expect(requests.control(request, number), equals: -22)
      expect(requests.file, equals: 0x53)
    }
  }

  @Test(
    arguments: [
      (0x0704, 0, 0), (0x0704, 1, -95), (0x0708, 0, 0), (0x0708, 1, -95), (0x0701, 0, 0), (0x0701, 0x7FFF_FFFF, 0),
      (0x0701, 0x8000_0000, -22), (0x0702, 10, 0), (0x0702, .max, -22), (0x0705, 0, -14), (0x0707, 0, -14),
      (0x0720, 0, -14), (0x0700, 0, -25), (0x0709, 0, -25), (0x5401, 0, -25), (.max, 0, -25),
    ] as [(UInt, UInt, Int32)])
  func `every other request has its answer`(request: UInt, number: UInt, answer: Int32) {
    let script = BusScript([])
    var requests = Requests(script)
    expect(requests.control(request, number), equals: answer)
    expect(script.complaints, equals: [])
  }

  @Test func `a reserved or longer address is not acknowledged, and nothing goes over the bus`() {
    let script = BusScript([])
    for number in Array(0...0x07) + Array(0x78...0x7F) + [0x80, 0x153, 0xFFFF] as [UInt16] {
      var requests = Requests(script)
      requests.file = number
      expect(requests.smbus(0, 0, 0, nil).0, equals: -121)
      expect(requests.combined([.read(1, at: number)]).answer, equals: -121)
    }
    expect(script.complaints, equals: [])
  }

  @Test func `a plain read and a plain write are one transaction each`() throws {
    let script = BusScript([exchanged([], [1, 2, 3]), wrote([4, 5]), wrote([], throwing: .timedOut)])
    var requests = Requests(script)
    var bytes = [UInt8](repeating: 0, count: 3)
    var span = bytes.mutableSpan
    try requests.adapter.read(into: &span, at: 0x53)
    expect(bytes, equals: [1, 2, 3])
    try requests.adapter.write(([4, 5] as [UInt8]).span, to: 0x53)
    var code: Int32 = 0
    let nothing: [UInt8] = []
    do throws(KernelError) { try requests.adapter.write(nothing.span, to: 0x53) } catch { code = error.code }
    expect(code, equals: 110)
    expect(script.complaints, equals: [])
  }
}
