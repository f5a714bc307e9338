import Glibc
import HAL
import LinuxHAL
import TestSupport
import Testing
import Text

private let chip = ShortText<32>("chip")

struct `A GPIO bank` {
  @Test func `a missing chip is named`() {
    let error = expect(throws: GPIOError.self) { _ = try GPIOBank(chipLabel: "no-such-chip", offsets: [17, 27]) }
    // Without permission to open the existing chips, it could be one of those.
    let label = ShortText<32>("no-such-chip")
    #expect(error == .noSuchChip(label: label) || error == .notPermitted(label: label))
    expect(error?.description.contains("no-such-chip"), equals: true)
  }

  @Test func `a label that no chip can have is reported as a missing chip`() {
    let label = String(repeating: "x", count: 40)
    let error = expect(throws: GPIOError.self) { _ = try GPIOBank(chipLabel: label, offsets: [17]) }
    guard case .noSuchChip = error else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  @Test(
    arguments: [
      ([], .unusableLines(count: 0, repeated: nil)), ([17, 27, 17], .unusableLines(count: 3, repeated: 17)),
      (Array(0...32), .unusableLines(count: 33, repeated: nil)),
    ] as [([UInt32], GPIOError)])
  func `offsets that make no valid request are rejected`(offsets: [UInt32], error: GPIOError) {
    expect(throws: error) { _ = try GPIOBank(chipLabel: "no-such-chip", offsets: offsets) }
  }

  @Test func `a data-ready line of a missing chip is rejected`() {
    let label = ShortText<32>("no-such-chip")
    let error = expect(throws: GPIOError.self) { _ = try DataReadyLine(chipLabel: label, offset: 4) }
    #expect(error == .noSuchChip(label: label) || error == .notPermitted(label: label))
  }

  @Test(
    arguments: [
      (.noSuchChip(label: chip), "gpiodetect"), (.notPermitted(label: chip), "sudo usermod -aG gpio $USER"),
      (.lineBusy(label: chip, offset: 17, holder: ShortText("led0")), "17 of chip is in use by 'led0'"),
      (.lineBusy(label: chip, offset: 17, holder: nil), "in use by another program or a driver"),
      (.lineBusy(label: chip, offset: nil, holder: nil), "gpioinfo"),
      (.noSuchLine(label: chip, offset: 54, lineCount: 54), "no line 54: its lines are 0 to 53"),
      (
        .noDataReady(label: chip, offset: 4, cause: .busy),
        "data-ready line, 4 of the GPIO chip chip, is in use by another"
      ),
      (.noDataReady(label: chip, offset: 4, cause: .noEdges), "cannot report edges"),
      (.noDataReady(label: chip, offset: 4, cause: .absent), "older than 5.10"),
      (.noDataReady(label: chip, offset: 4, cause: .other(code: EIO)), "errno 5"),
      (.other(label: chip, code: EIO), "errno 5"),
    ] as [(GPIOError, String)])
  func `each error names the chip and its fix`(error: GPIOError, cure: String) {
    expect(error.description, contains: "chip")
    expect(error.description, contains: cure)
  }

  @Test func `the label of every Raspberry Pi's header is named with its models`() {
    let text = GPIOError.noSuchChip(label: chip).description
    expect(text, contains: "pinctrl-bcm2835 (up to 3 and Zero 2), pinctrl-bcm2711 (4, 400) or pinctrl-rp1 (5, 500)")
    let header = GPIOError.noSuchChip(label: ShortText(HeaderChip.anyModel)).description
    expect(header, contains: "(pinctrl-bcm2835, pinctrl-bcm2711 or pinctrl-rp1)")
    expect(that: HeaderChip.isLabelled(ShortText("pinctrl-rp1")))
    expect(that: !HeaderChip.isLabelled(ShortText("pinctrl-rp")))
  }

  @Test func `a fault of requested lines names the chip`() {
    expect(OutputFault(code: EIO).message(ofChip: chip).description, hasPrefix: "the lines of chip cannot be set: ")
  }
}
