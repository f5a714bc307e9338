internal import Emulation
internal import FixedPoint
internal import HAL

/// For any register writes the same traffic gives the same bytes, the identity stays, and counters only grow.
func checkADXL345(_ bytes: [UInt8]) throws(Broken) {
  var answers: [[UInt8]] = []
  for _ in 0..<2 {
    let clock = VirtualClock()
    let part = EmulatedADXL345(motion: NamedMotion.shake.motion, now: { clock.now })
    var traffic = Traffic(part, at: EmulatedADXL345.address, clock, bytes)
    try traffic.run({ part.sampleCount }, { part.catchUp() })
    // DEVID (register 0x00) holds 0xE5; FIFO_STATUS (0x39) counts up to 32 entries in addition to the one in the data
    // registers.
    try require(try traffic.read(0x00, 1) == [0xE5], "another identity")
    try require(try traffic.read(0x39, 1)[0] & 0x3F <= 33, "more entries than the FIFO has")
    answers.append(traffic.seen)
  }
  try require(answers[0] == answers[1], "the same traffic gives other bytes")
}

/// For any register writes the same traffic gives the same bytes, the identity stays, and counters only grow.
func checkMPU6050(_ bytes: [UInt8]) throws(Broken) {
  let parts: [EmulatedMPU6050.Part] = [.mpu6050, .mpu6500, .icm20602, .icm20689, .icm20690, .mpu9250]
  let model = parts[Int(bytes.first ?? 0) % parts.count]
  var answers: [[UInt8]] = []
  for _ in 0..<2 {
    let clock = VirtualClock()
    let part = EmulatedMPU6050(
      motion: NamedMotion.shake.motion, configuration: EmulatedMPU6050.Configuration(model), now: { clock.now })
    var traffic = Traffic(part, at: EmulatedMPU6050.address, clock, Array(bytes.dropFirst()))
    try traffic.run({ part.sampleCount }, { _ = part.isInterruptHigh })
    // FIFO_COUNTH and FIFO_COUNTL (registers 114 and 115).
    let count = try traffic.read(114, 2)
    let entries = Int(count[0]) << 8 | Int(count[1])
    // A part whose I2C interface is off (I2C_IF_DIS) reads as all ones.
    let isDeaf = try traffic.read(117, 1) == [0xFF]
    try require(isDeaf ? entries == 0xFFFF : entries <= model.fifoSize, "\(entries) bytes in its FIFO")
    let rate = part.angularRate
    for axis in [rate.x, rate.y, rate.z] { try require(abs(Int64(axis.raw)) <= 4_001 << 16, "a rate of \(axis)") }
    answers.append(traffic.seen)
  }
  try require(answers[0] == answers[1], "the same traffic gives other bytes")
}

/// Transactions and delays decoded from bytes.
private struct Traffic: ~Copyable {
  private var bus: EmulatedBus
  private let address: I2CAddress
  private let clock: VirtualClock
  private var bytes: Bytes
  private(set) var seen: [UInt8] = []

  init(_ part: any EmulatedTarget, at address: I2CAddress, _ clock: VirtualClock, _ bytes: [UInt8]) {
    bus = EmulatedBus(part, at: address, now: { clock.now })
    (self.address, self.clock, self.bytes) = (address, clock, Bytes(bytes))
  }

  /// Reads `count` bytes starting at `register`.
  mutating func read(_ register: UInt8, _ count: Int) throws(Broken) -> [UInt8] {
    var found = [UInt8](repeating: 0, count: count)
    do throws(I2CFault) {
      var span = found.mutableSpan
      let address = [register]
      try bus.writeRead(address.span, into: &span, at: self.address)
    } catch {
      throw Broken(words: "reading \(register): \(error)")
    }
    seen += found
    return found
  }

  /// At most two seconds and 300 transactions, so each input is quick.
  mutating func run(_ samples: () -> UInt64, _ look: () -> Void) throws(Broken) {
    var (left, known, steps) = (2_000_000, samples(), 0)
    while !bytes.isAtEnd && steps < 300 {
      steps += 1
      let operation = bytes.byte()
      switch operation & 3 {
      case 0:
        _ = try read(bytes.byte(), 1 + Int(operation >> 2))
      case 1:
        let count = Int(operation >> 2 & 3)
        var written = [bytes.byte()]
        for _ in 0..<count { written.append(bytes.byte()) }
        do throws(I2CFault) { try bus.write(written.span, to: address) } catch {
          throw Broken(words: "writing \(written): \(error)")
        }
      case 2:
        let span = min(left, Int(bytes.word()))
        left -= span
        clock.advance(by: Microseconds(Int64(span)))
      default:
        look()
      }
      let now = samples()
      try require(now >= known, "\(now) samples after \(known)")
      known = now
    }
  }
}
