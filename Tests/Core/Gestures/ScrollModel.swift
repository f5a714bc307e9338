/// The published recipe in Double, tick by tick, with its three steps in chronological order.
struct ScrollModel {
  /// One axis, with the recipe's acc, v and offset.
  struct Axis {
    var acceleration: Double
    var velocity = 0.0
    var offset = 0.0

    mutating func take(_ input: Double, _ viscosity: Double) {
      if sign(-velocity) == sign(input) {
        acceleration = (abs(acceleration) + viscosity) * Double(sign(acceleration))
      }
      velocity = -acceleration * input
    }

    mutating func tick() { offset = min(max(offset + velocity, 0), 1) }

    private func sign(_ value: Double) -> Int { value > 0 ? 1 : value < 0 ? -1 : 0 }
  }

  var viscosity = 0.005
  var first = 0.005
  /// In µs.
  var interval: Int64 = 30_000
  var axes: (x: Axis, y: Axis)
  private var tickAt: Int64?
  private var last: Int64 = 0

  init(viscosity: Double = 0.005, first: Double = 0.005, interval: Int64 = 30_000) {
    (self.viscosity, self.first, self.interval) = (viscosity, first, interval)
    axes = (Axis(acceleration: first), Axis(acceleration: first))
  }

  /// Takes a sample of specific force; `inputs` are x and y for a rest other than the published one.
  mutating func step(_ force: ForceInG, at now: Int64, inputs: (x: Double, y: Double)? = nil) {
    if tickAt == nil || now < last || now - last > 1_000_000 {
      axes.x = Axis(acceleration: first, offset: axes.x.offset)
      axes.y = Axis(acceleration: first, offset: axes.y.offset)
      tickAt = now + interval
    }
    last = now
    ticks { $0 < now }
    let gravity = force * -1
    axes.x.take(inputs?.x ?? -gravity.x, viscosity)
    axes.y.take(inputs?.y ?? (gravity.z + 0.5) * 2, viscosity)
    ticks { $0 == now }
  }

  private mutating func ticks(while isDue: (Int64) -> Bool) {
    while let time = tickAt, isDue(time) {
      axes.x.tick()
      axes.y.tick()
      tickAt = time + interval
    }
  }
}
