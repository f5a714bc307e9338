public import FixedPoint
public import HAL

/// What happened on an emulated bus: a reference, so that it stays readable after a driver has consumed the bus.
///
/// One log belongs to one bus: the numbers of the transactions are counted here.
public final class BusLog {
  /// One transaction as a logic analyser would show it.
  public struct Transaction: Equatable, Sendable {
    /// Its number, from 0.
    public var number: Int
    /// When it took place.
    public var instant: Instant
    /// The target it was for.
    public var address: I2CAddress
    /// The bytes written after the address.
    public var written: [UInt8]
    /// The bytes read; empty for a write and after a fault.
    public var read: [UInt8]
    /// The fault it ended in, if any.
    public var fault: I2CFault?
  }

  /// How many transactions there were, those that failed among them.
  public private(set) var transactionCount = 0
  /// How many of them failed.
  public private(set) var faultCount = 0
  /// How often the bus was asked to reopen.
  public internal(set) var reopenCount = 0
  /// How many transactions are kept; older ones are forgotten, not uncounted.
  public let capacity: Int
  private var kept: [Transaction] = []

  /// An empty log that keeps the last `capacity` transactions (0 or more).
  public init(capacity: Int = 65_536) { self.capacity = max(0, capacity) }

  /// The last transactions, oldest first.
  public var transactions: [Transaction] { Array(kept.suffix(capacity)) }

  func append(_ transaction: Transaction) {
    transactionCount += 1
    if transaction.fault != nil { faultCount += 1 }
    kept.append(transaction)
    // Thinned out in one go, because taking one off the front at a time would move all the others.
    if kept.count / 2 - 32 > capacity { kept.removeFirst(kept.count - capacity) }
  }
}
