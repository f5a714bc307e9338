internal import HAL
internal import Sensors

extension SensorError {
  /// What happened to the kernel's device called `device`, and what to check.
  func message(ofDevice device: SensorPlace.Device) -> Message {
    switch self {
    case .bus(let fault): fault.message(ofDevice: device)
    case .configurationLost, .configurationChanged, .configurationRejected:
      "another program has set up the IIO device \(device), or switched its buffer off: stop that program"
    case .frozen: "the IIO device \(device) repeats the same sample: it has stopped measuring"
    case .stuckAtFullScale:
      "the IIO device \(device) stays at full scale: it is defective, or the force exceeds its range"
    case .weightless:
      "the IIO device \(device) measures almost no force: it is defective, or the kernel gives a wrong scale"
    case .unexpectedIdentity, .resetTimedOut, .rateTooHigh: "the IIO device \(device) cannot be used"
    }
  }
}

extension I2CFault {
  /// What happened to the kernel's device called `device`, and what to check.
  fileprivate func message(ofDevice device: SensorPlace.Device) -> Message {
    switch self {
    case .unavailable, .noAcknowledge:
      "the IIO device \(device) has disappeared: check that the part is connected and its driver loaded"
    case .timedOut, .arbitrationLost:
      "the IIO device \(device) delivers no samples: check the part, its interrupt and its trigger"
    case .notPermitted: "no permission to use the IIO device \(device)"
    case .busy: "the IIO device \(device) is in use by another program, such as iio-sensor-proxy"
    case .unsupported, .shortRead:
      "what the kernel says about the IIO device \(device) cannot be used: `plumb doctor` says why"
    case .other(let code): "error of the IIO device \(device): \(system: code)"
    }
  }
}
