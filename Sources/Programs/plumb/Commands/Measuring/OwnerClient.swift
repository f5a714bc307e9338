import PlumbStream
import Publishing
import Stream
import Text
import ToolInputs
import ToolOutput

/// The stream of an owner, at any address that a client takes, as a publisher reads it: line by line.
struct OwnerClient: OwnerSource, ~Copyable {
  let address: StreamAddress
  /// What the owner said first.
  let hello: StreamHello
  private var client: StreamClient
  /// The last line.
  private var line: [UInt8]
  /// Whether it is the hello, which was read before the first line was asked for.
  private var isFresh = true

  /// Takes over stop signals, connects, and waits for the owner's hello.
  init(_ address: StreamAddress, token: String?) throws(ToolError) {
    try takeOverStopSignals()
    var client = StreamClient(address, token: token)
    hello = try StreamSource.connect(&client, StreamSource.Settings())
    line = Array(hello.line.utf8)
    self.address = address
    self.client = client
  }

  var descriptor: Int32 { client.descriptor }
  var waitsToWrite: Bool { client.waitsToWrite }
  var milliseconds: Int32 { isFresh ? 0 : client.milliseconds }

  mutating func receive() -> OwnerNews? {
    guard !isFresh else {
      isFresh = false
      return .line
    }
    do throws(StreamError) {
      switch try client.arrive() {
      case .line(let text, _):
        line = Array(text.utf8)
        return .line
      case .gone(let words): return .gone(ShortText(cutting: words))
      case nil: return nil
      }
    } catch {
      // Only of a first connection, which there was.
      return .gone(ShortText(cutting: error.message))
    }
  }

  func withLine(_ body: (Span<UInt8>) -> Void) { body(line.span) }

  mutating func request(_ line: borrowing ShortText<128>) { client.send(line: line.description) }
}
