internal import CSupport
public import FixedPoint
public import Monitor
public import Vibration

/// How strong the vibration of a board was in a second, wherever that comes from.
public struct VibrationSecond: Equatable, Sendable {
  /// When it ended.
  public let instant: Instant
  /// The root mean square of all axes together, g.
  public let total: Q16
  /// The root mean square of each axis, g.
  public let rms: Vector3
  /// How far each axis went from its mean at most, g.
  public let peak: Vector3
  /// The bands.
  public let edges: BandEdges
  /// Whether a block ended in the second, so that its bands are known.
  public let hasBands: Bool
  private var bands = InlineArray<8, Q16>(repeating: .zero)

  /// The second of `report`, whose bands are those of `edges`.
  public init(_ report: VibrationReport, _ edges: BandEdges) {
    self.init(
      at: report.end, total: report.level.total, rms: report.level.rms, peak: report.level.peak, edges,
      hasBands: report.blocks > 0)
    for index in 0..<8 { bands[index] = report.rms(inBand: index) }
  }

  /// A second of another process without its bands; ``setRMS(_:inBand:)`` adds them.
  package init(at instant: Instant, total: Q16, rms: Vector3, peak: Vector3, _ edges: BandEdges, hasBands: Bool) {
    (self.instant, self.total, self.rms, self.peak) = (instant, total, rms, peak)
    (self.edges, self.hasBands) = (edges, hasBands)
  }

  /// The root mean square of all axes together in band `index`, 0 up to the count of `edges`, g; 0 for others.
  public func rms(inBand index: Int) -> Q16 { index >= 0 && index < 8 ? bands[index] : .zero }

  /// Sets the strength of a band.
  package mutating func setRMS(_ rms: Q16, inBand index: Int) {
    if index >= 0 && index < 8 { bands[index] = rms }
  }

  /// Whether all properties are equal.
  public static func == (a: VibrationSecond, b: VibrationSecond) -> Bool {
    for index in 0..<8 where a.bands[index] != b.bands[index] { return false }
    return a.instant == b.instant && a.total == b.total && a.rms == b.rms && a.peak == b.peak && a.edges == b.edges
      && a.hasBands == b.hasBands
  }
}

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
  public mutating func step(_ report: inout Monitor.Report, of monitor: inout Monitor) {
    second = nil
    guard let reading = report.reading else { return }
    let (force, instant) = (reading.force, reading.instant)
    let change: BusyDetector.Change?
    switch bins {
    case 32: change = unsafe take(memory.assumingMemoryBound(to: VibrationWatch<32>.self), force, instant)
    case 64: change = unsafe take(memory.assumingMemoryBound(to: VibrationWatch<64>.self), force, instant)
    case 128: change = unsafe take(memory.assumingMemoryBound(to: VibrationWatch<128>.self), force, instant)
    case 256: change = unsafe take(memory.assumingMemoryBound(to: VibrationWatch<256>.self), force, instant)
    default: change = unsafe take(memory.assumingMemoryBound(to: VibrationWatch<512>.self), force, instant)
    }
    guard let change, let second else { return }
    switch change {
    case .busy(let since): monitor.note(.busy(since: since), at: second.instant, in: &report)
    case .quiet(let since): monitor.note(.quiet(since: since), at: second.instant, in: &report)
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
