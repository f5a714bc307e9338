public import FixedPoint
public import HAL

/// A mock I2C bus with emulated targets on it, and a plan of what goes wrong.
///
/// Transactions take no time unless the plan makes them slow or hang. Like a real bus it can be owned by only one
/// driver; targets and log are references and remain accessible to the test.
public struct EmulatedBus: I2CBus, ~Copyable {
  /// What happened on the bus.
  public var log: BusLog {
    // Not inlined: Swift 6.3.1 may crash, or free too soon what is taken out of a struct that is consumed later.
    @inline(never) get { ownLog }
  }
  /// The clock frequency in hertz that it reports; by default unknown. In any case transactions take no time.
  public var frequency: UInt32?
  /// The number of reads it joins into one transaction. Default 1, as on a Raspberry Pi up to the 4; up to 21 on other
  /// Linux systems.
  public var readsPerTransaction = 1
  /// Whether it refuses joined reads all the same, which is how a Raspberry Pi's adapter shows that it cannot perform
  /// them. It refuses the first, before anything is transferred, and accepts single ones from then on.
  public var refusesJoinedReads = false
  private let ownLog: BusLog
  private let now: () -> Instant
  private let pass: (Microseconds) -> Void
  private let start: Instant
  private var injector: FaultInjector
  private let hasPlan: Bool
  /// One element for each address.
  private var targets: [(any EmulatedTarget)?] = Array(repeating: nil, count: 128)

  /// A bus with nothing on it; the plan's times count from the present time of `now`.
  ///
  /// `pass` lets time pass while a transaction is slow or hangs: `{ clock.advance(by: $0) }` with a ``VirtualClock``.
  public init(
    plan: FaultPlan = .none, frequency: UInt32? = nil, log: BusLog = BusLog(),
    pass: @escaping (Microseconds) -> Void = { _ in }, now: @escaping () -> Instant
  ) {
    ownLog = log
    self.frequency = frequency
    self.pass = pass
    self.now = now
    start = now()
    injector = FaultInjector(plan)
    hasPlan = !plan.rules.isEmpty
    log.expect(plan)
  }

  /// A bus with one target.
  public init(
    _ target: any EmulatedTarget, at address: I2CAddress, plan: FaultPlan = .none, frequency: UInt32? = nil,
    log: BusLog = BusLog(), pass: @escaping (Microseconds) -> Void = { _ in }, now: @escaping () -> Instant
  ) {
    self.init(plan: plan, frequency: frequency, log: log, pass: pass, now: now)
    attach(target, at: address)
  }

  /// Puts `target` at `address`, replacing any target there.
  public mutating func attach(_ target: any EmulatedTarget, at address: I2CAddress) {
    targets[Int(address.rawValue)] = target
  }

  /// Removes the target at `address`: from now on nothing acknowledges there.
  public mutating func detach(_ address: I2CAddress) { targets[Int(address.rawValue)] = nil }

