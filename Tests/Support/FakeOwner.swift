import Foundation

/// A stand-in for the owner of a sensor on a Unix socket; a thread serves each connection as the test defines.
public final class FakeOwner: Sendable {
  /// Where it listens.
  public let path: String
  private let listener: Int32

  /// The socket could not be made, with the system's code.
  public struct CannotListen: Error {
    /// The system's code.
    public let code: Int32
  }

  /// Listens at `path`, and calls `serve` for each client; `number` counts them from 0. The connection ends when it
  /// returns.
  public init(at path: String, _ serve: @escaping @Sendable (_ client: FakeClient, _ number: Int) -> Void) throws {
    self.path = path
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let bound = unsafe withUnsafeBytes(of: &address) { bytes in
      guard let base = bytes.baseAddress else { return Int32(-1) }
      return unsafe bind(listener, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    guard bound == 0, listen(listener, 16) == 0 else { throw CannotListen(code: errno) }
    Thread.detachNewThread {
      var number = 0
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        let client = FakeClient(descriptor: descriptor)
        let index = number
        number += 1
        Thread.detachNewThread {
          serve(client, index)
          close(client.descriptor)
        }
      }
    }
  }

  /// Stops listening.
  public func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    unsafe unlink(path)
  }

  deinit { end() }

  /// A hello of an ADXL345 at 100 Hz.
  public static func hello(
    owner: String = "1-1", t: String = "12.5", pose: String = "portrait", events: Int = 3, protocol number: Int = 1,
    counters: String = "{\"samples\":1000,\"transactions\":1010,\"fault_kinds\":{\"noAcknowledge\":2},\"unknown\":{}}"
  ) -> String {
    "{\"event\":\"hello\",\"protocol\":\(number),\"plumb\":\"0.2.0\",\"owner\":\"\(owner)\",\"board\":\"b.ini\","
      + "\"sensor\":\"adxl345\",\"address\":83,\"bus\":\"/dev/i2c-1\",\"rate_hz\":100,\"range_g\":16,"
      + "\"gyroscope_range_dps\":null,\"chip\":\"raspberry-pi\",\"code\":\"leds\",\"lines\":[1,0,0,0,0,0],"
      + "\"commands\":true,\"t\":\(t),\"pose\":\"\(pose)\",\"since\":3.2,\"x\":0,\"y\":1.003906,\"z\":0.007813,"
      + "\"events\":\(events),\"clients\":1,\"counters\":\(counters)}"
  }

  /// A sample at the time `t`.
  public static func sample(t: String, x: String = "0.015259", pose: String = "portrait") -> String {
    "{\"t\":\(t),\"event\":\"sample\",\"x\":\(x),\"y\":1.003906,\"z\":0.007813,\"pose\":\"\(pose)\",\"angle_deg\":-0.8708,"
      + "\"level_deg\":0.8708,\"pitch_deg\":89.0217,\"roll_deg\":null,\"inclination_deg\":89.5542,\"steering_deg\":-89.1,"
      + "\"scroll\":[0.25,0.5]}"
  }
}

/// A connection of a client to a stand-in.
public struct FakeClient: Sendable {
  let descriptor: Int32

  /// Sends `text` unchanged; false if the client has gone.
  @discardableResult
  public func send(_ text: String) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  /// Sends a line over and over, without a pause, until the client has gone.
  public func flood(_ line: String) {
    let many = String(repeating: line + "\n", count: 1_000)
    while send(many) {}
  }

  /// Sends a line.
  public func put(_ line: String) { send(line + "\n") }

  /// The next line of the client, waited for; nil at the end of the connection.
  public func line() -> String? {
    var bytes: [UInt8] = []
    while true {
      var byte: UInt8 = 0
      guard unsafe recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      if byte == 0x0A { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
  }

  /// Waits until the client has gone.
  public func waitForEnd() {
    while line() != nil {}
  }
}

/// A list that threads add to.
public final class Notes: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []

  /// An empty list.
  public init() {}

  /// Adds a line.
  public func add(_ line: String) {
    lock.withLock { lines.append(line) }
  }

  /// All lines so far.
  public var all: [String] { lock.withLock { lines } }
}
