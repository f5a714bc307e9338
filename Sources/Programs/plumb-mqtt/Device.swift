internal import CSupport
internal import FixedPoint
internal import Fleet
internal import LinuxHAL
internal import Publishing
internal import Service
internal import StreamService
internal import Text

/// A device on a broker, as configured by its settings file.
struct Device {
  private let settings: PublisherSettings
  private let identity: DeviceIdentity
  private let options: BrokerClient.Options

  /// Reads the settings file at `path`, and the password.
  init(path: ServiceCommand.Path) throws(ProgramError) {
    settings = try Self.read(path)
    identity = DeviceIdentity(ofThisComputer: settings)
    do throws(SecretError) {
      options = try BrokerClient.Options(settings, identity)
    } catch {
      throw ProgramError(error)
    }
  }

  private static func read(_ path: ServiceCommand.Path) throws(ProgramError) -> PublisherSettings {
    do throws(PublisherError) {
      let settings = try PublisherSettings.read(path)
      try settings.check()
      return settings
    } catch {
      throw ProgramError(error, in: path)
    }
  }

  /// Publishes until asked to stop.
  func run() throws(ProgramError) {
    try ServiceProcess.begin()
    warn()
    let now = Self.now
    let publisher = Publisher(settings, identity, random: csupport_random(), at: now)
    let encryption: StaticString = options.hasTLS ? " with TLS" : ""
    Self.print("device \(identity.id), broker \(options.place)\(encryption)")
    LogLine("READY=1").notify()
    let owner = try OwnerLink(settings.source, tokenFile: settings.tokenFile)
    var loop = PublishingLoop(
      owner: owner, broker: options, publisher: publisher, journal: SystemdJournal(), at: now)
    loop.run(until: nil)
    LogLine("STOPPING=1").notify()
  }

  /// Checks everything that `run` would use, and prints the result; returns the exit code.
  func check() throws(ProgramError) -> Int32 {
    try ServiceProcess.begin()
    LogLine("settings: OK").print()
    warn()
    var code: Int32 = 0
    var visit = BrokerVisit(options)
    if let trouble = visit.connect() {
      code = trouble.error(options).code.rawValue
      Self.print("broker \(options.place): error: \(trouble.message)")
    } else {
      Self.print("broker \(options.place): OK")
    }
    visit.end()
    return OwnerVisit.report(on: try OwnerLink(settings.source, tokenFile: settings.tokenFile), code)
  }

  /// Removes the device from the broker.
  func forget() throws(ProgramError) {
    try ServiceProcess.begin()
    warn()
    var visit = BrokerVisit(options)
    if let trouble = visit.connect() { throw trouble.error(options) }
    if let trouble = visit.forget(Topics(settings, identity)) { throw trouble.error(options) }
    visit.end()
    Self.print("removed from the broker: \(identity.id)")
  }

  private static var now: Instant { LinuxClock().now }

  private static func print(_ line: LogLine) { line.print() }

  /// Warns about settings that are allowed but not safe.
  private func warn() {
    if options.hasTLS && !options.isVerified {
      LogLine("warning: verify = no: anyone between here and the broker can read and change what is sent")
        .print(.warning)
    }
    if BrokerClient.Options.isPasswordPublic(settings) {
      LogLine("warning: every user of this computer can read the password file: chmod o= it").print(.warning)
    }
  }
}

extension BrokerTrouble {
  /// The error that ends a program that needs the broker of `options` at once.
  fileprivate func error(_ options: BrokerClient.Options) -> ProgramError {
    ProgramError(
      kind == .notAuthorised ? .noPermission : .unavailable, "broker \(options.place): \(message)")
  }
}
