import CSupport
import Glibc
import HAL
import LinuxHAL
import Testing

@Suite struct `A GPIO bank` {
  @Test func `a chip that is not there is named`() {
    let error = #expect(throws: GPIOError.self) { _ = try GPIOBank(chipLabel: "no-such-chip", offsets: [17, 27]) }
    // Without the right to open the chips that there are, it might be one of those.
    #expect(error == .noSuchChip(label: "no-such-chip") || error == .notPermitted(label: "no-such-chip"))
    #expect(error?.description.contains("no-such-chip") == true)
  }

  @Test(arguments: [[], [17, 27, 17], Array(0...32)] as [[UInt32]])
  func `lines that make no request are refused`(offsets: [UInt32]) {
    #expect(throws: GPIOError.unusableLines(offsets: offsets)) {
      _ = try GPIOBank(chipLabel: "no-such-chip", offsets: offsets)
    }
  }

  @Test(
    arguments: [
      (.noSuchChip(label: "chip"), "gpiodetect"), (.notPermitted(label: "chip"), "sudo usermod -aG gpio $USER"),
      (.lineBusy(label: "chip", offset: 17, holder: "led0"), "17 of chip is held by 'led0'"),
      (.lineBusy(label: "chip", offset: 17, holder: nil), "held by another program or a driver"),
      (.lineBusy(label: "chip", offset: nil, holder: nil), "gpioinfo"),
      (.noSuchLine(label: "chip", offset: 54, lineCount: 54), "no line 54: its lines are 0 to 53"),
      (.other(label: "chip", code: EIO), "errno 5"),
    ] as [(GPIOError, String)])
  func `each error names the chip and its cure`(error: GPIOError, cure: String) {
    #expect(error.description.contains("chip"))
    #expect(error.description.contains(cure))
  }

}
