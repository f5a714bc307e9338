package import ArgumentParser

/// The commands that record, replay and draw what a board measures, or publish it.
package enum MeasuringCommands {
  package static let all: [any ParsableCommand.Type] = [
    RecordCommand.self, ReplayCommand.self, PlotCommand.self, VibrationCommand.self, LevelCommand.self,
    PublishCommand.self,
  ]
}
