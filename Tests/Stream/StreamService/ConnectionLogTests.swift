import FixedPoint
import StreamService
import TestSupport
import Testing
import Text

/// The log lines of a connection, and their times.
struct ConnectionLogTests {
  private static func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

  @Test static func `each change is logged once`() {
    var log = ConnectionLog("the broker at b:1")
    expect(log.failed("refused", at: at(0)), equals: "no connection to the broker at b:1: refused")
    for second in 1..<500 { expect(log.failed("refused", at: at(Int64(second))), equals: nil) }
    expect(log.failed("no route", at: at(500)), equals: "no connection to the broker at b:1: no route")
    expect(log.connected(), equals: "connected to the broker at b:1")
    expect(log.connected(), equals: nil)
    expect(log.failed("closed", at: at(501)), equals: "connection to the broker at b:1 lost: closed")
  }

  @Test static func `a lasting trouble is logged every 10 minutes, with its duration`() {
    var log = ConnectionLog("b")
    expect(log.due, equals: nil)
    _ = log.failed("refused", at: at(0))
    expect(log.due, equals: at(600))
    expect(log.reminder(at: at(599)), equals: nil)
    expect(log.reminder(at: at(600)), equals: "no connection to b for 10 min: refused")
    expect(log.reminder(at: at(601)), equals: nil)
    expect(log.reminder(at: at(1_230)), equals: "no connection to b for 20 min: refused")
    _ = log.connected()
    expect(log.due, equals: nil)
    expect(log.reminder(at: at(9_999)), equals: nil)
  }
}
