import BoardFile
import HAL
import Text
import Sensors

extension Probe.Finding {
  /// Whether plumb can use what was found.
  var isUsable: Bool {
    if case .usable = answer { return true }
    return false
  }

  /// A line for people, or two.
  var text: String { wrapped(detail, behind: "\(place.address.text)  ") }

  /// One object for scripts.
  var json: String {
    let address = Int(place.rawValue)
    let model = model.map { "\"\($0.name)\"" } ?? "null"
    return "{\"event\":\"finding\",\"address\":\(address),\"usable\":\(isUsable),\"model\":\(model),"
      + "\"detail\":\(detail.json)}"
  }

  /// What `model` in a board file is for this part.
  private var model: SensorModel? {
    guard case .usable(let sensor, _) = answer else { return nil }
    return sensor == .adxl345 ? .adxl345 : .mpu6050
  }

  private var detail: String {
    let words =
      switch answer {
      case .usable(let sensor, let admission):
        sensor.text + (model.map { ": model = \($0.name)" } ?? "") + admission.text
      case .refused(.adxl346): "an ADXL346 (identity 0xE6): it must not be run at 3.3 V, and plumb does not use it"
      case .refused(.defectiveMPU6050(let identity)):
        "a part in the place of an MPU-6050 with identity \(hex(identity)), by which only defective ones are known"
      case .unknown(let identity): "something else, with \(hex(identity)) where a sensor has its identity"
      case .noIdentity(let reading):
        "something that reads \(hex(reading)) where a sensor has its identity: check power, ground, SDA and SCL"
      case .fault(let fault): fault.text(at: place.address)
      }
    return words + (mayBeClock ? "; or is it a real-time clock (DS1307, DS3231)? Those are at this address too" : "")
  }
}

extension Probe.Sensor {
  fileprivate var text: String {
    switch self {
    case .adxl345: "an ADXL345 or ADXL343 (identity \(hex(ADXL345.identity)))"
    case .mpu6050(let part): "\(part.name) (identity \(hex(part.rawValue)))"
    }
  }
}

extension MPU6050.Admission {
  fileprivate var text: String {
    switch self {
    case .accepted: ""
    case .acceptedWithNotice: "; known from Linux's driver only"
    case .onlyIfAsked: " and unverified-parts = yes"
    }
  }
}
