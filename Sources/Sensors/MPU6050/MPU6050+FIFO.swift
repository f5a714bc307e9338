internal import FixedPoint

extension MPU6050 {
  /// What goes into the FIFO, along with the specific force, and how it is read.
  public struct FIFO: Equatable, Sendable {
    /// Whether the temperature goes in.
    public var includesTemperature: Bool
    /// Whether the rate of rotation goes in; only with the gyroscope on.
    public var includesRotation: Bool
    /// The longest burst that it is read in, in bytes; whole records are read, at least one and at most 240 bytes.
    ///
    /// Default 30, because an adapter that knows SMBus only reads 32 at most; one that knows plain I2C can do 240,
    /// which saves bus time.
    public var longestBurst: UInt8

    /// A FIFO; by default of the specific force alone, 6 bytes a record, in bursts of 30 bytes.
    public init(includesTemperature: Bool = false, includesRotation: Bool = false, longestBurst: UInt8 = 30) {
      self.includesTemperature = includesTemperature
      self.includesRotation = includesRotation
      self.longestBurst = longestBurst
    }

    /// How many records of a layout one burst holds.
    func recordsPerBurst(_ layout: RecordLayout) -> Int {
      max(1, min(FIFO.bufferSize, Int(longestBurst)) / layout.size)
    }

    /// The longest burst there is.
    static var bufferSize: Int { 240 }
  }

  /// Which bytes make up one measurement: the specific force always, then what else there is.
  package struct RecordLayout: Equatable {
    package var hasTemperature: Bool
    package var hasRotation: Bool

    package init(hasTemperature: Bool, hasRotation: Bool) {
      self.hasTemperature = hasTemperature
      self.hasRotation = hasRotation
    }

    /// Bytes: 6, 8, 12 or 14.
    package var size: Int { 6 &+ (hasTemperature ? 2 : 0) &+ (hasRotation ? 6 : 0) }

    /// The specific force alone.
    static var force: RecordLayout { RecordLayout(hasTemperature: false, hasRotation: false) }
  }

  /// Measurements from the FIFO, oldest first, up to a capacity.
  public struct Batch<let capacity: Int>: Sendable {
    private var motions: InlineArray<capacity, Motion>
    /// How many there are.
    public private(set) var count = 0
    /// How many measurements were in the FIFO and are not in any batch: they were thrown away, because the FIFO had
    /// overflowed or was about to. Besides these an unknown number was overwritten.
    public internal(set) var discarded = 0
    /// Whether measurements are missing between those of the last batch and the first of this one.
    public internal(set) var followsGap = false
    /// How many whole measurements were left in the FIFO.
    public internal(set) var remaining = 0

    /// An empty batch.
    public init() { motions = InlineArray(repeating: Motion(force: .zero)) }

    /// Measurement `index`; nil beyond the last.
    public subscript(index: Int) -> Motion? { index >= 0 && index < count ? motions[index] : nil }

    /// Whether no more fits in.
    var isFull: Bool { count >= capacity }

    /// How many more fit in.
    var room: Int { capacity &- count }

    mutating func append(_ motion: Motion) {
      guard !isFull else { return }
      motions[count] = motion
      count &+= 1
    }

    mutating func removeAll() {
      count = 0
      discarded = 0
      remaining = 0
      followsGap = false
    }
  }

  /// The measurement in the bytes from `start` on.
  static func motion(
    _ bytes: Span<UInt8>, at start: Int, _ layout: RecordLayout, _ configuration: Configuration, _ part: Part
  ) -> Motion {
    func word(_ offset: Int) -> Int16 { MPU6050.word(bytes[start &+ offset], bytes[start &+ offset &+ 1]) }
    let range = configuration.range
    var motion = Motion(
      force: Vector3(
        x: force(word(0), range: range), y: force(word(2), range: range), z: force(word(4), range: range)))
    if layout.hasTemperature { motion.temperature = temperature(word(6), part.temperatureScale) }
    if layout.hasRotation, let range = configuration.gyroscope {
      let first = layout.hasTemperature ? 8 : 6
      motion.rotation = Vector3(
        x: rotation(word(first), range: range), y: rotation(word(first &+ 2), range: range),
        z: rotation(word(first &+ 4), range: range))
    }
    return motion
  }
}
