// Prints the pose of a board, and what happens to it, from a stream of Plumb (docs/stream.md).
//
//     Listen [ADDRESS]
//
// ADDRESS is unix:PATH (default: unix:/run/plumb/stream), tcp:HOST:PORT or ssh:[USER@]HOST[:PATH]. It goes on until Ctrl-C.
// If the owner of the stream ends, the client connects again: after half a second at first, at last every half minute.
//
// Exit codes: 64 wrong usage; 69 there is no owner at the start.
import Glibc
import PlumbStream

/// Prints a line at once, also into a pipe.
func say(_ text: String) {
  print(text)
  fflush(nil)
}

/// Writes a line to standard error.
func complain(_ text: String) {
  let line = text + "\n"
  write(STDERR_FILENO, line, line.utf8.count)
}

func tell(_ event: Event, _ words: Message?) {
  switch event {
  case .pose(_, let pose, _): say("\(pose.name)")
  case .trouble(let reason, _): say("unknown: \(words ?? "\(reason.name)")")
  case .recovered: say("recovered: \(words ?? "")")
  case .shake: say("shaken")
  case .busy: say("busy")
  case .quiet: say("quiet: done")
  // What else there is, and what later versions add.
  default: break
  }
}

func listen(to address: StreamAddress) throws(StreamError) {
  var client = StreamClient(address)
  while let message = try client.next() {
    switch message {
    case .hello(let hello):
      switch hello.snapshot.state {
      case .known(let pose): say("\(pose.name)")
      case .unknown(let reason): say("unknown: \(reason.name)")
      }
    case .observed(let seen, let words): for occurrence in seen.events { tell(occurrence.event, words) }
    case .missed(let count): say("missed: \(count)")
    case .error(let words): say("error: \(words)")
    case .bye(let words): say("the owner says: \(words)")
    case .gone: say("unknown: the owner is gone; trying again")
    case .raw, .reading, .board, .done: break
    }
  }
}

let words = CommandLine.arguments.dropFirst()
guard words.count <= 1 else {
  complain("usage: Listen [unix:PATH | tcp:HOST:PORT | ssh:[USER@]HOST[:PATH]]")
  exit(64)
}
do throws(StreamError) {
  try listen(to: StreamAddress(words.first ?? "unix:"))
} catch {
  complain("Listen: \(error)")
  exit(error.kind == .badAddress ? 64 : 69)
}
