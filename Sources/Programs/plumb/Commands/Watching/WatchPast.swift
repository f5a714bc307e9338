import PlumbViews

/// Which part of the past is shown, as scrolled by keys. New entries do not move what is being read.
struct WatchPast {
  /// The number, counted from the start, of the latest note shown; nil for the newest.
  private var note: Int?
  /// The number of the latest slice shown; nil for the present one.
  private var slice: Int?
  /// What keys have asked for since the last picture.
  private var wish = Wish()

  private struct Wish {
    /// How many notes to go back; negative to go forward.
    var notes = 0
    var pages = 0
    /// How far to go back, in units of `shift`.
    var slices = 0
    var isOldest = false
    var isNow = false
  }

  /// How many slices an arrow scrolls: half a second at most rates.
  private static let shift = 5
  /// How many notes a notch of the wheel scrolls.
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

  /// Scrolls `scene`; `dropped` is how many notes were dropped before its first one.
  mutating func scroll(_ scene: inout Scene, dropped: Int, _ look: TextStyle, _ size: (width: Int, height: Int)) {
    let furthest = Screen(scene, look).furthest(width: size.width, height: size.height)
    let (latestNote, latestSlice) = (dropped + scene.notes.count, scene.history.number)
    if wish.isOldest || wish.isNow { (note, slice) = (nil, nil) }
    // A note may take two rows, so a page of half as many notes as rows skips none.
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
