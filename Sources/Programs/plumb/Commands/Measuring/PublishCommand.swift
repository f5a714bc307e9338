import ArgumentParser
import BoardFile
import CSupport
import FixedPoint
import Fleet
import LinuxHAL
import PlumbStream
import PlumbViews
import Publishing
import Stream
import Text
import ToolInputs
import ToolOutput

/// `plumb publish`: publishes what the owner of a sensor says on an MQTT broker.
struct PublishCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Publishes a board's pose, angles and events on an MQTT broker, also for Home Assistant.",
    usage: "plumb publish --broker <host>[:<port>] [--from <address>] [<options>]",
    discussion: """
      The board is that of the owner at --from; without it, of the one that the settings file names, or of the owner on \
      this machine. On a Raspberry Pi the service plumb-mqtt does the same without plumb. Options go before the settings \
      file, which has the same values and more: names of poses, commands that are allowed, when angles are published.

      A device is called after this computer, or after the host of --from; --id and --name change that. It stays on the \
      broker when the command ends, as offline; --forget removes it.

      EXAMPLES:
        plumb publish --broker ha.local --user plumb --password-file mqtt.password
        plumb publish --broker localhost --from ssh:pi --id workbench
        plumb publish --settings mqtt.ini
        plumb publish --settings mqtt.ini --forget

      EXIT CODES: 0 stopped by --duration or the user; 64 wrong usage; 69 no owner, or no broker until the end of \
      --duration; 77 no permission; 78 bad settings, or a password or certificate file that cannot be read
      """)

  @Option(
    help: ArgumentHelp(
      "The broker's name or address (default port: 1883, with --tls 8883).", valueName: "host[:port]"))
  var broker: String?

  @Option(
    help: ArgumentHelp("A settings file, as that of plumb-mqtt.", valueName: "file"),
    completion: .file(extensions: ["ini"]))
  var settings: String?

  @OptionGroup var owner: OwnerOptions

  @Option(help: ArgumentHelp("The user to log in to the broker as.", valueName: "name"))
  var user: String?

  @Option(help: ArgumentHelp("A file whose first line is the password.", valueName: "file"), completion: .file())
  var passwordFile: String?

  @Flag(help: "Encrypt the connection, and check the broker's certificate.")
  var tls = false

  @Option(
    help: ArgumentHelp("The certificates of authorities that may vouch for the broker.", valueName: "file"),
    completion: .file())
  var caFile: String?

  @Option(
    help: ArgumentHelp("A certificate by which the broker knows this client.", valueName: "file"), completion: .file())
  var certificateFile: String?

  @Option(help: ArgumentHelp("The key of that certificate.", valueName: "file"), completion: .file())
  var keyFile: String?

  @Option(help: ArgumentHelp("What all topics begin with (default: plumb).", valueName: "topic"))
  var baseTopic: String?

  @Option(help: ArgumentHelp("The device's name in topics.", valueName: "id"))
  var id: String?

  @Option(help: ArgumentHelp("The device's name for people.", valueName: "name"))
  var name: String?

  @Flag(help: "Do not tell Home Assistant of the device.")
  var noDiscovery = false

  @Option(
    help: ArgumentHelp("What Home Assistant's topics begin with (default: homeassistant).", valueName: "topic"))
  var discoveryPrefix: String?

  @Option(help: ArgumentHelp("Publish angles at most this often, in seconds (default: 1).", valueName: "interval"))
  var interval: String?

  @Option(
    help: ArgumentHelp("Publish angles where one has moved by more than this (default: 0.5).", valueName: "degrees"))
  var step: String?

  @Option(
    help: ArgumentHelp(
      "After one and a half of this, in seconds, the broker takes a silent device for lost (default: 15).",
      valueName: "time"))
  var keepAlive: String?

  @Flag(help: "Remove the device from the broker and from Home Assistant, and end.")
  var forget = false

  @OptionGroup var length: DurationOption

  func validate() throws {
    guard !forget || !length.isGiven else { throw ValidationError("--forget ends by itself: leave out --duration.") }
  }

  func run() throws {
    let fromFile = try reportingError { () throws(ToolError) in try fileSettings() }
    let address = owner.from ?? fromFile.map { StreamAddress($0.source) } ?? SourceOptions.usualAddress(in: Self.self)
    let settings = try checked(fromFile ?? PublisherSettings())
    let identity = DeviceIdentity(settings, at: address)
    try reportingError { () throws(ToolError) in
      let options = try brokerOptions(settings, identity)
      if forget { return try remove(Topics(settings, identity), identity, from: options) }
      let source = try ownerClient(address, settings)
      let description = try BoardDescription(source.hello, at: source.address)
      var output = Output(isLive: false)
      let greeting = description.greeting(from: source.address) + "; stop with Ctrl-C."
      try output.line(wrapped(greeting, behind: ""))
      try output.line(wrapped(Self.places(settings, identity, options), behind: ""))
      try output.flush()
      try publish(source, settings, identity, options)
    }
  }

  /// What is published where, in words.
  private static func places(
    _ settings: PublisherSettings, _ identity: DeviceIdentity, _ options: BrokerClient.Options
  ) -> String {
    let topics = Topics(settings, identity)
    let discovery = settings.announces ? "; for Home Assistant on \(topics[.discovery])" : ""
    return
      "Publishing on \(topics[.status]), \(topics[.state]) and \(topics[.event])\(discovery); broker: \(options.place)"
      + (options.hasTLS ? " with TLS" : "")
  }

  /// Publishes until stopped.
  private func publish(
    _ source: consuming OwnerClient, _ settings: PublisherSettings, _ identity: DeviceIdentity,
    _ options: BrokerClient.Options
  ) throws(ToolError) {
    let now = LinuxClock().now
    var loop = PublishingLoop(
      owner: source, broker: options,
      publisher: Publisher(settings, identity, random: UInt64.random(in: .min ... .max), at: now),
      journal: StandardErrorJournal(), at: now)
    loop.run(until: length.span.map { now + $0 })
    guard loop.hasConnected || StopSignals.received != nil else {
      throw ToolError(.unavailable, "nothing was published: \(loop.brokerStatus)")
    }
  }

  /// Removes the device from the broker.
  private func remove(
    _ topics: Topics, _ identity: DeviceIdentity, from options: BrokerClient.Options
  ) throws(ToolError) {
    try takeOverStopSignals()
    var visit = BrokerVisit(options)
    if let trouble = visit.connect() ?? visit.forget(topics) { throw ToolError(trouble, options) }
    visit.end()
    var output = Output(isLive: false)
    try output.line("removed \(identity.id) from the broker at \(options.place)")
    try output.flush()
  }
}

