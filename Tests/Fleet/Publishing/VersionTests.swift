import CMQTT
import Testing

struct VersionTests {
  @Test static func `the library reports its version`() {
    #expect(unsafe String(cString: cmqtt_version()).hasPrefix("1."))
  }
}
