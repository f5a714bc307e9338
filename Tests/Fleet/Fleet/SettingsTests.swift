import BoardFile
import Fleet
import FixedPoint
import Foundation
import Orientation
import StreamService
import TestSupport
import Testing
import Text

/// Settings files, and the same settings from options.
struct SettingsTests {
  private static func parse(_ text: String) throws(PublisherError) -> PublisherSettings {
    try PublisherSettings.parse(text.utf8.span)
  }

  /// The error of `text`, with its line; nil for none.
  private static func error(_ text: String) -> String? {
    do {
      try parse(text).check()
      return nil
    } catch {
      expect(error.exitCode, equals: 78)
      return "\(error.line): \(error.message)"
    }
  }

  @Test static func `one file has the settings of the board and of its device, and each reader takes its own`() throws {
    let board = "[i2c]\nbus = emulated\n[sensor]\nmodel = adxl345\naddress = 0x53\nrate = 50\n"
    let lines =
      "[lines]\nchip = emulated\nportrait = 17\nportraitUpsideDown = 27\nlandscapeLeft = 22\n"
      + "landscapeRight = 23\nfaceUp = 24\nfaceDown = 25\n"
    let device = "[broker]\nhost = h\n[device]\nid = caravan\n[names]\nportrait = Up\n"
    let page = board + device + lines
    let settings = try Self.parse(page)
    try settings.check()
    expect(settings.host, equals: "h")
    expect(settings.id, equals: "caravan")
    expect(settings.name(of: .portrait), equals: "Up")
    try expect(BoardDescription.parse(page.utf8.span), equals: BoardDescription.parse((board + lines).utf8.span))
    // Each reports what is wrong in its own sections, in the line of the page, and what belongs to neither.
    let wrong = page + "[values]\nstep = 500\n"
    expect(Self.error(wrong)?.hasPrefix("22: bad value \"500\" of \"step\" in [values]"), equals: true)
    expect(throws: Never.self) { try BoardDescription.parse(wrong.utf8.span) }
    expect(Self.error(page + "[brocker]\n")?.hasPrefix("21: unknown section \"brocker\""), equals: true)
    expect(throws: BoardFileError.self) { try BoardDescription.parse((page + "[brocker]\n").utf8.span) }
    expect(throws: BoardFileError.self) { try BoardDescription.parse((page + "[vibration]\nx = 1\n").utf8.span) }
  }

  @Test static func `no section means one thing to a board and another to its device`() {
    let device = Set(PublisherSection.all.map { "\($0.name)" })
    expect(that: device.isDisjoint(with: BoardSection.all.map { "\($0.name)" }))
  }

  @Test static func `a file with only a host has all defaults`() throws {
    let settings = try Self.parse("[broker]\nhost = mqtt.example.org\n")
    try settings.check()
    expect(settings.host, equals: "mqtt.example.org")
    expect(settings.port, equals: 1_883)
    expect(settings[.keepAlive], equals: 15)
    expect(settings[.spread], equals: 30)
    expect(settings.user.count, equals: 0)
    expect(settings.passwordFile.count, equals: 0)
    expect(that: !settings.has(.tls))
    expect(that: settings.has(.verify))
    expect(settings.base, equals: "plumb")
    expect(settings.prefix, equals: "homeassistant")
    expect(that: settings.has(.discovery))
    expect(settings.interval, equals: .seconds(1))
    expect(settings.heartbeat, equals: .seconds(60))
    expect(that: settings.has(.diagnostics))
    expect(settings.step, equals: BinaryAngle(degrees: Q16(1, over: 2)))
    for (angle, isChosen) in [
      (Angle.pitch, true), (.roll, true), (.inclination, true), (.angle, true), (.heading, false),
    ] {
      expect(settings.angles.contains(angle), equals: isChosen)
    }
    expect(that: !settings.commands.contains(.tare))
    expect(that: !settings.commands.contains(.query))
    expect(settings.source, equals: .unix(path: "/run/plumb/stream"))
    let names = (0..<UInt8(6)).compactMap(Pose.init(rawValue:)).map { "\(settings.name(of: $0))" }
    expect(names, equals: ["Portrait", "Upside down", "Landscape left", "Landscape right", "Face up", "Face down"])
  }

