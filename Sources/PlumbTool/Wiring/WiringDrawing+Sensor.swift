import BoardFile

extension WiringDrawing {
  private static let moduleLeft = 32
  private static let moduleWidth = 88
  private static let moduleTop = 222
  private static let padPitch = 34

  /// A way to lay the module: its pins from top to bottom, and their wires.
  private struct Layout {
    var pins: [Wiring.SensorPin]
    /// The indices of the pins whose wires have lanes.
    var routed: [Int]
    var lanes: WireLanes
    /// Whether the wire of the supply goes around the module, because its pin is the last.
    var goesAround: Bool
  }

  private static func padHeight(_ index: Int) -> Int { moduleTop + 30 + padPitch * index }

  /// The layout with fewer crossings: the module as printed, or turned by half.
  private var layout: Layout {
    let pins = wiring.sensorPins
    let upright = layout(pins, goesAround: false)
    let turned = layout(pins.reversed(), goesAround: true)
    return turned.lanes.crossings < upright.lanes.crossings ? turned : upright
  }

  /// Where a wire passes the header's left edge: beside its pin; to the right row between two pins of the left one, where
  /// no wire of a light comes from there.
  private func edgeHeight(of pin: HeaderPin) -> Int {
    guard !pin.isLeft else { return Self.height(of: pin) }
    let isBelowTaken = wiring.lights.contains { $0.pin.isLeft && $0.pin.row == pin.row }
    return Self.height(of: pin) + (isBelowTaken ? -Self.pitch / 2 : Self.pitch / 2)
  }

  private func layout(_ pins: [Wiring.SensorPin], goesAround: Bool) -> Layout {
    let routed = pins.indices.filter { pins[$0].pin != nil && !(goesAround && pins[$0].colour == .supply) }
    let lanes = WireLanes(
      routed.map { index in
        (Self.padHeight(index), pins[index].pin.map(edgeHeight) ?? Self.padHeight(index))
      })
    return Layout(pins: pins, routed: routed, lanes: lanes, goesAround: goesAround)
  }

  mutating func drawSensor() {
    let layout = layout
    let bottom = Self.padHeight(7) + 30
    let right = Self.moduleLeft + Self.moduleWidth
    drawSensorWires(layout, right: right, bottom: bottom)
    svg.rectangle(
      "module", x: Self.moduleLeft, y: Self.moduleTop, width: Self.moduleWidth, height: bottom - Self.moduleTop,
      round: 8)
    for y in [Self.moduleTop + 14, bottom - 14] {
      svg.circle("hollow", Point(x: Self.moduleLeft + 14, y: y), radius: 6)
    }
    let middle = (Self.moduleTop + bottom) / 2
    svg.rectangle("chip", x: Self.moduleLeft + 5, y: middle - 14, width: 20, height: 28, round: 3)
    svg.text("strong middle", Point(x: Self.moduleLeft + Self.moduleWidth / 2, y: Self.moduleTop - 12), wiring.module)
    for (index, pin) in layout.pins.enumerated() {
      let y = Self.padHeight(index)
      svg.circle("pad", Point(x: right - 10, y: y), radius: 7)
      svg.text("silk", Point(x: right - 22, y: y + 6), pin.name)
    }
  }

  private mutating func drawSensorWires(_ layout: Layout, right: Int, bottom: Int) {
    let space = (Self.leftEdge - right) / (layout.routed.count + 1)
    let pads = layout.pins.enumerated().map { Point(x: right - 10, y: Self.padHeight($0.offset)) }
    for (wire, index) in layout.routed.enumerated() {
      guard let pin = layout.pins[index].pin else { continue }
      let lane = right + space * (layout.lanes.lanes[wire] + 1)
      let y = edgeHeight(of: pin)
      if !pin.isLeft {
        let dot = Self.height(of: pin) + (y > Self.height(of: pin) ? 11 : -11)
        svg.plainWire(
          layout.pins[index].colour,
          [Point(x: Self.leftEdge - 3, y: y), Point(x: Self.rightDot, y: y), Point(x: Self.rightDot, y: dot)])
      }
      svg.wire(
        layout.pins[index].colour,
        [pads[index], Point(x: lane, y: pads[index].y), Point(x: lane, y: y), Point(x: Self.leftEdge - 2, y: y)])
    }
    guard layout.goesAround, let index = layout.pins.firstIndex(where: { $0.colour == .supply }),
      let pin = layout.pins[index].pin
    else { return }
    let (outside, y) = (Self.moduleLeft - 15, Self.height(of: pin))
    svg.wire(
      .supply,
      [
        pads[index], Point(x: right + space / 2 + 2, y: pads[index].y), Point(x: right + space / 2 + 2, y: bottom + 15),
        Point(x: outside, y: bottom + 15), Point(x: outside, y: y), Point(x: Self.leftEdge - 2, y: y),
      ])
  }
}
