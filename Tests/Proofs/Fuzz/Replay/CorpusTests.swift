import Foundation
import Fuzzing
import Testing

struct CorpusTests {
  private static var folder: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: "corpus")
  }

  private static func files(_ target: FuzzTarget) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: Self.folder.appending(path: target.rawValue), includingPropertiesForKeys: nil)
  }

  @Test(arguments: FuzzTarget.allCases)
  static func `earlier findings of the fuzzer do not fail again`(_ target: FuzzTarget) throws {
    let files = try files(target)
    #expect(files.count >= 4)
    for file in files {
      let bytes = try [UInt8](Data(contentsOf: file))
      #expect(target.failure(of: bytes) == nil, "\(target.rawValue)/\(file.lastPathComponent)")
      // Inputs that end anywhere must pass as well.
      for end in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 16)) {
        #expect(target.failure(of: Array(bytes[..<end])) == nil, "\(target.rawValue)/\(file.lastPathComponent), \(end)")
      }
    }
  }

  @Test static func `every folder and every dictionary of the corpus belongs to a target`() throws {
    let names = Set(FuzzTarget.allCases.map(\.rawValue))
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: Self.folder.path)) == names)
    let beside = try FileManager.default.contentsOfDirectory(atPath: Self.folder.deletingLastPathComponent().path)
    #expect(Set(beside.filter { $0.hasSuffix(".dict") }.map { String($0.dropLast(5)) }) == names)
  }
}
