import FixedPoint

/// What bytes on the bus do to an MPU-6050.
extension MPU6050Model {
  /// Takes a register number and the bytes for the registers from there on.
  mutating func receive(_ written: Span<UInt8>, at now: Instant) {
    advance(to: now)
    guard written.count > 0 && !isDeaf else { return }
    pointer = Int(written[0])
    for index in 1..<max(1, written.count) { write(written[index], at: now) }
  }

  /// Gives the registers from the pointer on.
  mutating func transmit(into buffer: inout MutableSpan<UInt8>, at now: Instant) {
    advance(to: now)
    for index in buffer.indices { buffer[index] = isDeaf ? 0xFF : read() }
    let clearsOnAnyRead = bytes[Register.interruptPinConfiguration] & 0x10 != 0
    if clearsOnAnyRead && buffer.count > 0 { status = 0 }
  }

  private mutating func read() -> UInt8 {
    let register = pointer
    if register != Register.fifoData { pointer = (pointer + 1) & 0xFF }
    switch register {
    case Register.interruptStatus:
      defer { status = 0 }
      return status
    case Register.fifoCountHigh:
      latchedCount = fifo.count
      return UInt8(truncatingIfNeeded: latchedCount >> 8)
    case Register.fifoCountLow: return UInt8(truncatingIfNeeded: latchedCount)
    case Register.fifoData: return bytes[Register.userControl] & 0x40 != 0 ? fifo.pop() : fifo.lastRead
    case Register.identity: return conditions.identity ?? bytes[register]
    case Register.powerManagement1: return bytes[register] | (resetEnd == nil ? 0 : 0x80)
    default: return bytes[register]
    }
  }

  private mutating func write(_ value: UInt8, at now: Instant) {
    let register = pointer
    if register != Register.fifoData { pointer = (pointer + 1) & 0xFF }
    guard resetEnd == nil && !isDeaf else { return }
    switch register {
    case Register.powerManagement1 where value & 0x80 != 0: beginReset(at: now)
    case Register.signalPathReset: restart(accelerometer: value & 0x02 != 0, gyroscope: value & 0x04 != 0, at: now)
    case Register.userControl: control(value, at: now)
    default: store(value, in: register, at: now)
    }
  }

  private mutating func store(_ value: UInt8, in register: Int, at now: Instant) {
    let mask = writableBits[register]
    guard mask != 0 else { return }
    let cleared = bytes[register] & ~value
    bytes[register] = value & mask
    switch register {
    case Register.powerManagement1:
      restart(accelerometer: false, gyroscope: cleared & 0x10 != 0, at: now)
    case Register.powerManagement2:
      restart(accelerometer: cleared & 0x38 != 0, gyroscope: cleared & 0x07 != 0, at: now)
    case Register.accelerometerConfiguration2:
      if fifo.capacity != fifoCapacity { fifo = ByteQueue(capacity: fifoCapacity) }
    default: break
    }
    applyRegisters(at: now, startUp: specimen.part.startUp)
  }

  /// USER_CTRL.
  private mutating func control(_ value: UInt8, at now: Instant) {
    let wasRunning = bytes[Register.userControl] & 0x40 != 0
    bytes[Register.userControl] = value & writableBits[Register.userControl]
    if value & 0x04 != 0 && value & 0x40 == 0 && !wasRunning { fifo.removeAll() }
    if value & 0x01 != 0 {
      for register in Register.accelerometerData..<(Register.gyroscopeData + 6) { bytes[register] = 0 }
      restart(accelerometer: true, gyroscope: true, at: now)
    }
    isDeaf = value & 0x10 != 0
    applyRegisters(at: now, startUp: specimen.part.startUp)
  }

  /// Lets sensors hold for their start-up times.
  private mutating func restart(accelerometer: Bool, gyroscope: Bool, at now: Instant) {
    if accelerometer { accelerometerReady = now + specimen.part.startUp }
    if gyroscope { gyroscopeReady = now + specimen.part.gyroscopeStartUp }
  }

  /// The interrupt pin at `now`.
  func interruptPin(at now: Instant) -> EmulatedMPU6050.InterruptPin {
    let pinConfiguration = bytes[Register.interruptPinConfiguration]
    let isActive: Bool
    if pinConfiguration & 0x20 != 0 {
      isActive = status & bytes[Register.interruptEnable] != 0
    } else {
      isActive = pulse.map { now >= $0 && now < $0 + Microseconds(50) } ?? false
    }
    let isActiveLow = pinConfiguration & 0x80 != 0
    if isActive != isActiveLow { return pinConfiguration & 0x40 != 0 ? .released : .high }
    return .low
  }
}
