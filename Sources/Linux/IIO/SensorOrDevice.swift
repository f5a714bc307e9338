internal import CSupport
public import FixedPoint
public import HAL
public import Sensors

/// A sensor that this program drives, or one that the kernel drives: the only type in which they meet.
///
/// Everything is forwarded. Nothing is moved, so a call costs no more than with the sensor alone. The device is in memory
/// that is mapped for it: in here, its buffer and names would be part of every board, and of every copy of one.
@safe public struct SensorOrDevice<Sensor: Accelerometer & ~Copyable>: Accelerometer, ~Copyable {
  /// The sensor that this program drives; nil if the kernel drives it.
  public var sensor: Sensor?
  /// The device that the kernel drives; nil if this program drives the sensor.
  private let device: UnsafeMutablePointer<IIOSensor>?

  /// A sensor that this program drives.
  public init(_ sensor: consuming Sensor) {
    self.sensor = consume sensor
    unsafe device = nil
  }

  /// A device that the kernel drives.
  ///
  /// - Throws: `memory` if the system has none.
  public init(_ device: consuming IIOSensor) throws(IIOError) {
    guard let memory = unsafe csupport_memory_map(MemoryLayout<IIOSensor>.stride) else {
      throw IIOError(.memory, of: device.name)
    }
    let place = unsafe memory.bindMemory(to: IIOSensor.self, capacity: 1)
    unsafe place.initialize(to: consume device)
    sensor = nil
    unsafe self.device = place
  }

  deinit {
    guard let device = unsafe device else { return }
    unsafe device.deinitialize(count: 1)
    unsafe csupport_memory_unmap(device, MemoryLayout<IIOSensor>.stride)
  }

  /// Forwards.
  public var fullScale: Q16 { look({ $0.fullScale }, { $0.fullScale }) ?? .zero }
  /// Forwards.
  public var rotationFullScale: Q16? { look({ $0.rotationFullScale }, { $0.rotationFullScale }) ?? nil }
  /// Forwards.
  public var transactions: UInt64 { look({ $0.transactions }, { $0.transactions }) ?? 0 }
  /// Forwards.
  public var notice: SensorNotice? { look({ $0.notice }, { $0.notice }) ?? nil }
  /// Forwards.
  public var canWatchForMovement: Bool { look({ $0.canWatchForMovement }, { $0.canWatchForMovement }) ?? false }
  /// Forwards.
  public var movementThreshold: Q16 { look({ $0.movementThreshold }, { $0.movementThreshold }) ?? .zero }
  /// Forwards.
  public var isBatching: Bool { look({ $0.isBatching }, { $0.isBatching }) ?? false }
  /// Forwards.
  public var hasNext: Bool { look({ $0.hasNext }, { $0.hasNext }) ?? false }
  /// Forwards.
  public var timing: SampleTiming? { look({ $0.timing }, { $0.timing }) ?? nil }

  /// Forwards.
  public mutating func start() throws(SensorError) -> Microseconds {
    if let settling = try sensor?.start() { return settling }
    return try unsafe device?.pointee.start() ?? .zero
  }

  /// Forwards.
  public mutating func proceed() throws(SensorError) -> Microseconds? { try sensor?.proceed() }

  /// Forwards.
  public mutating func adopt() throws(SensorError) -> Bool { try sensor?.adopt() ?? false }

  /// Forwards.
  public mutating func verifyConfiguration() throws(SensorError) {
    try sensor?.verifyConfiguration()
    try unsafe device?.pointee.verifyConfiguration()
  }

  /// Forwards.
  public mutating func sample() throws(SensorError) -> Vector3 { try measure().force }

  /// Forwards.
  public mutating func measure() throws(SensorError) -> Measurement {
    if let measured = try sensor?.measure() { return measured }
    return try unsafe device?.pointee.measure() ?? Measurement(force: .zero)
  }

  /// Forwards; a device is opened anew by every start.
  public mutating func reopen() throws(SensorError) { try sensor?.reopen() }

  /// Forwards.
  public mutating func testItself(
    supply millivolts: Int32, by clock: inout some MonotonicClock & ~Copyable
  ) throws(SensorError) -> SelfTestFindings? {
    if unsafe device != nil { return SelfTestFindings() }
    return try sensor?.testItself(supply: millivolts, by: &clock)
  }

  /// Forwards.
  public mutating func watchForMovement() throws(SensorError) -> Microseconds? { try sensor?.watchForMovement() }

  /// Forwards.
  public mutating func hasMoved(from force: Vector3?) throws(SensorError) -> Bool {
    try sensor?.hasMoved(from: force) ?? false
  }

  /// Forwards.
  public mutating func wake() throws(SensorError) -> Microseconds {
    if let settling = try sensor?.wake() { return settling }
    return try unsafe device?.pointee.wake() ?? .zero
  }

  /// Forwards.
  public mutating func collect(by time: borrowing some MonotonicClock & ~Copyable) throws(SensorError) -> Instant {
    if let due = try sensor?.collect(by: time) { return due }
    return try unsafe device?.pointee.collect(by: time) ?? time.now
  }

  /// Forwards.
  public mutating func next() -> BatchElement? {
    if let element = sensor?.next() { return element }
    return unsafe device?.pointee.next()
  }

  /// Forwards.
  public mutating func newest(
    by time: borrowing some MonotonicClock & ~Copyable
  ) throws(SensorError) -> (measurement: Measurement, at: Instant)? {
    if let newest = try sensor?.newest(by: time) { return newest }
    return try unsafe device?.pointee.newest(by: time)
  }

  /// Evaluates the closure for what there is.
  @inline(__always)
  private func look<Value>(_ first: (borrowing Sensor) -> Value, _ second: (borrowing IIOSensor) -> Value) -> Value? {
    switch sensor {
    case .some(let sensor): return first(sensor)
    case nil: break
    }
    guard let device = unsafe device else { return nil }
    return unsafe second(device.pointee)
  }
}
