internal import CPico

/// The addresses of an RP2040's registers, by the sections of its data sheet.
enum Registers {
  /// 2.14.3: holds peripherals in reset; and which of them are out of it.
  static var resets: UInt32 { 0x4000_C000 }
  static var resetDone: UInt32 { 0x4000_C008 }
  /// 2.19.6.1: status and control of each GPIO, 8 bytes each; the control selects the function.
  static var pinControl: UInt32 { 0x4001_4004 }
  /// 2.19.6.3: the pads, 4 bytes each.
  static var pads: UInt32 { 0x4001_C004 }
  /// 2.3.1.7: the pins' levels; outputs and their enables, each to be set, cleared or inverted by a mask.
  static var levels: UInt32 { 0xD000_0004 }
  static var outputs: UInt32 { 0xD000_0010 }
  static var setOutputs: UInt32 { 0xD000_0014 }
  static var clearOutputs: UInt32 { 0xD000_0018 }
  static var invertOutputs: UInt32 { 0xD000_001C }
  static var enableOutputs: UInt32 { 0xD000_0024 }
  static var disableOutputs: UInt32 { 0xD000_0028 }
  /// 4.6.5: the timer's words, high and low, not latched.
  static var timerHigh: UInt32 { 0x4005_4024 }
  static var timerLow: UInt32 { 0x4005_4028 }
  /// 4.7.6: the watchdog; 2.13.5: what it resets.
  static var watchdogControl: UInt32 { 0x4005_8000 }
  static var watchdogLoad: UInt32 { 0x4005_8004 }
  static var watchdogResets: UInt32 { 0x4001_0008 }
}

/// The function of a pin (2.19.2).
enum PinFunction: UInt32 {
  /// An I2C controller.
  case i2c = 3
  /// The program.
  case program = 5
}

/// A pin of the chip, 0 to 29.
struct Pin: Sendable {
  let number: UInt32
  var mask: UInt32 { 1 &<< number }

  init(_ number: UInt32) { self.number = number }

  func select(_ function: PinFunction) { cpico_write(Registers.pinControl &+ number &* 8, function.rawValue) }

  /// Input on, Schmitt trigger, 4 mA; with the pull-up in place of the pull-down (2.19.6.3).
  func pullUp() { cpico_write(Registers.pads &+ number &* 4, 0x5A) }

  var isHigh: Bool { cpico_read(Registers.levels) & mask != 0 }

  /// Drives the pin low, or leaves it to its pull-up.
  func drive(low isLow: Bool) { cpico_write(isLow ? Registers.enableOutputs : Registers.disableOutputs, mask) }
}
