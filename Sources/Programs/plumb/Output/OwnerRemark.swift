import PlumbViews

/// What the owner of a sensor adds to an observation, in its own words, which say more than an event can.
package struct OwnerRemark {
  /// The line of the event or sample, as the owner wrote it.
  package var line: String?
  /// The owner's words for the event; if the owner is gone, the connection's.
  package var detail: String?
  /// How many lines were lost, because this program was slow or the connection was interrupted.
  package var missed: UInt64
  /// A note to show.
  package var note: String?
  /// The note as an object; nil if it is only for people.
  package var object: String?

  package init(
    line: String? = nil, detail: String? = nil, missed: UInt64 = 0, note: String? = nil, object: String? = nil
  ) {
    (self.line, self.detail, self.missed, self.note, self.object) = (line, detail, missed, note, object)
  }

  /// How many lines were lost, in words.
  package var missedText: String { "\(counted(missed, "line", "lines")) of the owner missed" }

  /// `line` with this program's time `t` in place of the owner's; nil if the time is not its first field.
  package func line(at time: String) -> String? {
    guard let line, line.hasPrefix("{\"t\":"), let comma = line.firstIndex(of: ",") else { return nil }
    return "{\"t\":" + time + line[comma...]
  }
}
