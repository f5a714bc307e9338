internal import CSupport
public import HAL
public import Text

/// Why a device of the kernel's industrial I/O cannot be used.
public struct IIOError: Error, Equatable, Sendable {
  /// The name or label in the board file.
  public let device: IIODevice.Name
  /// The reason.
  public let cause: Cause
  /// The file in question, below the device's folder.
  public let file: IIOTree.Name
  /// What the file says.
  public let found: ShortText<48>

  /// A reason.
  public enum Cause: Equatable, Sendable {
    /// No device has that name or label.
    case absent
    /// Several devices have it.
    case ambiguous
    /// The device has no accelerometer of three axes.
    case noAccelerometer
    /// The device has no gyroscope of three axes, which the board file asks for.
    case noGyroscope
    /// A file that the device needs is missing.
    case missing
    /// A file says what cannot be.
    case invalid
    /// A file cannot be read or written; the system's `errno`.
    case system(code: Int32)
    /// The system has no memory for it.
    case memory
  }

  package init(
    _ cause: Cause, of device: IIODevice.Name, file: IIOTree.Name = IIOTree.Name(),
    found: ShortText<48> = ShortText()
  ) {
    (self.device, self.cause, self.file, self.found) = (device, cause, file, found)
  }

  /// The same as a fault, for a device that goes away while it is used.
  public var fault: I2CFault {
    switch cause {
    case .absent: .unavailable
    case .ambiguous, .noAccelerometer, .noGyroscope, .missing, .invalid: .unsupported
    case .system(let code): I2CFault(ofIIO: code)
    case .memory: .unavailable
    }
  }

  /// The exit code of a program that cannot go on without the device: 69, 77 or 78.
  public var exitCode: Int32 {
    switch fault {
    case .notPermitted: 77
    case .unsupported: 78
    default: 69
    }
  }

  /// What is wrong and how to fix it, in plain words.
  public var message: Message {
    switch cause {
    case .absent:
      "the kernel has no IIO device \(quoted: device): `plumb probe` lists them; load the part's driver, or connect it"
    case .ambiguous:
      "several IIO devices are called \(quoted: device): write one of their numbers, such as device = iio:device1"
    case .noAccelerometer:
      "the IIO device \(quoted: device) has no accelerometer of three axes: `plumb probe` lists those that have one"
    case .noGyroscope:
      "the IIO device \(quoted: device) has no gyroscope, which gravity = fusion needs: remove that line"
    case .missing:
      "the kernel says nothing in \(file) of the IIO device \(quoted: device), which Plumb needs: report this part"
    case .invalid:
      "the kernel says \(quoted: found) in \(file) of the IIO device \(quoted: device), which cannot be used: report this part"
    case .system(let code):
      switch I2CFault(ofIIO: code) {
      case .notPermitted:
        "no permission to use \(file) of the IIO device \(quoted: device): run this as root, or give your user the right"
      case .busy: "another program uses the IIO device \(quoted: device), such as iio-sensor-proxy: stop it"
      default: "\(file) of the IIO device \(quoted: device) cannot be used: \(system: code)"
      }
    case .memory: "the system has no memory for the IIO device \(quoted: device): end other programs, or restart"
    }
  }
}

extension I2CFault {
  /// The fault for `code`, the errno of a file of industrial I/O.
  init(ofIIO code: Int32) {
    self =
      switch csupport_iio_meaning(code) {
      case CSUPPORT_IIO_ABSENT, CSUPPORT_IIO_GONE: .unavailable
      case CSUPPORT_IIO_BUSY: .busy
      case CSUPPORT_IIO_NOT_PERMITTED: .notPermitted
      default: .other(code: code)
      }
  }
}

#if !hasFeature(Embedded)
  extension IIOError: CustomStringConvertible {
    /// What is wrong and how to fix it, in plain words.
    public var description: String { message.description }
  }
#endif
