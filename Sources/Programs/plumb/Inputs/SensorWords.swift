package import BoardFile
package import Emulation
package import PlumbStream
import PlumbViews
import Sensors
import ToolOutput

// The sensor in words: the first line of a command, the title of a screen.
extension BoardDescription {
  /// The sensor and where it is: `ADXL345 at 0x53 on /dev/i2c-1`.
  package var sensorPlace: String {
    let name = "\(sensor.place.words)"
    return switch bus {
    case .iio: printable(name)
    case .emulated: name + ", emulated"
    case .pico(let pico): "\(name) on \(pico.name) of a Pico"
    case .linux(let path): "\(name) on \(printable(path.description))"
    }
  }

  /// The same, with rate and range.
  package var sensorWords: String {
    let rate = "\(sensorPlace), \(sensor.paceText) Hz"
    return sensor.device == nil ? "\(rate), ±\(sensor.configuration.rangeInG) g" : rate
  }

  /// The same, with the motion that an emulated one does.
  package func sensorWords(_ motion: NamedMotion) -> String {
    bus == .emulated ? "\(sensorWords), motion \(motion.rawValue)" : sensorWords
  }

  /// The first line of a command about a local board, which does `motion` if it is emulated.
  package func greeting(doing motion: NamedMotion) -> String {
    sensorWords(motion) + (bus == .emulated ? "." : "; stop with Ctrl-C.")
  }

  /// The owner at `address` and its sensor.
  package func greeting(from address: StreamAddress) -> String {
    "\(sensorWords), from the owner at \(printable("\(address)"))"
  }
}
