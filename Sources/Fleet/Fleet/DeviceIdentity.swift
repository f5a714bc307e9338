package import Text
internal import FixedPoint
internal import StreamService

/// What a device is called, in topics and by people.
package struct DeviceIdentity: Equatable, Sendable {
  /// The name in topics: 1 to 48 letters, digits, hyphens and underscores.
  package var id: ShortText<52>
  /// The name for people.
  package var name: ShortText<72>
  /// The device's client id at the broker.
  package var clientID: ShortText<72>

  /// The identity that `settings` give; the computer supplies what they leave open.
  ///
  /// The default id is its `hostName` and 16 bits of a keyed hash of its `machineID` (the content of
  /// `/etc/machine-id`), because cloned computers share the first, and no program should publish the second. Without a
  /// `machineID` it is the name alone.
  package init(_ settings: PublisherSettings, hostName: Span<UInt8>, machineID: Span<UInt8>) {
    (id, name, clientID) = (settings.id, settings.name, settings.clientID)
    if id.count == 0 { id = Self.id(hostName, machineID) }
    if name.count == 0 {
      for index in 0..<min(hostName.count, 64) where hostName[index] >= 0x20 { name.append(byte: hostName[index]) }
      if name.count == 0 { name = "Plumb" }
    }
    if clientID.count == 0 { clientID = "plumb-\(id)" }
  }

  private static func id(_ hostName: Span<UInt8>, _ machineID: Span<UInt8>) -> ShortText<52> {
    var id = ShortText<52>()
    for index in 0..<hostName.count where id.count < 43 {
      // The part of a full name after the first point names the network.
      guard hostName[index] != UInt8(ascii: ".") else { break }
      id.append(byte: hostName[index].isWord ? hostName[index] : UInt8(ascii: "-"))
    }
    if id.count == 0 { id = "plumb" }
    guard let hash = hash(machineID) else { return id }
    id.append("-")
    for place in 0..<4 {
      let digit = UInt8(truncatingIfNeeded: hash &>> UInt16(truncatingIfNeeded: 12 &- 4 &* place) & 0xF)
      id.append(byte: digit < 10 ? 0x30 &+ digit : 0x57 &+ digit)
    }
    return id
  }

  /// The hash of the first word of `machineID`; nil if there is none.
  private static func hash(_ machineID: Span<UInt8>) -> UInt16? {
    var count = 0
    while count < machineID.count && machineID[count] > 0x20 { count &+= 1 }
    guard count > 0 else { return nil }
    // "plumb publishes " as two numbers: it names the use, so that no other program's hash of the same id equals this
    // one.
    let hash = sipHash(
      machineID.extracting(first: count), key: (0x7570_2062_6D75_6C70, 0x2073_6568_7369_6C62))
    return UInt16(truncatingIfNeeded: hash)
  }
}

/// SipHash-2-4 of `bytes`.
///
/// - Source: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012.
func sipHash(_ bytes: Span<UInt8>, key: (UInt64, UInt64)) -> UInt64 {
  var state = SipState(key)
  var word: UInt64 = 0
  for index in 0..<bytes.count {
    let byte = widened(UInt32(truncatingIfNeeded: bytes[index]))
    word |= byte &<< widened(UInt32(truncatingIfNeeded: (index & 7) &* 8))
    guard index & 7 == 7 else { continue }
    state.take(word)
    word = 0
  }
  state.take(word | widened(UInt32(truncatingIfNeeded: bytes.count)) &<< 56)
  return state.end()
}

private struct SipState {
  private var (v0, v1, v2, v3): (UInt64, UInt64, UInt64, UInt64)

  init(_ key: (UInt64, UInt64)) {
    v0 = key.0 ^ 0x736F_6D65_7073_6575
    v1 = key.1 ^ 0x646F_7261_6E64_6F6D
    v2 = key.0 ^ 0x6C79_6765_6E65_7261
    v3 = key.1 ^ 0x7465_6462_7974_6573
  }

  mutating func take(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  mutating func end() -> UInt64 {
    v2 ^= 0xFF
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  private mutating func round() {
    v0 = v0 &+ v1
    v1 = Self.rotated(v1, 13) ^ v0
    v0 = Self.rotated(v0, 32)
    v2 = v2 &+ v3
    v3 = Self.rotated(v3, 16) ^ v2
    v0 = v0 &+ v3
    v3 = Self.rotated(v3, 21) ^ v0
    v2 = v2 &+ v1
    v1 = Self.rotated(v1, 17) ^ v2
    v2 = Self.rotated(v2, 32)
  }

  private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value &<< bits | value &>> (64 &- bits)
  }
}
