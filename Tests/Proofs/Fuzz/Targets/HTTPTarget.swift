internal import PlumbViews

/// A request is the same in any pieces; an accepted one has one host, and is equal when it is written and read again.
func checkHTTP(_ bytes: [UInt8]) throws(Broken) {
  var whole = RequestReader()
  let outcome = whole.take(bytes)
  var single = RequestReader()
  var last = RequestReader.Outcome.more
  for byte in bytes { last = single.take(CollectionOfOne(byte)) }
  try require(last == outcome, "in single bytes it is \(last), not \(outcome)")
  if let first = bytes.first {
    var halves = RequestReader()
    let middle = 1 + Int(first) % bytes.count
    _ = halves.take(bytes[..<middle])
    try require(halves.take(bytes[middle...]) == outcome, "in two pieces it is another")
  }
  let start = bytes.drop { $0 == 0x0D || $0 == 0x0A }
  switch outcome {
  case .more: try require(start.count < RequestReader.longest && headEnd(start) == nil, "an end is not seen")
  case .refused(let status): try require((400...599).contains(status.code), "refused with \(status.code)")
  case .request(let request):
    guard let end = headEnd(start) else { throw Broken(words: "a request without its end") }
    try require(end - start.startIndex <= RequestReader.longest, "a head of \(end - start.startIndex) bytes")
    let lines = start[..<end].split(separator: 0x0A, omittingEmptySubsequences: false)
    // In bytes: a Unicode combining mark after the colon would form one character with it.
    let hosts = lines.count { $0.prefix(5).map { $0 | 0x20 } == Array("host:".utf8) }
    try require(hosts == 1, "\(hosts) hosts")
    try require(request.path.hasPrefix("/") && !request.path.contains("?"), "the path \(request.path)")
    try require(start.starts(with: "\(request.method) \(request.path)".utf8), "another first line")
    try checkWritten(request)
  }
}

/// The end of the first empty line, if any.
private func headEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
  var isEmpty = false
  for index in bytes.indices {
    switch bytes[index] {
    case 0x0A where isEmpty: return index + 1
    case 0x0A: isEmpty = true
    case 0x0D where isEmpty && index + 1 < bytes.endIndex && bytes[index + 1] == 0x0A: break
    default: isEmpty = false
    }
  }
  return nil
}

extension String {
  /// Without leading or trailing blanks and tabs.
  fileprivate var trimmingBlanks: String {
    let rest = drop { $0 == " " || $0 == "\t" }
    return rest.lastIndex { $0 != " " && $0 != "\t" }.map { String(rest[...$0]) } ?? ""
  }
}

/// Writes a request as a browser would, and reads it back.
private func checkWritten(_ request: HTTPRequest) throws(Broken) {
  let fields = [
    ("Host", request.host), ("authorization", request.authorization), ("LAST-EVENT-ID", request.lastEventID),
    ("accept", request.accept), ("sec-fetch-site", request.isCrossSite ? "cross-site" : nil),
  ]
  var text = request.method + " " + request.path + (request.query.isEmpty ? "" : "?" + request.query) + " HTTP/1.1\r\n"
  for case (let name, let value?) in fields { text += "\(name): \(value)\t\r\n" }
  text += "\r\n"
  guard text.utf8.count <= RequestReader.longest - 1 else { return }
  // Bytes that are not UTF-8 were read as U+FFFD, which is longer.
  var reader = RequestReader()
  guard case .request(var again) = reader.take(text.utf8) else {
    throw Broken(words: "written again it is refused")
  }
  // Of several fields only the first one counts for a browser's page, and joined they are one.
  again.wantsPage = request.wantsPage
  // An empty field of a list makes the joined one end in a blank, which no field does.
  if again.accept == request.accept?.trimmingBlanks { again.accept = request.accept }
  try require(again == request, "written again it is \(again), not \(request)")
}
