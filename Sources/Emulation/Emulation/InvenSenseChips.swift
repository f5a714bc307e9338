import FixedPoint

// What the emulated parts of InvenSense, the MPU-6050's family and the ICM-20948, have in common.

/// Their FIFO, which loses single bytes, with its registers FIFO_COUNTH, FIFO_COUNTL and FIFO_R_W.
struct InvenSenseFIFO {
  /// The bytes in it.
  var bytes: SampleFIFO
  private var latchedCount = 0

  /// An empty FIFO of `capacity` bytes.
  init(capacity: Int) { bytes = SampleFIFO(capacity: capacity) }

  /// What a read of one of the three registers returns: the first latches both bytes of the count, and the last returns
  /// the last byte again if there is none.
  mutating func read(_ register: Int) -> UInt8 {
    switch register {
    case 0:
      latchedCount = bytes.count
      return UInt8(truncatingIfNeeded: latchedCount >> 8)
    case 1: return UInt8(truncatingIfNeeded: latchedCount)
    default: return bytes.pop()
    }
  }
}

/// Their interrupt pin, as INT_PIN_CFG sets it up: latched (bit 5) or a pulse of 50 µs, active high or low (bit 7).
struct InvenSensePin {
  /// When the last event drove the pin.
  var pulse: Instant?

  /// Whether it is high, while `hasEvents` says whether an enabled event has not been read.
  func isHigh(_ configuration: UInt8, hasEvents: Bool, at present: Instant) -> Bool {
    let isActive =
      configuration & 0x20 != 0 ? hasEvents : pulse.map { present - $0 < Microseconds(50) } ?? false
    return isActive != (configuration & 0x80 != 0)
  }
}

extension AxisValues {
  /// A rotation in 1/65536 °/s as counts in the range of a code: 131, 65.5, 32.8 or 16.4 for each °/s.
  func rotationCounts(range code: UInt8) -> AxisValues {
    let countsForTen: InlineArray<4, Int64> = [1_310, 655, 328, 164]
    return counts(times: countsForTen[Int(code & 0x03)], over: 655_360)
  }
}

extension EmulatedMPU6050.Part.Thermometer {
  /// The count at a temperature in 1/65536 °C.
  func count(at temperature: Int64) -> Int64 {
    let above = AxisValues(all: temperature * 100 - Int64(offsetHundredths) * 65_536)
    return above.counts(times: Int64(hundredthsPerDegree), over: 655_360_000).x
  }
}
