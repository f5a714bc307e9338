internal import CSupport
package import Fleet
package import StreamService
package import Text

extension BrokerClient.Options {
  /// The options that `settings` give for the device `identity`, including the password from its file.
  ///
  /// A password or key that the service manager passes, as a file of the same name in `$CREDENTIALS_DIRECTORY`, takes
  /// precedence over the one in the settings.
  package init(_ settings: PublisherSettings, _ identity: DeviceIdentity) throws(SecretError) {
    self.init()
    host = ShortText(cutting: settings.host)
    port = settings.port
    clientID = ShortText(cutting: identity.clientID)
    user = ShortText(cutting: settings.user)
    keepAlive = UInt16(truncatingIfNeeded: settings[.keepAlive])
    spread = UInt16(truncatingIfNeeded: settings[.spread])
    willTopic = Topics(settings, identity)[.status]
    hasTLS = settings.has(.tls)
    isVerified = settings.has(.verify)
    if settings.caFile.count > 0 { trustFile = ShortText(cutting: settings.caFile) }
    certificateFile = ShortText(cutting: settings.certificateFile)
    if settings.keyFile.count > 0 { keyFile = SecretFile.place(of: settings.keyFile) }
    if settings.passwordFile.count > 0 { password = try SecretFile.read(settings.passwordFile, "password") }
  }

  /// Whether every user of this computer may read the password file in `settings`.
  package static func isPasswordPublic(_ settings: PublisherSettings) -> Bool {
    guard settings.passwordFile.count > 0 else { return false }
    return unsafe SecretFile.place(of: settings.passwordFile).withCString { unsafe csupport_host_is_public($0) }
  }

  /// Host and port, for messages.
  package var place: ShortText<264> { "\(host):\(UInt32(truncatingIfNeeded: port))" }
}

extension DeviceIdentity {
  /// The identity that `settings` give on this computer.
  package init(ofThisComputer settings: PublisherSettings) {
    var name = InlineArray<65, CChar>(repeating: 0)
    var machine = InlineArray<64, UInt8>(repeating: 0)
    var nameSpan = name.mutableSpan
    let nameCount = unsafe nameSpan.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return Int32(0) }
      return unsafe csupport_host_name(base, buffer.count)
    }
    var machineSpan = machine.mutableSpan
    let machineCount = unsafe machineSpan.withUnsafeMutableBufferPointer { buffer in
      unsafe ShortText<32>("/etc/machine-id").withCString {
        unsafe csupport_file_first_line($0, buffer.baseAddress, buffer.count)
      }
    }
    var text = ShortText<65>()
    for index in 0..<max(0, Int(truncatingIfNeeded: nameCount)) { text.append(byte: UInt8(bitPattern: name[index])) }
    self = text.withSpan { host in
      DeviceIdentity(
        settings, hostName: host,
        machineID: machine.span.extracting(first: max(0, Int(truncatingIfNeeded: machineCount))))
    }
  }
}