  @Test static func `every key is accepted`() throws {
    let settings = try Self.parse(
      """
      [broker]
      host = ::1
      port = 8884   ; not the usual one
      client-id = van:1.a
      user = plumb
      password-file = /etc/plumb/mqtt.password
      keep-alive = 5
      spread = 0
      tls = yes
      ca-file = /a
      certificate-file = /b
      key-file = /c
      verify = no
      [device]
      id = Van_1-a
      name = Das "Wohnmobil" ü
      [topics]
      base = house/van
      [home-assistant]
      discovery = no
      prefix = ha
      [values]
      angles = heading pitch
      interval = 0.1
      step = 0.125
      heartbeat = 3600
      diagnostics = no
      [names]
      portrait = Nose up
      faceUp = Level
      [commands]
      allow = query tare
      [stream]
      from = tcp:[::1]
      token-file = t
      """)
    try settings.check()
    expect(settings.host, equals: "::1")
    expect(settings.port, equals: 8_884)
    expect(settings.clientID, equals: "van:1.a")
    expect(settings.user, equals: "plumb")
    expect(settings.passwordFile, equals: "/etc/plumb/mqtt.password")
    expect(settings[.keepAlive], equals: 5)
    expect(that: settings.has(.tls))
    expect(settings[.spread], equals: 0)
    expect(settings.caFile, equals: "/a")
    expect(settings.certificateFile, equals: "/b")
    expect(settings.keyFile, equals: "/c")
    expect(that: !settings.has(.verify))
    expect(settings.id, equals: "Van_1-a")
    expect("\(settings.name)", equals: "Das \"Wohnmobil\" ü")
    expect(settings.base, equals: "house/van")
    expect(settings.prefix, equals: "ha")
    expect(that: !settings.has(.discovery))
    expect(that: !settings.has(.diagnostics))
    expect(that: settings.angles.contains(.heading))
    expect(that: settings.angles.contains(.pitch))
    expect(that: !settings.angles.contains(.roll))
    expect(settings.interval, equals: .milliseconds(100))
    expect(settings.heartbeat, equals: .seconds(3_600))
    expect(settings.step, equals: BinaryAngle(degrees: Q16(1, over: 8)))
    expect(settings.name(of: .portrait), equals: "Nose up")
    expect(settings.name(of: .faceUp), equals: "Level")
    expect(that: settings.commands.contains(.tare))
    expect(that: settings.commands.contains(.query))
    expect(settings.tokenFile, equals: "t")
    guard case .tcp(let place) = settings.source else {
      Issue.record("no place")
      return
    }
    expect(place.host, equals: "::1")
    expect(place.port, equals: 7_587)
  }

  @Test static func `the example of the documentation is accepted`() throws {
    expect(
      Self.error(
        """
        [broker]
        host = homeassistant.local      ; required
        user = plumb
        password-file = /etc/plumb/mqtt.password
        [values]
        angles = pitch roll inclination angle
        [names]
        faceUp = Level
        [commands]
        allow = tare query
        """), equals: nil)
  }

  @Test static func `TLS has its own port, and a configured port stays`() throws {
    try expect(Self.parse("[broker]\ntls = yes\n").port, equals: 8_883)
    try expect(Self.parse("[broker]\ntls = yes\nport = 1883\n").port, equals: 1_883)
  }

