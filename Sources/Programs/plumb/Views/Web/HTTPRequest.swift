/// Parses the head of a request that arrives in pieces, in bounded memory.
///
/// It is strict: it refuses everything that RFC 9112 lets a server refuse, and what browsers send only to proxies: the
/// absolute form of a target (3.2.2), and HTTP/1.0 without a host. It reads no body.
///
/// - Source: RFC 9112 (HTTP/1.1), 2.2, 3, 5.1; RFC 9110, 5.5, 7.2.
package struct RequestReader: Sendable {
  /// The longest accepted head, including its blank line, in bytes.
  package static let longest = 8_192

  /// The result so far.
  package enum Outcome: Equatable, Sendable {
    /// The head is not complete.
    case more
    case request(HTTPRequest)
    /// It is not a valid request.
    case refused(Status)
  }

  private var bytes: [UInt8] = []
  private var outcome = Outcome.more

  package init() {}

  /// Takes the next bytes. Any outcome other than `more` is final.
  package mutating func take(_ piece: some Collection<UInt8>) -> Outcome {
    for byte in piece {
      guard outcome == .more else { return outcome }
      take(byte)
    }
    return outcome
  }

  private mutating func take(_ byte: UInt8) {
    // An empty line before a request is left over from the previous one (RFC 9112, 2.2).
    if bytes.isEmpty && (byte == 0x0D || byte == 0x0A) { return }
    // Refuse another protocol at its first byte, because its client may be waiting for an answer.
    if bytes.isEmpty && !isToken(byte) { return refuse(.badRequest) }
    bytes.append(byte)
    if byte == 0x0A && (bytes.suffix(2) == [0x0A, 0x0A] || bytes.suffix(3) == [0x0A, 0x0D, 0x0A]) {
      outcome = Self.parsed(bytes)
    } else if bytes.count >= Self.longest {
      refuse(.headTooLong)
    }
  }

  private mutating func refuse(_ status: Status) {
    outcome = .refused(status)
    bytes = []
  }

  private static func parsed(_ bytes: [UInt8]) -> Outcome {
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      line.last == 0x0D ? line.dropLast() : line
    }
    // Drop what follows the last two line feeds.
    lines.removeLast(2)
    do throws(Refusal) {
      return .request(try HTTPRequest(lines))
    } catch {
      return .refused(error.status)
    }
  }
}

/// An invalid request.
private struct Refusal: Error {
  var status: Status
}

/// A request.
package struct HTTPRequest: Equatable, Sendable {
  package var method: String
  /// The path from its slash to the question mark, not decoded.
  package var path: String
  /// What follows the question mark.
  package var query = ""
  package var host: String
  package var authorization: String?
  package var lastEventID: String?
  /// The media types that the client accepts; nil for any.
  package var accept: String?
  /// Whether a browser says that another site's page, or a link on one, made the request.
  package var isCrossSite: Bool
  /// Whether it comes from a browser that will display the answer.
  package var wantsPage: Bool

  package init(
    _ method: String, _ path: String, query: String = "", host: String, authorization: String? = nil,
    lastEventID: String? = nil, accept: String? = nil, isCrossSite: Bool = false, wantsPage: Bool = false
  ) {
    (self.method, self.path, self.query, self.host) = (method, path, query, host)
    (self.authorization, self.lastEventID, self.accept) = (authorization, lastEventID, accept)
    (self.isCrossSite, self.wantsPage) = (isCrossSite, wantsPage)
  }

  /// The value of a query field, not decoded; nil if there is none with that name.
  package func field(_ name: String) -> String? {
    for part in query.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 && pair[0] == name { return String(pair[1]) }
    }
    return nil
  }

  fileprivate init(_ lines: [ArraySlice<UInt8>]) throws(Refusal) {
    let parts = (lines.first ?? []).split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isToken),
      parts[1].allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw Refusal(status: .badRequest) }
    let version = text(parts[2])
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      throw Refusal(status: version.hasPrefix("HTTP/") ? .versionNotSupported : .badRequest)
    }
    guard parts[1].first == 0x2F else { throw Refusal(status: .badRequest) }
    let target = parts[1].split(separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
    let fields = try Self.fields(lines.dropFirst())
    let hosts = fields.filter { $0.name == "host" }
    guard hosts.count == 1 else { throw Refusal(status: .badRequest) }
    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    // A list may be split over several fields.
    let accept = fields.filter { $0.name == "accept" }.map(\.value)
    self.init(
      text(parts[0]), text(target[0]), query: target.count > 1 ? text(target[1]) : "", host: hosts[0].value,
      authorization: value("authorization"), lastEventID: value("last-event-id"),
      accept: accept.isEmpty ? nil : accept.joined(separator: ", "),
      isCrossSite: fields.contains { $0.name == "sec-fetch-site" && $0.value == "cross-site" },
      wantsPage: value("accept")?.split(separator: ",").contains { $0.hasPrefix("text/html") } ?? false)
  }

  private static func fields(
    _ lines: ArraySlice<ArraySlice<UInt8>>
  ) throws(Refusal) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    for line in lines {
      let parts = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
      // Neither blanks before the colon nor folded lines are allowed.
      guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy(isToken),
        parts[1].allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) })
      else { throw Refusal(status: .badRequest) }
      let value = parts[1].drop { isBlank($0) }
      let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? value.startIndex
      fields.append((text(parts[0]).lowercased(), text(value[value.startIndex..<end])))
    }
    return fields
  }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

/// Whether a byte may be part of a token.
///
/// - Source: RFC 9110, 5.6.2.
private func isToken(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
  default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}

private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
