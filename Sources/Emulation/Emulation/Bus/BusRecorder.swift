public import FixedPoint
public import HAL

/// What happened on a bus: a reference, so that it stays readable after a driver has consumed the bus.
///
/// A log belongs to one bus: the numbers of the transactions are counted here. Print ``trace`` to see everything.
public final class BusLog {
  /// One transaction as a logic analyser would show it.
  public struct Transaction: Equatable, Sendable {
    /// Its number, counting from 0.
    public var number: Int
    /// When it began.
    public var instant: Instant
    /// The target it was meant for.
    public var address: I2CAddress
    /// The bytes written after the address.
    public var written: [UInt8]
    /// The bytes read; empty for a write and after a fault.
    public var read: [UInt8]
    /// The fault it ended in, if any.
    public var fault: I2CFault?
  }

  /// The number of times that a rule of the bus's fault plan took effect.
  public struct Injection: Equatable, Sendable {
    /// The rule.
    public var rule: FaultPlan.Rule
    /// The number of transactions it changed; for a `reopenFault`, of reopenings.
    ///
    /// A rule that another one forestalled had no effect. Conditions count if they reached a target, a `corruptByte` if
    /// the byte was read, `unplugged` if nothing acknowledged because of it.
    public var count: Int
  }

  /// The number of transactions, including those that failed.
  public private(set) var transactionCount = 0
  /// The number of transactions that failed.
  public private(set) var faultCount = 0
  /// The number of times that the bus was asked to reopen.
  public private(set) var reopenCount = 0
  /// What the fault plan has done so far, one element for each rule in its order; empty on a bus without a plan.
  public private(set) var injections: [Injection] = []
  /// The number of transactions that are kept; older ones are forgotten, but still counted.
  public let capacity: Int
  private var kept: [BusTrace.Entry] = []

  /// An empty log that keeps the last `capacity` transactions and reopenings (0 or more).
  ///
  /// With 0 it only counts: no bytes are copied, and memory does not grow with any number of transactions.
  public init(capacity: Int = 65_536) { self.capacity = max(0, capacity) }

  /// The last transactions and reopenings, in a form that can be printed and compared.
  public var trace: BusTrace { BusTrace(Array(kept.suffix(capacity))) }

  /// The last transactions, oldest first.
  public var transactions: [Transaction] {
    let last = kept.suffix(capacity).filter { $0.operation != .reopen }
    return last.enumerated().compactMap { index, entry in
      entry.asTransaction(number: transactionCount - last.count + index)
    }
  }

  /// The number of times that the fault plan took effect.
  public var injectionCount: Int { injections.reduce(0) { $0 + $1.count } }

  /// The number of times that `effect` was injected, by all rules with exactly this effect.
  public func injectionCount(of effect: FaultPlan.Effect) -> Int {
    injections.reduce(0) { $0 + ($1.rule.effect == effect ? $1.count : 0) }
  }
}

extension BusLog {
  /// Makes room for the counts of `plan`.
  func expect(_ plan: FaultPlan) { injections = plan.rules.map { Injection(rule: $0, count: 0) } }

  func countInjection(by rule: Int) { injections[rule].count += 1 }

  func appendReopen(at instant: Instant, _ fault: I2CFault?) {
    reopenCount += 1
    if capacity > 0 { keep(BusTrace.Entry(.reopen, at: instant, fault: fault)) }
  }

  func appendWrite(_ bytes: Span<UInt8>, to address: I2CAddress, at instant: Instant, _ fault: I2CFault?) {
    count(fault)
    guard capacity > 0 else { return }
    keep(BusTrace.Entry(.write(copy(bytes), to: address), at: instant, fault: fault))
  }

  /// Keeps a read; `buffer` is meaningful only without a fault.
  func appendRead(
    _ bytes: Span<UInt8>, _ buffer: Span<UInt8>, at address: I2CAddress, at instant: Instant, _ fault: I2CFault?
  ) {
    count(fault)
    guard capacity > 0 else { return }
    let reply: [UInt8?] = buffer.indices.map { fault == nil ? buffer[$0] : nil }
    keep(BusTrace.Entry(.writeRead(copy(bytes), reply: reply, at: address), at: instant, fault: fault))
  }

  private func count(_ fault: I2CFault?) {
    transactionCount += 1
    if fault != nil { faultCount += 1 }
  }

  private func keep(_ entry: BusTrace.Entry) {
    kept.append(entry)
    // Trimmed in bulk, because removing one at a time from the front would move all the others.
    if kept.count / 2 - 32 > capacity { kept.removeFirst(kept.count - capacity) }
  }

  private func copy(_ bytes: Span<UInt8>) -> [UInt8] { bytes.indices.map { bytes[$0] } }
}

/// A bus that records everything that passes through it to another one, and changes nothing.
///
/// Put it between a driver and any bus, even a real one; print `log.trace` afterwards, or keep its text and compare a
/// later one with ``BusTrace/difference(from:times:)``. An ``EmulatedBus`` has a log of its own.
///
/// ```swift
/// let clock = LinuxClock()
/// let recorder = BusRecorder(try LinuxI2CBus(path: "/dev/i2c-1")) { clock.now }
/// let log = recorder.log
/// var sensor = ADXL345.Device(bus: recorder)
/// ```
public struct BusRecorder<Bus: I2CBus & ~Copyable>: I2CBus, ~Copyable {
  /// What has passed.
  public var log: BusLog {
    // Not inlined: Swift 6.3.1 may crash, or free too soon what is taken out of a struct that is consumed later.
    @inline(never) get { ownLog }
  }
  private let ownLog: BusLog
  /// The bus below. What is done with it directly is not recorded.
  public var bus: Bus
  private let now: () -> Instant

  /// Records what goes to and from `bus`; entries have the instant of `now` at which they began.
  public init(_ bus: consuming Bus, log: BusLog = BusLog(), now: @escaping () -> Instant) {
    self.bus = bus
    ownLog = log
    self.now = now
  }

  /// The frequency of the bus below.
  public var frequency: UInt32? { bus.frequency }

  /// Forwards the transaction, and throws its fault.
  ///
  ///     S | addr+W | b0 … bn | P
  public mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    let instant = now()
    do throws(I2CFault) {
      try bus.write(bytes, to: address)
      ownLog.appendWrite(bytes, to: address, at: instant, nil)
    } catch {
      ownLog.appendWrite(bytes, to: address, at: instant, error)
      throw error
    }
  }

  /// Forwards the transaction, and returns its bytes or throws its fault.
  ///
  ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | P
  public mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)
  {
    let instant = now()
    do throws(I2CFault) {
      try bus.writeRead(bytes, into: &buffer, at: address)
      ownLog.appendRead(bytes, buffer.span, at: address, at: instant, nil)
    } catch {
      ownLog.appendRead(bytes, buffer.span, at: address, at: instant, error)
      throw error
    }
  }

  /// Forwards it, and throws its fault.
  public mutating func reopen() throws(I2CFault) {
    let instant = now()
    do throws(I2CFault) {
      try bus.reopen()
      ownLog.appendReopen(at: instant, nil)
    } catch {
      ownLog.appendReopen(at: instant, error)
      throw error
    }
  }
}
