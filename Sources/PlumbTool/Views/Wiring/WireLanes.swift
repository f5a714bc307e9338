/// Where wires between two columns of ends run: each has a vertical lane of its own, chosen so that few cross.
///
/// A wire goes level from its left end to its lane, along the lane, then level to its right end.
struct WireLanes {
  /// The heights of the left and the right end of each wire, from top to bottom.
  let ends: [(left: Int, right: Int)]
  /// The lane of each wire, 0 being the leftmost.
  private(set) var lanes: [Int]
  /// How many times two wires cross.
  private(set) var crossings: Int

  /// The order of lanes with the fewest crossings; of several the first one found. At most eight wires.
  init(_ ends: [(left: Int, right: Int)]) {
    self.ends = ends
    lanes = Array(ends.indices)
    crossings = .max
    // Wires that go up want lanes in their order, those that go down in the opposite one: with no wire out of order
    // this is free of crossings, and the search below is spared.
    let up = ends.indices.filter { ends[$0].right <= ends[$0].left }
    let down = ends.indices.filter { ends[$0].right > ends[$0].left }
    consider(up.sorted { ends[$0].left < ends[$1].left } + down.sorted { ends[$0].left > ends[$1].left })
    if crossings > 0 { search([], Array(ends.indices)) }
  }

  /// Tries all orders that begin with the wires of `chosen`.
  private mutating func search(_ chosen: [Int], _ rest: [Int]) {
    guard crossings > 0 else { return }
    if rest.isEmpty { consider(chosen) }
    for wire in rest { search(chosen + [wire], rest.filter { $0 != wire }) }
  }

  /// Takes the lanes in which the wires come from left to right as in `order`, where they are better.
  private mutating func consider(_ order: [Int]) {
    var count = 0
    for (position, first) in order.enumerated() {
      for second in order[(position + 1)...] { count += Self.crossings(ends[first], ends[second]) }
    }
    guard count < crossings else { return }
    crossings = count
    for (lane, wire) in order.enumerated() { lanes[wire] = lane }
  }

  /// How often `first` crosses `second`, whose lane is to the right of its own. Ends that coincide do not cross.
  private static func crossings(_ first: (left: Int, right: Int), _ second: (left: Int, right: Int)) -> Int {
    func runs(_ wire: (left: Int, right: Int), past height: Int) -> Bool {
      height >= min(wire.left, wire.right) && height <= max(wire.left, wire.right)
    }
    // The first wire's way on to the right meets the second one's lane; the second one's way to its lane meets the
    // first one's.
    return (runs(second, past: first.right) && first.right != second.right ? 1 : 0)
      + (runs(first, past: second.left) && first.left != second.left ? 1 : 0)
  }
}
