import Foundation
import Glibc
import HAL
import LinuxHAL
import TestSupport
import Testing

struct `I2C faults and errors` {
  @Test(
    arguments: [
      (EREMOTEIO, .noAcknowledge), (ENXIO, .noAcknowledge), (ENODEV, .noAcknowledge), (ETIMEDOUT, .timedOut),
      (EAGAIN, .arbitrationLost), (EOPNOTSUPP, .unsupported), (EACCES, .notPermitted), (EPERM, .notPermitted),
      (EBUSY, .busy), (ENOENT, .unavailable), (EBADF, .unavailable), (EIO, .other(code: EIO)),
      (EINVAL, .other(code: EINVAL)), (ESHUTDOWN, .other(code: ESHUTDOWN)),
    ] as [(Int32, I2CFault)])
  func `each errno of a transaction has its fault`(code: Int32, fault: I2CFault) {
    expect(I2CFault(errno: code), equals: fault)
  }

  @Test(arguments: [ENOENT, ENXIO, ENODEV])
  func `a missing adapter is not a target that did not respond`(code: Int32) {
    expect(LinuxI2CError(path: "/dev/i2c-1", code: code).fault, equals: .unavailable)
  }

  @Test(
    arguments: [
      (ENOENT, "raspi-config nonint do_i2c 0"), (ENOENT, "`ls /dev/i2c-*`"),
      (EACCES, "sudo usermod -aG i2c $USER"), (EPERM, "sudo usermod -aG i2c $USER"),
      (EBUSY, "0x53"), (EBUSY, "echo 1-0053 | sudo tee /sys/bus/i2c/devices/1-0053/driver/unbind"),
      (ENOTTY, "is not an I2C bus"), (EISDIR, "is not an I2C bus"), (EIO, "errno 5"),
    ])
  func `each error names the bus and its fix`(code: Int32, fix: String) throws {
    let address = try require(I2CAddress(0x53))
    let text = LinuxI2CError(path: "/dev/i2c-1", address: address, code: code).description
    expect(text, contains: "/dev/i2c-1")
    expect(text, contains: fix)
  }

  @Test func `the fix for another bus is not to enable the standard one`() {
    for code in [ENOENT, ENXIO, ENODEV] {
      let text = LinuxI2CError(path: "/dev/i2c-7", code: code).description
      expect(that: text.contains("no I2C bus /dev/i2c-7"))
      expect(that: text.contains("`ls /dev/i2c-*`"))
      expect(that: text.contains("/dev/i2c-1"))
      expect(that: !text.contains("raspi-config"))
      expect(that: !text.contains("dtparam"))
    }
  }

  @Test func `a bus that another program uses exclusively is reported in use, with its fix`() {
    let text = LinuxI2CError(path: "/dev/i2c-1", code: EBUSY).description
    expect(that: text.contains("the I2C bus /dev/i2c-1 is in use by another program"))
    expect(that: text.contains("stop it"))
  }

  @Test func `the sysfs name of an address has four digits`() throws {
    let address = try require(I2CAddress(0x0A))
    expect(LinuxI2CError(path: "/dev/i2c-1", address: address, code: EBUSY).description, contains: "1-000a")
  }

  @Test(
    arguments: [
      ("/dev/i2c-250", ENOENT, .unavailable), ("/dev/null", ENOTTY, .other(code: ENOTTY)),
      ("/dev", EISDIR, .other(code: EISDIR)), ("/dev/null/i2c-1", ENOTDIR, .other(code: ENOTDIR)),
    ] as [(String, Int32, I2CFault)])
  func `a path that is not an I2C bus does not open`(path: String, code: Int32, fault: I2CFault) {
    let error = expect(throws: LinuxI2CError.self) { _ = try LinuxI2CBus(path: path) }
    expect(error, equals: LinuxI2CError(path: path, code: code))
    expect(error?.fault, equals: fault)
  }

  @Test func `a regular file is not an I2C bus`() throws {
    let error = expect(throws: LinuxI2CError.self) { _ = try LinuxI2CBus(path: "/proc/self/comm") }
    expect(error?.code, equals: ENOTTY)
  }

  @Test func `a path that is too long is rejected`() {
    let path = "/dev/" + String(repeating: "x", count: 200)
    let error = expect(throws: LinuxI2CError.self) { _ = try LinuxI2CBus(path: path) }
    expect(error?.code, equals: ENAMETOOLONG)
  }

  @Test func `a failed attempt leaves no descriptor open`() throws {
    // Concurrent tests open files, but not this many of this one.
    for _ in 0..<100 {
      let error = expect(throws: LinuxI2CError.self) { _ = try LinuxI2CBus(path: "/dev/urandom") }
      #expect(error?.code == EINVAL || error?.code == ENOTTY)
    }
    let folder = "/proc/self/fd"
    let opened = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
      // Another test's descriptor may be closed by now.
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == "/dev/urandom"
    }
    expect(opened.count, isBelow: 50, "\(opened.count) of 100 are left")
  }
}
