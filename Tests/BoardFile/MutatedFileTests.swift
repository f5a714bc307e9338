import BoardFile
import FixedPoint
import Foundation
import Orientation
import Testing

/// Reproducible random numbers. - Source: Steele, Lea, Flood, *Fast splittable pseudorandom number generators*, 2014.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

@Suite struct MutatedFiles {
  /// Breaks `bytes` in one random way.
  private func mutate(_ bytes: inout [UInt8], with random: inout SplitMix) {
    let at = Int.random(in: 0...bytes.count, using: &random)
    let end = min(bytes.count, at + Int.random(in: 0...12, using: &random))
    switch Int.random(in: 0..<7, using: &random) {
    case 0: bytes.removeSubrange(at..<end)
    case 1: bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...bytes.count, using: &random))
    case 2: bytes.insert(Array("\n\r\t =:;#[]+-0123x\u{FEFF}".utf8).randomElement(using: &random) ?? 0, at: at)
    case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
    case 4: if at < bytes.count { bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    case 5: bytes.insert(contentsOf: [UInt8](repeating: 0x61, count: Int.random(in: 0...400, using: &random)), at: at)
    default: bytes.removeSubrange(at...)
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>, ["adxl345", "mpu6050"])
  func `give a board or an error in plain words`(seed: UInt64, model: String) throws {
    breakMany(try #require(BoardText.boards[model]), seed)
    // These have every key.
    breakMany(try #require(BoardText.emulatedBoards[model]), seed + 100)
  }

  private func breakMany(_ lines: [String], _ seed: UInt64) {
    let whole = BoardText.text(lines)
    var random = SplitMix(state: seed)
    var boards = 0
    for _ in 0..<2_000 {
      var bytes = Array(whole.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, with: &random) }
      switch outcome(bytes: bytes) {
      case .success(let board):
        boards += 1
        #expect(isPossible(board))
      case .failure(let error):
        #expect(isPlain(error, lines: bytes.count { $0 == 0x0A } + 1), "\(bytes)")
      }
    }
    // Else the mutations are too rough to test anything but the first line.
    #expect(boards > 20)
  }

  @Test func `pure noise is no board`() {
    var random = SplitMix(state: 99)
    for count in 0..<2_000 {
      let bytes = (0..<count % 300).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(outcome(bytes: bytes).failure.map { isPlain($0, lines: 300) } == true)
    }
  }

  private func isPossible(_ board: BoardDescription) -> Bool {
    let pins = (0..<Pose.count).map { board.lines.offsets[$0] }
    return Set(pins).count == 6 && pins.allSatisfy { (4...27).contains($0) } && board.lines.chip.count > 0
      && isPossible(board.sensor) && isPossible(board.emulation)
      && (board.bus == .emulated || board.emulation == BoardDescription.Emulation())
  }

  /// 2 g, 0.5 and 1.999 of 2^30, 1 ms and 1 s.
  private func isPossible(_ sensor: BoardDescription.Sensor) -> Bool {
    let (offset, scale) = (sensor.calibration.offset, sensor.calibration.scale)
    return [offset.x, offset.y, offset.z].allSatisfy { abs(Int($0.raw)) <= 131_072 }
      && [scale.x, scale.y, scale.z].allSatisfy { (536_870_912...2_146_409_906).contains($0) }
      && (1_000...1_000_000).contains(sensor.period.count)
  }

  /// 200 mg and 10 %.
  private func isPossible(_ emulation: BoardDescription.Emulation) -> Bool {
    (0...13_107).contains(emulation.offsetError.raw) && (0...6_553).contains(emulation.scaleError.raw)
  }

  /// One line of printable ASCII that was not cut, about a line that is there, saying what is allowed.
  private func isPlain(_ error: BoardFileError, lines: Int) -> Bool {
    let text = error.message.description
    return text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !error.message.isCut && text.contains("; allowed: ")
      && (0...lines).contains(Int(error.line)) && error.exitCode == 78
  }
}