  @Test(arguments: [
    ("", "0: missing key \"host\" in [broker]; allowed: the name"),
    ("host = h\n", "1: key \"host\" before the first section"),
    ("[brocker]\n", "1: unknown section \"brocker\" (did you mean \"broker\"?); allowed: broker, device, topics"),
    ("[broker]\n[broker]\n", "2: duplicate section [broker], first in line 1"),
    (
      "[broker]\nhosst = h\n",
      "2: unknown key \"hosst\" in [broker] (did you mean \"host\"?); allowed: host, port, client-id"
    ),
    ("[broker]\nbase = h\n", "2: unknown key \"base\" in [broker] (did you mean \"base\" in [topics]?); allowed: host"),
    ("[broker]\nhost = h\n\nhost = i\n", "4: duplicate key \"host\" in [broker], first in line 2"),
    ("[broker]\nhost\n", "2: cannot understand \"host\"; allowed: [section], key = value"),
    ("[broker]\nhost = h\u{1}\n", "2: not a text file, byte 0x01"),
    ("[broker]\nhost = \(String(repeating: "h", count: 190))\n", "2: line too long: \"host = hhh"),
    ("[broker]\nhost = \(String(repeating: "h", count: 181))\n", "2: bad value \"hhh"),
    ("[broker]\nhost = a b\n", "2: bad value \"a b\" of \"host\" in [broker]; allowed: the name or the address"),
    ("[broker]\nhost = mqtt://a\n", "2: bad value"), ("[broker]\nhost =\n", "2: bad value \"\""),
    ("[broker]\nport = 0\n", "2: bad value \"0\" of \"port\" in [broker]; allowed: a whole number from 1 to 65535"),
    ("[broker]\nport = 65536\n", "2: bad value"), ("[broker]\nport = -1\n", "2: bad value"),
    ("[broker]\nport = 99999999999999999999\n", "2: bad value"), ("[broker]\nport = 1e3\n", "2: bad value"),
    ("[broker]\nclient-id = a/b\n", "2: bad value"), ("[broker]\nkeep-alive = 4\n", "2: bad value"),
    ("[broker]\nkeep-alive = 601\n", "2: bad value"), ("[broker]\nspread = 601\n", "2: bad value"),
    ("[broker]\nspread = -1\n", "2: bad value"), ("[broker]\nkeep-alive = 5.5\n", "2: bad value"),
    ("[broker]\ntls = maybe\n", "2: bad value \"maybe\" of \"tls\" in [broker]; allowed: yes or no"),
    ("[broker]\nverify = YES\n", "2: bad value"),
    ("[device]\nid = a.b\n", "2: bad value"), ("[device]\nid = \(String(repeating: "i", count: 49))\n", "2: bad value"),
    ("[device]\nname = \(String(repeating: "n", count: 65))\n", "2: bad value"),
    ("[topics]\nbase = /a\n", "2: bad value \"/a\" of \"base\" in [topics]; allowed: levels of a topic"),
    ("[topics]\nbase = a/\n", "2: bad value"), ("[topics]\nbase = a//b\n", "2: bad value"),
    ("[topics]\nbase = a/+/b\n", "2: bad value"), ("[topics]\nbase = a/#\n", "2: bad value"),
    ("[topics]\nbase = $SYS\n", "2: bad value"), ("[topics]\nbase = a b\n", "2: bad value"),
    ("[topics]\nbase = a\"b\n", "2: bad value"),
    ("[topics]\nbase = \(String(repeating: "b", count: 65))\n", "2: bad value"),
    ("[home-assistant]\nprefix = #\n", "2: bad value"), ("[home-assistant]\ndiscovery = 1\n", "2: bad value"),
    (
      "[values]\nangles = pitch yaw\n",
      "2: bad value \"pitch yaw\" of \"angles\" in [values]; allowed: any of pitch, roll"
    ),
    ("[values]\nangles = pitch pitch\n", "2: bad value"), ("[values]\nangles = none pitch\n", "2: bad value"),
    ("[values]\nangles = pitch,roll\n", "2: bad value"),
    ("[values]\ninterval = 0.099\n", "2: bad value"), ("[values]\ninterval = 3601\n", "2: bad value"),
    ("[values]\ninterval = 0.1234\n", "2: bad value"), ("[values]\nstep = 0.09\n", "2: bad value"),
    ("[values]\nstep = 90.1\n", "2: bad value"), ("[values]\nheartbeat = 9\n", "2: bad value"),
    ("[values]\nheartbeat = 3601\n", "2: bad value"), ("[values]\ndiagnostics = on\n", "2: bad value"),
    ("[names]\nportrait = \(String(repeating: "n", count: 49))\n", "2: bad value"),
    ("[names]\nsideways = x\n", "2: unknown key \"sideways\" in [names]; allowed: portrait"),
    (
      "[commands]\nallow = tare, query\n",
      "2: bad value \"tare, query\" of \"allow\" in [commands]; allowed: tare, query"
    ),
    ("[commands]\nallow = all\n", "2: bad value"), ("[commands]\nallow = tare tare\n", "2: bad value"),
    ("[stream]\nfrom = ssh:pi\n", "2: bad value"), ("[stream]\nfrom = relative\n", "2: bad value"),
    ("[stream]\nfrom = unix:\n", "2: bad value"), ("[stream]\nfrom = tcp:a:0\n", "2: bad value"),
    ("[stream]\nfrom = tcp:[::1\n", "2: bad value"), ("[stream]\nfrom = tcp:\n", "2: bad value"),
    ("[stream]\nfrom = tcp:[]:1\n", "2: bad value"),
    ("[stream]\nfrom = unix:/\(String(repeating: "p", count: 107))\n", "2: bad value"),
    (
      "[broker]\nhost = h\n[names]\nfaceUp = Up\nportrait = Up\n",
      "5: \"portrait\" in [names] is \"Up\", and so is \"faceUp\"; allowed: a different name for each pose"
    ),
    (
      "[broker]\nhost = h\n[names]\nportrait = Face up\n",
      "4: \"portrait\" in [names] is \"Face up\", and so is \"faceUp\""
    ),
    ("[broker]\nhost = h\nca-file = a\n", "3: key \"ca-file\" in [broker] needs \"tls\" = yes"),
    ("[broker]\nhost = h\nverify = no\n", "3: key \"verify\" in [broker] needs \"tls\" = yes"),
    ("[broker]\nhost = h\ncertificate-file = a\n", "3: key \"certificate-file\" in [broker] needs \"tls\" = yes"),
    ("[broker]\nhost = h\nkey-file = a\n", "3: key \"key-file\" in [broker] needs \"certificate-file\""),
    ("[broker]\nhost = h\npassword-file = a\n", "3: key \"password-file\" in [broker] needs \"user\""),
  ])
  static func `an error has its line, the text found and what is allowed`(text: String, words: String) {
    let error = Self.error(text)
    expect(error?.hasPrefix(words), equals: true, "\(error ?? "no error")")
  }

