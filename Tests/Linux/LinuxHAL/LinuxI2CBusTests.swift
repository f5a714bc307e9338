import CSupport
import Glibc
import HAL
import LinuxHAL
import TestSupport
import Testing
import Text

/// `I2C_FUNCS` of adapters, as read from real ones.
private let bcm2835: UInt = 0x0EFF_0009
private let i2cStub: UInt = 0x0C7F_0000

@Suite(.serialized) struct `A Linux I2C bus` {
  private let sensor = I2CAddress(0x53)

  /// A bus over the fake kernel, without the requests of its opening.
  private func open(_ functions: UInt, memory: [UInt8] = [], answers: [Int32?] = []) throws -> LinuxI2CBus {
    FakeKernel.reset(functions: functions, memory: memory, answers: answers)
    let bus = try unsafe LinuxI2CBus(
      path: ShortText("/dev/i2c-250"), descriptor: Glibc.open("/dev/null", O_RDWR), calls: FakeKernel.calls)
    expect(FakeKernel.takeRequests(), equals: [.functions])
    return bus
  }

  /// Reads `count` bytes from register 0x32.
  private func read(_ bus: inout LinuxI2CBus, _ count: Int, from address: UInt8 = 0x53) throws -> [UInt8] {
    let address = try require(I2CAddress(address))
    let register: [UInt8] = [0x32]
    var bytes = [UInt8](repeating: 0, count: count)
    var buffer = bytes.mutableSpan
    try bus.writeRead(register.span, into: &buffer, at: address)
    return bytes
  }

  private func write(_ bus: inout LinuxI2CBus, _ bytes: [UInt8]) throws {
    try bus.write(bytes.span, to: require(sensor))
  }

