import JSON
import PlumbStream
import Stream
import StreamService
import Text
import ToolInputs
import ToolOutput

/// An owner's stream, at any address that a client accepts, as a publisher reads it: line by line.
struct OwnerClient: OwnerSource, ~Copyable {
  let address: StreamAddress
  /// The owner's first message.
  let hello: StreamHello
  private var client: StreamClient
  /// The hello's line, until it has been read.
  private var first: JSONObject?

  /// Takes over stop signals, connects, and waits for the owner's hello.
  init(_ address: StreamAddress, token: String?) throws(ToolError) {
    try takeOverStopSignals()
    var client = StreamClient(address, token: token)
    hello = try StreamSource.connect(&client, StreamSource.Settings())
    first = Self.object(client.line)
    self.address = address
    self.client = client
  }

  /// The same for the owner that a settings file names; only TCP needs a token.
  init(_ address: OwnerAddress, tokenFile: SettingsText) throws(ToolError) {
    var token: String?
    if tokenFile.count > 0 {
      do throws(SecretError) { token = try SecretFile.read(tokenFile, "token").description } catch {
        throw ToolError(error)
      }
    }
    try self.init(StreamAddress(address), token: token)
  }

  /// The object in a line that has been read before.
  private static func object(_ line: String) -> JSONObject? {
    do throws(JSONError) { return try JSONObject(line) } catch { return nil }
  }

  var descriptor: Int32 { client.descriptor }
  var waitsToWrite: Bool { client.waitsToWrite }
  var milliseconds: Int32 { first == nil ? client.milliseconds : 0 }

  mutating func receive() -> OwnerNews? {
    if let line = first {
      first = nil
      return .line(line)
    }
    do throws(StreamError) {
      switch try client.arrive() {
      case .line(let object): return .line(object)
      case .gone(let words): return .gone(ShortText(cutting: words))
      case nil: return nil
      }
    } catch {
      // Thrown only for a first connection, which has already been made.
      return .gone(ShortText(cutting: error.message))
    }
  }

  mutating func request(_ line: borrowing ShortText<128>) { client.send(line: line.description) }
}