  @Test(arguments: [
    ("/nowhere/mqtt.ini", "no such settings file"), ("/", "a directory, not a settings file"),
    ("/proc/self/mem", "the settings file cannot be read: "), ("/proc/self/exe", "too large for a settings file"),
  ])
  static func `a file that cannot be read has its own error`(path: String, words: String) {
    do {
      _ = try unsafe PublisherSettings.read(path: path)
      Issue.record("\(path) was read")
    } catch {
      expect("\(error.message)", hasPrefix: words, "\(error.message)")
      expect(error.line, equals: 0)
    }
  }

  @Test static func `a file is read`() throws {
    let path = NSTemporaryDirectory() + "fleet-settings-\(getpid()).ini"
    defer { unsafe unlink(path) }
    try "[broker]\nhost = h\nport = 77\n".write(toFile: path, atomically: false, encoding: .utf8)
    try unsafe expect(PublisherSettings.read(path: path).port, equals: 77)
  }

  @Test(arguments: [
    ("h", "h", 1_883), ("h:77", "h", 77), ("127.0.0.1:8883", "127.0.0.1", 8_883), ("::1", "::1", 1_883),
    ("[::1]:77", "::1", 77), ("[fe80::1%eth0]", "fe80::1%eth0", 1_883),
  ])
  static func `an option has host and port in one`(text: String, host: String, port: UInt16) throws {
    var settings = try Self.parse("[broker]\nhost = other\n")
    try settings.set(broker: ShortText(cutting: text))
    expect("\(settings.host)", equals: host)
    expect(settings.port, equals: port)
  }

  @Test(arguments: ["", ":", "h:", "h:0", "h:65536", "h:x", "[::1", "[::1]x", "[::1]:", "a b", "[]:7", "h/p", "h:1x"])
  static func `an invalid host or port is an error without a line`(text: String) throws {
    var settings = try Self.parse("[broker]\nhost = other\n")
    do {
      try settings.set(broker: ShortText(cutting: text))
      Issue.record("\(text) was taken as \(settings.host) and \(settings.port)")
    } catch {
      expect(error.line, equals: 0)
      expect(error.key, equals: .host)
      expect("\(error.messageOfOption)", contains: "allowed: the name or the address of a broker")
    }
    expect(settings.host, equals: "other")
  }

