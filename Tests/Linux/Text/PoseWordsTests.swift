import HAL
import Orientation
import Sensors
import TestSupport
import Testing
import Text

struct PoseWordsTests {
  static let words = [
    "portrait", "portrait, upside down", "landscape, left edge down", "landscape, right edge down", "face up",
    "face down",
  ]
  static let short = ["portrait", "upside down", "left down", "right down", "face up", "face down"]
  static let poses = (0..<UInt8(Pose.count)).compactMap { Pose(rawValue: $0) }

  @Test static func `each pose has words, short words and a meaning, and no two poses share any`() {
    expect(Self.poses.map { "\($0.words)" }, equals: Self.words)
    expect(Self.poses.map { "\($0.shortWords)" }, equals: Self.short)
    expect(Set(Self.poses.map { "\($0.meaning)" }).count, equals: Pose.count)
  }

  @Test static func `an unknown pose is unknown in words too`() {
    expect("\(PoseState.unknown(.fault).words)", equals: "unknown")
    expect("\(PoseState.unknown(.stale).shortWords)", equals: "unknown")
    expect("\(PoseState.known(.faceUp).words)", equals: "face up")
  }

  @Test static func `the sentence on an unknown pose has the sensor's error, if any, or the reason`() throws {
    let sensor = SensorPlace(.adxl345, at: ADXL345.address)
    let cause = SensorError.bus(.noAcknowledge)
    let fault = UnknownReason.fault.sentence(cause, of: sensor)
    expect(that: !fault.isCut)
    expect(fault.description, equals: "pose unknown: \(cause.message(of: sensor).description)")
    expect(UnknownReason.freeFall.sentence(nil, of: sensor).description, equals: "pose unknown: free fall, under 0.6 g")
  }
}
