import ArgumentParser
import BoardFile
import CSupport
import Emulation
import FixedPoint
import Fleet
import LinuxHAL
import Monitor
import PlumbStream
import PlumbViews
import Publishing
import Stream
import StreamService
import Text
import ToolInputs
import ToolOutput

/// `plumb publish`: publishes what the owner of a sensor says on an MQTT broker.
struct PublishCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Publishes a board's pose, angles and events on an MQTT broker, also for Home Assistant.",
    usage: "plumb publish --broker <host>[:<port>] [<options>]",
    discussion: """
      The board is that of the owner at --from, or your own: with --board, plumb publish does everything that 'plumb \
      run' does, lines included, and publishes it; the broker never delays a sample. Without either, it is the owner \
      that the settings file names, or the board of this computer. On a Raspberry Pi the service plumb-mqtt does the \
      same without plumb. Options override the settings file, which has the same settings and more: names of poses, \
      allowed commands, when angles are published.

      A device is named after this computer, or after the host of --from; --id and --name change that. It stays on the \
      broker when the command ends, as offline; --forget removes it.

      EXAMPLES:
        plumb publish --broker ha.local --user plumb --password-file mqtt.password
        plumb publish --broker ha.local --board my-board.ini
        plumb publish --broker localhost --from ssh:pi --id workbench
        plumb publish --settings mqtt.ini
        plumb publish --settings mqtt.ini --forget

      EXIT CODES: 0 stopped by --duration or the user; 64 wrong usage; 69 no owner, no bus or lines, or no broker \
      until the end of --duration; 77 no permission; 78 bad settings or board file, or a password or certificate file \
      that cannot be read
      """)

  @Option(
    help: ArgumentHelp(
      "The broker's name or address (default port: 1883, with --tls 8883).", valueName: "host[:port]"))
  var broker: String?

  @Option(
    help: ArgumentHelp("A settings file, like that of plumb-mqtt.", valueName: "file"),
    completion: .file(extensions: ["ini"]))
  var settings: String?

  @OptionGroup var source: SourceOptions

  @Option(help: ArgumentHelp("The user name at the broker.", valueName: "name"))
  var user: String?

  @Option(help: ArgumentHelp("A file whose first line is the password.", valueName: "file"), completion: .file())
  var passwordFile: String?

  @Flag(help: "Encrypt the connection, and check the broker's certificate.")
  var tls = false

  @Option(
    help: ArgumentHelp("The certificates of authorities that may sign the broker's.", valueName: "file"),
    completion: .file())
  var caFile: String?

  @Option(
    help: ArgumentHelp("A client certificate, for a broker that asks for one.", valueName: "file"), completion: .file())
  var certificateFile: String?

  @Option(help: ArgumentHelp("The key of that certificate.", valueName: "file"), completion: .file())
  var keyFile: String?

  @Option(help: ArgumentHelp("The beginning of all topics (default: plumb).", valueName: "topic"))
  var baseTopic: String?

  @Option(help: ArgumentHelp("The device's name in topics.", valueName: "id"))
  var id: String?

  @Option(help: ArgumentHelp("The device's name for people.", valueName: "name"))
  var name: String?

  @Flag(help: "Do not announce the device to Home Assistant.")
  var noDiscovery = false

  @Option(
    help: ArgumentHelp("The beginning of Home Assistant's topics (default: homeassistant).", valueName: "topic"))
  var discoveryPrefix: String?

  @Option(help: ArgumentHelp("Publish angles at most this often, in seconds (default: 1).", valueName: "interval"))
  var interval: String?

  @Option(
    help: ArgumentHelp(
      "Publish angles when one has changed by more than this, in degrees (default: 0.5).", valueName: "degrees"))
  var step: String?

  @Option(
    help: ArgumentHelp(
      "The keep-alive time in seconds; after one and a half of it a silent device counts as lost (default: 15).",
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
    let settings = try checked(fromFile ?? PublisherSettings())
    let identity = DeviceIdentity(settings, at: address(in: fromFile))
    let device = try reportingError { () throws(ToolError) in
      PublishedDevice(settings, identity, try brokerOptions(settings, identity))
    }
    if forget { return try reportingError { () throws(ToolError) in try remove(device) } }
    var client = try ownerClient(fromFile)
    let ownBoard = client == nil ? try source.board.description(for: Self.self) : nil
    try reportingError { () throws(ToolError) in
      if let ownBoard {
        try publish(ownBoard, source.board.emulated(.tumble, repeats: true), as: device)
      } else if let client = client.take() {
        try publish(client, as: device)
      }
    }
  }

  /// Publishes what an owner says until stopped.
  private func publish(_ client: consuming OwnerClient, as device: PublishedDevice) throws(ToolError) {
    let description = try BoardDescription(client.hello, at: client.address)
    try announce(description.greeting(from: client.address) + "; stop with Ctrl-C.", device)
    let now = LinuxClock().now
    var loop = PublishingLoop(
      owner: client, broker: device.options, publisher: device.publisher(at: now), journal: StandardErrorJournal(),
      at: now)
    loop.run(until: length.span.map { now + $0 })
    if let trouble = loop.trouble { throw trouble }
  }

  /// Owns the board that `description` is of, and publishes what it does until stopped.
  private func publish(
    _ description: BoardDescription, _ emulated: EmulatedBoard, as device: PublishedDevice
  ) throws(ToolError) {
    let folder = try socketFolder()
    let name = source.board.file(isFast: false) ?? "emulated"
    // The settings decide what may be asked for: no other client comes to this socket.
    let board = try LiveBoard(
      description, emulated,
      LiveBoard.Settings(
        duration: length.span, movement: Movement.Configuration(), sleeps: true,
        sharing: BoardSharing(at: [.unix(path: folder.socket)], called: name, takesCommands: true)))
    try announce(description.greeting(doing: emulated.motion), device)
    let publisher = try BoardPublisher.begin(device, from: folder.socket)
    var failure: ToolError?
    do throws(ToolError) { while try board.next() != nil {} } catch { failure = error }
    // Before the stream says goodbye: a board that is put away in good order is no trouble.
    publisher.boardHasEnded()
    do throws(ToolError) { try board.close() } catch { failure = failure ?? error }
    let trouble = publisher.join()
    var output = Output(isLive: false)
    try output.line(board.summary.line(.text))
    try output.flush()
    if let error = failure ?? board.error ?? trouble { throw error }
  }

  private func socketFolder() throws(ToolError) -> SocketFolder {
    do throws(StreamError) { return try SocketFolder() } catch { throw ToolError(error) }
  }

  private func announce(_ greeting: String, _ device: PublishedDevice) throws(ToolError) {
    var output = Output(isLive: false)
    try output.line(wrapped(greeting, behind: ""))
    try output.line(wrapped(device.places, behind: ""))
    try output.flush()
  }

  /// Removes the device from the broker.
  private func remove(_ device: PublishedDevice) throws(ToolError) {
    try takeOverStopSignals()
    var visit = BrokerVisit(device.options)
    if let trouble = visit.connect() ?? visit.forget(device.topics) { throw ToolError(trouble, device.options) }
    visit.end()
    var output = Output(isLive: false)
    try output.line("removed \(device.identity.id) from the broker at \(device.options.place)")
    try output.flush()
  }
}

