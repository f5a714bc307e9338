public import HAL

/// What a ``ScriptedBus`` expects, and what it got: a reference, so that it stays readable after the bus was consumed.
public final class BusScript {
  /// One transaction, byte by byte.
  public struct Step: Equatable, Sendable {
    /// The target.
    public var address: I2CAddress
    /// The bytes that must be written after the address.
    public var written: [UInt8]
    /// The bytes that are read, whose count must be the requested one; nil for a plain write.
    public var reply: [UInt8]?
    /// What the transaction throws once it has matched.
    public var fault: I2CFault?

    /// Expects `S | addr+W | bytes | P`.
    public static func write(_ bytes: [UInt8], to address: I2CAddress, throwing fault: I2CFault? = nil) -> Step {
      Step(address: address, written: bytes, reply: nil, fault: fault)
    }

    /// Expects `S | addr+W | bytes | Sr | addr+R | reply | P`.
    public static func writeRead(
      _ bytes: [UInt8], reply: [UInt8], at address: I2CAddress, throwing fault: I2CFault? = nil
    ) -> Step {
      Step(address: address, written: bytes, reply: reply, fault: fault)
    }
  }

  /// The steps, including those already performed.
  public let steps: [Step]
  private var done = 0
  /// One sentence for each transaction that was not the expected one; empty if all were as expected.
  public private(set) var mismatches: [String] = []

  /// A script of these steps; ``BusTrace/script`` makes them from a recording.
  public init(_ steps: [Step]) { self.steps = steps }

  /// The steps that have not been performed yet, in order; empty at the end of a test that went as expected.
  public var leftovers: [Step] { Array(steps[done...]) }

  /// All that was not as expected, one sentence each: the mismatches, then the steps that were never performed. A test
  /// expects none.
  public var complaints: [String] {
    mismatches + leftovers.map { "expected \(words($0)), which never came" }
  }

  /// Performs the next step if it is this transaction.
  ///
  /// After a mismatch it throws `unsupported` and stays at the step, so that later ones cannot match by accident.
  func next(_ written: [UInt8], reading count: Int?, at address: I2CAddress) throws(I2CFault) -> [UInt8] {
    let found = words(written, count, address)
    guard done < steps.count else {
      mismatches.append("expected no more transactions, found \(found)")
      throw .unsupported
    }
    let step = steps[done]
    guard step.address == address, step.written == written, step.reply?.count == count else {
      mismatches.append("expected \(words(step)), found \(found)")
      throw .unsupported
    }
    done += 1
    if let fault = step.fault { throw fault }
    return step.reply ?? []
  }

  private func words(_ step: Step) -> String { words(step.written, step.reply?.count, step.address) }

  private func words(_ written: [UInt8], _ count: Int?, _ address: I2CAddress) -> String {
    let reading = count.map { ", then read \($0)" } ?? ""
    return "write [\(hexadecimal(written))]\(reading) at \(hexadecimal(address.rawValue))"
  }
}

/// A mock I2C bus that expects exact transactions in order: for tests that verify a driver's wire format.
///
/// Test behaviour with an ``EmulatedBus`` instead: a script repeats the driver's code and breaks when that changes.
public struct ScriptedBus: I2CBus, ~Copyable {
  /// What is expected, and what was received.
  public var script: BusScript {
    // Not inlined: Swift 6.3.1 may crash, or free too soon what is taken out of a struct that is consumed later.
    @inline(never) get { ownScript }
  }
  private let ownScript: BusScript

  /// A bus that follows `script`.
  public init(_ script: BusScript) { ownScript = script }

  /// A bus that follows these steps.
  public init(_ steps: [BusScript.Step]) { ownScript = BusScript(steps) }

  /// Matches a plain write; throws the step's fault, or `unsupported` after a mismatch.
  public mutating func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CFault) {
    _ = try ownScript.next(bytes.indices.map { bytes[$0] }, reading: nil, at: address)
  }

  /// Matches a write and read and returns the step's reply; throws the step's fault, or `unsupported` after a mismatch.
  public mutating func writeRead(_ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, at address: I2CAddress)
    throws(I2CFault)
  {
    let reply = try ownScript.next(bytes.indices.map { bytes[$0] }, reading: buffer.count, at: address)
    for index in buffer.indices { buffer[index] = reply[index] }
  }
}
