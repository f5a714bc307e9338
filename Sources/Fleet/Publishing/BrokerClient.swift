internal import CMQTT
package import FixedPoint
package import Fleet
package import Text

/// A connection to an MQTT broker: MQTT 3.1.1, a clean session, QoS 1. Only ``connect()`` re-establishes it.
///
/// Unacknowledged publications are forgotten when a connection ends, and must be published again.
///
/// Public, because Embedded Swift does not find the `deinit` of a `package` type in other modules.
@safe
public struct BrokerClient: ~Copyable {
  /// What a client needs to connect.
  package struct Options: Sendable {
    /// A name or an address.
    package var host = ShortText<256>()
    package var port: UInt16 = 1_883
    package var clientID = ShortText<128>()
    /// Empty for none.
    package var user = ShortText<128>()
    /// Empty for none. It appears in no message.
    package var password = ShortText<512>()
    /// In seconds.
    package var keepAlive: UInt16 = 15
    /// Within how many seconds it reconnects, at random, after a connection was lost.
    package var spread: UInt16 = 30
    /// The topic of the will, which is retained; empty for no will.
    package var willTopic = Topic.Name()
    /// What the broker publishes there when the client disappears without having disconnected.
    package var will = ShortText<32>("offline")
    package var hasTLS = false
    /// Whether the broker's certificate must be valid for this host.
    package var isVerified = true
    /// The trusted certificates.
    package var trustFile = ShortText<512>("/etc/ssl/certs/ca-certificates.crt")
    /// The client's own certificate; empty for none.
    package var certificateFile = ShortText<512>()
    /// Its key; empty if it is in the same file.
    package var keyFile = ShortText<512>()
    /// How long the broker may take to accept the client, in seconds.
    package var patience: UInt16 = 10

    /// A broker without a name yet.
    package init() {}
  }

  /// Nil if the system has no memory for it.
  private var client: OpaquePointer?
  private var link: cmqtt_link
  /// What a broker may want that closes the connection without a reason.
  private let hint: StaticString
  private var news = unsafe cmqtt_news()
  /// Whether ``connect()`` could not start.
  private var hasFailed = false

  /// A client that is not connected yet. If the system has no memory or descriptor for it, connecting fails.
  ///
  /// The first one makes the process ignore `SIGPIPE`.
  package init(_ options: borrowing Options) {
    var made: OpaquePointer?
    link = cmqtt_link(
      port: options.port, keep_alive: options.keepAlive, patience: options.patience, tls: options.hasTLS,
      verify: options.isVerified)
    hint =
      !options.hasTLS
      ? "; it may require TLS" : options.certificateFile.count > 0 ? "" : "; it may require a client certificate"
    if unsafe cmqtt_open(&made) == 0 { unsafe client = made }
    set(CMQTT_HOST, options.host)
    set(CMQTT_CLIENT_ID, options.clientID)
    set(CMQTT_USER, options.user)
    set(CMQTT_PASSWORD, options.password)
    set(CMQTT_WILL_TOPIC, options.willTopic)
    set(CMQTT_WILL, options.will)
    if options.hasTLS { set(CMQTT_CA_FILE, options.trustFile) }
    set(CMQTT_CERTIFICATE_FILE, options.certificateFile)
    set(CMQTT_KEY_FILE, options.keyFile)
  }

  deinit {
    if let client = unsafe client { unsafe cmqtt_close(client, 0) }
  }

  private mutating func set<let size: Int>(_ which: cmqtt_text, _ text: ShortText<size>) {
    guard let open = unsafe client, unsafe text.withCString({ unsafe cmqtt_set(open, which, $0) }) < 0 else { return }
    // Incomplete settings would be worse than none.
    unsafe cmqtt_close(open, 0)
    unsafe client = nil
  }

  /// The descriptor to wait for.
  package var descriptor: Int32 {
    guard let client = unsafe client else { return -1 }
    return unsafe cmqtt_descriptor(client)
  }

  /// Whether ``next()`` has something even if ``descriptor`` is not readable.
  package var hasNews: Bool { hasFailed }

  /// Starts connecting; does nothing while there is a connection or an attempt. The result is ``BrokerNews/connected``
  /// or ``BrokerNews/refused(_:)``.
  package mutating func connect() {
    if let client = unsafe client {
      _ = unsafe cmqtt_connect(client, &link)
    } else {
      hasFailed = true
    }
  }

  /// Accepts a publication for sending. Returns false if there is no connection, or too many are unacknowledged.
  package mutating func publish(_ publication: borrowing Publication) -> Bool {
    guard let client = unsafe client else { return false }
    let (token, isRetained) = (publication.token, publication.isRetained)
    var isTaken = false
    unsafe publication.topic.withCString { topic in
      unsafe publication.payload.withUnsafeBufferPointer { payload in
        unsafe isTaken = cmqtt_publish(client, token, topic, payload.baseAddress, payload.count, isRetained) == 0
      }
    }
    return isTaken
  }