// Settings from options and from the settings file.
extension PublishCommand {
  /// The settings in the settings file; nil if none is named.
  private func fileSettings() throws(ToolError) -> PublisherSettings? {
    guard let path = settings else { return nil }
    do throws(PublisherError) { return try unsafe PublisherSettings.read(path: path) } catch {
      throw ToolError(error, in: path)
    }
  }

  /// The options that set a key.
  private var values: [(key: PublisherKey, value: String?)] {
    [
      (.user, user), (.passwordFile, passwordFile), (.tls, tls ? "yes" : nil), (.caFile, caFile),
      (.certificateFile, certificateFile), (.keyFile, keyFile), (.keepAlive, keepAlive), (.id, id), (.name, name),
      (.base, baseTopic), (.discovery, noDiscovery ? "no" : nil), (.prefix, discoveryPrefix), (.interval, interval),
      (.step, step),
    ]
  }

  /// `settings` with the options applied, checked.
  private func checked(_ settings: PublisherSettings) throws -> PublisherSettings {
    var settings = settings
    do throws(PublisherError) {
      if let broker { try settings.set(broker: ShortText(cutting: broker)) }
      for (key, value) in values {
        if let value { try settings.set(key, to: ShortText(cutting: value)) }
      }
    } catch {
      let option = error.key.map { Self.option(of: $0) + ": " } ?? ""
      UsageError.end("\(option)\(error.messageOfOption).", in: Self.self)
    }
    do throws(PublisherError) { try settings.check() } catch {
      if let path = self.settings { try reportingError { () throws(ToolError) in throw ToolError(error, in: path) } }
      switch error.cause {
      case .missingKey: UsageError.end("--broker is missing, such as --broker homeassistant.local.", in: Self.self)
      case .refused(.useless(let key, let other)):
        UsageError.end("\(Self.option(of: key)) needs \(Self.option(of: other)).", in: Self.self)
      default: UsageError.end("\(error.message).", in: Self.self)
      }
    }
    return settings
  }

