internal import CSupport
public import FixedPoint
public import HAL
public import Sensors
public import Text

/// A sensor that a driver of the kernel runs, read through industrial I/O.
///
/// One read of its buffer brings whole records: all axes of one instant, with the kernel's time stamp. Where there is no
/// buffer, or none that this program may use, each axis is read for itself from sysfs, and ``notice`` says that the axes
/// of a sample may be of different instants.
///
/// It finds the device by name at every start, so a device that has gone and come back is found again, whatever its
/// number. It needs no heap. At the end, what it changed in the device is as before.
@safe public struct IIOSensor: ~Copyable, Accelerometer {
  /// The name or label in the board file.
  public let name: IIODevice.Name
  private let tree: IIOTree
  private let millihertz: Int32
  private let usesGyroscope: Bool
  private var device: IIODevice
  /// The open buffer; closed if axes are read for themselves.
  private var buffer: IIOBuffer
  /// The rates that were set for reading axes for themselves.
  private var rates = IIORates()
  private var isStarted = false

  /// The number of reads of the buffer and of axes.
  public private(set) var transactions: UInt64 = 0

  /// The records of the last read.
  private var bytes = InlineArray<512, UInt8>(repeating: 0)
  /// How many there are, and how many of them have been returned.
  private var (count, given) = (0, 0)
  /// When they were read.
  private var taken = Instant(microseconds: 0)
  /// When the last sample was taken; nil before the first after a start.
  private var former: Instant?
  /// Since when no record has come.
  private var silentSince = Instant(microseconds: 0)

  /// The device called `name`, which is to deliver at least `millihertz` / 1000 samples a second. Only its description
  /// is read.
  ///
  /// - Throws: among others `noGyroscope` if it `needsGyroscope` but has none.
  public init(
    named name: IIODevice.Name, millihertz: Int32, usesGyroscope: Bool, needsGyroscope: Bool = false,
    in tree: IIOTree = IIOTree()
  ) throws(IIOError) {
    device = try IIODevice(
      named: name, usesGyroscope: usesGyroscope, needsGyroscope: needsGyroscope, in: tree)
    (self.name, self.millihertz, self.usesGyroscope, self.tree) = (name, millihertz, usesGyroscope, tree)
    buffer = IIOBuffer(in: tree)
  }

  deinit {
    var (buffer, rates) = (buffer, rates)
    buffer.end()
    rates.restore(device.number, in: tree)
  }

  /// The largest force that a count of the buffer can say, as the first description had it; unlimited if unknown.
  public var fullScale: Q16 { device.fullScale }
  /// The same for the rate of rotation.
  public var rotationFullScale: Q16? { device.rotation?.fullScale }
  /// Whether axes are of different instants.
  public var notice: SensorNotice? { isStarted && !isBatching ? .axesApart : nil }
  /// Whether samples come from a buffer.
  public var isBatching: Bool { buffer.recordSize > 0 }
  /// Whether there is a sample to return.
  public var hasNext: Bool { given < count }

  /// Finds the device, reads its description, and sets up its buffer.
  public mutating func start() throws(SensorError) -> Microseconds {
    buffer.end()
    rates.restore(device.number, in: tree)
    isStarted = false
    (count, given, former) = (0, 0, nil)
    silentSince = Instant(microseconds: 0)
    do throws(IIOError) {
      let found = try IIODevice(named: name, usesGyroscope: usesGyroscope, in: tree)
      guard found.hasGyroscope == device.hasGyroscope else { throw IIOError(.noGyroscope, of: name) }
      device = found
      buffer = try IIOBuffer(of: device, millihertz: millihertz, in: tree) ?? IIOBuffer(in: tree)
      // Some drivers have the part measure anew for each axis.
      if !isBatching { rates.set(device, millihertz: min(millihertz, Int32.max / 3) &* 3, in: tree) }
    } catch {
      throw .bus(error.fault)
    }
    isStarted = true
    return Microseconds(min(200_000, 2 &* period))
  }

  /// Checks that the buffer is on, and that the description of the force is the same.
  public mutating func verifyConfiguration() throws(SensorError) {
    guard isStarted, !isBatching || buffer.isOn else { throw .configurationLost }
    do throws(IIOError) {
      guard try device.isUnchanged(in: tree) else { throw IIOError(.invalid, of: name) }
    } catch {
      if error.cause == .invalid { throw .configurationLost }
      throw .bus(error.fault)
    }
  }

  /// Does nothing: every start opens everything anew.
  public mutating func reopen() throws(SensorError) {}

  /// The force, each axis read for itself.
  public mutating func sample() throws(SensorError) -> Vector3 { try measure().force }

  /// Force and rotation, each axis read for itself.
  public mutating func measure() throws(SensorError) -> Measurement {
    guard isStarted, !isBatching else { throw .configurationLost }
    let force = try axes(.force, device.force)
    guard let gyroscope = device.rotation else { return Measurement(force: force) }
    return Measurement(force: force, rotation: try axes(.rotation, gyroscope))
  }

