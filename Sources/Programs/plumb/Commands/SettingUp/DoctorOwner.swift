import BoardFile
import HAL
import PlumbStream
import PlumbViews
import Sensors
import StreamCodec
import Text
import ToolInputs
import ToolOutput

/// The owner on this machine, as `plumb doctor` finds it: the program that uses a sensor and its lines, and shares what
/// it observes. It is not an error, but explains why other programs find them in use.
struct DoctorOwner {
  private let address: StreamAddress
  private let hello: StreamHello
  private let isOfThisBoard: Bool

  /// The owner to which commands listen by default; nil if there is none, or it does not respond.
  init?(beside board: BoardDescription) {
    guard let address = SourceOptions.usualAddress(in: DoctorCommand.self) else { return nil }
    var client = StreamClient(address, reconnects: false)
    do throws(StreamError) {
      guard case .hello(let hello) = try client.next() else { return nil }
      (self.address, self.hello) = (address, hello)
    } catch {
      return nil
    }
    isOfThisBoard = hello.bus == board.busName && hello.address == board.sensor.address.rawValue
  }

  private var detail: String {
    let sensor = SensorModel(named: hello.sensor).map { "\($0.properName)" } ?? "sensor"
    let place =
      hello.sensor == "iio"
      ? "device \(printable(hello.bus.description)) of the kernel"
      : "\(sensor) at \(hex(hello.address)) on \(hello.bus == "emulated" ? "an emulated bus" : printable(hello.bus))"
    return "plumb \(printable(hello.version)) reads the \(place)"
      + (isOfThisBoard ? "; bus and lines are its own while it runs" : ", which is another board")
  }

  var note: DoctorNote {
    DoctorNote(
      check: "owner", title: "the owner of a sensor", problem: isOfThisBoard ? "owner.shares" : "owner.other-board",
      detail: detail, listening: address)
  }
}
