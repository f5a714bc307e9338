internal import FixedPoint
internal import JSON
internal import Monitor
internal import Orientation
internal import StreamCodec
internal import Text

// The meaning of an owner's lines.
extension Publisher {
  /// How long an owner may be silent before it counts as gone: it sends counters once a second.
  static var longestSilence: Microseconds { .seconds(3) }
  /// How long to wait at the start for the first hello before anything is published.
  static var longestWait: Microseconds { .seconds(2) }
  /// How long to wait after a hello for the first sample.
  static var longestPause: Microseconds { .milliseconds(500) }
  /// How long the owner may take to answer a command.
  static var answerTime: Microseconds { .seconds(5) }

  mutating func takeHello(_ hello: JSONObject, at now: Instant) {
    let version = hello["protocol"]?.count ?? 0
    guard version == 1 else {
      lose(at: now, "the owner speaks protocol \(version), this program protocol 1")
      link = .gone
      return
    }
    wantsHello = false
    let found = OwnerFacts(hello)
    let events = hello["events"]?.count
    if facts.isKnown && found.run == facts.run {
      if let events, let seenEvents, events > seenEvents { miss(events &- seenEvents) }
    } else {
      // Another run of the owner starts its counts again.
      (lateSamples, recoveries, temperature, isMoving) = (nil, nil, nil, nil)
      means.reset()
    }
    seenEvents = events
    take(counters: hello["counters"])
    if !found.looks(like: facts) { announce(at: now) }
    hasNews = hasNews || found.board != facts.board || !found.looks(like: facts)
    facts = found
    means.count(from: hello.tare)
    welcome(hello, at: now)
    if let isStill = hello["still"]?.bool { take(isMoving: !isStill) }
    (wantsSamples, wantsCounters) = (true, true)
  }

  private mutating func welcome(_ hello: JSONObject, at now: Instant) {
    let pose = PublishedPose(hello["pose"], otherwise: .ambiguous)
    // The owner's clock tells for how long this has been so.
    let time = hello["t"]?.time ?? .zero
    let since = now - max(.zero, time - (hello["since"]?.time ?? time))
    let wasPresent = link == .present
    link = .present
    change(to: pose, pose.words, since: since)
    guard !wasPresent, !pose.isTrouble, !settings.angles.isEmpty else { return }
    means.reset()
    firstSampleDue = now + Self.longestPause
  }

  /// Sets what is published about the pose.
  private mutating func change(to new: PublishedPose, _ detail: ShortText<256>, since: Instant) {
    hasNews = hasNews || new != pose || detail != poseDetail
    if new != pose { poseSince = since }
    (pose, poseDetail) = (new, detail)
    guard pose.isTrouble else { return }
    (isMoving, firstSampleDue) = (nil, nil)
    means.reset()
  }

  /// Handles an owner that is gone or silent, because of `why`.
  mutating func lose(at now: Instant, _ why: ShortText<256>) {
    change(to: .ownerGone, why, since: now)
    rotationTarget = ""
    (wantsHello, wantsSamples, wantsCounters) = (false, false, false)
    while let command = pending.expire(at: nil) { answer(command, error: "the owner of the sensor is gone") }
  }

  /// Handles what changes with time alone.
  mutating func update(at now: Instant) {
    if (link == .present || link == .waiting) && now - lastHeard >= Self.longestSilence {
      lose(at: now, "nothing came from the owner for 3 s")
      link = .silent
    }
    if link == .returning && now - lastHeard >= Self.longestSilence { link = .silent }
    hasWaited = hasWaited || now - begun >= Self.longestWait
    if let last = means.lastSample, now - last >= Self.longestSilence {
      means.reset()
      hasNews = hasNews || sentAngles != BoardAngles()
    }
    if let firstSampleDue, now >= firstSampleDue { self.firstSampleDue = nil }
    while let command = pending.expire(at: now) { answer(command, error: "the owner does not answer") }
  }