// Settings from options and from the settings file.
extension PublishCommand {
  /// The settings in the settings file; nil if none is named.
  private func fileSettings() throws(ToolError) -> PublisherSettings? {
    guard let path = settings else { return nil }
    return try PublisherSettings.read(file: path)
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
    if settings.has(.tls) && !settings.has(.verify) {
      Self.warn("verify = no: anyone between here and the broker can read and change what is sent")
    }
    if BrokerClient.Options.isPasswordPublic(settings) {
      Self.warn("every user of this computer can read the password file: chmod o= it")
    }
    do throws(SecretError) { return try BrokerClient.Options(settings, identity) } catch {
      throw ToolError(error)
    }
  }

  private static func warn(_ words: String) { writeToStandardError(fitForTerminal("plumb: warning: \(words)\n")) }

  /// Where the owner of the sensor is; nil for this computer.
  private func address(in file: PublisherSettings?) -> StreamAddress? {
    guard source.ownBoardOption() == nil else { return nil }
    return source.from ?? file.map { StreamAddress($0.source) } ?? SourceOptions.usualAddress(in: Self.self)
  }

  /// The owner that the options or the settings file name, or that of this computer, connected; nil for a local
  /// board.
  private func ownerClient(_ file: PublisherSettings?) throws -> OwnerClient? {
    guard source.from == nil, source.ownBoardOption() == nil, let file else {
      return try source.client(for: Self.self) { address, token throws(ToolError) in
        try OwnerClient(address, token: token)
      }
    }
    return try reportingError { () throws(ToolError) in
      try OwnerClient(file.source, tokenFile: file.tokenFile)
    }
  }
}

extension StreamAddress {
  /// The address in a settings file.
  init(_ address: OwnerAddress) {
    switch address {
    case .unix(let path): self = .unix(path: path.description)
    case .tcp(let place): self = .tcp(host: place.host.description, port: place.port)
    case .serial(let path): self = .serial(path: path.count == 0 ? nil : path.description)
    }
  }

  /// The other computer whose board it is; nil for this one.
  fileprivate var otherHost: String? {
    switch self {
    case .unix, .serial: nil
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

extension SettableDraft {
  /// Reads the settings file at `path`.
  static func read(file path: String) throws(ToolError) -> Self {
    do throws(SettingsError<Key>) { return try unsafe read(path: path) } catch { throw ToolError(error, in: path) }
  }
}

extension ToolError {
  /// The error in the settings file at `path`.
  init<Key: SettingsKey>(_ error: SettingsError<Key>, in path: String) {
    let place = error.line > 0 ? "\(printable(path)):\(error.line)" : printable(path)
    self.init(error.exitCode == 77 ? .noPermission : .configuration, "\(place): \(error.message)")
  }

  /// Why a secret's file cannot be used.
  init(_ error: SecretError) {
    self.init(error.isForbidden ? .noPermission : .configuration, error.message.description)
  }

  /// Why the broker, which is needed now, cannot be reached.
  fileprivate init(_ trouble: BrokerTrouble, _ options: BrokerClient.Options) {
    self.init(
      trouble.kind == .notAuthorised ? .noPermission : .unavailable, "broker \(options.place): \(trouble.message)")
  }
}
