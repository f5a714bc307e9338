/// The HTTP status codes used in answers.
///
/// - Source: RFC 9110, 15; RFC 6585, 5.
package enum Status: Sendable {
  case fine
  case badRequest
  case unauthorized
  case forbidden
  /// Another site made the request, through a browser.
  case crossSite
  case notFound
  case methodNotAllowed
  case tooSlow
  case tooManyAttempts
  case headTooLong
  case unavailable
  case versionNotSupported

  /// Its code and phrase, and what it means, for people.
  private var row: (code: Int, phrase: String, words: String) {
    switch self {
    case .fine: (200, "OK", "Fine.")
    case .badRequest: (400, "Bad Request", "plumb does not understand this request.")
    case .unauthorized:
      (401, "Unauthorized", "The token is missing or wrong: use the address that plumb serve printed.")
    case .forbidden:
      (
        403, "Forbidden",
        "This page is for this computer only: use the host name localhost, 127.0.0.1 or [::1]. From another computer, use ssh -L."
      )
    case .crossSite:
      (
        403, "Forbidden",
        "Another web site requested this page, by a link or in the background. To open it, type or paste its address into the address bar."
      )
    case .notFound:
      (404, "Not Found", "There is nothing here. The page is at /, its figures at /state.json and /metrics.")
    case .methodNotAllowed: (405, "Method Not Allowed", "plumb serve accepts only GET and HEAD.")
    case .tooSlow: (408, "Request Timeout", "The request took too long to arrive.")
    case .tooManyAttempts:
      (
        429, "Too Many Requests",
        "Too many wrong tokens. Wait a minute, then use the address that plumb serve printed."
      )
    case .headTooLong:
      (431, "Request Header Fields Too Large", "The request has more than \(RequestReader.longest) bytes.")
    case .unavailable: (503, "Service Unavailable", "Too many viewers. Try again later.")
    case .versionNotSupported: (505, "HTTP Version Not Supported", "plumb speaks HTTP/1.1.")
    }
  }

  package var code: Int { row.code }
  package var phrase: String { row.phrase }
  package var words: String { row.words }
}

/// The bytes of a response. The connection closes after each.
package enum Answer {
  /// A complete response, without its body if `isHead`. `isNegotiated` is whether its type depends on `Accept`.
  package static func bytes(
    _ status: Status, type: String, body: [UInt8], policy: String = "default-src 'none';frame-ancestors 'none'",
    isHead: Bool = false, isNegotiated: Bool = false
  ) -> [UInt8] {
    let vary = isNegotiated ? "Vary: Accept\r\n" : ""
    let head = head(status, type: type, policy: policy, "Content-Length: \(body.count)\r\n" + vary)
    return Array(head.utf8) + (isHead ? [] : body)
  }

  /// The response to a refused request: a page for a browser, a line of text for others.
  package static func refusal(_ status: Status, isHead: Bool = false, wantsPage: Bool = false) -> [UInt8] {
    guard wantsPage else {
      return bytes(status, type: "text/plain", body: Array((status.words + "\n").utf8), isHead: isHead)
    }
    let nonce = AccessToken.hexadecimal()
    let policy = "default-src 'none';style-src 'nonce-\(nonce)';img-src data:;base-uri 'none';frame-ancestors 'none'"
    return bytes(
      status, type: "text/html", body: Array(page(status, nonce: nonce).utf8), policy: policy, isHead: isHead)
  }

  /// A page that fits on a phone. Its icon is empty, so that the browser does not request one.
  private static func page(_ status: Status, nonce: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <link rel="icon" href="data:,">
    <title>\(status.phrase) – plumb</title>
    <style nonce="\(nonce)">
    body{margin:0;padding:18vh 1.5rem 0;background:#f4f6f8;color:#17202b;
      font:1.1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
    main{max-width:30rem;margin:0 auto}h1{font-size:1.5rem;line-height:1.25;margin:0 0 \
    .6rem}p{margin:0;overflow-wrap:anywhere}
    @media (prefers-color-scheme:dark){body{background:#0e1217;color:#e7ecf2}}
    </style>
    <main>
    <h1>\(status.phrase)</h1>
    <p>\(status.words)</p>
    </main>
    </html>

    """
  }

  /// The head of a response that continues until the connection closes.
  package static var stream: [UInt8] {
    Array(
      head(
        .fine, type: "text/event-stream", policy: "default-src 'none';frame-ancestors 'none'",
        "X-Accel-Buffering: no\r\n"
      ).utf8)
  }

  private static func head(_ status: Status, type: String, policy: String, _ more: String) -> String {
    let special =
      switch status {
      case .methodNotAllowed: "Allow: GET, HEAD\r\n"
      case .unauthorized: "WWW-Authenticate: Bearer realm=\"plumb\"\r\n"
      case .unavailable: "Retry-After: 5\r\n"
      case .tooManyAttempts: "Retry-After: 60\r\n"
      default: ""
      }
    return "HTTP/1.1 \(status.code) \(status.phrase)\r\nContent-Type: \(type); charset=utf-8\r\n" + more + special
      + "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      + "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
      + "Content-Security-Policy: \(policy)\r\n\r\n"
  }
}
