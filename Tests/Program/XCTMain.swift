import Testing

/// The program of the tests that `Tests/build.sh release` compiles. Swift Package Manager takes this file by its name,
/// and then does not search for XCTests: it would do so in an index of all tests, which takes a tenth of the time to
/// compile them.
@main struct TestProgram {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