  /// Writes `bytes` in one transaction.
  ///
  ///     S | addr+W | b0 … bn | P
  ///
  /// Throws what the plan dictates, or `noAcknowledge` if there is no target; the target then sees nothing.
  public mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    let instant = now()
    do throws(I2CFault) {
      try target(at: address, instant, reading: 0).target.receive(bytes)
      ownLog.appendWrite(bytes, to: address, at: instant, nil)
    } catch {
      ownLog.appendWrite(bytes, to: address, at: instant, error)
      throw error
    }
  }

  /// Writes `bytes`, then fills `buffer`, in one transaction.
  ///
  ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | P
  ///
  /// Throws what the plan dictates, or `noAcknowledge` if there is no target; the target then sees nothing.
  public mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)
  {
    let instant = now()
    do throws(I2CFault) {
      let (target, corrupts) = try target(at: address, instant, reading: buffer.count)
      target.receive(bytes)
      target.transmit(into: &buffer)
      if corrupts { injector.corrupt(&buffer, at: address, ownLog) }
      ownLog.appendRead(bytes, buffer.span, at: address, at: instant, nil)
    } catch {
      ownLog.appendRead(bytes, buffer.span, at: address, at: instant, error)
      throw error
    }
  }

  /// The same, `buffer.count / length` times, in one transaction: one entry in the log, and one transaction for the
  /// plan.
  ///
  ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | Sr | addr+W | b0 … bn | Sr | addr+R | r0 … rm | … | P
  ///
  /// If the plan makes it fail, the target transmits the first half of the reads, rounded down, but the reader gets
  /// none of them.
  public mutating func writeReads(
    _ bytes: Span<UInt8>, each length: Int, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    guard !refusesJoinedReads else {
      readsPerTransaction = 1
      throw .unsupported
    }
    let reads = length > 0 ? buffer.count / length : 0
    guard reads > 0, reads * length == buffer.count, reads <= max(1, readsPerTransaction) else { throw .unsupported }
    let instant = now()
    do throws(I2CFault) {
      let (target, corrupts) = try target(at: address, instant, reading: buffer.count)
      transfer(reads, of: length, bytes, target, into: &buffer)
      if corrupts { injector.corrupt(&buffer, at: address, ownLog) }
      ownLog.appendRead(bytes, buffer.span, at: address, at: instant, nil)
    } catch {
      if let target = targets[Int(address.rawValue)], reads > 1, error != .noAcknowledge {
        transfer(reads / 2, of: length, bytes, target, into: &buffer)
      }
      ownLog.appendRead(bytes, buffer.span, at: address, at: instant, error)
      throw error
    }
  }

  private func transfer(
    _ reads: Int, of length: Int, _ bytes: Span<UInt8>, _ target: any EmulatedTarget,
    into buffer: inout MutableSpan<UInt8>
  ) {
    var part: [UInt8] = Array(repeating: 0, count: length)
    for number in 0..<reads {
      target.receive(bytes)
      var span = part.mutableSpan
      target.transmit(into: &span)
      for index in 0..<length { buffer[number * length + index] = part[index] }
    }
  }

  /// Counts in the log; throws what the plan dictates for reopening. Not a transaction: it has no number.
  public mutating func reopen() throws(I2CFault) {
    let instant = now()
    let fault = injector.reopenFault(at: moment(instant, nil), ownLog)
    ownLog.appendReopen(at: instant, fault)
    if let fault { throw fault }
  }

  private func moment(_ instant: Instant, _ address: I2CAddress?) -> BusMoment {
    BusMoment(
      number: ownLog.transactionCount, elapsed: instant - start, address: address, reopenCount: ownLog.reopenCount)
  }

  /// The target of a transaction, prepared for it, and whether what it transmits is corrupted; throws if the
  /// transaction fails.
  private mutating func target(at address: I2CAddress, _ instant: Instant, reading count: Int) throws(I2CFault)
    -> (target: any EmulatedTarget, corrupts: Bool)
  {
    guard hasPlan else {
      guard let target = targets[Int(address.rawValue)] else { throw .noAcknowledge }
      target.prepare(under: TargetConditions())
      return (target, false)
    }
    let verdict = injector.verdict(at: moment(instant, address), reading: count, ownLog)
    if verdict.cutsPower { cutPower() }
    if verdict.delay > .zero { pass(verdict.delay) }
    if let fault = verdict.fault { throw fault }
    guard let target = targets[Int(address.rawValue)] else { throw .noAcknowledge }
    target.prepare(under: verdict.conditions)
    injector.countConditions(of: verdict, ownLog)
    return (target, verdict.corrupts)
  }

  private func cutPower() {
    injector.forEachPowerCut(ownLog) { address in
      guard let address else {
        for target in targets { target?.powerCycle() }
        return targets.contains { $0 != nil }
      }
      targets[Int(address.rawValue)]?.powerCycle()
      return targets[Int(address.rawValue)] != nil
    }
  }
}

/// What a fault plan does to a target besides the faults on the bus.
public struct TargetConditions: Equatable, Sendable {
  /// How a sensor's data registers behave.
  public enum Measurement: Equatable, Sendable {
    /// Normally.
    case live
    /// New samples repeat the last one; the status bits behave as if they were new.
    case frozen
    /// New samples have the format's greatest positive number on every axis.
    case fullScale
  }

  /// What the identity register reads instead of its own value; nil leaves it unchanged.
  public var identity: UInt8?
  /// How the data registers behave.
  public var measurement: Measurement

  /// Conditions; by default none.
  public init(identity: UInt8? = nil, measurement: Measurement = .live) {
    self.identity = identity
    self.measurement = measurement
  }
}

/// An emulated part on an ``EmulatedBus``: what a chip does between START and STOP, below any driver.
///
/// Conform your own parts to it. One transaction is one `prepare`, then `receive`, then (for a `writeRead`) `transmit`.
/// A transaction that the plan makes fail calls none of the three.
public protocol EmulatedTarget: AnyObject {
  /// Sets the conditions of the transaction that follows; they apply until the next call. By default ignored.
  func prepare(under conditions: TargetConditions)

  /// Receives the bytes that the controller wrote after the address.
  ///
  ///     S | addr+W | b0 … bn
  func receive(_ bytes: Span<UInt8>)

  /// Fills all of `buffer` with the bytes that the controller reads.
  ///
  ///     Sr | addr+R | r0 … rm | P
  func transmit(into buffer: inout MutableSpan<UInt8>)

  /// Loses its supply and regains it: every register is at its reset value.
  func powerCycle()

  /// Whether its interrupt pin is high now: INT1 of an ADXL345, INT of an MPU-6050. By default it has none.
  var isInterruptHigh: Bool { get }
}

extension EmulatedTarget {
  /// Ignores the conditions: for parts that a plan does not affect.
  public func prepare(under conditions: TargetConditions) {}

  /// Always false.
  public var isInterruptHigh: Bool { false }
}
