package import ArgumentParser

/// The commands that record, replay and draw what a board measures, publish it, or give it to the desktop.
package enum MeasuringCommands {
  package static let all: [any ParsableCommand.Type] = [
    RecordCommand.self, ReplayCommand.self, PlotCommand.self, VibrationCommand.self, LevelCommand.self,
    PublishCommand.self, DesktopCommand.self,
  ]
}