  /// Handles a line of any other kind than hello.
  mutating func takeLine(_ event: JSONValue, _ object: JSONObject, at now: Instant) {
    if event.isString("sample") {
      take(sample: object, at: now)
    } else if event.isString("counters") {
      if link == .present { take(counters: object.value) }
    } else if event.isString("missed") {
      // It is unknown which lines those were, so the owner is asked for the present state.
      miss(object["count"]?.count ?? 1)
      seenEvents = nil
      wantsHello = true
    } else if event.isString("done") {
      if object["command"] == "tare", let command = pending.takeOut(.tare) { answer(done: command) }
    } else if event.isString("reading") {
      if let command = pending.takeOut(.query) { answer(command, reading: object) }
    } else if event.isString("error") {
      if let command = pending.takeOut(nil) { answer(command, error: ShortText<256>(object["detail"])) }
    } else if event.isString("bye") {
      lose(at: now, "the owner has ended: \(ShortText<256>(object["detail"]))")
      link = .gone
    } else if !event.isString("raw") && !event.isString("board") && !event.isString("vibration") {
      take(event: ShortText(event), object, at: now)
    }
  }

  private mutating func take(sample object: JSONObject, at now: Instant) {
    guard link == .present, means.take(object, at: now) else { return }
    firstSampleDue = nil
    // A sensor that delivers is no longer in trouble.
    if pose.isTrouble { recover(at: now) }
    guard let isStill = object["still"]?.bool else { return }
    take(isMoving: !isStill)
  }

  private mutating func take(isMoving: Bool) {
    guard link == .present, self.isMoving != isMoving else { return }
    self.isMoving = isMoving
    hasNews = true
  }

  private mutating func recover(at now: Instant) {
    let pose = PublishedPose.owner(.unknown(.ambiguous))
    change(to: pose, pose.words, since: now)
  }

  private mutating func take(counters: JSONValue?) {
    guard let counters else { return }
    let (late, recovered) = (counters["late_samples"]?.count, counters["recoveries"]?.count)
    hasCounted = hasCounted || late != lateSamples || recovered != recoveries
    (lateSamples, recoveries) = (late, recovered)
    if let value = counters["temperature_c"] {
      temperature = value.decimal(places: 2).flatMap { $0.magnitude < 100_000 ? $0 : nil }
    }
  }

  /// Counts lines or events of the owner that were missed.
  private mutating func miss(_ count: UInt64) {
    missedOfOwner = sum(missedOfOwner, count)
    queue.append(missed: count)
    hasCounted = true
  }
}

// Events.
extension Publisher {
  private mutating func take(event name: ShortText<48>, _ object: JSONObject, at now: Instant) {
    guard name.isName else { return }
    seenEvents = seenEvents.map { $0 &+ 1 }
    switch Event.Kind(name) {
    case .trouble:
      guard link == .present else { return }
      var pose = PublishedPose(object["reason"], otherwise: .fault)
      // A reason, even with the name of a pose.
      if let known = pose.known { pose = .laterReason(ShortText(known.name)) }
      let detail = ShortText<256>(object["detail"])
      return change(to: pose, detail.count > 0 ? detail : pose.words, since: now)
    case .recovery:
      if link == .present && pose.isTrouble { recover(at: now) }
      return
    case .pose:
      let pose = PublishedPose(object["to"], otherwise: .ambiguous)
      if link == .present {
        change(to: pose, pose.words, since: now)
        means.restart()
      }
    case .still: take(isMoving: false)
    case .moving: take(isMoving: true)
    case .rotation: return takeRotation(name, object, at: now)
    case let kind? where kind.group == .sensor: return
    // All others, including those of later versions.
    default: break
    }
    enqueue(name, object, at: now)
  }

