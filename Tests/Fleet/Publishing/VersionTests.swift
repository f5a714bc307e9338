import CMQTT
import TestSupport
import Testing

struct VersionTests {
  @Test static func `the library reports its version`() {
    unsafe expect(String(cString: cmqtt_version()), hasPrefix: "1.")
  }
}
