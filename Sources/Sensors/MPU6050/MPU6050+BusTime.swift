internal import FixedPoint
internal import HAL

extension MPU6050.Device where Bus: ~Copyable {
  func checkRate() throws(SensorError) { try configuration.check(against: bus.frequency) }
}

extension MPU6050.Configuration {
  /// Refuses a sample rate that a bus of `frequency` hertz cannot follow; one of unknown frequency refuses nothing.
  ///
  /// - Throws: `rateTooHigh` where samples come faster than the bus could carry them.
  public func check(against frequency: UInt32?) throws(SensorError) {
    guard let busHertz = frequency else { return }
    let bits = bitsPerSample
    // bits / busHertz ≤ period, without a division.
    let needed = UInt64(bitPattern: period.count) &* widened(busHertz)
    guard widened(bits) &* 1_000_000 > needed else { return }
    throw .rateTooHigh(busHertz: busHertz, highestHertz: MPU6050.highestHertz(bits: bits, busHertz: busHertz))
  }
}

extension MPU6050 {
  /// The bits of a burst read of `bytes` bytes: start, address, register, start, address, bytes and stop.
  ///
  /// - Source: UM10204 (I2C-bus specification) rev. 7, 3.1: nine bits a byte.
  static func bits(reading bytes: UInt32) -> UInt32 { 9 &* (3 &+ bytes) &+ 3 }

  /// The highest sample rate in whole hertz whose samples of `bits` bits a bus of `busHertz` can carry; 0 for none.
  static func highestHertz(bits: UInt32, busHertz: UInt32) -> UInt32 {
    guard busHertz > 0 else { return 0 }
    let milliseconds = (bits &* 1_000 &- 1) / busHertz &+ 1
    return milliseconds > 256 ? 0 : 1_000 / milliseconds
  }
}

extension MPU6050.Configuration {
  /// How many bits on the bus one sample takes at most.
  ///
  /// Without the FIFO that is one watched burst of all that is on. With it, a full burst's share, and of what goes with
  /// each drain, the count and the watched registers: at worst there is a drain for every burst.
  var bitsPerSample: UInt32 {
    guard usesFIFO, let fifo else { return MPU6050.bits(reading: 4 &+ UInt32(truncatingIfNeeded: burstSize)) }
    let size = UInt32(truncatingIfNeeded: fifoLayout.size)
    let records = UInt32(truncatingIfNeeded: fifo.recordsPerBurst(fifoLayout))
    let bits = MPU6050.bits(reading: size &* records) &+ MPU6050.bits(reading: 2) &+ MPU6050.bits(reading: 4)
    return (bits &+ records &- 1) / records
  }

  /// The bytes of the burst that is read for each sample: with the gyroscope on, what `motion()` reads.
  private var burstSize: Int { usesGyroscope ? motionLayout.size : MPU6050.RecordLayout.force.size }
}
