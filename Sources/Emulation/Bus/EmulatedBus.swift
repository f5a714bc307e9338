public import FixedPoint
public import HAL

/// A mock I2C bus with emulated targets on it, and a plan of what goes wrong.
///
/// Transactions take no time but where the plan makes one hang. Like a real bus it can be owned by one driver only; targets and log are references and stay
/// in reach of the test.
public struct EmulatedBus: I2CBus, ~Copyable {
  /// What happened on the bus.
  public let log: BusLog
  private let plan: FaultPlan
  private let now: () -> Instant
  private let pass: (Microseconds) -> Void
  private let start: Instant
  private var targets: [UInt8: any EmulatedTarget] = [:]
  private var firedRules: Set<Int> = []

  /// A bus with nothing on it; spans of the plan count from this moment of `now`.
  ///
  /// `pass` lets time go by while a transaction hangs: `{ clock.advance(by: $0) }` with a ``VirtualClock``.
  public init(
    plan: FaultPlan = .none, log: BusLog = BusLog(), pass: @escaping (Microseconds) -> Void = { _ in },
    now: @escaping () -> Instant
  ) {
    self.plan = plan
    self.log = log
    self.pass = pass
    self.now = now
    start = now()
  }

  /// A bus with one target.
  public init(
    _ target: any EmulatedTarget, at address: I2CAddress, plan: FaultPlan = .none, log: BusLog = BusLog(),
    pass: @escaping (Microseconds) -> Void = { _ in }, now: @escaping () -> Instant
  ) {
    self.init(plan: plan, log: log, pass: pass, now: now)
    attach(target, at: address)
  }

  /// Puts `target` at `address`, in place of what was there.
  public mutating func attach(_ target: any EmulatedTarget, at address: I2CAddress) {
    targets[address.rawValue] = target
  }

  /// Takes away what is at `address`: from now on nobody acknowledges there.
  public mutating func detach(_ address: I2CAddress) { targets[address.rawValue] = nil }

  /// Writes `bytes` in one transaction.
  ///
  ///     S | addr+W | b0 … bn | P
  ///
  /// Throws what the plan says, or `noAcknowledge` where there is no target; the target then sees nothing.
  public mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    var record = begun(bytes, address)
    do throws(I2CFault) {
      let target = try target(of: record, reading: 0)
      target.receive(bytes)
      log.append(record)
    } catch {
      record.fault = error
      log.append(record)
      throw error
    }
  }

  /// Writes `bytes`, then fills `buffer`, in one transaction.
  ///
  ///     S | addr+W | b0 … bn | Sr | addr+R | r0 … rm | P
  ///
  /// Throws what the plan says, or `noAcknowledge` where there is no target; the target then sees nothing.
  public mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)
  {
    var record = begun(bytes, address)
    do throws(I2CFault) {
      let target = try target(of: record, reading: buffer.count)
      target.receive(bytes)
      target.transmit(into: &buffer)
      record.read = buffer.indices.map { buffer[$0] }
      log.append(record)
    } catch {
      record.fault = error
      log.append(record)
      throw error
    }
  }

  /// Counts in the log; throws what the plan says about reopening. Not a transaction: it has no number.
  public mutating func reopen() throws(I2CFault) {
    log.reopenCount += 1
    let moment = BusMoment(number: log.transactionCount, elapsed: now() - start, address: nil)
    if let fault = plan.reopenFault(at: moment) { throw fault }
  }

  private func begun(_ bytes: Span<UInt8>, _ address: I2CAddress) -> BusLog.Transaction {
    BusLog.Transaction(
      number: log.transactionCount, instant: now(), address: address, written: bytes.indices.map { bytes[$0] },
      read: [], fault: nil)
  }

  /// The target of a transaction, ready for it; throws where the transaction fails.
  private mutating func target(of record: BusLog.Transaction, reading count: Int) throws(I2CFault)
    -> any EmulatedTarget
  {
    let moment = BusMoment(number: record.number, elapsed: record.instant - start, address: record.address)
    applyBrownOuts(at: moment)
    if let fault = plan.fault(at: moment, reading: count) {
      pass(plan.hang(at: moment))
      throw fault
    }
    guard let target = targets[record.address.rawValue] else { throw .noAcknowledge }
    target.prepare(under: plan.conditions(at: moment))
    return target
  }

  private mutating func applyBrownOuts(at moment: BusMoment) {
    for (index, rule) in plan.rules.enumerated() where rule.effect == .brownOut {
      let isLate = rule.when.hasBegun(at: moment) && !firedRules.contains(index)
      guard rule.when.includes(moment) || isLate else { continue }
      firedRules.insert(index)
      for (address, target) in targets where rule.address == nil || rule.address?.rawValue == address {
        target.powerCycle()
      }
    }
  }
}
