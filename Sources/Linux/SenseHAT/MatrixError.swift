internal import CSupport
package import HAL
public import LinuxHAL
public import Text

/// Why the matrix of a Sense HAT cannot be used.
public enum MatrixError: Error, Equatable, Sendable {
  /// The kernel has no frame buffer for it, and there is no response at 0x46.
  case absent
  /// `/dev/fbN` cannot be opened; the system's `errno`.
  case frameBuffer(number: Int32, code: Int32)
  /// A kernel driver uses 0x46, but has no frame buffer.
  case held
  /// The part at 0x46 has another identity.
  case other
  /// The bus cannot be opened.
  case bus(LinuxI2CError)
  /// A transaction with the matrix failed; the system's `errno`.
  case fault(code: Int32)

  /// Whether the program has no permission.
  public var isPermission: Bool {
    switch self {
    case .frameBuffer(_, let code): csupport_meaning(code) == CSUPPORT_NOT_PERMITTED
    case .bus(let error): error.fault == .notPermitted
    default: false
    }
  }

  /// What is wrong and how to fix it, in plain words.
  public var message: Message {
    switch self {
    case .absent:
      """
      there is no Sense HAT: the kernel has no frame buffer \(FrameBuffer.name), and nothing responds at 0x46: switch \
      the Pi off and seat the HAT
      """
    case .frameBuffer(let number, _) where isPermission:
      """
      no permission to use /dev/fb\(number), the matrix of the Sense HAT: add yourself to the group video with \
      `sudo usermod -aG video $USER`, then log in again
      """
    case .frameBuffer(let number, let code):
      "/dev/fb\(number), the matrix of the Sense HAT, cannot be opened: \(system: code)"
    case .held:
      """
      a kernel driver uses the matrix of the Sense HAT, but there is no frame buffer \(FrameBuffer.name): load it with \
      `sudo modprobe rpisense-fb`
      """
    case .other: "the part at 0x46 is not the matrix of a Sense HAT: `plumb probe` lists what is on the bus"
    case .bus(let error): error.message
    case .fault(let code): "the matrix of the Sense HAT cannot be set: \(system: code)"
    }
  }
}

extension LEDMatrix where Port == MatrixController<LinuxI2CBus> {
  /// Opens the matrix on the bus at `path`.
  public init(onBus path: ShortText<64>, brightness: UInt8) throws(MatrixError) {
    let bus: LinuxI2CBus
    do throws(LinuxI2CError) {
      var opened = try LinuxI2CBus(path: path)
      try opened.claim(MatrixController<LinuxI2CBus>.address)
      bus = opened
    } catch {
      throw error.address == nil ? .bus(error) : error.fault == .busy ? .held : .fault(code: error.code)
    }
    try self.init(checking: MatrixController(on: bus), brightness: brightness)
  }
}

extension LEDMatrix where Port == FrameBuffer {
  /// Opens the kernel's frame buffer.
  ///
  /// - Throws: `absent` if the kernel has none.
  public init(brightness: UInt8) throws(MatrixError) {
    let port = try FrameBuffer()
    do throws(OutputFault) { try self.init(port, brightness: brightness) } catch { throw .fault(code: error.code) }
  }
}

extension LEDMatrix where Port: ~Copyable {
  /// A dark matrix behind `controller`, if that is one: its identity is read up to three times.
  package init<Bus: I2CBus & ~Copyable>(
    checking controller: consuming MatrixController<Bus>, brightness: UInt8
  ) throws(MatrixError) where Port == MatrixController<Bus> {
    var controller = controller
    var (left, fault, isController) = (Self.tries, I2CFault?.none, false)
    repeat {
      left &-= 1
      do throws(I2CFault) { (isController, fault) = (try controller.responds(), nil) } catch { fault = error }
    } while fault != nil && left > 0
    if let fault { throw fault == .noAcknowledge ? .absent : .fault(code: OutputFault(fault).code) }
    guard isController else { throw .other }
    do throws(OutputFault) { try self.init(controller, brightness: brightness) } catch {
      throw .fault(code: error.code)
    }
  }
}

#if !hasFeature(Embedded)
  extension MatrixError: CustomStringConvertible {
    /// What is wrong and how to fix it, in plain words.
    public var description: String { message.description }
  }
#endif
