public import HAL

/// The emulated controller of a Sense HAT's LEDs and joystick, at 0x46.
///
/// **Registers.** 0x00 to 0xBF are the frame, 24 bytes a row: eight values of red, of green, of blue; the pointer
/// advances with each byte. 0xF0 is the identity, 0xF1 the version, 0xF2 the keys: there it stays. Other registers
/// acknowledge, read 0 and ignore writes. After power-up the frame is dark; the real one shows a rainbow.
///
/// Not emulated: the interrupt of the keys, the EEPROM's protection, and the stretched clock.
///
/// - Source: raspberrypi/rpi-sense, main.c.
public final class EmulatedLEDMatrix: EmulatedTarget {
  /// 0x46.
  public static let address = I2CAddress(fromDatasheet: 0x46)

  /// A pixel, whose values are 0 to 64.
  public struct Pixel: Equatable, Sendable {
    /// The value of red.
    public var red: UInt8
    /// The value of green.
    public var green: UInt8
    /// The value of blue.
    public var blue: UInt8

    /// A pixel of these values.
    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }
  }

  /// The frame's registers.
  private var frame = [UInt8](repeating: 0, count: 192)
  private var pointer: UInt8 = 0

  /// The value of the identity register. Default 0x73.
  public var identity: UInt8 = 0x73
  /// How many transactions wrote to the frame.
  public private(set) var frameWrites = 0

  /// A dark matrix.
  public init() {}

  /// The pixel in `column`, 0 at the left, of `row`, 0 at the top.
  public func pixel(_ column: Int, _ row: Int) -> Pixel {
    let first = 24 * row + column
    return Pixel(frame[first], frame[first + 8], frame[first + 16])
  }

  /// Receives a register address and the bytes to write from there on.
  public func receive(_ bytes: Span<UInt8>) {
    guard bytes.count > 0 else { return }
    pointer = bytes[0]
    if bytes.count > 1 && pointer < 0xC0 { frameWrites += 1 }
    for index in bytes.indices.dropFirst() where pointer < 0xC0 {
      frame[Int(pointer)] = bytes[index]
      pointer += 1
    }
  }

  /// Sends the registers from the pointer on.
  public func transmit(into buffer: inout MutableSpan<UInt8>) {
    for index in buffer.indices {
      buffer[index] = pointer < 0xC0 ? frame[Int(pointer)] : pointer == 0xF0 ? identity : 0
      if pointer < 0xC0 { pointer += 1 }
    }
  }

  /// Interrupts the supply: the frame is dark.
  public func powerCycle() {
    frame = [UInt8](repeating: 0, count: 192)
    pointer = 0
  }
}
