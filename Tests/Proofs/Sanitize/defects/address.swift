// Reads one element too many.
let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: CommandLine.arguments.count)
bytes.initialize(repeating: 7, count: CommandLine.arguments.count)
print(bytes[CommandLine.arguments.count])
