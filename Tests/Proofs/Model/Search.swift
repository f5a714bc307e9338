import Glibc

/// A machine for a search: real code, the model that it is compared with, and the time.
protocol Machine {
  associatedtype Input: CustomStringConvertible

  /// The possible next inputs.
  var inputs: [Input] { get }
  /// Takes an input; returns what was wrong with the result, nil for nothing.
  mutating func take(_ input: Input) -> String?
  /// What is wrong with the state itself, such as having no way out; nil for nothing.
  mutating func judge() -> String?
  /// Everything that the future depends on.
  var hash: Hash { get }
}

/// The depth of searches that do not reach all states; PLUMB_MODEL_DEPTH, or nil for a depth that takes seconds.
let modelDepth = unsafe getenv("PLUMB_MODEL_DEPTH").flatMap { Int(unsafe String(cString: $0)) }

/// Every reachable state of a machine, breadth first: to a depth, or until there is no new one.
struct Search<M: Machine> {
  /// The states found, each judged once.
  private(set) var states = 0
  private(set) var transitions = 0
  /// The length of the longest of the shortest ways to a state, in inputs.
  private(set) var depth = 0
  /// Whether no new state was left in the end.
  private(set) var isComplete = false
  /// The shortest way to an error, its inputs in order, and the error; nil for none.
  private(set) var counterexample: (way: [String], complaint: String)?

  private var parents: [(state: Int, input: M.Input)?] = []

  /// From `start`, up to `limit` inputs.
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

  /// Prints one line, and two more for a counterexample.
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
  /// What is wrong with the state; the machine itself stays unchanged.
  func complaint() -> String? {
    var copy = self
    return copy.judge()
  }
}
