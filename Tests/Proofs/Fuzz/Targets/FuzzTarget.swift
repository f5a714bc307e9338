/// Something that reads bytes of others, and what must hold whatever they are.
///
/// `make fuzz` has libFuzzer look for bytes with which it does not hold; `make test` tries those in
/// Tests/Proofs/Fuzz/corpus.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// A board file.
  case board
  /// A recording, and how it is to be read.
  case recording
  /// A line of JSON.
  case json
  /// The head of a request to `plumb serve`.
  case http
  /// What a client sends to the owner of a stream.
  case request
  /// What a client of a stream reads.
  case message
  /// A settings file of a device on a broker.
  case settings
  /// What such a device gets from owner and broker.
  case mqtt
  /// Traffic of an emulated ADXL345.
  case adxl345
  /// Traffic of an emulated MPU-6050.
  case mpu6050
  /// The C interface: configurations and steps.
  case monitor

  /// What does not hold with these bytes; nil where everything does.
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

/// Something does not hold.
struct Broken: Error {
  var words: String
}

/// Throws `words` unless `condition` holds.
func require(_ condition: Bool, _ words: @autoclosure () -> String) throws(Broken) {
  if !condition { throw Broken(words: words()) }
}

/// The bytes of an input, taken one after the other; zeros after the last one.
struct Bytes {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether all are taken.
  var isAtEnd: Bool { index >= bytes.count }

  mutating func byte() -> UInt8 {
    defer { index += 1 }
    return index < bytes.count ? bytes[index] : 0
  }

  mutating func word() -> UInt16 { UInt16(byte()) | UInt16(byte()) << 8 }

  mutating func long() -> UInt32 { UInt32(word()) | UInt32(word()) << 16 }

  mutating func signed() -> Int32 { Int32(bitPattern: long()) }
}
