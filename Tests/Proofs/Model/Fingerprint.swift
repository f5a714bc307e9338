@_spi(Reflection) import Swift

import FixedPoint
import HAL
import Orientation
import Sensors

/// Everything that the future of a value depends on, as 128 bits: all its stored properties, including private ones,
/// with times relative to now; times longer ago than any limit looks back are equal.
///
/// The properties to hash are found once, from the layout of the type. An unknown kind of property is an error, so
/// that a new one in the core is noticed here.
struct Fingerprint<Value> {
  /// A property that this cannot read.
  struct Unreadable: Error, CustomStringConvertible {
    var description: String
  }

  private enum Step {
    /// An `Instant`.
    case time(Int)
    /// This many bytes.
    case bytes(Int, Int)
    /// A `UInt32` that saturates at the last value.
    case limited(Int, UInt32)
    /// If it is nil, this many further steps are skipped.
    case optional(Int, any OptionalKind.Type, Int)
    /// If the property is idle, this many further steps are skipped.
    case idle((Value) -> Bool, Int)
    case state(Int)
    case error(Int)
  }

  private var steps: [Step] = []
  /// The offset of each named property, by its path.
  private(set) var offsets: [String: Int] = [:]
  private let omitted: Set<String>
  private let limits: [String: UInt32]
  private let candidates: Set<String>
  private let idle: [String: (Value) -> Bool]
  private let horizon: Int64

  /// Times count up to `horizon`, in µs. It skips the properties `omitted`, those in `idle` while their function says
  /// so, and the rest of each of the `candidates` whose first property is nil. Those in `limits` count up to that
  /// limit.
  init(
    without omitted: Set<String> = [], candidates: Set<String> = [], idle: [String: (Value) -> Bool] = [:],
    limits: [String: UInt32] = [:], horizon: Int64
  ) throws {
    (self.omitted, self.limits, self.candidates, self.idle) = (omitted, limits, candidates, idle)
    self.horizon = horizon
    try add(Value.self, at: 0, path: "")
    let named = omitted.union(limits.keys).union(candidates).union(idle.keys)
    if let unknown = named.first(where: { offsets[$0] == nil }) {
      throw Unreadable(description: "there is no property \(unknown)")
    }
  }

  private mutating func add(_ type: Any.Type, at offset: Int, path: String) throws {
    offsets[path] = offset
    guard !omitted.contains(path) else { return }
    let first = steps.count
    defer {
      if let isIdle = idle[path] { steps.insert(.idle(isIdle, steps.count - first), at: first) }
    }
    if let limit = limits[path] { return steps.append(.limited(offset, limit)) }
    switch type {
    case is Instant.Type: return steps.append(.time(offset))
    case is PoseState.Type: return steps.append(.state(offset))
    case is SensorError.Type: return steps.append(.error(offset))
    case let optional as any OptionalKind.Type:
      let here = steps.count
      try add(optional.wrapped, at: offset, path: path)
      steps.insert(.optional(offset, optional, steps.count - here), at: here)
      return
    default: break
    }
    if let size = Self.plain["\(type)"] { return steps.append(.bytes(offset, size)) }
    var inner: [(name: String, offset: Int, type: Any.Type)] = []
    _ = unsafe _forEachField(of: type) { name, offset, type, _ in
      inner.append((unsafe String(cString: name), offset, type))
      return true
    }
    if inner.isEmpty { throw Unreadable(description: "\(path) is a \(type)") }
    for (name, distance, type) in inner {
      try add(type, at: offset + distance, path: path.isEmpty ? name : path + "." + name)
    }
    guard candidates.contains(path) else { return }
    guard case .optional(let offset, let type, _) = steps[first] else {
      throw Unreadable(description: "\(path) does not begin with an optional")
    }
    steps[first] = .optional(offset, type, steps.count - first - 1)
  }

  /// Numbers, and enumerations without payload, which take a byte each.
  private static var plain: [String: Int] {
    [
      "Int64": 8, "UInt64": 8, "Int32": 4, "UInt32": 4, "Int8": 1, "UInt8": 1, "Bool": 1, "Pose": 1, "Task": 1,
      "CodeStep": 1,
    ]
  }

