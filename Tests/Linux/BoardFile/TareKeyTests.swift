import BoardFile
import FixedPoint
import Orientation
import TestSupport
import Testing

/// `[tare]`, the attitude at which angles are zero, and `[level]`, the vehicle to level.
struct TareKeyTests {
  private static func board(_ words: String) -> String { BoardFileText.text(BoardFileText.lines) + words }

  @Test static func `a tare is the direction that was up`() throws {
    let text = Self.board("[tare]\nup = 0.02 -0.01 0.99975\n")
    let tare = try outcome(text).get().tare
    expect(tare, equals: Tare(millionths: 20_000, -10_000, 999_750))
    // That direction is then straight up.
    let seen = tare.applied(to: Vector3(x: Q16(2, over: 100), y: Q16(-1, over: 100), z: Q16(99_975, over: 100_000)))
    expect(abs(seen.pitch.raw), isBelow: 1 << 14)
    expect(abs(seen.roll.raw), isBelow: 1 << 14)
  }

  @Test static func `without the sections there is no tare, and a vehicle without measures`() throws {
    let board = try outcome(Self.board("")).get()
    expect(board.tare, equals: .none)
    expect(board.tare.up, equals: nil)
    expect(board.vehicle, equals: BoardDescription.Vehicle(kind: .caravan, wheelbase: nil, track: nil))
    try expect(outcome(Self.board("[tare]\n[level]\n")).get(), equals: board)
  }

  @Test static func `a vehicle has a kind, a wheelbase and a track`() throws {
    for (name, kind) in [("caravan", BoardDescription.Vehicle.Kind.caravan), ("car", .car)] {
      let text = Self.board("[level]\nvehicle = \(name)\nwheelbase = 20000\ntrack = 100\n")
      try expect(
        outcome(text).get().vehicle, equals: BoardDescription.Vehicle(kind: kind, wheelbase: 20_000, track: 100))
      expect("\(kind.name)", equals: name)
    }
    let one = try outcome(Self.board("[level]\ntrack = 1800\n")).get().vehicle
    expect(one.track, equals: 1_800)
    expect(one.wheelbase, equals: nil)
  }

  @Test(arguments: [
    ("[tare]\nup = 0 0 0", BoardKey.up), ("[tare]\nup = 0 0 0.98", .up), ("[tare]\nup = 0 0 1.02", .up),
    ("[tare]\nup = 0 1", .up), ("[tare]\nup = 0 0 1 0", .up), ("[tare]\nup = x y z", .up),
    ("[tare]\nup = 0.0000001 0 1", .up), ("[tare]\nup = 2000 2000 2000", .up),
    ("[level]\nvehicle = boat", .vehicle), ("[level]\nwheelbase = 99", .wheelbase),
    ("[level]\nwheelbase = 20001", .wheelbase), ("[level]\ntrack = 1.8", .track), ("[level]\ntrack = -5", .track),
  ])
  static func `any other value is rejected`(words: String, key: BoardKey) throws {
    let error = try require(outcome(Self.board(words + "\n")).failure)
    expect(error.cause, equals: .badValue(key))
    expect(error.message.description, hasSuffix: "; allowed: \(key.allowed(with: nil))")
  }

  @Test(arguments: [
    ("[tare]\npitch = 3", "unknown key \"pitch\" in [tare]"),
    ("[tear]\n", "unknown section \"tear\" (did you mean \"tare\"?)"),
    (
      "[level]\ntrak = 1800",
      "unknown key \"trak\" in [level] (did you mean \"track\"?); allowed: vehicle, wheelbase, track"
    ),
  ])
  static func `an unknown name is reported`(words: String, message: String) throws {
    let error = try require(outcome(Self.board(words + "\n")).failure)
    expect(error.message.description, hasPrefix: message, "\(error.message)")
  }
}
