internal import FixedPoint
internal import Glibc
internal import Recordings

/// An independent reader agrees on every sample and number to the last bit, or rejects the same line; a line is not
/// rejected because of later ones; and neither carriage returns, empty lines, nor the pieces in which the file comes
/// change its meaning.
///
/// The first byte chooses how the file is read; the rest is the file.
func checkRecording(_ bytes: [UInt8]) throws(Broken) {
  let (choice, file) = (choice(bytes.first ?? 0x30), Array(bytes.dropFirst()))
  let found = try reading(file, choice)
  let plain = PlainRecording(file, choice)
  try require(
    found.samples == plain.samples, "\(found.samples.suffix(2)) instead of \(plain.samples.suffix(2)), \(found.words)")
  try require(found.line == plain.brokenLine, "\(found.words), but line \(plain.brokenLine ?? -1) is broken")
  try require(found.words.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "message: \(found.words)")
  if let line = found.line, line > 0 {
    var lines = file.split(separator: 0x0A, omittingEmptySubsequences: false)
    // The line feed at the end of the line stays.
    if lines.count > line { lines[line...] = [[]] }
    try require(
      reading(Array(lines.joined(separator: [0x0A])), choice) == found, "line \(line) is refused for what follows it")
  } else {
    let other = loosened(file)
    guard other.split(separator: 0x0A).allSatisfy({ $0.count <= 1_000 }) else { return }
    try require(reading(other, choice) == found, "carriage returns and empty lines change what it means")
  }
  try require(reading(file, choice, inPieces: true) == found, "in pieces it means something else")
  try checkNumbers(file, choice)
}

/// When the fast path reads a row, its numbers have the same bits as those of the system's conversion.
private func checkNumbers(_ file: [UInt8], _ choice: RecordingFormat.Choice) throws(Broken) {
  var input = InputFile(try sent(file, pieces: 1), name: "file")
  guard let format = success({ () throws(InputError) in try RecordingFormat(of: &input, choice) }) else { return }
  while let line = success({ () throws(InputError) in try input.nextLine() }) ?? nil {
    guard let fast = format.exactValues(input.bytes.span, line) else { continue }
    let row = format.trimmed(input.bytes[line])
    let slow = success { () throws(InputError) in try format.values(row, at: "") }
    for index in 0..<7 {
      try require(
        fast[index].bitPattern == slow?[index].bitPattern,
        "line \(input.lineNumber): \(fast[index]) instead of \(slow?[index] ?? .nan)")
    }
  }
}

/// The result of `body`; nil if it throws.
private func success<Value>(_ body: () throws(InputError) -> Value) -> Value? {
  do {
    return try body()
  } catch {
    return nil
  }
}

/// The options chosen by `byte`: `0` leaves everything to the header.
private func choice(_ byte: UInt8) -> RecordingFormat.Choice {
  var choice = RecordingFormat.Choice()
  choice.columns =
    [[], ["1", "2", "3", "4"], ["1", "2", "3", "4", "5", "6", "7"], ["t", "X", "2", "z"]][Int(byte & 3)]
  choice.unit = [nil, .g, .metresPerSecondSquared, nil][Int(byte >> 2 & 3)]
  choice.rotationUnit = [nil, .degreesPerSecond, .radiansPerSecond, nil][Int(byte >> 4 & 3)]
  return choice
}

/// `file` with carriage returns, and an empty line after the first.
private func loosened(_ file: [UInt8]) -> [UInt8] {
  let lines = file.split(separator: 0x0A, omittingEmptySubsequences: false)
  let loose = lines.prefix(1) + (lines.count > 1 ? [[]] : []) + lines.dropFirst()
  return Array(loose.joined(separator: [0x0D, 0x0A]))
}

/// The results of a reading.
private struct Reading: Equatable {
  var samples: [PlainRecording.Sample] = []
  /// Why it ended; empty at the end of the file.
  var words = ""
  /// The rejected line; 0 for the file as a whole, nil for none.
  var line: Int?
}

/// Reads `file`: all at once, or in fifteen pieces.
private func reading(
  _ file: [UInt8], _ choice: RecordingFormat.Choice, inPieces: Bool = false
) throws(Broken) -> Reading {
  let input = InputFile(try sent(file, pieces: inPieces ? 15 : 1), name: "file")
  var reading = Reading()
  do throws(InputError) {
    var recording = try Recording(input, choice)
    while let sample = try recording.next() {
      reading.samples.append(PlainRecording.Sample(sample))
    }
  } catch {
    guard error.cause == .data, error.message.hasPrefix("file:") else { throw Broken(words: error.message) }
    reading.words = error.message
    // "file:LINE: words", or "file: words" for the whole.
    reading.line = Int(error.message.dropFirst(5).prefix { $0 != ":" }) ?? 0
  }
  return reading
}

/// A descriptor that yields one of the `pieces` of `bytes` per read.
private func sent(_ bytes: [UInt8], pieces: Int) throws(Broken) -> Int32 {
  var ends: [Int32] = [-1, -1]
  try require(
    unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0, "no pair of sockets: \(errno)")
  defer { close(ends[1]) }
  var rest = bytes[...]
  while !rest.isEmpty {
    let piece = Array(rest.prefix(bytes.count / pieces + 1))
    let count = unsafe piece.withUnsafeBytes { unsafe write(ends[1], $0.baseAddress, $0.count) }
    try require(count == piece.count, "\(count) of \(piece.count) bytes are sent: \(errno)")
    rest = rest.dropFirst(piece.count)
  }
  return ends[0]
}