  @Test func `a sensor has one owner until its bus is dropped`() throws {
    let sensor = try require(sensor)
    let other = try require(I2CAddress(0x1D))
    var template = Array("/tmp/plumb-node-XXXXXX".utf8CString)
    let first = unsafe mkstemp(&template)
    let node = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unsafe unlink(node) }
    FakeKernel.reset(functions: bcm2835)
    func bus(_ descriptor: Int32) throws(LinuxI2CError) -> LinuxI2CBus {
      try unsafe LinuxI2CBus(path: ShortText("/dev/i2c-250"), descriptor: descriptor, calls: FakeKernel.calls)
    }
    func refusal(_ bus: inout LinuxI2CBus, _ address: I2CAddress) -> LinuxI2CError? {
      do throws(LinuxI2CError) { try bus.own(address) } catch { return error }
      return nil
    }
    var guest = try unsafe bus(Glibc.open(node, O_RDWR))
    do {
      var owner = try bus(first)
      expect(refusal(&owner, sensor), equals: nil)
      expect(refusal(&owner, sensor), equals: nil, "its own already")
      let error = try require(refusal(&guest, sensor))
      expect(error.fault, equals: .busy)
      expect(error.description, hasPrefix: "the sensor at 0x53 on /dev/i2c-250 is in use by ")
      expect(refusal(&guest, other), equals: nil)
    }
    expect(refusal(&guest, sensor), equals: nil)
  }

  @Test func `a node without locks is used without one`() throws {
    // No byte of a pipe can be locked.
    var ends: [Int32] = [0, 0]
    try unsafe require(that: pipe(&ends) == 0)
    defer { close(ends[1]) }
    FakeKernel.reset(functions: bcm2835)
    var bus = try unsafe LinuxI2CBus(path: ShortText("/dev/i2c-250"), descriptor: ends[0], calls: FakeKernel.calls)
    try bus.own(require(sensor))
  }

  @Test func `reads in one combined transaction if the adapter supports I2C`() throws {
    var bus = try open(bcm2835, memory: [1, 2, 3, 4, 5, 6])
    try expect(read(&bus, 6), equals: [1, 2, 3, 4, 5, 6])
    let transaction = FakeKernel.Request.combined([
      .write(address: 0x53, bytes: [0x32]), .read(address: 0x53, count: 6),
    ])
    expect(FakeKernel.takeRequests(), equals: [.address(0x53), transaction])
    _ = try read(&bus, 6)
    expect(FakeKernel.takeRequests(), equals: [transaction], "one system call a sample")
  }

  /// Reads 8 bytes from register 0x32, `count` times in one transaction.
  private func readSeveral(_ bus: inout LinuxI2CBus, _ count: Int) throws -> [UInt8] {
    let register: [UInt8] = [0x32]
    var bytes = [UInt8](repeating: 0, count: 8 * count)
    var buffer = bytes.mutableSpan
    try bus.writeReads(register.span, each: 8, into: &buffer, at: require(sensor))
    return bytes
  }

  @Test(arguments: [1, 2, 21]) func `joins up to 21 reads into one system call`(_ count: Int) throws {
    var bus = try open(bcm2835, memory: [1, 2, 3, 4, 5, 6, 7, 8])
    expect(bus.readsPerTransaction, equals: 21)
    let bytes = try readSeveral(&bus, count)
    expect(bytes, equals: Array(repeating: [1, 2, 3, 4, 5, 6, 7, 8], count: count).flatMap { $0 })
    let read: [FakeKernel.Message] = [.write(address: 0x53, bytes: [0x32]), .read(address: 0x53, count: 8)]
    let messages = Array(repeating: read, count: count).flatMap { $0 }
    expect(FakeKernel.takeRequests(), equals: [.address(0x53), .combined(messages)])
    expect(throws: I2CFault.unsupported) { try readSeveral(&bus, 22) }
    expect(FakeKernel.takeRequests(), equals: [])
  }

  @Test func `an adapter that rejects joined reads is remembered`() throws {
    var bus = try open(bcm2835, memory: [1, 2, 3, 4, 5, 6, 7, 8], answers: [nil, -EOPNOTSUPP])
    expect(throws: I2CFault.unsupported) { try readSeveral(&bus, 21) }
    expect(bus.readsPerTransaction, equals: 1)
    _ = FakeKernel.takeRequests()
    expect(throws: I2CFault.unsupported) { try readSeveral(&bus, 2) }
    expect(FakeKernel.takeRequests(), equals: [])
    try expect(readSeveral(&bus, 1), equals: [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test func `any other fault of joined reads is thrown, and they continue`() throws {
    var bus = try open(bcm2835, answers: [nil, -ETIMEDOUT])
    expect(throws: I2CFault.timedOut) { try readSeveral(&bus, 21) }
    expect(bus.readsPerTransaction, equals: 21)
  }

  @Test func `an SMBus adapter joins nothing`() throws {
    let bus = try open(i2cStub)
    expect(bus.readsPerTransaction, equals: 1)
  }

  @Test func `writes in one message if the adapter supports I2C`() throws {
    var bus = try open(bcm2835)
    try write(&bus, [0x2D, 0x08])
    expect(
      FakeKernel.takeRequests(), equals: [.address(0x53), .combined([.write(address: 0x53, bytes: [0x2D, 0x08])])])
  }

  @Test func `falls back to an SMBus block if the adapter does not support I2C`() throws {
    var bus = try open(i2cStub, memory: [9, 8, 7])
    try expect(read(&bus, 3), equals: [9, 8, 7])
    try write(&bus, [0x2D, 0x08])
    try write(&bus, [0x32])
    expect(
      FakeKernel.takeRequests(),
      equals: [
        .address(0x53), .readBlock(command: 0x32, length: 3), .writeBlock(command: 0x2D, bytes: [0x08]),
        .writeByte(0x32),
      ])
  }

  @Test func `a short SMBus block is a short read`() throws {
    var bus = try open(i2cStub, memory: [9, 8, 7])
    expect(throws: I2CFault.shortRead(expected: 6, received: 3)) { _ = try read(&bus, 6) }
  }

  @Test(arguments: [bcm2835, i2cStub])
  func `a signal does not break a transaction`(functions: UInt) throws {
    var bus = try open(functions, memory: [5], answers: [nil, -EINTR, -EINTR])
    try expect(read(&bus, 1), equals: [5])
    expect(FakeKernel.takeRequests().count, equals: 4)
    FakeKernel.reset(functions: functions, answers: [-EINTR])
    try write(&bus, [0x2D, 0x08])
    expect(FakeKernel.takeRequests().count, equals: 2)
  }

  @Test(arguments: [bcm2835, i2cStub])
  func `an adapter that interrupts eight times in a row is a fault`(functions: UInt) throws {
    let most = 8
    let last = [Int32?](repeating: -EINTR, count: most - 1)
    var bus = try open(functions, memory: [5], answers: [nil] + last)
    try expect(read(&bus, 1), equals: [5])
    // One more than the attempts: the next transaction gets it.
    FakeKernel.reset(functions: functions, memory: [5], answers: last + [-EINTR, -EINTR])
    expect(throws: I2CFault.other(code: EINTR)) { _ = try read(&bus, 1) }
    expect(FakeKernel.takeRequests().count, equals: most)
    try expect(read(&bus, 1), equals: [5], "and the next transaction is tried as if nothing had been")
    for bytes in [[0x2D, 0x08], [0x32]] as [[UInt8]] {
      FakeKernel.reset(functions: functions, answers: last + [-EINTR])
      expect(throws: I2CFault.other(code: EINTR)) { try write(&bus, bytes) }
      expect(FakeKernel.takeRequests().count, equals: most)
    }
  }

  @Test(
    arguments: [
      (-EREMOTEIO, .noAcknowledge), (-ETIMEDOUT, .timedOut), (-EAGAIN, .arbitrationLost), (-EIO, .other(code: EIO)),
      (1, .other(code: EIO)),
    ] as [(Int32, I2CFault)])
  func `a fault of the adapter is thrown`(answer: Int32, fault: I2CFault) throws {
    var bus = try open(bcm2835, memory: [5], answers: [nil, answer])
    expect(throws: fault) { _ = try read(&bus, 1) }
    try expect(read(&bus, 1), equals: [5], "and the next transaction is tried as if nothing had been")
  }

  @Test func `an address that a kernel driver holds is busy and left alone`() throws {
    var bus = try open(bcm2835, answers: [-EBUSY, -EBUSY])
    expect(throws: I2CFault.busy) { _ = try read(&bus, 1) }
    expect(FakeKernel.takeRequests(), equals: [.address(0x53)])
    let address = try require(sensor)
    expect(throws: LinuxI2CError(path: "/dev/i2c-250", address: address, code: EBUSY)) { try bus.claim(address) }
  }

  @Test func `another address is set before it is used`() throws {
    var bus = try open(i2cStub, memory: [1])
    _ = try read(&bus, 1, from: 0x53)
    _ = try read(&bus, 1, from: 0x1D)
    let block = FakeKernel.Request.readBlock(command: 0x32, length: 1)
    expect(FakeKernel.takeRequests(), equals: [.address(0x53), block, .address(0x1D), block])
  }

  @Test func `a bus that cannot be reopened is unavailable`() throws {
    var bus = try open(bcm2835)
    expect(throws: I2CFault.unavailable) { try bus.reopen() }
    expect(throws: I2CFault.unavailable) { try write(&bus, [0x2D, 0x08]) }
    expect(throws: I2CFault.unavailable) { _ = try read(&bus, 1) }
  }

  @Test(
    arguments: [
      (bcm2835, 1, 6, Int32(CSUPPORT_I2C_COMBINED.rawValue)), (bcm2835, 2, 0, 1), (bcm2835, 8_192, 8_192, 1),
      (bcm2835, 8_193, 0, -EOPNOTSUPP), (bcm2835, 1, 8_193, -EOPNOTSUPP), (bcm2835, 0, 6, -EINVAL),
      (i2cStub, 1, 6, Int32(CSUPPORT_I2C_SMBUS.rawValue)), (i2cStub, 1, 32, 2), (i2cStub, 1, 33, -EOPNOTSUPP),
      (i2cStub, 2, 6, -EOPNOTSUPP), (i2cStub, 1, 0, 2), (i2cStub, 33, 0, 2), (i2cStub, 34, 0, -EOPNOTSUPP),
      (i2cStub, 0, 0, -EINVAL), (0, 1, 6, -EOPNOTSUPP), (0x0400_0000, 2, 0, -EOPNOTSUPP),
    ] as [(UInt, Int, Int, Int32)])
  func `the kind of a transaction follows from the adapter and the lengths`(
    functions: UInt, written: Int, received: Int, way: Int32
  ) {
    expect(csupport_i2c_way(UInt32(functions), written, received), equals: way)
  }
}
