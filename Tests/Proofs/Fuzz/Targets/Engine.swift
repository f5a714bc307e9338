/// Called by Tests/Proofs/Fuzz/Engine/engine.c: 0 if everything holds for the target `name`, 1 if something does not,
/// which is printed; 2 for an unknown name.
@_cdecl("plumb_fuzz")
public func fuzz(_ name: UnsafePointer<CChar>, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let target = unsafe FuzzTarget(rawValue: String(cString: name)) else {
    print("fuzz: PLUMB_FUZZ names no target; there are: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))")
    return 2
  }
  guard let failure = unsafe target.failure(of: Array(UnsafeBufferPointer(start: bytes, count: count))) else {
    return 0
  }
  print("fuzz: \(target.rawValue): \(failure)")
  return 1
}
