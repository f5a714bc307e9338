import CSupport
import FixedPoint
import Foundation
import Glibc
import HAL
import LinuxHAL
import TestSupport
import Testing

/// Clock and signals belong to the whole process: a signal of one test would end the sleep of another.
@Suite(.serialized) struct `The clock and stop signals` {
  private let clock = LinuxClock()

  init() { OrdinarySignals.restored }

  @Test func `time does not run backwards`() {
    var last = clock.now
    for _ in 0..<10_000 {
      let now = clock.now
      expect(now, isAtLeast: last)
      last = now
    }
  }

  @Test(arguments: [1, 50, 999, 1_000, 7_777, 20_000] as [Int64])
  func `a sleep is never too short`(length: Int64) {
    let deadline = clock.now + Microseconds(length)
    expect(that: clock.sleep(until: deadline))
    expect(clock.now, isAtLeast: deadline)
    expect(clock.now - deadline, isBelow: .seconds(5))
  }

  @Test func `a deadline that has passed does not wait`() {
    let start = clock.now
    for deadline in [start, start - .seconds(1), Instant(microseconds: 0), Instant(microseconds: .min)] {
      expect(that: clock.sleep(until: deadline))
    }
    expect(clock.now - start, isBelow: .seconds(5))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal that came before a sleep ends it`(number: Int32) throws {
    try StopSignals.install()
    defer { StopSignals.uninstall() }
    expect(StopSignals.received, equals: nil)
    expect(that: clock.sleep(until: clock.now + .milliseconds(1)))
    kill(getpid(), number)
    // Swift's own threads block signals, so another thread gets it, before this sleep begins or during it.
    expect(clock.sleep(until: clock.now + .seconds(60)), equals: false)
    expect(StopSignals.received?.number, equals: number)
    expect(clock.sleep(until: clock.now + .seconds(60)), equals: false, "and every later one")
    expect(clock.sleep(until: clock.now), equals: false, "even one of no length")
  }

  @Test func `a tool that takes requests is not ended by one`() throws {
    try StopSignals.install(brokenPipe: .stops, takesRequests: true)
    defer { StopSignals.uninstall() }
    kill(getpid(), SIGUSR1)
    expect(clock.sleep(until: clock.now + .seconds(60)), equals: false)
    expect(ServiceSignals.take().counters, equals: true)
    expect(StopSignals.received, equals: nil)
  }

  @Test func `a signal ends a sleep in progress`() throws {
    try StopSignals.install()
    defer { StopSignals.uninstall() }
    let start = clock.now
    // A separate thread: those of tasks may all be busy with other tests.
    Thread.detachNewThread {
      usleep(20_000)
      kill(getpid(), SIGTERM)
    }
    expect(clock.sleep(until: start + .seconds(60)), equals: false)
    expect(clock.now - start, isBelow: .seconds(30))
    expect(StopSignals.received, equals: .terminate)
  }

  @Test func `a signal that is not a stop signal does not end a sleep`() throws {
    try StopSignals.install()
    defer { StopSignals.uninstall() }
    let deadline = clock.now + .milliseconds(60)
    Thread.detachNewThread {
      usleep(20_000)
      kill(getpid(), SIGWINCH)
    }
    expect(that: clock.sleep(until: deadline))
    expect(clock.now, isAtLeast: deadline)
  }

  @Test func `the first signal is remembered until the handlers are removed`() throws {
    try StopSignals.install()
    defer { StopSignals.uninstall() }
    for number in [SIGTERM, SIGINT] {
      kill(getpid(), number)
      expect(clock.sleep(until: clock.now + .seconds(60)), equals: false)
    }
    // The second signal did not end a sleep: a thread handles it in its own time, and once the handlers are removed,
    // it would kill.
    var waiting = sigset_t()
    repeat {
      usleep(5_000)
      unsafe sigpending(&waiting)
    } while unsafe sigismember(&waiting, SIGINT) == 1
    expect(StopSignals.received, equals: .terminate)
    try StopSignals.install()
    expect(StopSignals.received, equals: .terminate, "a second call does nothing")
    StopSignals.uninstall()
    expect(StopSignals.received, equals: nil)
    expect(that: clock.sleep(until: clock.now + .milliseconds(1)))
  }

  @Test(arguments: [(.ignored, nil), (.stops, .brokenPipe)] as [(StopSignals.BrokenPipe, StopSignal?)])
  func `a reader that has gone is an error of the write`(policy: StopSignals.BrokenPipe, signal: StopSignal?) throws {
    try StopSignals.install(brokenPipe: policy)
    defer { StopSignals.uninstall() }
    var ends: [Int32] = [0, 0]
    try unsafe require(that: pipe(&ends) == 0)
    close(ends[0])
    unsafe expect(Glibc.write(ends[1], "x", 1), equals: -1)
    expect(errno, equals: EPIPE)
    close(ends[1])
    expect(StopSignals.received, equals: signal)
  }

  @Test func `a hang-up stays ignored under nohup`() throws {
    let before = signal(SIGHUP, SIG_IGN)
    defer { _ = signal(SIGHUP, before) }
    try StopSignals.install()
    defer { StopSignals.uninstall() }
    kill(getpid(), SIGHUP)
    expect(that: clock.sleep(until: clock.now + .milliseconds(5)))
    expect(StopSignals.received, equals: nil)
  }

  @Test func `the signals of a service are requests, taken once, except a stop`() throws {
    try ServiceSignals.install()
    defer { StopSignals.uninstall() }
    expect(that: clock.sleep(until: clock.now + .milliseconds(1)))
    for number in [SIGHUP, SIGUSR1] {
      kill(getpid(), number)
      expect(clock.sleep(until: clock.now + .seconds(60)), equals: false)
      let requests = ServiceSignals.take()
      expect(requests.reload, equals: number == SIGHUP)
      expect(requests.counters, equals: number == SIGUSR1)
      expect(that: !requests.stop)
      expect(that: clock.sleep(until: clock.now + .milliseconds(1)), "a request that was taken ends no wait")
    }
    kill(getpid(), SIGTERM)
    expect(clock.sleep(until: clock.now + .seconds(60)), equals: false)
    for _ in 0..<2 {
      expect(that: ServiceSignals.take().stop)
      expect(clock.sleep(until: clock.now + .seconds(60)), equals: false)
    }
    expect(StopSignals.received, equals: .terminate)
  }

  /// The longest wait of a test, in µs of the clock: a faulty one fails, and does not hang.
  private var inAMinute: Int64 { (clock.now + .seconds(60)).microseconds }

  /// A set with one end of a pipe in it.
  private func withSet(once: Bool, _ body: (Int32, Int32, Int32) throws -> Void) throws {
    var ends: [Int32] = [0, 0]
    try unsafe require(that: pipe(&ends) == 0)
    let set = csupport_wait_open()
    defer { for descriptor in [set, ends[0], ends[1]] { close(descriptor) } }
    try require(that: set >= 0 && csupport_wait_add(set, ends[0], 4, once) == 0)
    try body(set, ends[0], ends[1])
  }

  @Test func `a wait ends by a descriptor, a signal or time`() throws {
    try StopSignals.install()
    defer { StopSignals.uninstall() }
    try withSet(once: false) { set, output, input in
      let start = clock.now
      expect(csupport_wait(set, (start + .milliseconds(5)).microseconds), equals: 0)
      expect(clock.now - start, isAtLeast: .milliseconds(5))
      unsafe expect(Glibc.write(input, "x", 1), equals: 1)
      for _ in 0..<2 { expect(csupport_wait(set, inAMinute), equals: 4, "as long as it can be read") }
      kill(getpid(), SIGINT)
      expect(clock.sleep(until: clock.now + .seconds(60)), equals: false)
      expect(csupport_wait(set, inAMinute), equals: 4 | Int32(CSUPPORT_WOKEN_BY_SIGNAL))
      var byte: UInt8 = 0
      unsafe expect(Glibc.read(output, &byte, 1), equals: 1)
      expect(csupport_wait(set, inAMinute), equals: Int32(CSUPPORT_WOKEN_BY_SIGNAL))
    }
  }

  @Test func `an edge ends one wait, even if nothing is read`() throws {
    try withSet(once: true) { set, _, input in
      for _ in 0..<3 {
        unsafe expect(Glibc.write(input, "x", 1), equals: 1)
        expect(csupport_wait(set, inAMinute), equals: 4)
        expect(csupport_wait(set, (clock.now + .milliseconds(1)).microseconds), equals: 0)
      }
    }
  }

  @Test func `a late wait lets streams wait, but never twice in a row`() throws {
    try withSet(once: false) { set, output, input in
      let past = clock.now.microseconds
      expect(csupport_wait(set, past), equals: 0)
      unsafe expect(Glibc.write(input, "x", 1), equals: 1)
      for _ in 0..<3 {
        expect(csupport_wait(set, past), equals: 0)
        expect(csupport_wait(set, past), equals: Int32(CSUPPORT_WOKEN_BY_STREAM))
      }
      expect(csupport_wait(set, past), equals: 0)
      expect(csupport_wait(set, inAMinute), equals: Int32(CSUPPORT_WOKEN_BY_STREAM))
      expect(csupport_wait(set, past), equals: 0, "once it was served, the next late wait goes first again")
      var byte: UInt8 = 0
      unsafe expect(Glibc.read(output, &byte, 1), equals: 1)
      for _ in 0..<2 { expect(csupport_wait(set, past), equals: 0) }
    }
  }

  @Test func `no chore is never due, and does nothing`() {
    var chore = NoChore()
    chore.perform(at: Instant(microseconds: 5))
    expect(chore.due, equals: nil)
  }
}
