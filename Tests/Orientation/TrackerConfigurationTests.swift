import FixedPoint
import Orientation
import Testing

@Suite struct TrackerConfigurationTests {
  @Test
  func `the standard configuration is the one of all defaults`() throws {
    #expect(try PoseTracker.Configuration() == .standard)
  }

  @Test
  func `a configuration that cannot work is refused with its reason`() {
    let angle = { BinaryAngle(degrees: $0 as Int32) }
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(minimumMagnitude: .zero) } == .magnitudeGate)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(minimumMagnitude: .one) } == .magnitudeGate)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(maximumMagnitude: .one) } == .magnitudeGate)
    #expect(
      refusal { () throws(TrackerConfigurationError) in try .init(maximumMagnitude: Q16(whole: 17)) } == .magnitudeGate)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(leaveAngle: angle(45)) } == .leaveAngle)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(leaveAngle: angle(90)) } == .leaveAngle)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(leaveAngle: angle(-60)) } == .leaveAngle)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(faceEnterAngle: angle(40)) } == .faceAngles)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(faceEnterAngle: angle(0)) } == .faceAngles)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(faceLeaveAngle: angle(90)) } == .faceAngles)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(dwell: Microseconds(-1)) } == .times)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(evidence: Q16(whole: -1)) } == .times)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(patience: .milliseconds(40)) } == .times)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(longestGap: .zero) } == .times)
    #expect(refusal { () throws(TrackerConfigurationError) in try .init(longestGap: .seconds(3_601)) } == .times)
  }

  private func refusal(_ make: () throws(TrackerConfigurationError) -> PoseTracker.Configuration)
    -> TrackerConfigurationError?
  {
    do {
      _ = try make()
      return nil
    } catch {
      return error
    }
  }
}
