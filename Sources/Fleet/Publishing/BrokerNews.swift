package import Text

/// Why there is no connection to a broker.
package struct BrokerTrouble: Equatable {
  /// What kind of trouble.
  package enum Kind: Equatable {
    /// The host's name has no address.
    case name
    /// No connection to the host: refused, no route.
    case network
    /// No answer in time.
    case time
    /// The broker has closed the connection.
    case closed
    /// User and password, or the client's certificate, are not accepted.
    case notAuthorised
    /// The broker has refused the client for another reason.
    case denied
    /// No TLS.
    case tls
    /// The broker's certificate is not valid, or is for another host.
    case certificate
    /// A file of a certificate or key cannot be read.
    case file
    /// It has sent a message that is too long to be taken.
    case tooLong
    /// Anything else.
    case other
  }

  /// What kind of trouble.
  package var kind: Kind
  /// What is wrong, without a full stop; never with a password.
  package var message: ShortText<256>
}

/// What comes from a broker.
package enum BrokerNews: Equatable {
  /// The broker has accepted the client.
  case connected
  /// An attempt to connect has failed.
  case refused(BrokerTrouble)
  /// A connection has ended. Nothing that was published on it and not yet acknowledged will be.
  case lost(BrokerTrouble)
  /// The broker has acknowledged the publication with this token.
  case delivered(UInt16)
  /// It will not acknowledge it.
  case failed(UInt16)
  /// The broker has refused a subscription.
  case subscriptionRefused
  /// A message: ``BrokerClient/withMessage(_:)``. `dropped` before it came too fast to be kept.
  case message(isRetained: Bool, dropped: UInt32)
  /// A message whose topic or payload is too long; it is not kept.
  case longMessage
}