  private mutating func axes(_ quantity: IIOConversion.Quantity, _ axes: IIODevice.Axes) throws(SensorError) -> Vector3
  {
    let (x, y, z) = (try axis(quantity, 0), try axis(quantity, 1), try axis(quantity, 2))
    return axes.matrix.applied(
      to: Vector3(x: axes.x.conversion.value(x), y: axes.y.conversion.value(y), z: axes.z.conversion.value(z)))
  }

  private mutating func axis(_ quantity: IIOConversion.Quantity, _ axis: Int) throws(SensorError) -> Int32 {
    transactions &+= 1
    switch tree.read(device.number, "\(IIODevice.channel(quantity, axis))_raw") {
    case .failed(let code): throw .bus(I2CFault(ofIIO: code))
    case .line(let line):
      guard let number = line.fixed(places: 0) else { throw .bus(.unsupported) }
      return saturated(number)
    }
  }

  /// The time from one sample to the next.
  private var period: Int64 {
    buffer.period > 0 ? buffer.period : 1_000_000_000 / widened(max(1, millihertz))
  }

  /// Reads the records that wait; returns when to look again.
  public mutating func collect(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> Instant {
    guard !hasNext else { return time.now }
    guard isStarted, isBatching else { throw .configurationLost }
    transactions &+= 1
    (count, given) = (0, 0)
    do throws(I2CFault) { count = try buffer.take(into: &bytes) } catch { throw .bus(error) }
    taken = time.now
    if count == 0 {
      if silentSince.microseconds == 0 { silentSince = taken }
      guard taken - silentSince < Microseconds(max(1_000_000, 8 &* period)) else { throw .bus(.timedOut) }
    } else {
      silentSince = taken
    }
    let isFull = (count &+ 1) &* buffer.recordSize > bytes.count
    return isFull ? taken : taken + Microseconds(period)
  }

  /// The next sample, at the instant of its time stamp; nil if there is none.
  public mutating func next() -> BatchElement? {
    guard given < count else { return nil }
    let (instant, isStamped) = instant(of: given)
    if isStamped, let former {
      let missing = ((instant - former).count &+ period / 2) / period &- 1
      // A trigger may be late by two periods, and a device's rate is not exact.
      if missing >= 3 {
        // The instant of the last of them; the sample itself follows.
        let at = max(former, instant - Microseconds(period))
        self.former = at
        return .lost(UInt32(truncatingIfNeeded: min(missing, 0xFFFF_FFFF)), at: at)
      }
    }
    former = instant
    defer { given &+= 1 }
    return .sample(measurement(given), at: instant)
  }

  /// The newest sample, without removing anything.
  public mutating func newest(
    by time: borrowing some MonotonicClock & ~Copyable
  ) throws(SensorError) -> (measurement: Measurement, at: Instant)? {
    if !hasNext { _ = try collect(by: time) }
    guard count > 0 else { return nil }
    return (measurement(count &- 1), instant(of: count &- 1).0)
  }

  /// What record `index` says.
  private func measurement(_ index: Int) -> Measurement {
    let force = vector(index, device.force, from: 0)
    guard let axes = device.rotation else { return Measurement(force: force) }
    return Measurement(force: force, rotation: vector(index, axes, from: 3))
  }

  private func vector(_ index: Int, _ axes: IIODevice.Axes, from first: Int) -> Vector3 {
    func value(_ channel: IIODevice.Channel, _ place: Int) -> Q16 {
      guard let format = channel.format else { return .zero }
      let offset = index &* buffer.recordSize &+ Int(buffer.offsets[place])
      return channel.conversion.value(format.value(in: bytes.span, at: offset))
    }
    return axes.matrix.applied(
      to: Vector3(x: value(axes.x, first), y: value(axes.y, first &+ 1), z: value(axes.z, first &+ 2)))
  }

  /// When record `index` was taken, and whether its time stamp says so: a stamp of another clock, or one that makes no
  /// sense, does not count. Never before the last sample, and never after the read.
  private func instant(of index: Int) -> (Instant, isStamped: Bool) {
    let earliest = former.map { $0 + Microseconds(1) } ?? Instant(microseconds: Int64.min)
    if let (offset, format) = buffer.stamp {
      let place = index &* buffer.recordSize &+ offset
      let stamp = Instant(microseconds: format.wide(in: bytes.span, at: place) / 1_000)
      // A time stamp far off would stop everything that goes by time.
      if stamp >= earliest, stamp <= taken, taken.microseconds &- stamp.microseconds < 10_000_000 {
        return (stamp, true)
      }
    }
    let back = Microseconds(period &* widened(count: count &- 1 &- index))
    return (max(earliest, taken - back), false)
  }
}
