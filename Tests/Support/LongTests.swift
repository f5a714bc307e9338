import Glibc

/// Whether the tests that take minutes run: `PLUMB_LONG_TESTS=1` in the environment.
public let runsLongTests = unsafe getenv("PLUMB_LONG_TESTS").map { unsafe String(cString: $0) } == "1"
