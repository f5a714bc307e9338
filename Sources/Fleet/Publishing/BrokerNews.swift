package import Text

/// Why there is no connection to a broker.
package struct BrokerTrouble: Equatable {
  /// The kind of trouble.
  package enum Kind: Equatable {
    /// The host's name has no address.
    case name
    /// No connection to the host: refused, or no route.
    case network
    /// No answer in time.
    case time
    /// The broker has closed the connection.
    case closed
    /// The user and password, or the client's certificate, are not accepted.
    case notAuthorised
    /// The broker refused the client for another reason.
    case denied
    /// TLS failed.
    case tls
    /// The broker's certificate is not valid, or is for another host.
    case certificate
    /// A certificate or key file cannot be read.
    case file
    /// The broker sent a message that is too long to accept.
    case tooLong
    /// Anything else.
    case other
  }

  /// The kind of trouble.
  package var kind: Kind
  /// What is wrong, without a full stop; never includes a password.
  package var message: ShortText<256>
}

/// News from a broker.
package enum BrokerNews: Equatable {
  /// The broker has accepted the client.
  case connected
  /// An attempt to connect failed.
  case refused(BrokerTrouble)
  /// A connection has ended. Its unacknowledged publications will not be acknowledged.
  case lost(BrokerTrouble)
  /// The broker has acknowledged the publication with this token.
  case delivered(UInt16)
  /// The publication with this token will not be acknowledged.
  case failed(UInt16)
  /// The broker has refused a subscription.
  case subscriptionRefused
  /// A message: see ``BrokerClient/withMessage(_:)``. The `dropped` ones before it arrived too fast to be kept.
  case message(isRetained: Bool, dropped: UInt32)
  /// A message whose topic or payload is too long; it is not kept.
  case longMessage
}
