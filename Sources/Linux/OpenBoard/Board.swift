#if !hasFeature(Embedded)
  internal import BoardFile
  public import LinuxHAL
  public import Monitor

  /// A board of this computer, opened from its board file.
  public enum Board {
    /// Opens the board that the file at `path` describes, calls `body` with its loop, and sets the lines to their idle
    /// levels, whether `body` returns or throws.
    ///
    /// ```swift
    /// try Board.withLoop("board.ini") { loop in
    ///   while let report = try loop.turn() {
    ///     for occurrence in report.events { print(occurrence.event) }
    ///   }
    /// }
    /// ```
    ///
    /// Ctrl-C, `SIGTERM` and `SIGHUP` end the loop's wait instead of the program, and `turn()` returns nil. `movement`
    /// enables the detection of shakes, stillness and a turning interface. Throws a ``BoardError``, or what `body`
    /// throws.
    public static func withLoop<Outcome: ~Copyable>(
      _ path: String, movement: Movement.Configuration? = nil,
      _ body: (inout BoardLoop<NoChore>) throws -> Outcome
    ) throws -> Outcome {
      do throws(StopSignals.InstallError) { try StopSignals.install() } catch { throw BoardError.signals(error) }
      var loop = try read(path).openLoop(movement: movement)
      return try body(&loop)
    }

    private static func read(_ path: String) throws(BoardError) -> BoardDescription {
      do throws(BoardFileError) { return try BoardDescription.read(path: path) } catch { throw .file(error) }
    }
  }
#endif
