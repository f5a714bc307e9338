// The bridge as declared and documented in plumb_bridge.h. The caller's lock serializes the calls.
internal import CBridge
internal import FixedPoint
internal import Glibc
internal import HAL

/// The adapter of this process, after its creation.
nonisolated(unsafe) private var adapter: Adapter<SharedBus>?

@c @implementation
func plumb_bridge_start(
  _ description: UnsafePointer<CChar>?, _ journal: UnsafePointer<CChar>?, _ kind: UnsafePointer<CChar>?
) -> Int32 {
  guard unsafe adapter == nil else { return 0 }
  do throws(BridgeError) {
    guard let description = unsafe description else {
      throw BridgeError("PLUMB_BRIDGE does not say which sensors there are: \"adxl345@0x53=0,0,1\"")
    }
    let path = unsafe journal.map { unsafe String(cString: $0) }
    let kind = try unsafe AdapterKind(called: kind.map { unsafe String(cString: $0) })
    unsafe adapter = Adapter(try SharedBus(String(cString: description), journal: path, present: monotonicTime), kind)
    return 0
  } catch {
    complain(error)
    return -ENODEV
  }
}

@c @implementation
func plumb_bridge_control(
  _ address: UnsafeMutablePointer<UInt16>?, _ request: UInt, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let address = unsafe address else { return -EFAULT }
  do throws(KernelError) {
    return try unsafe adapter?.control(request, argument, address: &address.pointee) ?? -ENODEV
  } catch { return -error.code }
}

@c @implementation
func plumb_bridge_read(_ address: UInt16, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  let taken = min(count, PLUMB_BRIDGE_LONGEST_MESSAGE)
  guard unsafe buffer != nil || count == 0 else { return Int(-EFAULT) }
  let start = unsafe buffer?.assumingMemoryBound(to: UInt8.self)
  var span = unsafe UnsafeMutableBufferPointer(start: start, count: taken).mutableSpan
  do throws(KernelError) {
    guard try unsafe adapter?.read(into: &span, at: address) != nil else { return Int(-ENODEV) }
    return taken
  } catch { return Int(-error.code) }
}

@c @implementation
func plumb_bridge_write(_ address: UInt16, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  let taken = min(count, PLUMB_BRIDGE_LONGEST_MESSAGE)
  guard unsafe bytes != nil || count == 0 else { return Int(-EFAULT) }
  let start = unsafe bytes?.assumingMemoryBound(to: UInt8.self)
  let span = unsafe UnsafeBufferPointer(start: start, count: taken).span
  do throws(KernelError) {
    guard try unsafe adapter?.write(span, to: address) != nil else { return Int(-ENODEV) }
    return taken
  } catch { return Int(-error.code) }
}

@c @implementation
func plumb_bridge_lock(_ asks: Bool, _ lock: UnsafeMutablePointer<flock>?) -> Int32 {
  guard let lock = unsafe lock else { return -EFAULT }
  do throws(KernelError) {
    guard try unsafe adapter?.bus.control(&lock.pointee, asks: asks) != nil else { return -ENODEV }
    return 0
  } catch { return -error.code }
}

@c @implementation
func plumb_bridge_unlock() {
  var all = flock()
  (all.l_type, all.l_len) = (Int16(F_UNLCK), 1 << 20)
  // Unlocking does not fail.
  do throws(KernelError) { try unsafe adapter?.bus.control(&all, asks: false) } catch {}
}

/// The present time of `CLOCK_MONOTONIC`, which all processes share.
private func monotonicTime() -> Instant {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
}

extension AdapterKind {
  /// The adapter of that name; the usual one if there is no name.
  fileprivate init(called name: String?) throws(BridgeError) {
    switch name {
    case nil, "", "bcm2835": self = .bcm2835
    case "designware": self = .designware
    case let name?:
      throw BridgeError(
        "PLUMB_BRIDGE_ADAPTER: \"\(name)\" cannot be emulated; the adapters are bcm2835 and designware")
    }
  }
}
