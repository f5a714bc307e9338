import Glibc

/// A new folder that only this user can enter, for a socket, which is removed with it.
package struct SocketFolder: ~Copyable {
  private let path: String

  package init() throws(StreamError) {
    let places = ["XDG_RUNTIME_DIR", "TMPDIR"].compactMap { environmentVariable($0) }
    var code: Int32 = 0
    // Short, because sockets have little room; and a colon would end the path in ssh's eyes.
    for place in places.filter({ $0.hasPrefix("/") && !$0.contains(":") && $0.utf8.count < 80 }) + ["/tmp"] {
      var name = Array("\(place)/plumb-XXXXXX".utf8CString)
      if unsafe mkdtemp(&name) != nil {
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return
      }
      code = errno
    }
    throw StreamError(.unreachable, "no private folder for a socket can be made: \(systemText(code))")
  }

  deinit {
    unsafe unlink(socket)
    unsafe rmdir(path)
  }

  /// Where the socket is to be made.
  package var socket: String { path + "/stream" }
}

/// The value of an environment variable; nil where it is not set.
func environmentVariable(_ name: String) -> String? {
  unsafe getenv(name).map { unsafe String(cString: $0) }
}