  /// Everything that the future of `value` at `now`, µs, depends on, added to `hash`.
  func add(_ value: Value, at now: Int64, to hash: inout Hash) {
    unsafe withUnsafeBytes(of: value) { bytes in
      var index = 0
      while index < steps.count {
        switch steps[index] {
        case .time(let offset):
          hash.add(age: unsafe bytes.load(fromByteOffset: offset, as: Int64.self), at: now, horizon)
        case .bytes(let offset, let size):
          var word: UInt64 = 0
          for byte in 0..<size { word = word << 8 | UInt64(unsafe bytes[offset + byte]) }
          hash.add(word)
        case .limited(let offset, let limit):
          hash.add(UInt64(min(limit, unsafe bytes.load(fromByteOffset: offset, as: UInt32.self))))
        case .optional(let offset, let type, let count):
          let isNil = unsafe type.isNil(at: bytes.baseAddress.unsafelyUnwrapped + offset)
          hash.add(isNil ? 0 : 1)
          if isNil { index += count }
        case .idle(let isIdle, let count): if isIdle(value) { index += count }
        case .state(let offset): hash.add(unsafe bytes.loadUnaligned(fromByteOffset: offset, as: PoseState.self))
        case .error(let offset): hash.add(unsafe bytes.loadUnaligned(fromByteOffset: offset, as: SensorError.self))
        }
        index += 1
      }
    }
  }
}

/// An optional whose type is known only at run time.
private protocol OptionalKind {
  static var wrapped: Any.Type { get }
  static func isNil(at place: UnsafeRawPointer) -> Bool
}

extension Optional: OptionalKind {
  static var wrapped: Any.Type { Wrapped.self }
  static func isNil(at place: UnsafeRawPointer) -> Bool {
    if case .none = unsafe place.assumingMemoryBound(to: Self.self).pointee { return true }
    return false
  }
}

/// 128 bits from any number of words; the same in every run.
struct Hash: Hashable {
  private var high: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var low: UInt64 = 0xD1B5_4A32_D192_ED03

  /// Some of the bits.
  var word: UInt64 { low }

  mutating func add(_ word: UInt64) {
    let first = (high ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    let second = (low ^ word &+ 0x5851_F42D_4C95_7F2D).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
    high = first.high ^ first.low &+ low
    low = second.high ^ second.low ^ high
  }

  /// The time relative to `now`; the core's value for no time is distinct.
  mutating func add(age time: Int64, at now: Int64, _ horizon: Int64) {
    if time == Int64.min { return add(UInt64.max) }
    add(UInt64(bitPattern: max(-horizon, min(horizon, time - now))))
  }

  mutating func add(_ state: PoseState) {
    switch state {
    case .known(let pose): add(UInt64(pose.rawValue))
    case .unknown(let reason): add(UInt64(reason.rawValue) + 16)
    }
  }

  mutating func add(_ error: SensorError) {
    switch error {
    case .bus(let fault): add(fault)
    case .unexpectedIdentity(let found, let expected): add(UInt64(found) << 8 | UInt64(expected) | 1 << 16)
    case .configurationRejected(let register, let wrote, let read):
      add(UInt64(register) << 16 | UInt64(wrote) << 8 | UInt64(read) | 1 << 24)
    case .configurationLost: add(32)
    case .resetTimedOut: add(33)
    case .rateTooHigh(let bus, let highest): add(UInt64(bus) << 32 | UInt64(highest))
    case .frozen: add(34)
    case .stuckAtFullScale: add(35)
    case .weightless: add(36)
    case .configurationChanged(let register, let wrote, let read):
      add(UInt64(register) << 16 | UInt64(wrote) << 8 | UInt64(read) | 1 << 32)
    }
  }

  private mutating func add(_ fault: I2CFault) {
    switch fault {
    case .noAcknowledge: add(0)
    case .arbitrationLost: add(1)
    case .timedOut: add(2)
    case .shortRead(let expected, let received): add(UInt64(expected) << 16 | UInt64(received) | 1 << 40)
    case .unsupported: add(3)
    case .notPermitted: add(4)
    case .busy: add(5)
    case .unavailable: add(6)
    case .other(let code): add(UInt64(UInt32(bitPattern: code)) | 1 << 48)
    }
  }
}
