/// A reader of untrusted bytes, and the properties that must hold for any bytes.
///
/// `make fuzz` makes libFuzzer search for bytes that break one; `make test` replays those in
/// Tests/Proofs/Fuzz/corpus.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// A board file.
  case board
  /// A recording, and the options for reading it.
  case recording
  /// A line of JSON.
  case json
  /// The head of a request to `plumb serve`.
  case http
  /// A client's requests to the owner of a stream.
  case request
  /// The messages to a client of a stream.
  case message
  /// A settings file of a device on a broker.
  case settings
  /// The input of such a device from owner and broker.
  case mqtt
  /// Traffic of an emulated ADXL345.
  case adxl345
  /// Traffic of an emulated MPU-6050.
  case mpu6050
  /// The C interface: configurations and steps.
  case monitor

  /// The property that these bytes break; nil for none.
  public func failure(of bytes: [UInt8]) -> String? {
    do throws(Broken) {
      switch self {
      case .board: try checkBoard(bytes)
      case .recording: try checkRecording(bytes)
      case .json: try checkJSON(bytes)
      case .http: try checkHTTP(bytes)
      case .request: try checkRequests(bytes)
      case .message: try checkMessages(bytes)
      case .settings: try checkSettings(bytes)
      case .mqtt: try checkPublisher(bytes)
      case .adxl345: try checkADXL345(bytes)
      case .mpu6050: try checkMPU6050(bytes)
      case .monitor: try checkMonitor(bytes)
      }
      return nil
    } catch {
      return error.words
    }
  }
}

/// A broken property.
struct Broken: Error {
  var words: String
}

/// Throws `words` unless `condition` holds.
func require(_ condition: Bool, _ words: @autoclosure () -> String) throws(Broken) {
  if !condition { throw Broken(words: words()) }
}

/// The bytes of an input, taken in order; zeros after the last one.
struct Bytes {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether all bytes are taken.
  var isAtEnd: Bool { index >= bytes.count }

  mutating func byte() -> UInt8 {
    defer { index += 1 }
    return index < bytes.count ? bytes[index] : 0
  }

  mutating func word() -> UInt16 { UInt16(byte()) | UInt16(byte()) << 8 }

  mutating func long() -> UInt32 { UInt32(word()) | UInt32(word()) << 16 }

  mutating func signed() -> Int32 { Int32(bitPattern: long()) }
}
