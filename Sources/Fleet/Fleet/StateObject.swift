internal import FixedPoint
internal import JSON
internal import Orientation
internal import Text

// The state of a device, and when it is due.
extension Publisher {
  /// How soon changed counts are published.
  private static var countTime: Microseconds { .seconds(5) }
  /// How often discovery is published at most because of the owner.
  private static var announcementPause: Microseconds { .seconds(5) }

  /// The version of the topics and their payloads.
  private static var version: Int { 1 }

  /// Whether there is something to publish: what the owner says, or that it says nothing.
  var isReady: Bool { firstSampleDue == nil && (link != .waiting || hasWaited) }

  /// Plans discovery for `instant`, or for an earlier one if that is planned already.
  mutating func announce(at instant: Instant) {
    guard settings.has(.discovery), isConnected else { return }
    let earliest = lastDiscovery.map { max(instant, $0 + Self.announcementPause) } ?? instant
    discoveryDue = min(discoveryDue ?? earliest, earliest)
  }

  /// Whether the state is due now.
  func isStateDue(at now: Instant) -> Bool {
    guard !flights.has(.state), let due = stateDue else { return false }
    return now >= due
  }

  /// When the state is due.
  var stateDue: Instant? {
    guard !hasNews, let lastState else { return Instant(microseconds: Int64.min) }
    var due = NextInstant(repetitionDue)
    due.take(lastState + settings.heartbeat)
    if hasCounted { due.take(lastState + max(settings.interval, Self.countTime)) }
    if angles.differ(from: sentAngles, by: settings.step, of: settings.angles) {
      due.take(lastState + settings.interval)
    }
    return due.instant
  }

  /// The present angles.
  private var angles: BoardAngles { pose.isTrouble ? BoardAngles() : means.latest }

  /// The state, which then counts as published.
  mutating func state(at now: Instant) -> [UInt8] {
    (hasNews, hasCounted, lastState, sentAngles) = (false, false, now, angles)
    if let due = repetitionDue, now >= due { repetitionDue = nil }
    return json { writer in
      writer.beginObject()
      writer.field("version", Self.version)
      writePose(to: &writer)
      writeFigures(to: &writer)
      writer.endObject()
    }
  }

  private func writePose(to writer: inout JSONWriter) {
    writer.field("pose", pose.known?.name)
    writer.field("pose_name", pose.known.map { settings.name(of: $0) })
    writer.field("since", clock.text(poseSince))
    writer.field("reason", pose.reason)
    writer.field("detail", poseDetail.count > 0 ? poseDetail : nil)
    writer.field("trouble", pose.isTrouble)
    if let isMoving {
      writer.field("moving", isMoving)
    } else {
      writer.nullField("moving")
    }
  }

  private func writeFigures(to writer: inout JSONWriter) {
    let angles = angles
    for angle in Angle.allCases where settings.angles.contains(angle) {
      guard angle != .heading || facts.hasGyroscope != false else { continue }
      writer.field(angle.field, angles[angle]?.degrees, places: 2)
    }
    writer.field("late_samples", count: lateSamples)
    // The name in version 1. The stream uses it for attempts, of which an outage may take many.
    writer.field("restarts", count: recoveries)
    writer.field("missed", missed)
    if let temperature, !pose.isTrouble {
      writer.field("temperature_c", decimal: temperature, over: 100, places: 2)
    } else {
      writer.nullField("temperature_c")
    }
    writer.field("sensor", facts.isKnown ? facts.sensor : nil)
    writer.field("board", facts.isKnown ? facts.board : nil)
  }
}

extension JSONWriter {
  /// Writes text, or null.
  mutating func field<let capacity: Int>(_ key: StaticString, _ text: ShortText<capacity>?) {
    guard let text else { return nullField(key) }
    text.withSpan { bytes in field(key, bytes) }
  }
}

extension ShortText {
  /// Whether its bytes are those of `other`.
  func equals(_ other: Span<UInt8>) -> Bool {
    guard other.count == count else { return false }
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }
}

extension Span<UInt8> {
  /// Whether it equals `words`.
  func isText(_ words: StaticString) -> Bool {
    guard count == words.utf8CodeUnitCount else { return false }
    for index in 0..<count where unsafe self[index] != words.utf8Start[index] { return false }
    return true
  }
}
