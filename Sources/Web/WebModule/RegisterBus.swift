internal import FixedPoint
internal import HAL

/// A bus with one target, the registers of an MPU-6050, for a board that exists in a browser alone.
///
/// `Emulation` has the whole part, but its parts are classes over a heap, which this module does not have. What is here
/// is what a driver sees that reads one sample at a time: identity, reset, sleep, ranges, data, noise and bias. There
/// is no FIFO, no filter and no self-test. It shares no constant with the driver.
///
/// - Datasheet: RM-MPU-6000A rev. 4.2.
struct RegisterBus: I2CBus {
  /// The true specific force and rotation rate in the sensor's frame, in g and °/s.
  var force = Vector3(x: .zero, y: .zero, z: .one)
  var rotation = Vector3.zero
  /// The reading of the gyroscope at rest, °/s.
  var bias = Vector3.zero
  /// The standard deviations of the noise, in g and °/s.
  var forceNoise = Q16.zero
  var rotationNoise = Q16.zero
  /// What each transaction reports; nil if the bus works.
  var fault: I2CFault?

  private var registers = InlineArray<128, UInt8>(repeating: 0)
  private var pointer: UInt8 = 0
  private var random = SplitMix64(seed: 1)

  /// A target that has just got its power.
  init() { reset() }

  var frequency: UInt32? { 400_000 }

  /// Every register as after the power comes: the part sleeps (registers 107 and 117).
  mutating func reset() {
    registers = InlineArray<128, UInt8>(repeating: 0)
    registers[0x6B] = 0x40
    registers[0x75] = 0x68
  }

  mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    try answer(address)
    guard bytes.count > 0 else { return }
    pointer = bytes[0]
    for index in 1..<max(1, bytes.count) {
      store(bytes[index])
      pointer &+= 1
    }
  }

  mutating func writeRead(
    _ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    try write(bytes, to: address)
    // A burst reads the data of one sampling instant (registers 59 to 64).
    if pointer <= 0x3B && Int(pointer) &+ buffer.count > 0x3B { measure() }
    for index in 0..<buffer.count {
      buffer[index] = registers[Int(pointer & 0x7F)]
      pointer &+= 1
    }
  }

  private func answer(_ address: I2CAddress) throws(I2CFault) {
    if let fault { throw fault }
    guard address.rawValue == 0x68 else { throw .noAcknowledge }
  }

  private mutating func store(_ byte: UInt8) {
    switch pointer {
    // Bit 7 resets, and clears itself.
    case 0x6B where byte & 0x80 != 0: reset()
    // SIGNAL_PATH_RESET reads 0; INT_STATUS, the data and the identity are read-only.
    case 0x68, 0x3A...0x48, 0x75, 0x80...: break
    default: registers[Int(pointer)] = byte
    }
  }

  /// Puts a sample into the data registers, and marks it in INT_STATUS (register 58). A part that sleeps keeps zeros.
  private mutating func measure() {
    guard registers[0x6B] & 0x40 == 0 else { return }
    registers[0x3A] = 0x01
    // 16384 LSB per g at ±2 g, half as many with each range (register 28).
    let range = widened(Int32(registers[0x1C] &>> 3 & 3))
    put(force.x, forceNoise, at: 0x3B) { ($0 &* 16_384) &>> (16 &+ range) }
    put(force.y, forceNoise, at: 0x3D) { ($0 &* 16_384) &>> (16 &+ range) }
    put(force.z, forceNoise, at: 0x3F) { ($0 &* 16_384) &>> (16 &+ range) }
    // 25 °C: (25 - 36.53) · 340 LSB (register 65).
    place(-3_920, at: 0x41)
    // 131, 65.5, 32.8 and 16.4 LSB per °/s (register 27).
    let tenths: InlineArray<4, Int64> = [1_310, 655, 328, 164]
    let factor = tenths[Int(registers[0x1B] &>> 3 & 3)]
    put(rotation.x.addingSaturating(bias.x), rotationNoise, at: 0x43) { $0 &* factor / 655_360 }
    put(rotation.y.addingSaturating(bias.y), rotationNoise, at: 0x45) { $0 &* factor / 655_360 }
    put(rotation.z.addingSaturating(bias.z), rotationNoise, at: 0x47) { $0 &* factor / 655_360 }
  }

  /// Puts `value`, with noise of this standard deviation and converted to LSB by `scale`, into two registers.
  private mutating func put(_ value: Q16, _ deviation: Q16, at register: Int, _ scale: (Int64) -> Int64) {
    place(scale(widened(value.raw) &+ noise(deviation)), at: register)
  }

  private mutating func place(_ value: Int64, at register: Int) {
    let bits = UInt16(bitPattern: Int16(truncatingIfNeeded: max(-32_768, min(32_767, value))))
    registers[register & 0x7F] = UInt8(truncatingIfNeeded: bits &>> 8)
    registers[(register &+ 1) & 0x7F] = UInt8(truncatingIfNeeded: bits)
  }

  /// White noise in 1/65536: the sum of twelve uniform 16-bit numbers minus its mean has the standard deviation 65536.
  private mutating func noise(_ deviation: Q16) -> Int64 {
    guard deviation.raw > 0 else { return 0 }
    var sum: Int64 = -393_210
    for _ in 0..<3 {
      var word = random.next()
      for _ in 0..<4 {
        sum &+= Int64(bitPattern: word & 0xFFFF)
        word = word &>> 16
      }
    }
    return (widened(deviation.raw) &* sum) &>> 16
  }
}
