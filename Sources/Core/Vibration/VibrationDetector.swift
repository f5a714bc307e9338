public import FixedPoint

/// Watches the vibration of a board for its monitor, in blocks whose length suits the sample rate.
///
/// The blocks take 2 to 17 KiB, which the caller provides if it watches vibration; otherwise they cost nothing, not
/// even code. Nothing is allocated.
@safe
public struct VibrationDetector: ~Copyable {
  /// The vibration of a second, and whether a machine started or finished work with it.
  package struct Finding {
    package let second: VibrationSecond
    package let change: BusyDetector.Change?
  }

  /// Takes back memory that was provided: its address and its size in bytes.
  public typealias Release = @convention(c) (UnsafeMutableRawPointer, Int) -> Void

  /// Passes a sample to a watch of one block length: by address, so that a program contains only the lengths it uses.
  private typealias Step =
    @convention(c) (_ watch: UnsafeMutableRawPointer, _ exchange: UnsafeMutableRawPointer) -> Void

  /// The input and output of a step.
  private struct Exchange {
    let force: Vector3
    let instant: Instant
    var finding: Finding?
  }

  private let memory: UnsafeMutableRawPointer
  private let size: Int
  private let step: Step
  private let release: Release

  /// The memory size in bytes for samples every `period`.
  public static func byteCount(period: Microseconds) -> Int {
    switch VibrationConfiguration.bins(period: period) {
    case 32: MemoryLayout<VibrationWatch<32>>.size
    case 64: MemoryLayout<VibrationWatch<64>>.size
    case 128: MemoryLayout<VibrationWatch<128>>.size
    case 256: MemoryLayout<VibrationWatch<256>>.size
    default: MemoryLayout<VibrationWatch<512>>.size
    }
  }

  /// Watches samples that come every `period`, 200 µs…1 s, in `memory`: ``byteCount(period:)`` zero bytes, aligned to
  /// 16. `release` takes them back at the end; if this throws, they stay with the caller.
  public init(
    _ configuration: VibrationConfiguration, period: Microseconds, in memory: UnsafeMutableRawPointer,
    release: @escaping Release
  ) throws(VibrationError) {
    switch VibrationConfiguration.bins(period: period) {
    case 32:
      try unsafe Self.prepare(memory.assumingMemoryBound(to: VibrationWatch<32>.self), configuration, period)
      unsafe step = { unsafe VibrationDetector.take($0.assumingMemoryBound(to: VibrationWatch<32>.self), $1) }
    case 64:
      try unsafe Self.prepare(memory.assumingMemoryBound(to: VibrationWatch<64>.self), configuration, period)
      unsafe step = { unsafe VibrationDetector.take($0.assumingMemoryBound(to: VibrationWatch<64>.self), $1) }
    case 128:
      try unsafe Self.prepare(memory.assumingMemoryBound(to: VibrationWatch<128>.self), configuration, period)
      unsafe step = { unsafe VibrationDetector.take($0.assumingMemoryBound(to: VibrationWatch<128>.self), $1) }
    case 256:
      try unsafe Self.prepare(memory.assumingMemoryBound(to: VibrationWatch<256>.self), configuration, period)
      unsafe step = { unsafe VibrationDetector.take($0.assumingMemoryBound(to: VibrationWatch<256>.self), $1) }
    default:
      try unsafe Self.prepare(memory.assumingMemoryBound(to: VibrationWatch<512>.self), configuration, period)
      unsafe step = { unsafe VibrationDetector.take($0.assumingMemoryBound(to: VibrationWatch<512>.self), $1) }
    }
    size = Self.byteCount(period: period)
    unsafe (self.memory, self.release) = (memory, release)
  }

  deinit { unsafe release(memory, size) }

  /// In place, because a watch on the stack would be as large as the memory. It consists of integers only, for which
  /// zero is valid.
  private static func prepare<let bins: Int>(
    _ watch: UnsafeMutablePointer<VibrationWatch<bins>>, _ configuration: VibrationConfiguration, _ period: Microseconds
  ) throws(VibrationError) {
    try unsafe watch.pointee.prepare(configuration, period: period)
  }

  private static func take<let bins: Int>(
    _ watch: UnsafeMutablePointer<VibrationWatch<bins>>, _ exchange: UnsafeMutableRawPointer
  ) {
    let exchange = unsafe exchange.assumingMemoryBound(to: Exchange.self)
    let (force, instant) = unsafe (exchange.pointee.force, exchange.pointee.instant)
    guard let ended = unsafe watch.pointee.step(force, at: instant) else { return }
    unsafe exchange.pointee.finding = Finding(
      second: VibrationSecond(ended.report, watch.pointee.edges), change: ended.change)
  }

  /// Takes in the force of a sample, g. Returns the second that ended before it, if any.
  package mutating func take(_ force: Vector3, at instant: Instant) -> Finding? {
    var exchange = Exchange(force: force, instant: instant)
    unsafe withUnsafeMutablePointer(to: &exchange) { unsafe step(memory, UnsafeMutableRawPointer($0)) }
    return exchange.finding
  }
}
