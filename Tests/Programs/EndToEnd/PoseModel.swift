import Foundation

/// The rules of pose tracking, written independently from their description: in Double, with angles and times,
/// sharing no code with the tracker.
struct PoseModel {
  static let names = ["portrait", "portraitUpsideDown", "landscapeLeft", "landscapeRight", "faceUp", "faceDown"]

  /// The words for people, by name.
  static let words = [
    "portrait": "portrait", "portraitUpsideDown": "portrait, upside down",
    "landscapeLeft": "landscape, left edge down", "landscapeRight": "landscape, right edge down",
    "faceUp": "face up", "faceDown": "face down",
  ]

  private(set) var pose: String?
  private(set) var events: [(time: Double, from: String, to: String)] = []

  private var lastTime: Double?
  private var confirmed = 0.0
  private var face: Candidate?
  private var plane: Candidate?
  private var leaving: Candidate?
  private var isCornered = false

  private struct Candidate {
    var pose: String
    var since: Double
    var evidence = 0.0
  }

  /// Takes one sample.
  mutating func take(_ time: Double, _ x: Double, _ y: Double, _ z: Double) {
    let elapsed = time - (lastTime ?? time)
    lastTime = time
    if elapsed > 1 { lose() }
    let length = (x * x + y * y + z * z).squareRoot()
    guard length >= 0.6 && length <= 1.4 else {
      (face, plane, leaving) = (nil, nil, nil)
      if pose != nil && time - confirmed > 1 { lose() }
      return
    }
    let device = atan2(-x, y) * 180 / .pi
    let inclination = acos(max(-1, min(1, z / length))) * 180 / .pi
    guard let settled = pose else {
      confirmed = time
      change(to: Self.nearest(device, inclination), at: time)
      return
    }
    weigh(settled, device, inclination, length, time, elapsed)
  }

  private mutating func weigh(
    _ settled: String, _ device: Double, _ inclination: Double, _ length: Double, _ time: Double, _ elapsed: Double
  ) {
    let near = inclination <= 90 ? "faceUp" : "faceDown"
    let fromFace = min(inclination, 180 - inclination)
    if fromFace > 40 { isCornered = false }
    let entry = length * sine((isCornered ? 21.875 : 25) - fromFace)
    // Past the boundary of the settled pose: 40° of inclination for a face, 60° in the plane for the others.
    let past =
      settled.hasPrefix("face")
      ? length * sine((settled == "faceUp" ? inclination : 180 - inclination) - 40)
      : length * sine(inclination) * sine(Self.offset(device, settled) - 60)
    var rival = Self.nearestInPlane(device)
    if let held = plane?.pose, held != settled, Self.offset(device, held) <= 60 { rival = held }
    let isNearSettled = near == settled
    Self.gather(&face, isNearSettled ? nil : near, entry, time, elapsed)
    Self.gather(&plane, rival, min(past, -entry), time, elapsed)
    let left = isNearSettled ? past : max(past, entry)
    Self.gather(&leaving, settled, left - 1 / 64, time, elapsed)
    guard left > 0 else { return confirmed = time }
    guard let leader = !isNearSettled && entry > 0 ? face : plane else { return }
    let hasHeld = time - leader.since >= 0.04 - 1e-9
    let isLate = time - confirmed > 1
    let isOverdue = leaving.map { $0.evidence >= 0.01 - 1e-9 && time - $0.since >= 0.16 - 1e-9 } ?? false
    if hasHeld && (leader.evidence >= 0.01 - 1e-9 || isOverdue || isLate) {
      confirmed = time
      isCornered = !leader.pose.hasPrefix("face") && fromFace <= 32.5
      change(to: leader.pose, at: time)
    } else if isLate {
      lose()
    }
  }

  private static func gather(
    _ slot: inout Candidate?, _ pose: String?, _ excess: Double, _ time: Double, _ elapsed: Double
  ) {
    guard let pose else { return slot = nil }
    var next = Candidate(pose: pose, since: time)
    if let slot, slot.pose == pose { next = slot }
    // An excess of 1/256 g adds no evidence.
    next.evidence = max(0, min(0.01, next.evidence + (excess - 1 / 256) * elapsed))
    slot = next.evidence > 0 || excess > 0 ? next : nil
  }

  private mutating func lose() {
    pose = nil
    isCornered = false
    (face, plane, leaving) = (nil, nil, nil)
  }

  private mutating func change(to next: String, at time: Double) {
    if next != pose { events.append((time, pose ?? "unknown", next)) }
    pose = next
    (face, plane, leaving) = (nil, nil, nil)
  }

  private func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }

  /// The distance of `device` from the centre of an upright pose, 0…180°.
  static func offset(_ device: Double, _ pose: String) -> Double {
    let centres: [String: Double] = ["portraitUpsideDown": 180, "landscapeLeft": -90, "landscapeRight": 90]
    let centre = centres[pose] ?? 0
    return abs(remainder(device - centre, 360))
  }

  static func nearestInPlane(_ device: Double) -> String {
    names.prefix(4).min { offset(device, $0) < offset(device, $1) } ?? "portrait"
  }

  static func nearest(_ device: Double, _ inclination: Double) -> String {
    // The first sample must be an eighth further inside the entry cone of 25°.
    if inclination < 21.875 { return "faceUp" }
    return inclination > 180 - 21.875 ? "faceDown" : nearestInPlane(device)
  }
}
