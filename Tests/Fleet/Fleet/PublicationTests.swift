import Fleet
import Testing

@Suite struct PublicationTests {
  @Test func `A payload is what was written`() {
    var publication = Publication()
    unsafe publication.writePayload { bytes in
      for (index, byte) in "{}".utf8.enumerated() { unsafe bytes[index] = byte }
      return 2
    }
    var text = ""
    unsafe publication.withPayload { bytes in text = unsafe String(decoding: bytes, as: UTF8.self) }
    #expect(text == "{}")
    #expect(publication.count == 2)
  }
}

@Suite struct SizeTests {
  @Test func `A publisher and its publication have room of their own, and not more than 80 KiB`() {
    #expect(MemoryLayout<Publisher>.size + MemoryLayout<Publication>.size < 80 * 1_024)
  }
}
