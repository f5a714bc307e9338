internal import CSupport
public import HAL
public import Text

/// The kernel's frame buffer of the matrix, with the rpi-sense overlay: the kernel writes it to the controller.
@safe public struct FrameBuffer: ~Copyable, MatrixPort {
  /// The kernel's name for it.
  public static var name: StaticString { "RPi-Sense FB" }

  /// A folder.
  public typealias Folder = ShortText<96>

  /// The N of `/dev/fbN`.
  public let number: Int32
  private let frame: Int32

  /// Finds and opens it: `classes` lists the frame buffers, `devices` has their devices.
  ///
  /// - Throws: `absent` if the kernel has none.
  public init(classes: Folder = Folder("/sys/class/graphics"), devices: Folder = Folder("/dev")) throws(MatrixError) {
    var number: Int32 = -1
    let name = ShortText<16>(Self.name)
    let frame = unsafe classes.withCString { classes in
      unsafe devices.withCString { devices in
        unsafe name.withCString { unsafe csupport_frame_open(classes, devices, $0, &number) }
      }
    }
    guard frame >= 0 else {
      if number < 0 { throw .absent }
      throw .frameBuffer(number: number, code: 0 &- frame)
    }
    (self.number, self.frame) = (number, frame)
  }

  deinit { csupport_file_close(frame) }

  /// Writes all pixels in one call.
  public mutating func show(_ picture: MatrixPicture, brightness: UInt8) throws(OutputFault) {
    let pixels = picture.pixels(brightness: brightness)
    let code = unsafe pixels.span.withUnsafeBufferPointer {
      unsafe csupport_file_write(frame, $0.baseAddress, $0.count, true)
    }
    guard code == 0 else { throw OutputFault(code: 0 &- code) }
  }
}
