import CMQTT
import Testing

@Suite struct VersionTests {
  @Test func `the library tells its version`() {
    #expect(unsafe String(cString: cmqtt_version()).hasPrefix("1."))
  }
}
