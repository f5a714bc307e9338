internal import Fleet
internal import Text

/// A rejected file has the line of its error, and an independent reader finds the same line broken. In an accepted
/// one comments, empty lines and removed carriage returns do not change its meaning, and a broker accepts its topics.
func checkSettings(_ bytes: [UInt8]) throws(Broken) {
  let broken = firstBrokenLine(of: bytes)
  let settings: PublisherSettings
  do throws(PublisherError) {
    settings = try PublisherSettings.parse(bytes.span)
  } catch {
    let lines = bytes.count { $0 == 0x0A } + 1
    try require((0...lines).contains(Int(error.line)), "line \(error.line) of \(lines)")
    let words = error.message.description
    try require(!words.isEmpty && words.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "message: \(words)")
    switch error.cause {
    case .malformedLine, .outsideSection, .lineTooLong:
      try require(broken == Int(error.line), "line \(error.line) is refused, not \(broken ?? 0)")
    default: break
    }
    return
  }
  try require(broken == nil, "line \(broken ?? 0) is broken, but the file is accepted")
  let other: PublisherSettings
  do throws(PublisherError) {
    other = try PublisherSettings.parse(commented(bytes).span)
  } catch {
    throw Broken(words: "with comments: \(error.message)")
  }
  let (one, two) = (identity(settings), identity(other))
  try require(
    one == two && Topics(settings, one) == Topics(other, two) && settings.port == other.port
      && fault(of: settings) == fault(of: other), "comments and empty lines change what it means")
  let topics = Topics(settings, one)
  for topic in Topic.allCases { try checkTopic(topics[topic].description) }
}

/// What ``PublisherSettings/check()`` finds, without its line.
private func fault(of settings: PublisherSettings) -> PublisherError.Cause? {
  do throws(PublisherError) {
    try settings.check()
    return nil
  } catch {
    return error.cause
  }
}

/// The identity on a computer called `pi`.
func identity(_ settings: PublisherSettings) -> DeviceIdentity {
  DeviceIdentity(settings, hostName: "pi".utf8.span, machineID: "".utf8.span)
}

/// MQTT 3.1.1, 4.7: a topic for publishing has no wildcard and no NUL, and is not empty.
func checkTopic(_ topic: String) throws(Broken) {
  try require(!topic.isEmpty && !topic.utf8.contains { [0x00, 0x23, 0x2B].contains($0) }, "topic: \(topic)")
}
