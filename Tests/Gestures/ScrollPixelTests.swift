import FixedPoint
import Gestures
import TestSupport
import Testing

@Suite struct ScrollPixelTests {
  @Test func `an offset is the position times what is hidden, rounded, and never out of range`() {
    var generator = SplitMix64(seed: 61)
    let sizes: [Int32] = [.min, -1, 0, 1, 2, 3, 479, 480, 481, 65_535, 65_536, 1 << 30, .max - 1, .max]
    for content in sizes {
      for viewport in sizes {
        for raw in [0, 1, 32_767, 32_768, 65_535, 65_536]
          + (0..<20).map({ _ in Int32.random(in: 0...65_536, using: &generator) })
        {
          let position = TiltScroll.Position(x: Q16(raw: raw), y: Q16(raw: 65_536 - raw))
          let offset = position.offset(
            of: TiltScroll.PixelSize(width: content, height: content),
            in: TiltScroll.PixelSize(width: viewport, height: viewport))
          let range = max(max(Int64(content), 0) - max(Int64(viewport), 0), 0)
          #expect(Int64(offset.x) == (range * Int64(raw) * 2 + 65_536) / 131_072)
          #expect(Int64(offset.y) == (range * Int64(65_536 - raw) * 2 + 65_536) / 131_072)
          #expect((0...range).contains(Int64(offset.x)) && (0...range).contains(Int64(offset.y)))
        }
      }
    }
  }

  @Test func `the axes are apart, the ends exact and every pixel of a large picture can be reached`() {
    let (content, viewport) = (
      TiltScroll.PixelSize(width: 4_000, height: 300), TiltScroll.PixelSize(width: 320, height: 480)
    )
    #expect(
      TiltScroll.Position(x: .one, y: .one).offset(of: content, in: viewport) == TiltScroll.PixelOffset(x: 3_680, y: 0))
    #expect(TiltScroll.Position.start.offset(of: content, in: viewport) == TiltScroll.PixelOffset(x: 0, y: 0))
    var seen: Set<Int32> = []
    for raw in 0...65_536 as ClosedRange<Int32> {
      seen.insert(TiltScroll.Position(x: Q16(raw: raw), y: .zero).offset(of: content, in: viewport).x)
    }
    #expect(seen == Set(0...3_680))
  }

  @Test func `scrolling never leads out of range, however hard it is tilted`() {
    var generator = SplitMix64(seed: 62)
    var scroll = TiltScroll()
    let (content, viewport) = (
      TiltScroll.PixelSize(width: 1_000, height: 700), TiltScroll.PixelSize(width: 240, height: 240)
    )
    var reached: Set<Int32> = []
    for index in 0..<50_000 as Range<Int64> {
      let vector = (Force.random(&generator) * (index % 2 == 0 ? 30_000 : 1)).vector
      let position = scroll.step(vector, at: Instant(microseconds: index * 13_000))
      let offset = position.offset(of: content, in: viewport)
      reached.insert(offset.x)
      guard (0...760).contains(offset.x) && (0...460).contains(offset.y),
        position.x >= .zero && position.x <= .one && position.y >= .zero && position.y <= .one
      else {
        Issue.record("\(offset) at sample \(index)")
        return
      }
    }
    #expect(reached.contains(0) && reached.contains(760))
  }
}
