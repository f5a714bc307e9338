public import Sensors

extension MPU6050.Part {
  /// The name with its article.
  public var name: StaticString {
    switch self {
    case .mpu6050: "an MPU-6050, MPU-6000 or MPU-9150"
    case .mpu6500: "an MPU-6500"
    case .mpu9250: "an MPU-9250"
    case .clone72: "a copy that is said to behave like an MPU-6500"
    case .mpu9255: "an MPU-9255"
    case .mpu6515: "an MPU-6515"
    case .mpu6880: "an MPU-6880"
    case .icm20600: "an ICM-20600"
    case .icm20602: "an ICM-20602"
    case .icm20690: "an ICM-20690"
    case .icm20689: "an ICM-20689 or one of the copies sold as MPU-6050"
    case .icm20609: "an ICM-20609"
    case .iam20680: "an IAM-20680"
    case .icm20608D: "an ICM-20608D"
    case .icm20608: "an ICM-20608"
    }
  }
}
