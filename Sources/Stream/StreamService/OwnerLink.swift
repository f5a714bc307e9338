internal import CSupport
package import FixedPoint
internal import JSON
package import Service
internal import StreamConnection
package import Text

/// The connection of a service to an owner. It reports a loss once, and once more if the cause needs a person.
package struct OwnerLink: ~Copyable {
  private var connection: OwnerConnection<SettingsPlace>
  /// The cause that was reported since the last line.
  private var reported: OwnerLoss.Cause?

  /// A client of the owner at `address`; `token` is what the owner requires, empty for nothing. It starts connecting
  /// with the first ``receive(at:)``.
  package init(_ address: OwnerAddress, token: ShortText<129>, at now: Instant) {
    connection = OwnerConnection(
      to: SettingsPlace(address: address, token: token), random: csupport_random(), at: now)
  }

  /// A client of the owner at `address`, with the token in the first line of `tokenFile`, which only TCP needs.
  package init(_ address: OwnerAddress, tokenFile: SettingsText) throws(ProgramError) {
    var token = ShortText<129>()
    if case .tcp = address, tokenFile.count > 0 {
      do throws(SecretError) { token = ShortText(cutting: try SecretFile.read(tokenFile, "token")) } catch {
        throw ProgramError(error)
      }
    }
    self.init(address, token: token, at: Self.now)
  }

  /// What has arrived: ``OwnerSource/receive()`` at `now`.
  package mutating func receive(at now: Instant) -> OwnerNews? {
    while let arrival = connection.receive(at: now) {
      switch arrival {
      case .connected: continue
      case .line(let object):
        reported = nil
        return .line(object)
      case .lost(let loss):
        guard reported == nil || (loss.cause != .unreachable && loss.cause != reported) else { continue }
        reported = loss.cause
        var words = ShortText<256>()
        loss.withWords { bytes in
          for index in 0..<bytes.count { words.append(byte: bytes[index]) }
        }
        return .gone(words)
      }
    }
    return nil
  }

  private static var now: Instant { Instant(microseconds: csupport_clock_now()) }
}

extension OwnerLink: OwnerSource {
  /// What to wait for; -1 to wait for time only.
  package var descriptor: Int32 { connection.descriptor }

  /// Whether to wait for ``descriptor`` to become writable as well.
  package var waitsToWrite: Bool { connection.waitsToWrite }

  /// How long to wait at most before the next ``receive()``, in milliseconds.
  package var milliseconds: Int32 { connection.milliseconds(at: Self.now) }

  /// What has arrived; nil for nothing at present. Never waits, except to look up a host name.
  package mutating func receive() -> OwnerNews? { receive(at: Self.now) }

  /// Sends a line, given without its end; discards it if the owner has not said hello.
  package mutating func request(_ line: borrowing ShortText<128>) {
    guard connection.isOpen else { return }
    line.withSpan { bytes in _ = connection.send(bytes) }
  }
}

/// The address of an owner in the settings.
private struct SettingsPlace: OwnerPlace {
  let address: OwnerAddress
  let token: ShortText<129>

  var port: UInt16? { if case .tcp(let place) = address { place.port } else { nil } }

  var isSerial: Bool { if case .serial = address { true } else { false } }

  func withPlace(_ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
    switch address {
    case .unix(let path): unsafe path.withCString { unsafe body($0) }
    case .tcp(let place): unsafe place.host.withCString { unsafe body($0) }
    case .serial(let path): unsafe path.withCString { unsafe body($0) }
    }
  }

  func withToken(_ body: (Span<UInt8>) -> Void) {
    if token.count > 0 { token.withSpan { bytes in body(bytes) } }
  }

  func writeTokenAdvice(to writer: inout ByteWriter) {
    writer.append("set token-file in [stream] of the settings to a file whose first line is the token")
  }

  func writeName(to writer: inout ByteWriter) {
    switch address {
    case .unix(let path):
      writer.append("unix:")
      path.withSpan { bytes in writer.append(bytes: bytes) }
    case .tcp(let place):
      writer.append("tcp:")
      place.host.withSpan { bytes in writer.append(bytes: bytes) }
      writer.append(":")
      writer.append(whole: widened(UInt32(truncatingIfNeeded: place.port)))
    case .serial(let path):
      writer.append("serial:")
      if path.count == 0 { writer.append("auto") }
      path.withSpan { bytes in writer.append(bytes: bytes) }
    }
  }
}
