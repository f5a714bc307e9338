internal import CPageFiles

/// The page: `Page/page.html` with the panel of `Sources/Web/Panel` inserted, its style and all scripts, so that it loads
/// nothing else.
package struct WebPage: Sendable {
  /// The text before, between and after the occurrences of the nonce.
  private let parts: [String]

  package init() {
    let scripts = unsafe [
      page_file_poses_js(), page_file_board_js(), page_file_chart_js(), page_file_panel_js(), page_file_page_js(),
    ].map { unsafe String($0) }
    let page = unsafe String(page_file_html())
      .inserting(unsafe String(page_file_panel_html()), at: "<!--PANEL-->\n")
      .inserting(unsafe String(page_file_panel_css()), at: "/*STYLE*/")
      .inserting("\"use strict\";\n" + scripts.joined(), at: "/*SCRIPT*/")
    parts = page.pieces(between: "NONCE")
  }

  /// The page and its content security policy: it allows only the page's own scripts and style, which carry the
  /// `nonce`, and connections to this server.
  package func bytes(nonce: String) -> (body: [UInt8], policy: String) {
    let policy =
      "default-src 'none';script-src 'nonce-\(nonce)';style-src 'nonce-\(nonce)';connect-src 'self';img-src data:;"
      + "base-uri 'none';form-action 'none';frame-ancestors 'none';require-trusted-types-for 'script'"
    return (Array(parts.joined(separator: nonce).utf8), policy)
  }
}

extension String {
  /// The text of a file embedded in the program.
  init(_ file: page_file) {
    unsafe self.init(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
  }
}

extension String {
  /// The text with the first `mark` replaced by `other`.
  fileprivate func inserting(_ other: String, at mark: String) -> String {
    let pieces = pieces(between: mark)
    guard pieces.count > 1 else { return self }
    return pieces[0] + other + pieces.dropFirst().joined(separator: mark)
  }

  /// The text before, between and after the occurrences of `mark`.
  fileprivate func pieces(between mark: String) -> [String] {
    let (text, mark) = (Array(utf8), Array(mark.utf8))
    var (pieces, start, place): ([String], Int, Int) = ([], 0, 0)
    while place + mark.count <= text.count {
      if text[place] == mark[0] && text[place..<place + mark.count].elementsEqual(mark) {
        pieces.append(String(decoding: text[start..<place], as: UTF8.self))
        place += mark.count
        start = place
      } else {
        place += 1
      }
    }
    return pieces + [String(decoding: text[start...], as: UTF8.self)]
  }
}