  @Test static func `an option overrides the file, and its error has no line`() throws {
    var settings = try Self.parse("[broker]\nhost = h\n[values]\ninterval = 5\n")
    try settings.set(.interval, to: "2")
    expect(settings.interval, equals: .seconds(2))
    do {
      try settings.set(.interval, to: "0")
      Issue.record("0 was taken")
    } catch {
      expect(error.line, equals: 0)
      expect(
        error.messageOfOption, equals: "bad value \"0\"; allowed: a number from 0.1 to 3600 (s), at most 3 decimals")
    }
    // The port of a file belongs to the broker of the file.
    settings = try Self.parse("[broker]\nhost = h\nport = 77\n")
    try settings.set(broker: "i")
    expect(settings.port, equals: 1_883)
  }

  @Test static func `every key has its own name in its section, and describes what is allowed`() throws {
    var names: Set<String> = []
    for index in 0..<PublisherKey.count {
      let key = try require(PublisherKey(rawValue: UInt8(index)))
      names.insert("\(key.section.name) \(key.name)")
      expect(that: !"\(key.allowed)".isEmpty)
      // A message lists the existing keys.
      let error = Self.error("[\(key.section.name)]\nzzzzzzzzzzzz = 1\n") ?? ""
      expect(error, contains: " \(key.name)", "\(key.name) is not in: \(error)")
    }
    expect(names.count, equals: PublisherKey.count)
    expect(PublisherKey(rawValue: UInt8(PublisherKey.count)), equals: nil)
    expect(PublisherSection(rawValue: UInt8(PublisherSection.count)), equals: nil)
  }
}

/// The name of a device.
struct IdentityTests {
  private static func identity(_ settings: String = "", host: String, machine: String) throws -> DeviceIdentity {
    DeviceIdentity(
      try PublisherSettings.parse("[broker]\nhost = h\n\(settings)".utf8.span), hostName: host.utf8.span,
      machineID: machine.utf8.span)
  }

  @Test(arguments: [
    ("raspberrypi", "raspberrypi-"), ("pi.fritz.box", "pi-"), ("my pi!", "my-pi--"), ("", "plumb-"), (".x", "plumb-"),
    ("größe", "gr----e-"), (String(repeating: "h", count: 64), String(repeating: "h", count: 43) + "-"),
  ])
  static func `the id consists of host and machine`(host: String, begin: String) throws {
    let first = try Self.identity(host: host, machine: "0123456789abcdef0123456789abcdef\n")
    let second = try Self.identity(host: host, machine: "0123456789abcdef0123456789abcdee\n")
    expect(that: "\(first.id)".hasPrefix(begin))
    expect(first.id.count, equals: begin.utf8.count + 4)
    expect(first.id.count, isAtMost: 48)
    expect(all: "\(first.id)".utf8) {
      ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x2D
    }
    expect(first.id, isNot: second.id)
    expect(first.id, equals: (try Self.identity(host: host, machine: "0123456789abcdef0123456789abcdef").id))
    expect("\(first.clientID)", equals: "plumb-\(first.id)")
  }

  @Test static func `settings override it`() throws {
    let identity = try Self.identity("client-id = c\n[device]\nid = van\nname = Van\n", host: "pi", machine: "0")
    expect(identity.id, equals: "van")
    expect(identity.name, equals: "Van")
    expect(identity.clientID, equals: "c")
  }

  @Test static func `without a machine id the id is the host name`() throws {
    let identity = try Self.identity(host: "pi", machine: "\n")
    expect(identity.id, equals: "pi")
    expect(identity.name, equals: "pi")
    try expect(Self.identity(host: "", machine: "").name, equals: "Plumb")
  }

  @Test static func `the machine id cannot be derived from the id`() throws {
    // 4096 machines get well-spread ids: with 16 bits some 3971 different ones are expected.
    var ids: Set<String> = []
    for number in 0..<4_096 { ids.insert("\(try Self.identity(host: "p", machine: "machine\(number)").id)") }
    expect(ids.count, isIn: 3_900...4_050, "\(ids.count) ids")
  }
}
