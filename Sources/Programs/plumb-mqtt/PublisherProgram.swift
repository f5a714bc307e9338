internal import Service

/// The program, which C's `main` calls. Returns the exit code.
@c(plumb_mqtt_main)
public func plumbMQTTMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  unsafe PublisherProgram().main(count, arguments)
}

private struct PublisherProgram: ServiceProgram {
  var syntax: ServiceCommand.Syntax {
    var syntax = ServiceCommand.Syntax(
      "plumb-mqtt", path: "/etc/plumb/mqtt.ini",
      summary: "publishes a board's pose on an MQTT broker, also for Home Assistant, until it is stopped.",
      check: "check the settings, the broker and the owner of the sensor; publish nothing",
      unavailable: "broker or owner not available")
    syntax.forget = "remove the device from the broker, and from Home Assistant"
    return syntax
  }

  func run(_ path: ServiceCommand.Path) throws(ProgramError) { try Device(path: path).run() }

  func check(_ path: ServiceCommand.Path) throws(ProgramError) -> Int32 { try Device(path: path).check() }

  func forget(_ path: ServiceCommand.Path) throws(ProgramError) { try Device(path: path).forget() }
}
