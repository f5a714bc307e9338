// Swift Package Manager looks for XCTMain.swift in the folders above a test target: this one is below it.
