internal import CSupport
public import FixedPoint
public import Monitor
public import Vibration

/// Watches the vibration of a board beside its monitor.
///
/// The blocks are as long as the rate of the samples asks for, so that it lies in memory of its own, which only boards
/// that ask for it take: 2 to 17 KiB. Nothing is allocated after that.
@safe
public struct VibrationObserver: ~Copyable {
  private let memory: UnsafeMutableRawPointer
  private let size: Int
  private let bins: Int
  /// The second that the last step ended; nil where it did not end one.
  public private(set) var second: VibrationSecond?

  /// Watches samples that come every `period`, 200 µs…1 s. Throws `memory` where the system has none.
  public init(_ configuration: VibrationConfiguration, period: Microseconds) throws(VibrationError) {
    let bins = VibrationConfiguration.bins(period: period)
    let size = Self.size(bins)
    guard let memory = unsafe csupport_memory_map(size) else { throw .memory }
    do throws(VibrationError) {
      switch bins {
      case 32: try unsafe Self.begin(memory.assumingMemoryBound(to: VibrationWatch<32>.self), configuration, period)
      case 64: try unsafe Self.begin(memory.assumingMemoryBound(to: VibrationWatch<64>.self), configuration, period)
      case 128: try unsafe Self.begin(memory.assumingMemoryBound(to: VibrationWatch<128>.self), configuration, period)
      case 256: try unsafe Self.begin(memory.assumingMemoryBound(to: VibrationWatch<256>.self), configuration, period)
      default: try unsafe Self.begin(memory.assumingMemoryBound(to: VibrationWatch<512>.self), configuration, period)
      }
    } catch {
      unsafe csupport_memory_unmap(memory, size)
      throw error
    }
    (self.bins, self.size) = (bins, size)
    unsafe self.memory = memory
  }

  private static func size(_ bins: Int) -> Int {
    switch bins {
    case 32: MemoryLayout<VibrationWatch<32>>.size
    case 64: MemoryLayout<VibrationWatch<64>>.size
    case 128: MemoryLayout<VibrationWatch<128>>.size
    case 256: MemoryLayout<VibrationWatch<256>>.size
    default: MemoryLayout<VibrationWatch<512>>.size
    }
  }

  deinit { unsafe csupport_memory_unmap(memory, size) }

  /// Takes in what a step of `monitor` brought, and adds to it that a machine is busy, or quiet.
  public mutating func step(_ seen: inout Observation, of monitor: inout Monitor) {
    second = nil
    guard let reading = seen.reading else { return }
    let (force, instant) = (reading.force, reading.instant)
    let change: BusyDetector.Change?
    switch bins {
    case 32: change = unsafe take(memory.assumingMemoryBound(to: VibrationWatch<32>.self), force, instant)
    case 64: change = unsafe take(memory.assumingMemoryBound(to: VibrationWatch<64>.self), force, instant)
    case 128: change = unsafe take(memory.assumingMemoryBound(to: VibrationWatch<128>.self), force, instant)
    case 256: change = unsafe take(memory.assumingMemoryBound(to: VibrationWatch<256>.self), force, instant)
    default: change = unsafe take(memory.assumingMemoryBound(to: VibrationWatch<512>.self), force, instant)
    }
    seen.vibration = second
    guard let change, let second else { return }
    switch change {
    case .busy(let since): monitor.note(.busy(since: since), at: second.instant, in: &seen)
    case .quiet(let since): monitor.note(.quiet(since: since), at: second.instant, in: &seen)
    }
  }

  @inline(never)
  private static func begin<let bins: Int>(
    _ place: UnsafeMutablePointer<VibrationWatch<bins>>, _ configuration: VibrationConfiguration, _ period: Microseconds
  ) throws(VibrationError) {
    unsafe place.initialize(to: try VibrationWatch(configuration, period: period))
  }

  private mutating func take<let bins: Int>(
    _ watch: UnsafeMutablePointer<VibrationWatch<bins>>, _ force: Vector3, _ now: Instant
  ) -> BusyDetector.Change? {
    guard let ended = unsafe watch.pointee.step(force, at: now) else { return nil }
    second = VibrationSecond(ended.report, unsafe watch.pointee.edges)
    return ended.change
  }
}
