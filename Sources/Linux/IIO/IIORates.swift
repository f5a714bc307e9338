internal import FixedPoint
package import Text

/// The rates at which a device measures, as they were before they were set.
struct IIORates: Equatable, Sendable {
  private typealias Word = ShortText<32>

  private var force: Word?
  private var rotation: Word?
  private var both: Word?

  /// Sets the rates of `device` to the lowest that are at least as high as wanted.
  mutating func set(_ device: IIODevice, millihertz: Int32, in tree: IIOTree) {
    func set(_ file: IIOTree.Name) -> Word? { Self.set(file, millihertz, device.number, tree) }
    force = set("in_accel_sampling_frequency")
    rotation = device.hasGyroscope ? set("in_anglvel_sampling_frequency") : nil
    both = set("sampling_frequency")
  }

  /// Makes them as before. They are then as at first here too.
  mutating func restore(_ number: Int32, in tree: IIOTree) {
    if let both { _ = tree.write(both, number, "sampling_frequency") }
    if let rotation { _ = tree.write(rotation, number, "in_anglvel_sampling_frequency") }
    if let force { _ = tree.write(force, number, "in_accel_sampling_frequency") }
    self = IIORates()
  }

  /// The time from one sample of the force to the next, µs; 0 if unknown.
  static func period(of number: Int32, in tree: IIOTree) -> Int64 {
    let own: Word? = tree.text(number, "in_accel_sampling_frequency") ?? tree.text(number, "sampling_frequency")
    guard let rate = own?.fixed(places: 6), rate >= 1_000, rate <= 1_000_000_000_000 else { return 0 }
    return (1_000_000_000_000 &+ rate / 2) / rate
  }

  /// Sets a rate; returns what it was, or nil if it has not changed.
  private static func set(_ file: IIOTree.Name, _ millihertz: Int32, _ number: Int32, _ tree: IIOTree) -> Word? {
    let before: Word? = tree.text(number, file)
    guard let before else { return nil }
    let list: IIOTree.Line? = tree.text(number, "\(file)_available")
    let wanted = list.flatMap { $0.rate(atLeast: millihertz) } ?? Word(millihertz: millihertz)
    guard wanted != before, tree.write(wanted, number, file) == 0 else { return nil }
    return before
  }
}

extension ShortText where capacity == 256 {
  /// The lowest of the rates in the text that is at least as high, or else the highest: as the kernel writes it, in
  /// hertz. Nil for a range such as `[1 1 100]`, and for anything else.
  package func rate(atLeast millihertz: Int32) -> ShortText<32>? {
    var (position, best) = (0, ShortText<32>?.none)
    var bestRate: Int64 = 0
    let wanted = widened(millihertz) &* 1_000
    while position < count {
      skipSeparators(&position)
      let start = position
      guard let rate = fixed(at: &position, places: 6), rate > 0 else { return nil }
      let isBetter =
        best == nil || (bestRate < wanted ? rate > bestRate : rate >= wanted && rate < bestRate)
      if isBetter {
        var word = ShortText<32>()
        for index in start..<position { word.append(byte: self[index]) }
        (best, bestRate) = (word, rate)
      }
      guard position == count || isBlank(at: position) else { return nil }
      skipSeparators(&position)
    }
    return best
  }
}

extension ShortText where capacity == 32 {
  /// `millihertz` / 1000 in decimal digits.
  fileprivate init(millihertz: Int32) {
    self.init()
    append(widened(UInt32(bitPattern: millihertz)), over: 1_000, places: 3)
  }
}
