internal import CSupport
internal import FixedPoint
package import Fleet
internal import Text

/// A short connection to a broker: to check whether it is possible, or to remove what a device has left there.
///
/// It has its own client id and no will, so that it does not disturb a running publisher.
package struct BrokerVisit: ~Copyable {
  private var broker: BrokerClient

  /// A visit to the broker of `options`, which is not connected yet.
  package init(_ options: borrowing BrokerClient.Options) {
    var own = copy options
    own.clientID.append("-visit")
    own.willTopic = ShortText()
    broker = BrokerClient(own)
  }

  /// Connects. Returns nil, or why it failed.
  package mutating func connect() -> BrokerTrouble? {
    broker.connect()
    while true {
      while let news = broker.next() {
        switch news {
        case .connected: return nil
        case .refused(let trouble), .lost(let trouble): return trouble
        default: continue
        }
      }
      guard wait() else { return BrokerTrouble(kind: .other, message: "stopped by a signal") }
    }
  }

  /// Removes the device from the broker and from Home Assistant: publishes an empty retained message on each of its
  /// topics. Returns nil, or why it failed.
  package mutating func forget(_ topics: Topics) -> BrokerTrouble? {
    let publications = Publication.forgetting(topics)
    for publication in publications where !broker.publish(publication) {
      return BrokerTrouble(kind: .other, message: "no connection")
    }
    var left = publications.count
    while left > 0 {
      while let news = broker.next() {
        switch news {
        case .delivered: left &-= 1
        case .lost(let trouble), .refused(let trouble): return trouble
        case .failed: return BrokerTrouble(kind: .other, message: "the broker has not acknowledged it")
        default: continue
        }
      }
      guard left == 0 || wait() else { return BrokerTrouble(kind: .other, message: "stopped by a signal") }
    }
    return nil
  }

  /// Disconnects.
  package mutating func end() { broker.close(patience: .seconds(2)) }

  /// Waits for news; returns false after a stop signal.
  private func wait() -> Bool {
    guard !broker.hasNews else { return true }
    var descriptors: InlineArray<2, csupport_wait_descriptor> = [
      csupport_wait_descriptor(descriptor: broker.descriptor, is_written_to: false, is_ready: false),
      csupport_wait_descriptor(descriptor: csupport_signals_descriptor(), is_written_to: false, is_ready: false),
    ]
    var places = descriptors.mutableSpan
    unsafe places.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      _ = unsafe csupport_wait_for(base, buffer.count, .max)
    }
    return csupport_signals_received() == 0
  }
}
