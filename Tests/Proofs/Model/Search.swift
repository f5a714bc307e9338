import Glibc

/// A machine that a search goes through: real code, what it is held against, and the time.
protocol Machine {
  associatedtype Input: CustomStringConvertible

  /// What can come next.
  var inputs: [Input] { get }
  /// Takes an input in; what was wrong about what came of it, nil for nothing.
  mutating func take(_ input: Input) -> String?
  /// What is wrong about the state itself, as that nothing leads out of it; nil for nothing.
  mutating func judge() -> String?
  /// What the future depends on.
  var hash: Hash { get }
}

/// How deep the searches go that do not find all states; PLUMB_MODEL_DEPTH, or nil for as deep as takes seconds.
let modelDepth = unsafe getenv("PLUMB_MODEL_DEPTH").flatMap { Int(unsafe String(cString: $0)) }

/// Every state that a machine comes into, breadth first: to a depth, or until there is no new one.
struct Search<M: Machine> {
  /// The states found, each of which was judged once.
  private(set) var states = 0
  private(set) var transitions = 0
  /// How many inputs the longest of the shortest ways to a state has.
  private(set) var depth = 0
  /// Whether there was no new state in the end.
  private(set) var isComplete = false
  /// The shortest way to something wrong, its inputs in order, and what is wrong; nil for none.
  private(set) var counterexample: (way: [String], complaint: String)?

  private var parents: [(state: Int, input: M.Input)?] = []

  /// From `start`, as far as `limit` inputs.
  init(from start: M, limit: Int) {
    var seen: Set<Hash> = [start.hash]
    var frontier = [(number: 0, machine: start)]
    parents.append(nil)
    states = 1
    while !frontier.isEmpty {
      guard depth < limit else { return }
      var next: [(number: Int, machine: M)] = []
      for (number, machine) in frontier {
        for input in machine.inputs {
          var machine = machine
          transitions += 1
          let complaint = machine.take(input)
          let isNew = complaint != nil || seen.insert(machine.hash).inserted
          guard isNew else { continue }
          parents.append((number, input))
          states += 1
          if let complaint = complaint ?? machine.complaint() {
            counterexample = (way(to: parents.count - 1), complaint)
            return
          }
          next.append((parents.count - 1, machine))
        }
      }
      if !next.isEmpty { depth += 1 }
      frontier = next
    }
    isComplete = true
  }

  private func way(to state: Int) -> [String] {
    var way: [String] = []
    var state = state
    while let (before, input) = parents[state] {
      way.append(input.description)
      state = before
    }
    return way.reversed()
  }

  /// In one line, and the counterexample in two more.
  func report(_ name: String) {
    print("model: \(name): \(summary)")
    guard let (way, complaint) = counterexample else { return }
    print("model: \(way.joined(separator: "; "))\nmodel: => \(complaint)")
  }

  private var summary: String {
    "\(states) states, \(transitions) transitions, "
      + (isComplete ? "all of them, the last \(depth) inputs from the start" : "up to \(depth) inputs")
  }
}

extension Machine {
  /// What is wrong about the state; the machine itself stays as it is.
  func complaint() -> String? {
    var copy = self
    return copy.judge()
  }
}
