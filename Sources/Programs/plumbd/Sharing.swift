internal import BoardFile
internal import CSupport
internal import FixedPoint
internal import LinuxHAL
internal import Service
internal import Stream
internal import Text

/// The stream that the program serves if its board file or a socket unit says so.
///
/// It continues when a board is replaced, so that its clients stay.
struct Sharing: ~Copyable {
  /// The owner of the stream; nil if nothing is shared.
  var owner: StreamOwner?
  /// What the board file said.
  private var share = BoardDescription.Share()

  /// Shares `board`, whose file is at `path`.
  mutating func begin(_ board: BoardDescription, _ path: ServiceCommand.Path) throws(ProgramError) {
    guard owner == nil || share != board.share else {
      owner?.replaceBoard(board, at: LinuxClock().now)
      return
    }
    owner?.end("the board file has changed the addresses of the stream")
    owner = nil
    share = board.share
    guard share.socket != nil || share.port != nil || StreamOwner.hasInheritedSockets else { return }
    do throws(StreamOwnerError) {
      let configuration = StreamOwner.Configuration(
        name: ShortText(cutting: path), allowsCommands: share.allowsCommands, canReload: true)
      var owner = try StreamOwner(board, configuration, at: LinuxClock().now)
      if let file = share.tokenFile { try owner.useToken(from: file) }
      // The sockets of a socket unit replace the one in the board file.
      let inherited = try owner.adoptSockets()
      if let path = share.socket, inherited == 0 { try owner.listen(unix: path) }
      if let port = share.port { try owner.listen(tcp: port.host, port: port.number) }
      self.owner = consume owner
    } catch {
      throw ProgramError(
        error.isConfiguration ? .configuration : error.isPermission ? .noPermission : .unavailable, error.message)
    }
  }

  /// Ends the stream with a last line.
  mutating func end() {
    owner?.end("plumbd was stopped")
    owner = nil
  }
}
