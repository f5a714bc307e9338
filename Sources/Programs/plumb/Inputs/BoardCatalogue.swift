import Glibc
import PlumbViews
import ToolOutput

/// The board files that come with plumb, and the folders searched for them.
package struct BoardCatalogue {
  /// A board file.
  package struct Listing {
    /// The file's name without `.ini`.
    package var name: String
    package var path: String
  }

  /// A searched folder, and how many board files it has; nil if it does not exist.
  package struct Place {
    package var folder: String
    package var count: Int?
  }

  /// Sorted by name; of files with the same name, the one in the first folder.
  package private(set) var files: [Listing] = []
  package private(set) var places: [Place] = []

  /// Searches only `PLUMB_BOARDS` if it is set; otherwise the folders where the program was installed or built, the
  /// current folder, and where packages are installed.
  package init() {
    let program = Self.program
    let beside = program.map { "\(Self.folder(of: $0))/" } ?? "./"
    let usual = [
      Self.joined(beside, "../share/plumb/boards"), Self.joined(beside, "boards"), Self.joined(beside, "../boards"),
      "boards", "/usr/share/plumb/boards",
    ]
    for folder in TextStyle.variable("PLUMB_BOARDS").map({ [$0] }) ?? usual { look(in: folder) }
    files.sort { $0.name < $1.name }
  }

  /// The file called `name`, with or without `.ini`.
  package subscript(name: String) -> Listing? { files.first { $0.name == name || "\($0.name).ini" == name } }

  /// Whether the file at `path`, which must have no links, is in one of the searched folders.
  package func holds(_ path: String) -> Bool {
    let home = Self.folder(of: path)
    return places.contains { place in
      guard place.count != nil, let real = unsafe realpath(place.folder, nil) else { return false }
      defer { unsafe free(real) }
      return unsafe String(cString: real) == home
    }
  }

  private mutating func look(in folder: String) {
    guard !places.contains(where: { $0.folder == folder }) else { return }
    guard let names = Self.names(in: folder) else { return places.append(Place(folder: folder, count: nil)) }
    var count = 0
    for short in Self.boards(names) {
      count += 1
      if !files.contains(where: { $0.name == short }) {
        files.append(Listing(name: short, path: "\(folder)/\(short).ini"))
      }
    }
    places.append(Place(folder: folder, count: count))
  }

  /// The board files in a folder, without `.ini`; none if it cannot be read.
  package static func boards(in folder: String) -> [String] { boards(names(in: folder) ?? []) }

  private static func boards(_ names: [String]) -> [String] {
    names.filter { $0.hasSuffix(".ini") && !$0.hasPrefix(".") }.map { String($0.dropLast(4)) }
  }

  /// The names in a folder; nil if it cannot be read.
  package static func names(in folder: String) -> [String]? {
    guard let stream = unsafe opendir(folder) else { return nil }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let file = unsafe readdir(stream) {
      names.append(
        unsafe withUnsafeBytes(of: &file.pointee.d_name) { bytes in
          unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }

  /// The path of this program, without links; nil if unknown.
  private static var program: String? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe readlink("/proc/self/exe", start, bytes.count)
    }
    return count > 0 && count < buffer.count ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }

  private static func folder(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  /// `rest` below `folder/`, with a leading `..` resolved for legibility.
  private static func joined(_ folder: String, _ rest: String) -> String {
    guard rest.hasPrefix("../") else { return folder + rest }
    return Self.folder(of: String(folder.dropLast())) + rest.dropFirst(2)
  }
}
