import FixedPoint
import Glibc

/// A recording of specific force over time: a CSV file with the columns `time_s,x_g,y_g,z_g`.
struct Recording {
  struct Sample {
    var time: Instant
    var force: Vector3
  }

  static let header = "time_s,x_g,y_g,z_g"
  /// The longest line that is looked at; no line of four numbers is near it.
  private static let longestLine = 1_000

  private(set) var samples: [Sample] = []

  /// Takes the bytes of a file; `name` is for messages. Either all lines are good or a failure names the first bad one.
  init(_ bytes: [UInt8], name: String) throws(Failure) {
    var number = 0
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    while !rest.isEmpty {
      number += 1
      let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
      let line = trimmed(rest[rest.startIndex..<end])
      rest = end < rest.endIndex ? rest[(end + 1)...] : []
      guard line.count <= Self.longestLine else {
        throw Failure(.data, "\(name):\(number): a line of \(line.count) bytes; is this a CSV file?")
      }
      if number == 1 {
        let found = line.filter { $0 != 0x20 && $0 != 0x22 }
        guard found.elementsEqual(Self.header.utf8) else {
          throw Failure(.data, "\(name):1: the header is \(quoted(line)); \"\(Self.header)\" was expected")
        }
      } else if !line.isEmpty {
        samples.append(try Self.sample(line, at: "\(name):\(number)"))
      }
    }
    guard number > 0 else {
      throw Failure(.data, "\(name): the file is empty; a header \"\(Self.header)\" was expected")
    }
    guard !samples.isEmpty else { throw Failure(.data, "\(name): there is no sample after the header") }
  }

  private static func sample(_ line: ArraySlice<UInt8>, at place: String) throws(Failure) -> Sample {
    let fields = line.split(separator: 0x2C, omittingEmptySubsequences: false)
    guard fields.count == 4 else {
      throw Failure(.data, "\(place): \(fields.count) columns where 4 were expected, in \(quoted(line))")
    }
    // ±1e12 s and ±32767 g: what 64 bits of microseconds and Q16.16 can hold, with room for differences.
    let time = try number(fields[0], "time_s", limit: 1e12, at: place)
    let force = Vector3(
      x: q16(try number(fields[1], "x_g", limit: 32_767, at: place)),
      y: q16(try number(fields[2], "y_g", limit: 32_767, at: place)),
      z: q16(try number(fields[3], "z_g", limit: 32_767, at: place)))
    return Sample(time: Instant(microseconds: Int64((time * 1e6).rounded())), force: force)
  }

  private static func q16(_ value: Double) -> Q16 { Q16(raw: Int32((value * 65_536).rounded())) }

  private static func number(_ field: ArraySlice<UInt8>, _ column: String, limit: Double, at place: String)
    throws(Failure) -> Double
  {
    let text = trimmed(field)
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      throw Failure(.data, "\(place): \(column) is \(quoted(text)), which is no number")
    }
    guard value.magnitude <= limit else {
      throw Failure(.data, "\(place): \(column) is \(quoted(text)), beyond ±\(Int64(limit))")
    }
    return value
  }
}

/// `bytes` without white space at either end.
private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
  var slice = bytes
  while let first = slice.first, isSpace(first) { slice = slice.dropFirst() }
  while let last = slice.last, isSpace(last) { slice = slice.dropLast() }
  return slice
}
