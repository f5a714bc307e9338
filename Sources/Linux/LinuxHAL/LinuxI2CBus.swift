package import CSupport
public import HAL
public import Text

/// An I2C bus of the kernel: `/dev/i2c-N`.
///
/// A transaction takes one system call and allocates nothing. If the adapter supports I2C, it is a combined transaction
/// (`I2C_RDWR`); otherwise it is an SMBus call with the same bytes on the wire, which writes one byte and reads at most
/// 32. Before the first transaction with an address, the bus checks that no kernel driver uses that address.
@safe public struct LinuxI2CBus: ~Copyable, I2CBus {
  /// The path of a bus: up to 127 bytes.
  public typealias Path = ShortText<128>

  /// The path with which the bus was opened.
  public let path: Path
  /// The clock frequency in hertz that the device tree gave when the bus was opened; nil if it gave none.
  public let frequency: UInt32?
  private var handle: csupport_i2c
  /// The address that this bus owns.
  private var owned: I2CAddress?

  /// Opens the bus at `path`; on a Raspberry Pi's header that is `/dev/i2c-1`.
  public init<let size: Int>(path: ShortText<size>) throws(LinuxI2CError) {
    let path = Path(cutting: path)
    var handle = unsafe csupport_i2c()
    guard !path.isCut else { throw LinuxI2CError(path: path, code: LinuxI2CError.tooLong) }
    let code = unsafe path.withCString { unsafe csupport_i2c_open(&handle, $0) }
    guard code == 0 else { throw LinuxI2CError(path: path, code: 0 &- code) }
    self.path = path
    frequency = DeviceTree.clockFrequency(ofBus: path)
    unsafe self.handle = handle
  }

  /// A bus on an open descriptor, for tests, with replacements for the kernel's `calls` and the folder of adapters.
  package init(
    path: Path, descriptor: Int32, calls: UnsafePointer<csupport_i2c_calls>,
    adapters: DeviceTree.File = DeviceTree.adapterFolder
  ) throws(LinuxI2CError) {
    var handle = unsafe csupport_i2c()
    let code = unsafe csupport_i2c_open_with(&handle, descriptor, calls)
    guard code == 0 else { throw LinuxI2CError(path: path, code: 0 &- code) }
    self.path = path
    frequency = DeviceTree.clockFrequency(ofBus: path, below: adapters)
    unsafe self.handle = handle
  }

  deinit {
    var handle = unsafe handle
    unsafe csupport_i2c_close(&handle)
  }

  /// Checks that no kernel driver uses `address`, for a clear message at the start. Transactions check it too.
  public mutating func claim(_ address: I2CAddress) throws(LinuxI2CError) {
    let code = unsafe csupport_i2c_claim(&handle, address.rawValue)
    guard code == 0 else { throw LinuxI2CError(path: path, address: address, code: 0 &- code) }
  }

  /// Reserves the sensor at `address` for this bus, so that one program at a time sets it up, until the bus is released
  /// or the process ends. Meanwhile no other `LinuxI2CBus`, in any process, can own it; a program that does not ask is
  /// not kept out.
  ///
  /// Throws if a kernel driver uses the address, or if it has an owner: the error then names the process.
  public mutating func own(_ address: I2CAddress) throws(LinuxI2CError) {
    var owner = csupport_i2c_owner()
    let code = unsafe csupport_i2c_own(&handle, address.rawValue, &owner)
    guard code == 0 else {
      throw LinuxI2CError(
        path: path, address: address, code: 0 &- code, owner: owner.is_other ? SensorOwner(owner) : nil)
    }
    owned = address
  }

  /// Writes `bytes` in one transaction and one system call.
  public mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    let code = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe csupport_i2c_write(&handle, address.rawValue, bytes.baseAddress, bytes.count)
    }
    guard code == 0 else { throw I2CFault(errno: 0 &- code) }
  }

  /// Writes `bytes`, then fills `buffer`, in one transaction and one system call.
  public mutating func writeRead(
    _ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    let expected = buffer.count
    let received = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        unsafe csupport_i2c_write_read(
          &handle, address.rawValue, bytes.baseAddress, bytes.count, buffer.baseAddress, buffer.count)
      }
    }
    guard received >= 0 else { throw I2CFault(errno: 0 &- received) }
    let count = Int(truncatingIfNeeded: received)
    guard count == expected else { throw .shortRead(expected: expected, received: count) }
  }

  /// 21, because the kernel takes 42 messages in a system call; 1 on SMBus adapters, and on adapters that have refused
  /// more, such as those of Raspberry Pi models up to the 4.
  public var readsPerTransaction: Int { unsafe withUnsafePointer(to: handle) { unsafe csupport_i2c_joined_reads($0) } }

  /// Several reads, each after a write of `bytes`, in one transaction and one system call.
  public mutating func writeReads(
    _ bytes: Span<UInt8>, each length: Int, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress
  ) throws(I2CFault) {
    guard length > 0, buffer.count % length == 0 else { throw .unsupported }
    let code = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        unsafe csupport_i2c_write_reads(
          &handle, address.rawValue, bytes.baseAddress, bytes.count, buffer.baseAddress, length, buffer.count / length)
      }
    }
    guard code == 0 else { throw I2CFault(errno: 0 &- code) }
  }

  /// Closes the bus and opens it again. If that fails, every transaction throws `unavailable` until it succeeds.
  ///
  /// The bus then owns its sensor again; throws `busy` if another program was faster.
  public mutating func reopen() throws(I2CFault) {
    unsafe csupport_i2c_close(&handle)
    let code = unsafe path.withCString { unsafe csupport_i2c_open(&handle, $0) }
    guard code == 0 else { throw LinuxI2CError(path: path, code: 0 &- code).fault }
    guard let owned else { return }
    do throws(LinuxI2CError) { try own(owned) } catch {
      unsafe csupport_i2c_close(&handle)
      throw error.fault
    }
  }
}

#if !hasFeature(Embedded)
  extension LinuxI2CBus {
    /// Opens the bus at `path`; on a Raspberry Pi's header that is `/dev/i2c-1`.
    public init(path: String) throws(LinuxI2CError) { try self.init(path: Path(string: path)) }
  }
#endif
