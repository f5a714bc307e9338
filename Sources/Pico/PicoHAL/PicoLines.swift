internal import CPico
public import HAL

/// Output lines on the chip's pins.
public struct PicoLines: ~Copyable, OutputBank {
  private let pins: InlineArray<7, UInt32>
  private let count: Int
  private let isActiveLow: Bool
  private let mask: UInt32

  /// The first `count` of `pins`, GPIO numbers below 30, all of them off.
  public init(_ pins: InlineArray<7, UInt32>, count: Int, isActiveLow: Bool) {
    (self.pins, self.count, self.isActiveLow) = (pins, count, isActiveLow)
    var mask: UInt32 = 0
    for index in 0..<count { mask |= Pin(pins[index]).mask }
    self.mask = mask
    // The level first, so that nothing lights up for a moment.
    cpico_write(isActiveLow ? Registers.setOutputs : Registers.clearOutputs, mask)
    cpico_write(Registers.enableOutputs, mask)
    for index in 0..<count { Pin(pins[index]).select(.program) }
  }

  /// Sets all lines at the same instant, by one write to a register.
  public mutating func write(_ levels: Levels) throws(OutputFault) {
    var wanted: UInt32 = 0
    for index in 0..<count where levels.isOn(index) != isActiveLow { wanted |= Pin(pins[index]).mask }
    cpico_write(Registers.invertOutputs, (cpico_read(Registers.outputs) ^ wanted) & mask)
  }
}