  /// Publishes only the end of a rotation, with the target that an earlier phase has named.
  private mutating func takeRotation(_ name: ShortText<48>, _ object: JSONObject, at now: Instant) {
    if object["phase"] == "didRotate" {
      enqueue(name, object, at: now)
      rotationTarget = ""
    } else if let to = object["to"] {
      rotationTarget = ShortText(to)
      if !rotationTarget.isName { rotationTarget = "" }
    }
  }

  private mutating func enqueue(_ name: ShortText<48>, _ object: JSONObject, at now: Instant) {
    eventNumber = eventNumber &+ 1
    let (number, time, target) = (eventNumber, clock.text(now), rotationTarget)
    let before = queue.dropped
    let whole = json(atMost: EventQueue.longest) { writer in
      Self.begin(name, number, time, object, &writer)
      object.value.forEachField { key, value in
        if Self.isCopied(key, value) { writer.field(key, value) }
      }
      if name == Event.Kind.rotation.name && target.count > 0 { writer.field("to", target) }
      writer.endObject()
    }
    // An event of a later version may be too long: its kind and time are enough.
    queue.append(
      whole
        ?? json { writer in
          Self.begin(name, number, time, object, &writer)
          writer.endObject()
        })
    hasCounted = hasCounted || queue.dropped != before
  }

  private static func begin(
    _ name: ShortText<48>, _ number: UInt64, _ time: ShortText<24>?, _ object: JSONObject, _ writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.field("event_type", name)
    writer.field("n", number)
    if let t = object["t"]?.decimal(places: 6) {
      writer.field("t", seconds: Microseconds(t))
    } else {
      writer.nullField("t")
    }
    writer.field("time", time)
  }

  /// Whether a field of an owner's event is copied into the published event: it has no rules of its own, and is not a
  /// number so large that many readers would refuse the whole event.
  private static func isCopied(_ key: JSONValue, _ value: JSONValue) -> Bool {
    guard !value.isNumber || value.decimal(places: 6) != nil else { return false }
    return
      !(key.isString("event") || key.isString("event_type") || key.isString("n") || key.isString("t")
      || key.isString("time") || key.isString("phase"))
  }
}

// Answers.
extension Publisher {
  /// Takes a message from the command topic.
  mutating func take(command payload: Span<UInt8>, isRetained: Bool, at now: Instant) {
    switch CommandMessage(payload) {
    case .empty: break
    case .unknown(let name): refuse(name, "unknown; the commands are tare and query", at: now)
    case .command(let command):
      let name = ShortText<48>(command.name)
      if isRetained {
        // Otherwise it would be carried out again on each connection.
        refuse(name, "retained commands are not carried out; publish it without retain", at: now)
      } else if !settings.commands.contains(command) {
        refuse(name, "not allowed; to allow it, name it in allow of [commands] in the settings", at: now)
      } else if link != .present {
        refuse(name, "the owner of the sensor is gone", at: now)
      } else if !pending.append(command, until: now + Self.answerTime) {
        refuse(name, "too many commands at once", at: now)
      }
    }
  }

  private mutating func refuse(_ command: ShortText<48>, _ why: ShortText<128>, at now: Instant) {
    notices.refused(command, why, at: now)
    answer(command) { writer in writer.field("error", why) }
  }

  private mutating func answer(_ command: DeviceCommand, error: ShortText<256>) {
    answer(ShortText(command.name)) { writer in writer.field("error", error) }
  }

  private mutating func answer(done command: DeviceCommand) {
    answer(ShortText(command.name)) { writer in writer.field("result", "done") }
  }

  private mutating func answer(_ command: DeviceCommand, reading: JSONObject) {
    answer(ShortText(command.name)) { writer in
      writer.beginObject("reading")
      reading.value.forEachField { key, value in
        if !key.isString("event") { writer.field(key, value) }
      }
      writer.endObject()
    }
  }

  private mutating func answer(_ command: ShortText<48>, _ body: (inout JSONWriter) -> Void) {
    answers.append(
      json { writer in
        writer.beginObject()
        writer.field("command", command)
        body(&writer)
        writer.endObject()
      })
  }
}
