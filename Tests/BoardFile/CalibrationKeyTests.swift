import BoardFile
import FixedPoint
import Foundation
import Orientation
import Testing

/// Calibration and the errors of an emulated sensor, held against `Decimal`, which knows no binary fractions.
@Suite struct CalibrationKeys {
  private func board(_ line: String) throws -> BoardDescription {
    try outcome(BoardText.replacing(8, with: "mounting = -y +x +z\n" + line)).get()
  }

  /// `text` times `unit`, rounded to nearest (ties away from zero) or down.
  private func model(_ text: String, times unit: Int, _ mode: NSDecimalNumber.RoundingMode = .plain) throws -> Int32 {
    var product = try #require(Decimal(string: text)) * Decimal(unit)
    var rounded = Decimal()
    unsafe NSDecimalRound(&rounded, &product, 0, mode)
    return Int32(truncating: rounded as NSDecimalNumber)
  }

  /// A number of `whole` digits at most and `places` behind the point, from `least` to `greatest` millionths.
  private func number(_ range: ClosedRange<Int>, _ random: inout SplitMix) -> String {
    let millionths = Int.random(in: range, using: &random)
    let places = Int.random(in: 0...6, using: &random)
    let unit = Int(pow(10, Double(6 - places)))
    // Cut toward zero to so many places: may fall below a range that does not begin at such a number.
    let cut = millionths / unit * unit
    let fraction = String(format: "%06d", abs(cut) % 1_000_000).prefix(places)
    let sign = cut < 0 ? "-" : Bool.random(using: &random) ? "+" : ""
    return sign + "\(abs(cut) / 1_000_000)" + (places > 0 ? "." + fraction : "")
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `offsets are rounded to the nearest Q16.16`(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    for _ in 0..<500 {
      let texts = (0..<3).map { _ in number(-2_000_000...2_000_000, &random) }
      let offset = try board("offset = " + texts.joined(separator: "  \t")).sensor.calibration.offset
      let wanted = try texts.map { try model($0, times: 65_536) }
      #expect([offset.x.raw, offset.y.raw, offset.z.raw] == wanted, "\(texts)")
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `scales are rounded to the nearest Q2.30`(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    for _ in 0..<500 {
      let texts = (0..<3).map { _ in
        let text = number(500_000...1_999_000, &random).replacing("+", with: "")
        return text == "0" || text == "0." ? "1" : text.hasPrefix("0.4") ? "0.5" : text
      }
      let scale = try board("scale = " + texts.joined(separator: " ")).sensor.calibration.scale
      let wanted = try texts.map { try model($0, times: 1 << 30) }
      #expect([scale.x, scale.y, scale.z] == wanted, "\(texts)")
    }
  }

  @Test
  func `offset and scale come alone or together, in either order, and each at its limits`() throws {
    let two = Q16(whole: 2)
    let offset = Vector3(x: two, y: two.negatedSaturating, z: .zero)
    let scale = Calibration.Scale(x: 1 << 29, y: 2_146_409_906, z: 1 << 30)
    #expect(try board("offset = 2 -2 -0").sensor.calibration == Calibration(offset: offset, scale: .one))
    #expect(try board("scale = 0.5 1.999 1").sensor.calibration == Calibration(offset: .zero, scale: scale))
    let both = try Calibration(offset: offset, scale: scale)
    #expect(try board("scale = 0.5 1.999 1\noffset = 2 -2 0").sensor.calibration == both)
    #expect(try board("offset = 2.000000 -2.0 +0.0\nscale = 0.500000 1.999 01").sensor.calibration == both)
  }

  static let notThree = [
    "", "0", "0 0", "0 0 0 0", "0, 0, 0", "0 0 x", "0 0 --1", "0 0 - 1", "0 0 1e0", "0 0 .5", "0 0 1.", "0 0 0.1234567",
    "0 0 4294.967297", "0 0 18446744073709551616", "0 0 0x1", "0\u{A0}0 0", "nan 0 0", "0 0 1g", "[0 0 0]", "0 0 +",
  ]

  @Test(arguments: notThree, ["offset", "scale"])
  func `anything but three numbers is refused with its line`(_ value: String, _ key: String) throws {
    // The last number is the one that is wrong: the others must be good of a scale too.
    let text = key == "scale" ? value.replacing("0 0", with: "1 1") : value
    let result = outcome(BoardText.replacing(8, with: "mounting = -y +x +z\n\(key) = \(text)"))
    #expect(result.failure?.cause == .badValue(key == "scale" ? .scale : .offset))
    #expect(result.failure?.line == 9)
    #expect(result.failure?.exitCode == 78)
  }

  private func emulated(_ line: String) throws -> BoardDescription.Emulation {
    try outcome(BoardText.replacing(2, with: "bus = emulated") + "[emulation]\n\(line)\n").get().emulation
  }

  @Test
  func `errors of an emulated sensor are rounded down, so that none is greater than the file says`() throws {
    for thousandths in stride(from: 0, through: 200_000, by: 37) + [1, 80_000, 199_999, 200_000] {
      let text = "\(thousandths / 1_000).\(String(format: "%03d", thousandths % 1_000))"
      let raw = try emulated("offset-error = \(text)").offsetError.raw
      #expect(raw == (try model("\(Double(thousandths) / 1_000_000)", times: 65_536, .down)), "\(text)")
      guard thousandths <= 10_000 else { continue }
      let ratio = try emulated("scale-error = \(text)").scaleError.raw
      #expect(ratio == (try model("\(Double(thousandths) / 100_000)", times: 65_536, .down)), "\(text)")
    }
  }

  @Test
  func `every key of [emulation] is optional, and so is all of it`() throws {
    #expect(try emulated("") == BoardDescription.Emulation())
    #expect(try emulated("seed = 0").seed == 0)
    #expect(try emulated("seed = 000000000000000000000000018446744073709551615").seed == UInt64.max)
    #expect(try emulated("mounting = -y +x +z").mounting == Mounting(x: .minusY, y: .plusX, z: .plusZ))
    for bad in ["0x1", "1.0", "", "+1", "1 2", "99999999999999999999", "18446744073709551620"] {
      let text = BoardText.replacing(2, with: "bus = emulated") + "[emulation]\nseed = \(bad)\n"
      #expect(outcome(text).failure?.cause == .badValue(.seed), "\(bad)")
    }
  }
}

private func + (a: StrideThrough<Int>, b: [Int]) -> [Int] { Array(a) + b }
