public import FixedPoint
package import FixedText
public import Gestures
internal import HAL
public import Indication
public import JSON
public import Monitor
public import Orientation
public import Sensors
internal import StreamCodec
public import Text
public import Vibration

/// Writes the objects of a board: events, samples, readings and counters, as docs/output.md describes them.
///
/// The only place where these are written, for the stream, the tool and the daemon. Each function writes one object,
/// without the end of the line.
public struct ObjectWriter: Sendable {
  /// What `t` counts from.
  public let start: Instant
  /// The sensor, for the words about it.
  public let sensor: SensorPlace
  /// The code of the lines.
  public let code: LineCode
  /// The attitude in which angles are zero.
  public var tare = Tare.none
  /// What samples give the angle relative to as well; nil for nothing.
  public var relativeTo: Pose?
  /// The sizes of what is scrolled and of the window on it, of which samples then give the offset in pixels.
  public var sizes: (content: TiltScroll.PixelSize, viewport: TiltScroll.PixelSize)?

  /// A writer for the board with `sensor` and lines in `code`.
  public init(start: Instant, sensor: SensorPlace, code: LineCode = .leds) {
    (self.start, self.sensor, self.code) = (start, sensor, code)
  }

  /// Where the window on what is scrolled is, in pixels; nil where no sizes are known.
  public func pixels(_ position: TiltScroll.Position) -> TiltScroll.PixelOffset? {
    guard let sizes else { return nil }
    return position.offset(of: sizes.content, in: sizes.viewport)
  }

  /// Begins an object of what happened at `instant`.
  @inline(__always)
  private func begin(_ event: StaticString, at instant: Instant, _ writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("t", seconds: instant - start)
    writer.field("event", event)
  }
}

// Events.
extension ObjectWriter {
  /// Writes the object of an event.
  public func write(_ occurrence: Occurrence, to writer: inout JSONWriter) {
    write(occurrence.event, at: occurrence.at, to: &writer)
  }

  /// Writes the object of `event`.
  public func write(_ event: Event, at instant: Instant, to writer: inout JSONWriter) {
    beginObject(of: event, at: instant, to: &writer)
    writer.endObject()
  }

  /// Writes the object of `event` without its end, so that fields can be added. `detail`, the words of an owner in another process,
  /// takes the place of those about a fault or a notice of the sensor.
  package func beginObject(of event: Event, at instant: Instant, detail: Message? = nil, to writer: inout JSONWriter) {
    begin(event.kind.name, at: instant, &writer)
    let words = event.kind.group == .sensor ? detail ?? event.detail(of: sensor) : nil
    writer.fields(of: event, at: instant, tare, code, detail: words)
  }
}

// Samples.
extension ObjectWriter {
  /// Writes the object of `reading`, which the step that brought `seen` has taken in.
  public func write(_ reading: Reading, of seen: Observation, to writer: inout JSONWriter) {
    let force = tare.applied(to: reading.held)
    let isFlat = force.isFlat
    begin("sample", at: reading.instant, &writer)
    writer.field("x", reading.force.x)
    writer.field("y", reading.force.y)
    writer.field("z", reading.force.z)
    writer.field("pose", reading.state.name)
    writer.field("angle_deg", degrees: isFlat ? nil : force.deviceAngle)
    writer.field("level_deg", degrees: isFlat ? nil : force.levelAngle)
    if let relativeTo { writer.field("relative_deg", degrees: isFlat ? nil : force.relativeAngle(to: relativeTo)) }
    writer.field("pitch_deg", degrees: force.pitch)
    writer.field("roll_deg", degrees: force.isOnEnd ? nil : force.roll)
    writer.field("inclination_deg", degrees: force.inclination)
    writer.field("steering_deg", degrees: seen.snapshot.steering)
    writer.beginArray("scroll")
    writer.element(seen.snapshot.position.x, places: 5)
    writer.element(seen.snapshot.position.y, places: 5)
    writer.endArray()
    if let pixels = pixels(seen.snapshot.position) {
      writer.beginArray("scroll_px")
      writer.element(pixels.x)
      writer.element(pixels.y)
      writer.endArray()
    }
    if let attitude = seen.snapshot.attitude { write(attitude, to: &writer) }
    if let rotation = reading.rotation { writer.field("rotation_dps", rotation) }
    writer.endObject()
  }

  /// Writes the fields that a sample has with the fusion.
  private func write(_ attitude: Fusion.Attitude, to writer: inout JSONWriter) {
    writer.field("up", attitude.up)
    writer.field("heading_deg", degrees: attitude.heading)
    writer.field("rate_dps", attitude.rate)
    writer.field("still", attitude.isStill)
  }

  /// Writes the object of what the sensor measured at `instant`, in its own frame and not calibrated.
  public func write(raw measured: Measurement, at instant: Instant, to writer: inout JSONWriter) {
    begin("raw", at: instant, &writer)
    writer.field("x", measured.force.x)
    writer.field("y", measured.force.y)
    writer.field("z", measured.force.z)
    if let rotation = measured.rotation { writer.field("rotation_dps", rotation) }
    writer.endObject()
  }

  /// Writes the object of the vibration in a second.
  public func write(_ second: VibrationSecond, to writer: inout JSONWriter) {
    begin("vibration", at: second.instant, &writer)
    writer.field("rms_g", second.total)
    writer.field("axes_rms_g", second.rms)
    writer.field("axes_peak_g", second.peak)
    writer.beginArray("edges_hz")
    for index in 0...second.edges.count { writer.element(second.edges[index], places: 3) }
    writer.endArray()
    if second.hasBands {
      writer.beginArray("bands_g")
      for index in 0..<second.edges.count { writer.element(second.rms(inBand: index), places: 6) }
      writer.endArray()
    } else {
      writer.nullField("bands_g")
    }
    writer.endObject()
  }

  /// Writes the object of one fresh reading, the answer to a query.
  public func write(_ fresh: FreshReading, to writer: inout JSONWriter) {
    begin("reading", at: fresh.instant, &writer)
    Self.write(fieldsOf: fresh, tare, to: &writer)
    writer.endObject()
  }

  /// Writes what a reading has, with angles that count from `tare`, in an object that has begun.
  package static func write(fieldsOf fresh: FreshReading, _ tare: Tare, to writer: inout JSONWriter) {
    let force = fresh.force
    let seen = tare.applied(to: force)
    writer.field("pose", fresh.state.name)
    if case .unknown(let reason) = fresh.state {
      writer.field("reason", reason.name)
      writer.field("detail", reason.message)
    } else {
      writer.nullField("reason")
      writer.nullField("detail")
    }
    writer.field("x", force.x)
    writer.field("y", force.y)
    writer.field("z", force.z)
    writer.field("angle_deg", degrees: seen.isFlat ? nil : seen.deviceAngle)
    writer.field("level_deg", degrees: seen.isFlat ? nil : seen.levelAngle)
    writer.field("pitch_deg", degrees: seen.pitch)
    writer.field("roll_deg", degrees: seen.isOnEnd ? nil : seen.roll)
    writer.field("inclination_deg", degrees: seen.inclination)
    writer.field("steering_deg", degrees: seen.steeringAngle)
  }
}
