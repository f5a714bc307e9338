// Signals as values to look at. In C because a signal handler may do next to nothing, and Swift's runtime gives no
// promise about that.
#ifndef CSUPPORT_SIGNALS_H
#define CSUPPORT_SIGNALS_H

// What the signals ask of the program.
enum csupport_signal_use {
  CSUPPORT_SIGNALS_OF_TOOL = 0,    // INT, TERM and HUP stop it; HUP stays ignored where it was (nohup)
  CSUPPORT_SIGNALS_OF_SERVICE = 1, // INT and TERM stop it, HUP and USR1 are requests
};

// What happens when the reader of standard output has gone.
enum csupport_broken_pipe {
  CSUPPORT_BROKEN_PIPE_KILLS = 0,   // the system's default: the program dies at once, and leaves its LEDs lit
  CSUPPORT_BROKEN_PIPE_IGNORED = 1, // writing fails with EPIPE
  CSUPPORT_BROKEN_PIPE_STOPS = 2,   // writing fails with EPIPE, and it counts as a stop signal
};

// Signals as requests; bits.
enum {
  CSUPPORT_STOP = 1,     // a stop signal: end in good order
  CSUPPORT_RELOAD = 2,   // SIGHUP to a service: read the board file again
  CSUPPORT_COUNTERS = 4, // SIGUSR1 to a service: report the counters
};

// The numbers of stop signals, the same on every machine that Plumb runs on.
enum { CSUPPORT_SIGHUP = 1, CSUPPORT_SIGINT = 2, CSUPPORT_SIGPIPE = 13, CSUPPORT_SIGTERM = 15 };

// Takes the signals over: they no longer kill the program but are remembered, and end every wait of csupport_wait.h, in
// whichever thread they arrive. No SA_RESTART: a blocked write ends with EINTR. Returns 0 or -errno. A second call does
// nothing.
int csupport_signals_install(enum csupport_signal_use use, enum csupport_broken_pipe broken_pipe);

// Gives the signals back to the actions they had before, and forgets those that came.
void csupport_signals_uninstall(void);

// The number of the first stop signal that came, 0 when none did.
int csupport_signals_received(void);

// The requests that have come and were not taken before, in one word; 0 for none. A stop stays.
unsigned csupport_signals_requests(void);

// A descriptor that is readable from the moment a signal comes until its request is taken; made at its first use and
// never closed, or -errno. For a wait that includes other things. Not to be read or closed.
int csupport_signals_descriptor(void);

// Waits until descriptor can be written to without blocking (at most PIPE_BUF bytes, where it is a pipe), for
// milliseconds at most, below 0 for as long as it takes. Because a write that blocks would be deaf to stop signals.
// Returns 1 when it can be, 0 when time is up, -EINTR when it cannot and a stop signal has come, or -errno.
int csupport_signals_wait_writable(int descriptor, int milliseconds);

#endif
