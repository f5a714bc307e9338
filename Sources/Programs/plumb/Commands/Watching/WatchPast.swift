import PlumbViews

/// Which part of the past is shown, as keys have scrolled it. What comes in moves nothing that is being read.
struct WatchPast {
  /// The number of the latest note that is shown, of all that there ever were; nil for the latest there is.
  private var note: Int?
  /// The number of the latest slice that is shown; nil for now.
  private var slice: Int?
  /// What keys ask for since the last picture.
  private var wish = Wish()

  private struct Wish {
    /// Notes back, or forth where it is less than 0.
    var notes = 0
    var pages = 0
    /// Of `shift`.
    var slices = 0
    var isOldest = false
    var isNow = false
  }

  /// Slices that an arrow scrolls: half a second at most rates.
  private static let shift = 5
  /// Notes that a notch of the wheel scrolls.
  private static let notch = 3

  /// Takes a key; returns whether it scrolls.
  mutating func take(_ key: Key) -> Bool {
    switch key {
    case .up, .character("k"): wish.notes += 1
    case .down, .character("j"): wish.notes -= 1
    case .wheelUp: wish.notes += Self.notch
    case .wheelDown: wish.notes -= Self.notch
    case .pageUp: wish.pages += 1
    case .pageDown: wish.pages -= 1
    case .left: wish.slices += 1
    case .right: wish.slices -= 1
    case .home: wish = Wish(isOldest: true)
    case .end: wish = Wish(isNow: true)
    case .character: return false
    }
    return true
  }

  /// Scrolls `scene`, before whose notes so many were `dropped`.
  mutating func scroll(_ scene: inout Scene, dropped: Int, _ look: TextStyle, _ size: (width: Int, height: Int)) {
    let furthest = Screen(scene, look).furthest(width: size.width, height: size.height)
    let (latestNote, latestSlice) = (dropped + scene.notes.count, scene.history.number)
    if wish.isOldest || wish.isNow { (note, slice) = (nil, nil) }
    // A note may take two rows: half as many as there are rows leave none out.
    let page = max(1, Screen.noteRows(width: size.width, height: size.height) / 2)
    let back = wish.isOldest ? furthest.notes : 0
    scene.newerNotes = min(
      furthest.notes, max(0, latestNote - (note ?? latestNote) + back + wish.notes + wish.pages * page))
    let far = wish.isOldest ? furthest.slices : 0
    scene.newerSlices = min(
      furthest.slices, max(0, latestSlice - (slice ?? latestSlice) + far + wish.slices * Self.shift))
    note = scene.newerNotes == 0 ? nil : latestNote - scene.newerNotes
    slice = scene.newerSlices == 0 ? nil : latestSlice - scene.newerSlices
    wish = Wish()
  }
}
