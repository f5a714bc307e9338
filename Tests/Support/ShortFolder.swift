import Foundation

/// A folder could not be made.
public struct NoFolder: Error {}

/// Calls `body` with a new folder for sockets, whose paths must be short; the folder is removed afterwards.
public func withShortFolder(_ body: (String) throws -> Void) throws {
  var name = Array("/tmp/plumb-test-XXXXXX".utf8CString)
  guard unsafe mkdtemp(&name) != nil else { throw NoFolder() }
  let folder = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  defer { do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(folder)") } }
  try body(folder)
}
