public import FixedPoint
public import HAL

/// A bus that notes down all that passes over another one, and changes nothing.
///
/// Put it between a driver and any bus, a real one too; print `log.trace` afterwards, or keep its text and compare a later
/// one with ``BusTrace/difference(from:times:)``. An ``EmulatedBus`` has a log of its own.
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
    // Not inlined: Swift 6.3.1 may free too soon what is taken out of a struct that is consumed later, or crash.
    @inline(never) get { ownLog }
  }
  private let ownLog: BusLog
  /// The bus below. What is done with it directly is not recorded.
  public var bus: Bus
  private let now: () -> Instant

  /// Records what goes to and from `bus`; entries get the instant of `now` at which they began.
  public init(_ bus: consuming Bus, log: BusLog = BusLog(), now: @escaping () -> Instant) {
    self.bus = bus
    ownLog = log
    self.now = now
  }

  /// That of the bus below.
  public var frequency: UInt32? { bus.frequency }

  /// Passes the transaction on, and its fault back.
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

  /// Passes the transaction on, and the bytes or the fault back.
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

  /// Passes it on, and its fault back.
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