  /// Subscribes to `topic`. Returns false as ``publish(_:)`` does.
  package mutating func subscribe<let size: Int>(_ topic: borrowing ShortText<size>) -> Bool {
    guard let client = unsafe client else { return false }
    return unsafe topic.withCString { unsafe cmqtt_subscribe(client, $0) } == 0
  }

  /// The next news; nil for nothing at present. Never waits.
  package mutating func next() -> BrokerNews? {
    guard let client = unsafe client else {
      defer { hasFailed = false }
      return hasFailed
        ? .refused(BrokerTrouble(kind: .other, message: "the system has no memory for a connection")) : nil
    }
    while unsafe cmqtt_next(client, &news) {
      switch unsafe news.kind {
      case CMQTT_CONNECTED: return .connected
      case CMQTT_REFUSED: return .refused(trouble)
      case CMQTT_LOST: return .lost(trouble)
      case CMQTT_DELIVERED: return unsafe .delivered(news.token)
      case CMQTT_FAILED: return unsafe .failed(news.token)
      case CMQTT_UNSUBSCRIBED: return .subscriptionRefused
      case CMQTT_MESSAGE:
        let (isRetained, dropped) = unsafe (news.is_retained, news.dropped)
        return unsafe news.is_too_long ? .longMessage : .message(isRetained: isRetained, dropped: dropped)
      default: continue
      }
    }
    return nil
  }

  /// Calls `body` with the topic and payload of the last ``BrokerNews/message(isRetained:dropped:)``.
  package func withMessage(_ body: (_ topic: Span<UInt8>, _ payload: Span<UInt8>) -> Void) {
    guard let topic = unsafe UnsafeRawPointer(news.topic), let payload = unsafe news.payload else { return }
    unsafe body(
      Span(
        _unsafeElements: UnsafeRawBufferPointer(start: topic, count: news.topic_count).assumingMemoryBound(
          to: UInt8.self)),
      Span(
        _unsafeElements: UnsafeRawBufferPointer(start: payload, count: news.payload_count).assumingMemoryBound(
          to: UInt8.self)))
  }

  /// Disconnects normally, so that the broker does not publish the will: waits, for at most `patience`, until
  /// publications are acknowledged and the broker knows. Gives up an attempt to connect.
  package mutating func close(patience: Microseconds) {
    guard let open = unsafe client else { return }
    unsafe cmqtt_close(open, Int32(truncatingIfNeeded: patience.count / 1_000))
    unsafe client = nil
  }
}

extension BrokerClient {
  private var trouble: BrokerTrouble {
    var words = ShortText<160>()
    if let text = unsafe news.text { words = unsafe ShortText(cString: text) }
    return unsafe BrokerTrouble(news.reason, code: news.code, words, hint: news.kind == CMQTT_REFUSED ? hint : "")
  }
}

extension BrokerTrouble {
  fileprivate init(_ reason: cmqtt_reason, code: Int32, _ words: ShortText<160>, hint: StaticString) {
    switch reason {
    case CMQTT_NAME:
      self.init(kind: .name, message: "the name of the host has no address: \(words)")
    case CMQTT_SYSTEM:
      self.init(kind: .network, message: "\(system: code)")
    case CMQTT_TIME:
      self.init(kind: .time, message: "no answer in time")
    case CMQTT_CLOSED:
      self.init(kind: .closed, message: "the broker closed the connection\(hint)")
    case CMQTT_DENIED: self.init(denied: code)
    case CMQTT_TLS: self.init(kind: .tls, message: "no TLS connection: \(words)")
    case CMQTT_CERTIFICATE:
      self.init(kind: .certificate, message: "the broker's certificate is not valid: \(words)")
    case CMQTT_HOST_NAME:
      self.init(kind: .certificate, message: "the broker's certificate is for another host name")
    case CMQTT_FILE:
      self.init(kind: .file, message: "\(words) cannot be read: \(system: code)")
    case CMQTT_TOO_LONG: self.init(kind: .tooLong, message: "the broker sent a message of more than 64 KiB")
    case CMQTT_FORBIDDEN: self.init(kind: .other, message: "the broker sent a packet that MQTT does not allow")
    default: self.init(kind: .other, message: "the cause is not known")
    }
  }

  private init(denied code: Int32) {
    switch Int(truncatingIfNeeded: code) {
    case CMQTT_BAD_CLIENT_ID: self.init(kind: .denied, message: "the broker refuses the client id")
    case CMQTT_BAD_PASSWORD: self.init(kind: .notAuthorised, message: "wrong user or password")
    case CMQTT_NOT_AUTHORISED:
      self.init(kind: .notAuthorised, message: "not authorised: wrong or missing user, password or certificate")
    default: self.init(kind: .denied, message: "the broker refuses the client: code \(code)")
    }
  }
}
