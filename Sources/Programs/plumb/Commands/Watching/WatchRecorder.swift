import FixedPoint
import Glibc
import Monitor
import PlumbViews
import ToolInputs
import ToolOutput

/// Records while the board is watched: to a new file in the current folder, named after the time.
struct WatchRecorder {
  private let state: WatchState
  private var file: RecordingFile?
  private var first: Instant?
  private var count: UInt64 = 0

  init(_ state: WatchState) { self.state = state }

  /// The name of the file being recorded to; nil if there is none.
  var name: String? { file?.name }

  /// Starts recording, or stops it.
  mutating func toggle() {
    if file != nil { return stop() }
    do throws(ToolError) {
      file = try RecordingFile(Self.freshName(), isForced: false, flushing: .milliseconds(500))
      (first, count) = (nil, 0)
      state.gather(true)
    } catch {
      state.note("nothing was recorded: " + error.message, .trouble, lasts: true)
    }
  }

  /// Writes the samples gathered so far.
  mutating func write() {
    guard let file else { return }
    do throws(ToolError) {
      for sample in state.gathered() {
        let start = first ?? sample.instant
        first = start
        try file.append(sample.force, sample.rotation, at: sample.instant - start)
        count += 1
      }
    } catch {
      self.file = nil
      state.gather(false)
      state.note("recording stopped: " + error.message, .trouble, lasts: true)
    }
  }

  /// Ends any recording in progress.
  mutating func stop() {
    write()
    guard let file else { return }
    self.file = nil
    state.gather(false)
    do throws(ToolError) {
      try file.finish()
      let samples = counted(count, "sample", "samples")
      let words = count > 0 ? "recorded \(samples) to \(file.name)" : "no samples: nothing was recorded"
      state.note(words, .remark, lasts: true)
    } catch {
      state.note(error.message, .trouble, lasts: true)
    }
  }

  /// A name such as `plumb-20261121-154512.csv`, from the local time.
  private static func freshName() -> String {
    var now = time(nil)
    var parts = unsafe tm()
    unsafe localtime_r(&now, &parts)
    let figures = unsafe [
      parts.tm_year + 1_900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
    ]
    let text = figures.map { ($0 < 10 ? "0" : "") + String($0) }
    return "plumb-\(text.prefix(3).joined())-\(text.suffix(3).joined()).csv"
  }
}
