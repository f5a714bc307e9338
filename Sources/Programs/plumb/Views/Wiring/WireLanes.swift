/// The lanes of wires between two columns of ends. Each wire has its own vertical lane, chosen for few crossings.
///
/// A wire runs horizontally from its left end to its lane, along the lane, then horizontally to its right end.
struct WireLanes {
  /// The heights of each wire's left and right end, from top to bottom.
  let ends: [(left: Int, right: Int)]
  /// The lane of each wire; 0 is the leftmost.
  private(set) var lanes: [Int]
  /// How many times wires cross.
  private(set) var crossings: Int

  /// Finds the first order of lanes with the fewest crossings, for at most eight wires.
  init(_ ends: [(left: Int, right: Int)]) {
    self.ends = ends
    lanes = Array(ends.indices)
    crossings = .max
    // Wires that go up get lanes in their order, and those that go down in the opposite order. Unless a wire is out of
    // order, there are no crossings, and the search below is not needed.
    let up = ends.indices.filter { ends[$0].right <= ends[$0].left }
    let down = ends.indices.filter { ends[$0].right > ends[$0].left }
    consider(up.sorted { ends[$0].left < ends[$1].left } + down.sorted { ends[$0].left > ends[$1].left })
    if crossings > 0 { search([], Array(ends.indices)) }
  }

  /// Tries all orders that start with the wires of `chosen`.
  private mutating func search(_ chosen: [Int], _ rest: [Int]) {
    guard crossings > 0 else { return }
    if rest.isEmpty { consider(chosen) }
    for wire in rest { search(chosen + [wire], rest.filter { $0 != wire }) }
  }

  /// Adopts the lanes in which the wires are ordered from left to right as in `order`, if they are better.
  private mutating func consider(_ order: [Int]) {
    var count = 0
    for (position, first) in order.enumerated() {
      for second in order[(position + 1)...] { count += Self.crossings(ends[first], ends[second]) }
    }
    guard count < crossings else { return }
    crossings = count
    for (lane, wire) in order.enumerated() { lanes[wire] = lane }
  }

  /// How often `first` crosses `second`, whose lane is to its right. Coinciding ends do not cross.
  private static func crossings(_ first: (left: Int, right: Int), _ second: (left: Int, right: Int)) -> Int {
    func runs(_ wire: (left: Int, right: Int), past height: Int) -> Bool {
      height >= min(wire.left, wire.right) && height <= max(wire.left, wire.right)
    }
    // The right part of the first wire may meet the second one's lane, and the left part of the second wire may meet
    // the first one's.
    return (runs(second, past: first.right) && first.right != second.right ? 1 : 0)
      + (runs(first, past: second.left) && first.left != second.left ? 1 : 0)
  }
}
