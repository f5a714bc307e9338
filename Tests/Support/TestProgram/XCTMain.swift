import Testing

/// The program of the tests that `Tests/build.sh release` compiles. Swift Package Manager takes this file by its name,
/// and then does not search for XCTests: it would do so in an index of all tests, which takes a tenth of the time to
/// compile them.
@main struct TestProgram {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}

/// Takes the place of the C library's function. Swift Testing would call that for each error that is thrown, also for
/// the thousands that a test expects, only to show with an unexpected one where it was thrown.
@_cdecl("backtrace") func noBacktrace(_: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: Int32) -> Int32 { 0 }