  /// The option that sets `key`.
  private static func option(of key: PublisherKey) -> String {
    switch key {
    case .host, .port: "--broker"
    case .base: "--base-topic"
    case .discovery: "--no-discovery"
    case .prefix: "--discovery-prefix"
    default: "--\(key.name)"
    }
  }

  private func brokerOptions(
    _ settings: PublisherSettings, _ identity: DeviceIdentity
  ) throws(ToolError) -> BrokerClient.Options {
    if settings.usesTLS && !settings.verifies {
      Self.warn("verify = no: anyone on the way to the broker can read and change what is sent")
    }
    if BrokerClient.Options.isPasswordPublic(settings) {
      Self.warn("every user of this computer can read the password file: chmod o= it")
    }
    do throws(BrokerClient.Options.SecretError) { return try BrokerClient.Options(settings, identity) } catch {
      throw ToolError(error)
    }
  }

  private static func warn(_ words: String) { writeToStandardError(fitForTerminal("plumb: warning: \(words)\n")) }

  /// Connects to the owner at `address`, or on this machine.
  private func ownerClient(
    _ address: StreamAddress?, _ settings: PublisherSettings
  ) throws(ToolError) -> OwnerClient {
    var token = try owner.token()
    if owner.from == nil && settings.tokenFile.count > 0 {
      do throws(BrokerClient.Options.SecretError) {
        token = try BrokerClient.Options.secret(in: settings.tokenFile, "token").description
      } catch {
        throw ToolError(error)
      }
    }
    do throws(ToolError) {
      return try OwnerClient(address ?? .unix(path: StreamAddress.systemPath), token: token)
    } catch {
      guard owner.from == nil, self.settings == nil, error.code == .unavailable else { throw error }
      throw ToolError(
        .unavailable,
        error.message + "; start plumbd, or share a board (plumb run --share unix:PATH) and name it (--from unix:PATH)")
    }
  }
}

/// Writes messages for the person who publishes to standard error.
private struct StandardErrorJournal: PublishingJournal, ~Copyable {
  var aliveInterval: Microseconds? { nil }

  func write(_ line: ConnectionLog.Line, isTrouble: Bool) {
    writeToStandardError(fitForTerminal("plumb: \(isTrouble ? "warning: " : "")\(line)\n"))
  }

  func show(status: ConnectionLog.Line) {}

  func noteAlive() {}
}

extension StreamAddress {
  /// The address in a settings file.
  fileprivate init(_ address: OwnerAddress) {
    switch address {
    case .unix(let path): self = .unix(path: path.description)
    case .tcp(let place): self = .tcp(host: place.host.description, port: place.port)
    }
  }

  /// The other computer whose board it is; nil for this one.
  fileprivate var otherHost: String? {
    switch self {
    case .unix: nil
    case .tcp(let host, _): host == "localhost" || host == "::1" || host.hasPrefix("127.") ? nil : host
    case .ssh(let destination, _): destination.split(separator: "@").last.map(String.init)
    }
  }
}

extension DeviceIdentity {
  /// The identity that `settings` give to the board of the owner at `address`; the owner's computer supplies what they
  /// leave open.
  fileprivate init(_ settings: PublisherSettings, at address: StreamAddress?) {
    guard let host = address?.otherHost else {
      self.init(ofThisComputer: settings)
      return
    }
    // The first part of a numeric address says nothing.
    let isNumber = host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x3A }
    let name = Array((isNumber ? host.replacing(".", with: "-") : host).utf8)
    self.init(settings, hostName: name.span, machineID: [UInt8]().span)
  }
}

extension ToolError {
  /// The error in the settings file at `path`.
  fileprivate init(_ error: PublisherError, in path: String) {
    let place = error.line > 0 ? "\(printable(path)):\(error.line)" : printable(path)
    self.init(error.exitCode == 77 ? .noPermission : .configuration, "\(place): \(error.message)")
  }

  /// Why a secret's file cannot be used.
  fileprivate init(_ error: BrokerClient.Options.SecretError) {
    self.init(error.isForbidden ? .noPermission : .configuration, error.message.description)
  }

  /// Why the broker, which is needed now, cannot be reached.
  fileprivate init(_ trouble: BrokerTrouble, _ options: BrokerClient.Options) {
    self.init(
      trouble.kind == .notAuthorised ? .noPermission : .unavailable, "broker \(options.place): \(trouble.message)")
  }
}
