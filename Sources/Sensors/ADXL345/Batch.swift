public import FixedPoint

extension ADXL345 {
  /// Samples in the order in which they were made: what one `drain` finds, 33 at most.
  public struct Batch: Sendable {
    /// The most that a batch holds: the 32 entries of the FIFO and the one in the output register.
    public static var capacity: Int { 33 }

    /// How many samples there are.
    public private(set) var count = 0
    /// Whether samples may be missing since the last batch: true whenever the FIFO was found full, else false.
    ///
    /// While it is false nothing is missing: that holds as long as no more than 31 samples wait, and for 32 too where the
    /// part keeps one of them in its output register. One more fills the FIFO, and from then on nothing that the part
    /// shows tells a sample that found the last place from one that cost another its own: Overrun is set by the filling,
    /// not by the loss. So every loss is told, and what is told without one is that last place.
    ///
    /// What is missing lies before the first or the second of the samples that waited then where the oldest give way
    /// (`stream`), else after the last of them, which may be in the next batch.
    ///
    /// It is true as well after a read that broke off in the middle, which may have cost its sample.
    ///
    /// - Datasheet: Rev. E, "Overrun" and register 0x39.
    public internal(set) var mayLackSamples = false
    private var samples = InlineArray<33, Vector3>(repeating: .zero)

    /// A batch of no samples.
    public init() {}

    /// Sample `index` in g, in the sensor's own frame; the oldest is 0. Nil where there is none.
    public subscript(index: Int) -> Vector3? { index >= 0 && index < count ? samples[index] : nil }

    /// Adds the next sample; beyond the capacity it is dropped.
    mutating func append(_ sample: Vector3) {
      guard count < Batch.capacity else { return }
      samples[count] = sample
      count &+= 1
    }
  }
}
