package import ArgumentParser

/// The commands that find, check, mount and calibrate a sensor, and write its board file.
package enum SettingUpCommands {
  package static let all: [any ParsableCommand.Type] = [
    BoardsCommand.self, WiringCommand.self, ProbeCommand.self, DoctorCommand.self, SelfTestCommand.self,
    MountCommand.self, CalibrateCommand.self, TareCommand.self, PicoCommand.self,
  ]
}
