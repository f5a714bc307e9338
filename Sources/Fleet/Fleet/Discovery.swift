internal import FixedPoint
internal import JSON
internal import Monitor
internal import Orientation
internal import Sensors
internal import StreamCodec
internal import Text

/// What Home Assistant learns about a device: one device discovery message with all of its entities.
///
/// An entity is left out while it is unknown whether the device has it, because the owner has not said what sensor it
/// has; an entity that the device does not have is removed.
///
/// - Source: home-assistant.io/integrations/mqtt, "Device discovery payload", with the abbreviations of its table.
struct Discovery {
  private let settings: PublisherSettings
  private let identity: DeviceIdentity
  private let topics: Topics
  private let owner: OwnerFacts

  init(_ settings: PublisherSettings, _ identity: DeviceIdentity, _ topics: Topics, _ owner: OwnerFacts) {
    (self.settings, self.identity, self.topics, self.owner) = (settings, identity, topics, owner)
  }

  /// Writes the message.
  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writeDevice(to: &writer)
    writer.beginObject("o")
    writer.field("name", "plumb")
    writer.field("sw", Release.version)
    writer.endObject()
    writer.field("avty_t", topics[.status])
    writer.field("stat_t", topics[.state])
    writer.field("qos", 1)
    writer.beginObject("cmps")
    writePose(to: &writer)
    writeAngles(to: &writer)
    writeConditions(to: &writer)
    writeEvents(to: &writer)
    writeDiagnostics(to: &writer)
    writer.endObject()
    writer.endObject()
  }

  private func writeDevice(to writer: inout JSONWriter) {
    writer.beginObject("dev")
    writer.beginArray("ids")
    let id: ShortText<64> = "plumb-\(identity.id)"
    id.withSpan { bytes in writer.element(bytes) }
    writer.endArray()
    writer.field("name", identity.name)
    writer.field("mf", "Plumb")
    if owner.isKnown {
      if let model = SensorModel(named: owner.sensor) {
        writer.field("mdl", model.properName)
      } else {
        writer.field("mdl", owner.sensor)
      }
      writer.field("sw", owner.version)
    }
    writer.endObject()
  }

  /// Begins a component of `platform` that reads the state from its shared topic.
  private func begin(
    _ key: StaticString, _ platform: StaticString, _ name: StaticString, _ template: ShortText<96>,
    to writer: inout JSONWriter
  ) {
    beginComponent(key, platform, to: &writer)
    writer.field("name", name)
    writer.field("val_tpl", template)
  }

  /// The template for a field of the state.
  private func value(_ field: StaticString) -> ShortText<96> { "{{ value_json.\(field) }}" }

  /// Begins a component of `platform`, with its identity.
  private func beginComponent(_ key: StaticString, _ platform: StaticString, to writer: inout JSONWriter) {
    writer.beginObject(key)
    writer.field("p", platform)
    let id: ShortText<96> = "plumb-\(identity.id)_\(key)"
    writer.field("uniq_id", id)
  }

  /// Removes a component of `platform`.
  private func remove(_ key: StaticString, _ platform: StaticString, to writer: inout JSONWriter) {
    writer.beginObject(key)
    writer.field("p", platform)
    writer.endObject()
  }

  private func writePose(to writer: inout JSONWriter) {
    // Null is rendered as None, which Home Assistant treats as unknown.
    begin("pose", "sensor", "Pose", value("pose_name"), to: &writer)
    writer.field("dev_cla", "enum")
    writer.beginArray("ops")
    for index in 0..<Pose.count {
      guard let pose = Pose(rawValue: UInt8(truncatingIfNeeded: index)) else { continue }
      settings.name(of: pose).withSpan { bytes in writer.element(bytes) }
    }
    writer.endArray()
    writer.endObject()
    begin("since", "sensor", "Since", value("since"), to: &writer)
    writer.field("dev_cla", "timestamp")
    writer.field("ent_cat", "diagnostic")
    writer.endObject()
  }

  private func writeAngles(to writer: inout JSONWriter) {
    for angle in Angle.allCases {
      let isThere = settings.angles.contains(angle) && (angle != .heading || owner.hasGyroscope == true)
      if isThere {
        begin(angle.name, "sensor", angle.title, value(angle.field), to: &writer)
        writer.field("unit_of_meas", "°")
        writer.field("stat_cla", "measurement")
        writer.field("sug_dsp_prc", 1)
        writer.field("exp_aft", settings.expiry)
        writer.endObject()
      } else if !settings.angles.contains(angle) || owner.hasGyroscope == false {
        remove(angle.name, "sensor", to: &writer)
      }
    }
  }

  private func writeConditions(to writer: inout JSONWriter) {
    begin("trouble", "binary_sensor", "Trouble", "{{ 'ON' if value_json.trouble else 'OFF' }}", to: &writer)
    writer.field("dev_cla", "problem")
    writer.field("ent_cat", "diagnostic")
    writer.endObject()
    guard let saysStill = owner.saysStill else { return }
    guard saysStill else { return remove("moving", "binary_sensor", to: &writer) }
    begin(
      "moving", "binary_sensor", "Moving",
      "{{ 'None' if value_json.moving is none else 'ON' if value_json.moving else 'OFF' }}", to: &writer)
    writer.field("dev_cla", "moving")
    writer.endObject()
  }

  private func writeEvents(to writer: inout JSONWriter) {
    beginComponent("event", "event", to: &writer)
    writer.field("name", "Event")
    writer.field("stat_t", topics[.event])
    writer.beginArray("evt_typ")
    // Events about the sensor are in the state.
    let kinds = Event.Kind.allCases
    for index in 0..<kinds.count where kinds[index].group != .sensor { writer.element(kinds[index].name) }
    writer.element("missed")
    writer.endArray()
    writer.endObject()
    writeTrigger("shaken", "shaken", "board", "shake", to: &writer)
    writeTrigger("machine_busy", "busy", "machine", "busy", to: &writer)
    writeTrigger("machine_quiet", "quiet", "machine", "quiet", to: &writer)
    writeTrigger("tapped", "tapped", "once", "tap", to: &writer)
    writeTrigger("tapped_twice", "tapped", "twice", "doubleTap", to: &writer)
    writeTrigger("to_portrait", "turned", "portrait", "pose portrait", to: &writer)
    writeTrigger("to_portraitUpsideDown", "turned", "portraitUpsideDown", "pose portraitUpsideDown", to: &writer)
    writeTrigger("to_landscapeLeft", "turned", "landscapeLeft", "pose landscapeLeft", to: &writer)
    writeTrigger("to_landscapeRight", "turned", "landscapeRight", "pose landscapeRight", to: &writer)
    writeTrigger("to_faceUp", "turned", "faceUp", "pose faceUp", to: &writer)
    writeTrigger("to_faceDown", "turned", "faceDown", "pose faceDown", to: &writer)
  }

  /// Writes a trigger for the event `match`: its kind, and after a blank what it leads to.
  private func writeTrigger(
    _ key: StaticString, _ type: StaticString, _ subtype: StaticString, _ match: StaticString,
    to writer: inout JSONWriter
  ) {
    writer.beginObject(key)
    writer.field("p", "device_automation")
    writer.field("atype", "trigger")
    writer.field("type", type)
    writer.field("stype", subtype)
    writer.field("t", topics[.event])
    writer.field("val_tpl", "{{ value_json.event_type ~ (' ' ~ value_json.to if value_json.to is defined else '') }}")
    writer.field("pl", match)
    writer.endObject()
  }

  private func writeDiagnostics(to writer: inout JSONWriter) {
    writeCount("late_samples", "Late samples", to: &writer)
    writeCount("restarts", "Restarts", to: &writer)
    writeCount("missed", "Missed events", to: &writer)
    guard settings.has(.diagnostics) && owner.hasThermometer == true else {
      if !settings.has(.diagnostics) || owner.isKnown { remove("temperature", "sensor", to: &writer) }
      return
    }
    begin("temperature", "sensor", "Temperature", value("temperature_c"), to: &writer)
    writer.field("dev_cla", "temperature")
    writer.field("unit_of_meas", "°C")
    writer.field("stat_cla", "measurement")
    writer.field("ent_cat", "diagnostic")
    writer.endObject()
  }

  private func writeCount(_ key: StaticString, _ name: StaticString, to writer: inout JSONWriter) {
    guard settings.has(.diagnostics) else { return remove(key, "sensor", to: &writer) }
    begin(key, "sensor", name, value(key), to: &writer)
    writer.field("stat_cla", "total_increasing")
    writer.field("ent_cat", "diagnostic")
    writer.endObject()
  }
}

extension PublisherSettings {
  /// After how many seconds without a state Home Assistant treats an angle as unknown: two and a half heartbeats.
  var expiry: Int { Int(truncatingIfNeeded: (heartbeat.count / 1_000_000 &* 5 &+ 1) / 2) }
}
