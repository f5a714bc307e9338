package import FixedPoint
package import Service

/// All functions.
package typealias DesktopFunctions = FunctionPair<
  FunctionPair<SensorProxy, ScreenRotation>, FunctionPair<WheelDevice, FunctionPair<ScrollDevice, MotionDevice>>
>

/// Which functions a program has, if its settings enable them.
package enum DesktopScope {
  /// Those of the computer: the system bus and input devices.
  case computer
  /// Rotation, which belongs to a user's session.
  case session
  /// All.
  case all
}

extension DesktopSettings {
  /// Starts the functions of `scope` that the settings enable; rotation needs no key.
  package func begin(_ scope: DesktopScope, at now: Instant) throws(ProgramError) -> DesktopFunctions {
    let isComputer = scope != .session
    let rotation = scope == .computer ? nil : try ScreenRotation(self, at: now)
    let wheel = SteeringWheel(range: range, hasButtons: hasButtons)
    return DesktopFunctions(
      first: FunctionPair(first: isComputer && offersSensorProxy ? SensorProxy() : nil, second: rotation),
      second: FunctionPair(
        first: isComputer && hasWheel ? try WheelDevice(wheel) : nil,
        second: FunctionPair(
          first: isComputer && scrolls ? try ScrollDevice(TiltWheel(speed: speed)) : nil,
          second: isComputer && hasMotion ? try MotionDevice(MotionAxes()) : nil)))
  }
}
